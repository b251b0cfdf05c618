import { reportedError } from '../core/body';
import { isErrorValue } from '../core/errorResponses';
import { isPlainObject } from '../core/json';
import type { Dialect, Meaning } from './dialect';
import { createMessages } from './messages';
import { hasValueAt, holds, valueAt, type NamedEvent } from './paths';

/** An event as it arrived: the name on its line, and its value. */
export interface ArrivedEvent {
	event: string;
	value: unknown;
}

export const rawOf = ({ event, value }: ArrivedEvent) => (event ? { event, data: value } : value);

/** Reads the events of an answer by a row of the table. */
export type DialectReader = ReturnType<typeof createDialectReader>;

export function createDialectReader(dialect: Dialect) {
	const messages = createMessages();
	/** The event that opened the stream, after which an end has to come. */
	let opening: unknown;
	let isOver = false;
	/** Whether the answer has ended, and nothing has come since. */
	let hasEnded = false;
	let isToolOpen = false;
	/** Whether a text has come in place of an earlier one. */
	let isReplaced = false;

	const apply = (meaning: Meaning, event: NamedEvent, raw: unknown): string => {
		if (!applies(meaning, event, opening)) return '';
		const { opens, calls, ends, fails } = meaning;
		const { value } = event;
		if (opens) opening ??= value;
		if (meaning.replaces !== undefined) isReplaced ||= messages.text() !== '';
		const text = messages.add(meaning, event);
		if (text) hasEnded = isToolOpen = false;
		if (fails !== undefined) throw reportedError('agent', findReason(value, fails), raw);
		if (ends) messages.end();
		hasEnded ||= ends === 'answer' || ends === 'stream';
		if (calls !== undefined && hasValueAt(value, calls)) {
			isToolOpen = true;
			hasEnded = false;
		}
		// some agents send each turn of their model as a stream of its own
		isOver ||= ends === 'stream' && !isToolOpen;
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
		finish: messages.takeHeld,
		text: messages.text,
		isOver: () => isOver,
		/** Whether an end has come, and no text since. */
		hasEnded: () => isOver || hasEnded,
		/** Whether a message has ended, and nothing has to be waited for. */
		isWhole: () => hasEnded && !isToolOpen && messages.text() !== '',
		isReplaced: () => isReplaced,
		/** Whether it ended with the call of a tool. */
		isToolOpen: () => isToolOpen,
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

const findReason = (value: unknown, fails: NonNullable<Meaning['fails']>): unknown =>
	listOf(fails)
		.map((path) => valueAt(value, path))
		.find((found) => found !== undefined && found !== null && found !== '') ?? value;
