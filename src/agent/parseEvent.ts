import { hasErrors, isErrorValue, reportsError } from '../core/errorResponses';
import {
	detectEnd,
	isAmbiguousName,
	isEndMark,
	isErrorName,
	isNonAnswerName,
	isToolName,
} from '../core/eventNames';
import { extractText, hasContent, isOtherRole, extractTextAt } from '../core/extractText';
import { isPlainObject } from '../core/json';

/** The content of one event of an agent's answer. */
export interface ParsedEvent {
	/** A chunk of the answer, or all of it so far. */
	text?: string;
	/** The text of an event that ends something: the answer again, or its last chunk. */
	summary?: string;
	/** The text of an event such as `info` or `plan`: it is the answer only if nothing else comes. */
	aside?: string;
	/** The agent's own error. */
	error?: unknown;
	/** The end of the stream, or of a message after which more may follow. */
	end?: 'stream' | 'message';
	/** The event has content, but no text, and is not known to be unrelated to the answer. */
	unknown?: true;
}

/**
 * Finds the names of an event: of its line, of its only field, and in fields such as `type`, `event` or `kind`, also of its data. The
 * data may say more than the line: `update` with a `type` of `error`.
 *
 * @param path Of the text, as the user entered it. It begins at the whole event.
 * @param isWhole Whether the event is the whole answer.
 */
export function nameEvent(data: unknown, eventName?: string, path?: string, isWhole?: boolean) {
	const { value, name } = path ? { value: data } : unwrap(data);
	const given = [eventName, name, ...namesIn(value), ...namesIn(dataOf(value))];
	const saysNothing = (each: string) => each === 'message' || (isWhole && isAmbiguousName(each));
	return { value, names: given.filter(isNonEmptyString).filter((each) => !saysNothing(each)) };
}

/**
 * Parses one event. The specification does not define the format. An unknown event with a text in a usual field is a chunk of the
 * answer.
 *
 * @param answerPath Path of the text, as the user entered it. Then only that text counts, whatever the names of the event.
 * @param question The message that was sent, which an answer may repeat in addition to its text.
 */
export function parseEvent(
	{ value, names }: ReturnType<typeof nameEvent>,
	answerPath?: string,
	question?: string,
): ParsedEvent {
	const find = answerPath
		? (from: unknown) => extractTextAt(from, answerPath)
		: (from: unknown) => extractTextWithoutQuestion(from, question);
	const hasFailed = names.some(isErrorName) || [value, dataOf(value)].some(reportsError);
	if (hasFailed) return names.some(isToolName) ? {} : { error: value };
	const outside = names.filter((name) => isNonAnswerName(name) || isOtherRole(name));
	const isNonAnswer = !answerPath && outside.length > 0;
	if (isPlainObject(value) && isFromOtherRole(value)) return {};
	const end = findEnd(names);
	if (end) return parseEndEvent(end, isNonAnswer, names, () => find(value));
	const parsed = isNonAnswer
		? parseAside(outside, () => find(value))
		: parseText(find(value), value, answerPath || names[0]);
	if (isPlainObject(value) && isFinalEvent(value)) return parseFinalEvent(parsed, value, find);
	return parsed;
}

/** What only the data calls an end may be that of a part. */
const findEnd = ([first = '', ...others]: string[]) =>
	detectEnd(first) ?? (others.some(detectEnd) ? 'message' : undefined);

const parseAside = (outside: string[], find: () => string | undefined): ParsedEvent =>
	outside.every(isAmbiguousName) ? withText({}, 'aside', find()) : {};

function parseText(text: string | undefined, value: unknown, name?: string): ParsedEvent {
	const parsed = withText({}, 'text', text);
	if (parsed.text !== undefined || !hasContent(value)) return parsed;
	const isError = !name && isPlainObject(value) && hasErrors(value);
	return isError ? { error: value } : { ...parsed, unknown: true };
}

/** The end of something other than the answer, such as a tool call, does not end the answer. */
function parseEndEvent(
	end: 'stream' | 'message',
	isNonAnswer: boolean,
	names: string[],
	find: () => string | undefined,
): ParsedEvent {
	if (!isNonAnswer) return withText({ end }, 'summary', find());
	const isOther = names.some(isToolName) || !detectEnd(names[0] ?? '');
	return isOther || (end === 'message' && !names.some(isWholeStreamName)) ? {} : { end };
}

/** Splits an answer that is a list of events; any other answer counts as one event. */
export function splitEventList(value: unknown): unknown[] {
	const list = isPlainObject(value) && !extractText(value) ? value['events'] : value;
	const areEvents =
		Array.isArray(list) &&
		list.every(isPlainObject) &&
		list.some(({ type, event, kind }) => [type, event, kind].some(isNonEmptyString)) &&
		!list.some((entry) => 'role' in entry);
	return areEvents ? list : [value];
}

/** If the text found is the question, looks for another text. */
function extractTextWithoutQuestion(
	value: unknown,
	question: string | undefined,
): string | undefined {
	const text = extractText(value);
	if (text === undefined || text !== question || !isPlainObject(value)) return text;
	const others = Object.entries(value).filter(([, field]) => field !== question);
	return extractText(Object.fromEntries(others)) || text;
}

/** The result of a JSON-RPC response, or the only field of an event, whose name is the event's. */
function unwrap(data: unknown): { value: unknown; name?: string } {
	const { result, params = data, error } = isPlainObject(data) ? data : {};
	const isResult = isPlainObject(data) && 'jsonrpc' in data && !isErrorValue(error);
	const value = isResult ? (result ?? params) : data;
	const [name = '', ...more] = isPlainObject(value) ? Object.keys(value) : [];
	const inner = isPlainObject(value) && !more.length ? value[name] : undefined;
	if (!isPlainObject(inner) || /^(error|detail)$/.test(name) || extractText(value))
		return { value };
	return { value: inner, name };
}

const dataOf = (value: unknown) => (isPlainObject(value) ? value['data'] : undefined);

/** A `partial` text comes again when it is whole, so it is of another kind. */
function namesIn(value: unknown): unknown[] {
	if (!isPlainObject(value)) return [];
	const { type, event, kind, event_type, eventType, message_type, partial } = value;
	return [type, event, kind, event_type, eventType, message_type, partial === true && 'partial'];
}

const withText = (
	parsed: ParsedEvent,
	field: 'text' | 'summary' | 'aside',
	text: string | undefined,
): ParsedEvent =>
	text === undefined || isEndMark(text) || (field === 'summary' && !text)
		? parsed
		: { ...parsed, [field]: text };

/** Whether the end of an event that is not part of the answer also ends the stream. */
const isWholeStreamName = (name: string) => /^(session|run|stream)\b/i.test(name);

const FINAL_FIELDS = 'done is_final isFinal is_finished finished final lastChunk'.split(' ');

const isFinalEvent = (value: Record<string, unknown>) =>
	FINAL_FIELDS.some((field) => value[field] === true);

/** The final status of a task may contain the answer. */
function parseFinalEvent(
	parsed: ParsedEvent,
	value: Record<string, unknown>,
	find: (from: unknown) => string | undefined,
): ParsedEvent {
	if (!isPlainObject(value['status'])) return { ...parsed, end: 'message' };
	return withText({ end: 'message' }, 'summary', find(value));
}

const isFromOtherRole = (value: Record<string, unknown>): boolean =>
	[value, value['message'], value['data']].some(
		(place) =>
			isPlainObject(place) && [place['role'], place['sender'], place['author']].some(isOtherRole),
	);

const isNonEmptyString = (value: unknown): value is string =>
	typeof value === 'string' && value !== '';
