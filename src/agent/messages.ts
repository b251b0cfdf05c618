import { answersIn, textOf, unwrapped } from '../core/extractText';
import { isPlainObject } from '../core/json';
import { createTextAccumulator } from '../core/textAccumulator';
import type { Meaning } from './dialect';
import { holds, textAt, valueAt, type NamedEvent } from './paths';

/** Builds the messages of an answer from what events mean. */
export function createMessages() {
	const answer = createTextAccumulator();
	const held = createHeldMessages();
	const ids = createMessageIds();
	/** Texts of messages that come again and longer, by ID. */
	const grown = new Map<string, string>();
	/** ID of the message whose pieces came last. */
	let sender: string | undefined;

	const addPiece = (text: string, id: string | undefined): string => {
		if (!text) return '';
		if (id !== undefined && id !== sender) answer.endMessage();
		sender = id ?? sender;
		return answer.append(text);
	};
	const unlessKnown = (message: string) => (answer.isKnown(message) ? '' : message);
	const takeHeld = (): string => {
		let text = '';
		for (const message of held.take(answer)) {
			answer.endMessage();
			text += answer.append(message);
		}
		return text;
	};

	return {
		/** @returns the text that a meaning of an event adds. */
		add(meaning: Meaning, event: NamedEvent): string {
			const { piece, grows, whole, all, replaces, asks = replaces, state, added } = meaning;
			const { value } = event;
			const { id, isOther } = ids.find(meaning, event);
			if (isOther) return '';
			if (state ?? added) held.add(state && valueAt(value, state), added && valueAt(value, added));
			if (piece !== undefined) return addPiece(textAt(value, piece), id);
			if (grows !== undefined) return addPiece(growth(grown, id ?? '', textAt(value, grows)), id);
			if (all !== undefined) return answer.isEmpty() ? answer.append(textAt(value, all)) : '';
			if (whole !== undefined)
				return answer.current() ? '' : answer.append(unlessKnown(textAt(value, whole)));
			if (asks === undefined) return '';
			const before = takeHeld();
			answer.endMessage();
			return before + answer.append(unlessKnown(textAt(value, asks)));
		},
		end: answer.endMessage,
		/** @returns the text of messages that counted only if they were not streamed. */
		takeHeld,
		text: answer.text,
	};
}

/** What a message that comes again adds. */
function growth(grown: Map<string, string>, id: string, text: string): string {
	const before = grown.get(id) ?? '';
	if (!text.startsWith(before)) return '';
	grown.set(id, text);
	return text.slice(before.length);
}

/** Tells messages apart that come side by side. */
function createMessageIds() {
	const others = new Set<string>();
	const counts = new Map<string, number>();
	let last: string | undefined;

	const idOf = ({ id, numberedBelow }: Meaning, value: unknown): string => {
		const found = valueAt(value, id ?? numberedBelow ?? '');
		if (numberedBelow === undefined)
			return found === undefined ? (last ?? '') : JSON.stringify(found);
		const place = Array.isArray(found) ? found : [];
		const key = JSON.stringify(place);
		const number = counts.get(key) ?? 0;
		counts.set(key, number + 1);
		return JSON.stringify([...place, number]);
	};

	return {
		find(meaning: Meaning, event: NamedEvent): { id?: string; isOther: boolean } {
			const { id: path, numberedBelow, isOther } = meaning;
			if (path === undefined && numberedBelow === undefined) return { isOther: false };
			const id = idOf(meaning, event.value);
			last = id;
			if (isOther && holds(event, isOther)) others.add(id);
			return { id, isOther: others.has(id) };
		},
	};
}

/** Messages that count only where they were not streamed. */
function createHeldMessages() {
	let state: unknown;
	const added: unknown[] = [];
	return {
		add(newState: unknown, messages: unknown): void {
			if (Array.isArray(newState)) state = newState;
			if (messages !== undefined && messages !== '') added.push(...[messages].flat());
		},
		/** @returns the messages that no text of the answer has brought. */
		take(
			answer: Pick<ReturnType<typeof createTextAccumulator>, 'isEmpty' | 'isKnown' | 'endMessage'>,
		): string[] {
			const stated = messagesIn(state);
			const other = messagesIn(added);
			state = undefined;
			added.length = 0;
			const messages = stated.length ? stated : other;
			if (answer.isEmpty()) return messages;
			answer.endMessage();
			const last = messages.findLastIndex(answer.isKnown);
			return last < 0 ? [] : messages.slice(last + 1);
		},
	};
}

const messagesIn = (list: unknown): string[] =>
	(Array.isArray(list) ? (answersIn(list.map(unwrapped)) ?? []) : [])
		.map((message) => (isPlainObject(message) && textOf(message['content'])) || '')
		.filter(Boolean);
