import { reportedError } from '../core/body';
import { isErrorValue } from '../core/errorResponses';
import { END_MARK } from '../core/sse';
import { isMissing, isPlainObject } from '../core/json';
import type { Dialect, Meaning } from './dialect';
import {
	newState,
	rawOf,
	type ArrivedEvent,
	type EventReader,
	type ReadingState,
} from './eventReader';
import { createMessages } from './messages';
import { hasValueAt, holds, textAt, valueAt, type NamedEvent } from './paths';
import { createWaits } from './waits';

/** Reads the events of an answer by a row of the table. */
export function createDialectReader(dialect: Dialect): EventReader {
	const messages = createMessages();
	const tools = createWaits();
	const state = newState();
	/** The event that opened the stream, or the last run in it. */
	let opening: unknown;

	const open = ({ opens, piece }: Meaning, value: unknown): void => {
		if (!opens) return;
		opening ??= value;
		state.isOpen = true;
		// an event that may be a piece shows by its text that the answer goes on
		if (opens !== 'stream' || piece !== undefined || !state.hasEnded) return;
		opening = value;
		messages.beginRun();
		goOn(state);
	};
	const say = (meaning: Meaning, event: NamedEvent): string => {
		const isAsked = tools.add(meaning, event.value);
		const text = messages.add(meaning, event);
		state.isReplaced = messages.isReplaced();
		const isOfOthers = !text && messages.isOfOthers(meaning, event);
		if (isOfOthers || messages.isOther(meaning, event) || isCall(meaning, event)) messages.endOwn();
		state.isToolOpen &&= !text && !isAsked;
		if (text || isAsked || isOfOthers) goOn(state);
		return text;
	};
	const apply = (meaning: Meaning, event: NamedEvent, arrived: ArrivedEvent): string => {
		const { ends, fails } = meaning;
		open(meaning, event.value);
		const text = say(meaning, event);
		if (fails !== undefined)
			state.failure = reportedError('agent', findReason(event.value, fails), rawOf(arrived));
		if (ends && meaning.piece === undefined) messages.end();
		end(state, meaning, event);
		return text;
	};

	return {
		add(arrived) {
			const event = nameEvent(dialect, arrived);
			if (!event) state.failure = reportedError('agent', arrived.value, rawOf(arrived));
			if (!event || !Object.hasOwn(dialect.events, event.name)) return '';
			let text = '';
			for (const value of listIn(dialect, event.value))
				text += this.add({ event: arrived.event, value });
			for (const meaning of [dialect.events[event.name] ?? []].flat())
				if (!state.failure && applies(meaning, event, opening))
					text += apply(meaning, event, arrived);
			return text;
		},
		finish(isWhole) {
			const questions = state.failure ? [] : tools.ask(isAtEnd(state, isWhole));
			return messages.finish(isWhole && state.hasEnded) + messages.ask(questions);
		},
		text: messages.text,
		waits: () => tools.list(state.hasEnded),
		state,
	};
}

/** The events that come in a list in this one. */
function listIn({ listIn: field }: Dialect, value: unknown): readonly unknown[] {
	const list = field === undefined ? undefined : valueAt(value, field);
	return Array.isArray(list) ? list : [];
}

/** Some dialects have no end. */
const isAtEnd = ({ hasEnded, isOpen }: ReadingState, isWhole: boolean): boolean =>
	hasEnded || (isWhole && !isOpen);

const hasCall = (calls: Meaning['calls'], { value }: NamedEvent): boolean =>
	calls !== undefined && hasValueAt(value, calls);

/** What is said after the call of a tool is another message. */
const isCall = ({ calls, call }: Meaning, event: NamedEvent): boolean =>
	hasCall(calls, event) || (call !== undefined && hasCall(call.each ?? '', event));

/** Something came after an end. */
function goOn(state: ReadingState): void {
	state.hasEnded = state.hasEndMark = state.isCut = false;
}

/** Why a model has stopped: a limit of tokens. Anthropic, Bedrock and Z.ai name the last one: earendil-works/pi#1868. */
const LIMITS = [
	'length',
	'max_tokens',
	'MAX_TOKENS',
	'max_output_tokens',
	'max_tokens_exceeded',
	'model_context_window_exceeded',
];

function end(state: ReadingState, { ends, calls, stopped = [] }: Meaning, event: NamedEvent): void {
	state.hasEnded ||= isEnd(ends);
	state.hasEndMark ||= ends === 'stream';
	if (isEnd(ends)) state.mayGoOn = ends === 'step' && !state.hasEndMark;
	state.isCut ||= LIMITS.includes(textAt(event.value, stopped));
	if (!hasCall(calls, event)) return;
	state.isToolOpen = true;
	goOn(state);
}

/** Whether nothing has to follow. */
export const isEnd = (ends: Meaning['ends']): boolean => ends !== undefined && ends !== 'message';

/** The event as its row sees it; undefined for an error of JSON-RPC. */
export function nameEvent(dialect: Dialect, arrived: ArrivedEvent): NamedEvent | undefined {
	const value = withoutEnvelope(dialect, arrived.value);
	if (value !== arrived.value && isErrorValue((arrived.value as { error?: unknown }).error))
		return undefined;
	if (typeof value === 'string' && END_MARK.test(value)) return { name: '[DONE]', value };
	const { by, nameUntil } = dialect;
	const fields = isPlainObject(value) ? value : {};
	for (const place of [by ?? []].flat()) {
		if (place === 'onlyField') {
			const [name = '', ...more] = Object.keys(fields);
			return more.length ? { name: '', value } : { name, value: fields[name] };
		}
		const found = place === 'line' ? arrived.event : fields[place];
		if (typeof found !== 'string' || !found) continue;
		return { name: nameUntil ? String(found.split(nameUntil)[0]) : found, value };
	}
	return { name: '', value };
}

/** The result of a JSON-RPC response, if the dialect has such envelopes. */
export const withoutEnvelope = ({ inJsonRpc }: Dialect, value: unknown): unknown =>
	inJsonRpc && isPlainObject(value) && 'jsonrpc' in value ? value['result'] : value;

function applies(
	{ if: condition, unless = {}, ofOpening }: Meaning,
	event: NamedEvent,
	opening: unknown,
) {
	if (condition && !holds(event, condition)) return false;
	for (const path in unless) if (holds(event, { [path]: unless[path] ?? null })) return false;
	if (ofOpening === undefined) return true;
	const outermost = valueAt(opening, ofOpening);
	return outermost !== undefined && outermost === valueAt(event.value, ofOpening);
}

const findReason = (value: unknown, fails: NonNullable<Meaning['fails']>): unknown =>
	[fails]
		.flat()
		.map((path) => valueAt(value, path))
		.find((found) => !isMissing(found)) ?? value;
