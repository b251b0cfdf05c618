import { answersIn, isOthers, textOf, unwrapped } from '../core/extractText';
import { isPlainObject } from '../core/json';
import { createTextAccumulator } from '../core/textAccumulator';
import type { Meaning } from './dialect';
import { holds, questionAt, saidAt, textAt, valueAt, type NamedEvent } from './paths';

/** Builds the messages of an answer from what events mean. */
export function createMessages() {
	const answer = createParagraphs();
	const { addPiece, addNew } = answer;
	const findId = createIdFinder();
	/** Texts of messages that come again and longer, by ID. */
	const grown = new Map<string, string>();
	/** The whole conversation, as it came last. */
	let conversation: unknown;

	const finish = (): string => {
		const messages = said(conversation);
		conversation = undefined;
		const isFirst = answer.isEmpty();
		answer.endMessage();
		const known = messages.findLastIndex(answer.isKnown);
		return isFirst || known >= 0 ? addNew(messages.slice(known + 1)) : '';
	};

	return {
		/** @returns the text that a meaning of an event adds. */
		add(meaning: Meaning, event: NamedEvent): string {
			const { piece, grows, whole, all, replaces, asks = replaces, state, added } = meaning;
			const { value } = event;
			const { id, isOther } = findId(meaning, event);
			if (isOther) return '';
			if (state !== undefined) conversation = valueAt(value, state) ?? conversation;
			if (piece !== undefined) return addPiece(newIn(grown, id, meaning, event), id);
			if (grows !== undefined) return addPiece(growth(grown, id, saidAt(value, grows)), id);
			if (all !== undefined) return answer.isSilent() ? addNew([saidAt(value, all)]) : '';
			if (asks !== undefined) return finish() + addNew([questionAt(value, asks)]);
			if (answer.current()) return '';
			return addNew(
				whole === undefined ? said(added && valueAt(value, added)) : [saidAt(value, whole)],
			);
		},
		/** Whether an event is a piece of what someone else says, as a tool between two messages of the agent. */
		isOfOthers: ({ piece }: Meaning, { value }: NamedEvent): boolean =>
			piece !== undefined && !saidAt(value, piece) && textAt(value, piece) !== '',
		/** Adds questions of the agent, a message each. */
		ask: addNew,
		end: answer.endMessage,
		/** Another run begins. */
		beginRun: answer.beginRun,
		/** @returns the text of messages of the conversation that were not streamed. */
		finish,
		text: answer.text,
	};
}

/** Adds pieces and whole messages to a text. */
function createParagraphs() {
	const answer = createTextAccumulator();
	/** ID of the message whose pieces came last. */
	let sender: string | undefined;
	/** Whether the run has said nothing yet. */
	let isSilent = true;

	const append = (text: string): string => {
		isSilent &&= !text;
		return answer.append(text);
	};

	return {
		...answer,
		addPiece(text: string, id: string | undefined): string {
			if (!text) return '';
			if (id !== undefined && id !== sender) answer.endMessage();
			sender = id ?? sender;
			return append(text);
		},
		addNew(messages: readonly string[]): string {
			let text = '';
			for (const message of messages) {
				if (!message || answer.isKnown(message)) continue;
				answer.endMessage();
				text += append(message);
			}
			return text;
		},
		isSilent: () => isSilent,
		beginRun(): void {
			isSilent = true;
		},
	};
}

/** What a piece adds, which may begin with all that its message has said so far. */
function newIn(grown: Map<string, string>, id = '', meaning: Meaning, event: NamedEvent): string {
	const { piece = '', repeats } = meaning;
	const text = saidAt(event.value, piece);
	if (!repeats) return text;
	const before = grown.get(id) ?? '';
	// the length first: to compare, all pieces so far are joined
	const isAgain = text.length >= before.length && holds(event, repeats) && text.startsWith(before);
	grown.set(id, isAgain ? text : before + text);
	return isAgain ? text.slice(before.length) : text;
}

/** What a message that comes again adds. */
function growth(grown: Map<string, string>, id = '', text: string): string {
	const before = grown.get(id) ?? '';
	if (!text.startsWith(before)) return '';
	grown.set(id, text);
	return text.slice(before.length);
}

/** Tells messages apart that come side by side. */
function createIdFinder() {
	/** IDs of messages of someone else. */
	const others = new Set<string>();
	/** How many events each place has had, for IDs that count them. */
	const counts = new Map<string, number>();
	let last: string | undefined;

	const countIn = (place: unknown): string => {
		const key = JSON.stringify(place);
		const number = counts.get(key) ?? 0;
		counts.set(key, number + 1);
		return JSON.stringify([place, number].flat());
	};

	return (meaning: Meaning, event: NamedEvent): { id?: string | undefined; isOther: boolean } => {
		const { id: path, numberedBelow, isOther } = meaning;
		if (path === undefined && numberedBelow === undefined) return { isOther: false };
		const found = valueAt(event.value, path ?? numberedBelow ?? '');
		if (numberedBelow !== undefined) last = countIn(found);
		else if (found !== undefined) last = JSON.stringify(found);
		const id = last ?? '';
		const isSomeoneElse = isOthers(event.value) || (isOther && holds(event, isOther)) === true;
		// without an ID, only the event itself is someone else's
		if (isSomeoneElse && found !== undefined) others.add(id);
		return { id, isOther: isSomeoneElse || others.has(id) };
	};
}

/** What the assistant said last in a conversation. */
const said = (list: unknown): string[] =>
	(answersIn([list].flat().map(unwrapped)) ?? []).map((message) =>
		isPlainObject(message) ? (textOf(message['content']) ?? '') : '',
	);
