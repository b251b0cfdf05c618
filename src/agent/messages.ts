import { answersIn, textOf, unwrapped } from '../core/extractText';
import { isPlainObject } from '../core/json';
import { createTextAccumulator } from '../core/textAccumulator';
import type { Meaning } from './dialect';
import { holds, textAt, valueAt, type NamedEvent } from './paths';

/** Builds the messages of an answer from what events mean. */
export function createMessages() {
	const answer = createTextAccumulator();
	/** Texts of messages that come again and longer, by ID. */
	const grown = new Map<string, string>();
	/** IDs of messages of someone else. */
	const others = new Set<string>();
	/** How many events each place has had, for IDs that count them. */
	const counts = new Map<string, number>();
	let lastId: string | undefined;
	/** ID of the message whose pieces came last. */
	let sender: string | undefined;
	/** The whole conversation, as it came last. */
	let conversation: unknown;

	const idOf = ({ id, numberedBelow }: Meaning, value: unknown): string | undefined => {
		const path = id ?? numberedBelow;
		if (path === undefined) return undefined;
		const found = valueAt(value, path);
		if (numberedBelow === undefined) return found === undefined ? lastId : JSON.stringify(found);
		const place = JSON.stringify(found);
		const number = counts.get(place) ?? 0;
		counts.set(place, number + 1);
		return JSON.stringify([found, number].flat());
	};

	/** What a message that comes again adds. */
	const growth = (id: string, text: string): string => {
		const before = grown.get(id) ?? '';
		if (!text.startsWith(before)) return '';
		grown.set(id, text);
		return text.slice(before.length);
	};

	const appendAll = (messages: string[]): string => {
		let text = '';
		for (const message of messages) {
			answer.endMessage();
			text += answer.append(message);
		}
		return text;
	};

	const appendNew = (messages: string[]): string => {
		answer.endMessage();
		return appendAll(messages.filter((message) => message && !answer.isKnown(message)));
	};

	const finish = (): string => {
		const messages = said(conversation);
		conversation = undefined;
		const isFirst = answer.isEmpty();
		answer.endMessage();
		const known = messages.findLastIndex(answer.isKnown);
		return isFirst || known >= 0 ? appendAll(messages.slice(known + 1)) : '';
	};

	return {
		/** @returns the text that a meaning of an event adds. */
		add(meaning: Meaning, event: NamedEvent): string {
			const {
				piece,
				grows,
				whole,
				all,
				replaces,
				asks = replaces,
				state,
				added,
				isOther,
			} = meaning;
			const { value } = event;
			const id = idOf(meaning, value);
			lastId = id ?? lastId;
			if (id !== undefined && isOther && holds(event, isOther)) others.add(id);
			if (id !== undefined && others.has(id)) return '';
			if (state !== undefined) conversation = valueAt(value, state) ?? conversation;
			if (all !== undefined) return answer.isEmpty() ? answer.append(textAt(value, all)) : '';
			if (asks !== undefined) return finish() + appendNew([textAt(value, asks)]);
			if (whole !== undefined || added !== undefined) {
				if (answer.current()) return '';
				const texts =
					added === undefined ? [textAt(value, whole ?? '')] : said(valueAt(value, added));
				return appendNew(texts);
			}
			let text = piece === undefined ? '' : textAt(value, piece);
			if (grows !== undefined) text = growth(id ?? '', textAt(value, grows));
			if (!text) return '';
			if (id !== undefined && id !== sender) answer.endMessage();
			sender = id ?? sender;
			return answer.append(text);
		},
		end: answer.endMessage,
		/** @returns the text of messages of the conversation that were not streamed. */
		finish,
		text: answer.text,
	};
}

/** What the assistant said last in a conversation. */
const said = (list: unknown): string[] =>
	(answersIn([list].flat().map(unwrapped)) ?? [])
		.map((message) => (isPlainObject(message) && textOf(message['content'])) || '')
		.filter(Boolean);
