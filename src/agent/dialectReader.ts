import { reportedError } from '../core/body';
import { answersIn, textOf } from '../core/extractText';
import { isErrorValue } from '../core/errorResponses';
import { isPlainObject } from '../core/json';
import { createTextAccumulator } from '../core/textAccumulator';
import type { Dialect, Meaning } from './dialect';
import { hasValueAt, holds, textAt, valueAt, type NamedEvent } from './paths';

/** An event as it arrived: the name on its line, and its value. */
export interface ArrivedEvent {
	event: string;
	value: unknown;
}

export const rawOf = ({ event, value }: ArrivedEvent) => (event ? { event, data: value } : value);

/** Reads the events of an answer by a row of the table. */
export type DialectReader = ReturnType<typeof createDialectReader>;

export function createDialectReader(dialect: Dialect) {
	const answer = createTextAccumulator();
	const held = createHeldMessages();
	const ids = createMessageIds();
	/** Texts of messages that come again and longer, by ID. */
	const grown = new Map<string, string>();
	/** The event that opened the stream, after which an end has to come. */
	let opening: unknown;
	/** ID of the message whose pieces came last. */
	let sender: string | undefined;
	let isOver = false;
	/** Whether the answer has ended, and nothing has come since. */
	let hasEnded = false;
	let isToolOpen = false;

	const append = (text: string): string => {
		if (!text) return '';
		hasEnded = false;
		isToolOpen = false;
		return answer.append(text);
	};

	const addText = (meaning: Meaning, event: NamedEvent): string => {
		const { piece, grows, whole, all, asks } = meaning;
		const { value } = event;
		const { id, isOther } = ids.find(meaning, event);
		if (isOther) return '';
		let piecesOfMessage = piece === undefined ? '' : textAt(value, piece);
		if (grows !== undefined) piecesOfMessage = growth(grown, id ?? '', textAt(value, grows));
		if (piecesOfMessage && id !== undefined) {
			if (id !== sender) answer.endMessage();
			sender = id;
		}
		let added = append(piecesOfMessage);
		if (whole !== undefined && !answer.current())
			added += append(unlessKnown(textAt(value, whole)));
		if (all !== undefined && answer.isEmpty()) added += append(textAt(value, all));
		const question = asks === undefined ? '' : unlessKnown(textAt(value, asks));
		if (question) {
			answer.endMessage();
			added += append(question);
		}
		return added;
	};
	const unlessKnown = (message: string) => (answer.isKnown(message) ? '' : message);

	const apply = (meaning: Meaning, event: NamedEvent, raw: unknown): string => {
		if (!applies(meaning, event, opening)) return '';
		const { opens, calls, ends, fails, state, added } = meaning;
		const { value } = event;
		if (opens) opening ??= value;
		const text = addText(meaning, event);
		held.add(state && valueAt(value, state), added && valueAt(value, added));
		if (calls !== undefined && hasValueAt(value, calls)) isToolOpen = true;
		if (fails !== undefined) throw reportedError('agent', findReason(value, fails), raw);
		if (ends) answer.endMessage();
		hasEnded ||= ends === 'answer';
		isOver ||= ends === 'stream';
		return text;
	};

	return {
		dialect,
		/** @returns the text that an event adds. @throws ServiceError if it reports that the agent has failed. */
		add(arrived: ArrivedEvent): string {
			const event = nameEvent(dialect, arrived);
			const raw = rawOf(arrived);
			if (!event) throw reportedError('agent', arrived.value, raw);
			if (!Object.hasOwn(dialect.events, event.name)) return '';
			let text = '';
			for (const meaning of listOf(dialect.events[event.name])) text += apply(meaning, event, raw);
			return text;
		},
		/** The answer has ended, or broken off. @returns the text of messages that counted only if nothing else came. */
		finish(): string {
			let text = '';
			for (const message of held.take(answer)) {
				answer.endMessage();
				text += append(message);
			}
			return text;
		},
		text: answer.text,
		isOver: () => isOver,
		/** Whether an end has come, and no text since. */
		hasEnded: () => isOver || hasEnded,
		/** Whether the answer has ended, and nothing has to be waited for. */
		isWhole: () => hasEnded && !isToolOpen,
		isOpen: () => opening !== undefined,
	};
}

/** The event as its row sees it; undefined for an error of JSON-RPC. */
export function nameEvent(dialect: Dialect, arrived: ArrivedEvent): NamedEvent | undefined {
	const value = withoutEnvelope(dialect, arrived.value);
	if (value !== arrived.value && isErrorValue((arrived.value as { error?: unknown }).error))
		return undefined;
	if (typeof value === 'string' && DONE.test(value)) return { name: '[DONE]', value };
	const { by, nameUntil } = dialect;
	const fields = isPlainObject(value) ? value : {};
	for (const place of listOf(by)) {
		if (place === 'onlyField') {
			const [name = '', ...more] = Object.keys(fields);
			return more.length ? { name: '', value } : { name, value: fields[name] };
		}
		const found = place === 'line' ? arrived.event : fields[place];
		if (typeof found !== 'string' || !found) continue;
		return { name: nameUntil ? (found.split(nameUntil)[0] ?? '') : found, value };
	}
	return { name: '', value };
}

const DONE = /^\s*\[DONE\]\s*$/;

/** The result of a JSON-RPC response, if the dialect has such envelopes. */
export const withoutEnvelope = ({ inJsonRpc }: Dialect, value: unknown): unknown =>
	inJsonRpc && isPlainObject(value) && 'jsonrpc' in value ? value['result'] : value;

const listOf = <Item>(given: Item | readonly Item[] | undefined): readonly Item[] =>
	given === undefined ? [] : Array.isArray(given) ? (given as readonly Item[]) : [given as Item];

function applies(meaning: Meaning, event: NamedEvent, opening: unknown): boolean {
	const { if: condition, unless, ofOpening } = meaning;
	if (condition && !holds(event, condition)) return false;
	if (unless && Object.entries(unless).some(([path, value]) => holds(event, { [path]: value })))
		return false;
	if (ofOpening === undefined) return true;
	const outermost = valueAt(opening, ofOpening);
	return outermost !== undefined && outermost === valueAt(event.value, ofOpening);
}

/** What a message that comes again adds. */
function growth(grown: Map<string, string>, id: string, text: string): string {
	const before = grown.get(id) ?? '';
	if (!text.startsWith(before)) return '';
	grown.set(id, text);
	return text.slice(before.length);
}

const findReason = (value: unknown, fails: NonNullable<Meaning['fails']>): unknown =>
	listOf(fails)
		.map((path) => valueAt(value, path))
		.find((found) => found !== undefined && found !== null && found !== '') ?? value;

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
			const [stated, other] = [messagesIn(state), messagesIn(added)];
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
	(Array.isArray(list) ? (answersIn(list) ?? []) : [])
		.map((message) => (isPlainObject(message) && textOf(message['content'])) || '')
		.filter(Boolean);
