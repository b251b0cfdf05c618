import { hasErrors, isErrorValue, reportsError } from '../core/errorResponses';
import { detectEnd, isNonAnswerName, isErrorName, isToolName } from '../core/eventNames';
import { extractText, hasContent, isOtherRole, extractTextAt } from '../core/extractText';
import { isPlainObject } from '../core/json';

/** The content of one event of an agent's answer. */
export interface ParsedEvent {
	/** A chunk of the answer, or all of it so far. */
	text?: string;
	/** The text of an event that ends something: the answer again, or its last chunk. */
	summary?: string;
	/** The agent's own error. */
	error?: unknown;
	/** The end of the stream, or of a message after which more may follow. */
	end?: 'stream' | 'message';
	/** The event has content, but no text, and is not known to be unrelated to the answer. */
	unknown?: true;
}

/**
 * Parses one event. The specification does not define the format.
 *
 * The name is taken from the event line, or from a field `type`, `event` or `kind`. An unknown event with a text in a usual
 * field is a chunk of the answer.
 *
 * @param answerPath Path of the text, as the user entered it. Then only that text counts, whatever the name of the event.
 * @param question The message that was sent, which an answer may repeat in addition to its text.
 */
export function parseEvent(
	data: unknown,
	eventName?: string,
	answerPath?: string,
	question?: string,
): ParsedEvent {
	const value = answerPath ? data : unwrapJsonRpc(data);
	const find = answerPath
		? (from: unknown) => extractTextAt(from, answerPath)
		: (from: unknown) => extractTextWithoutQuestion(from, question);
	const name = findEventName(value, eventName);
	if (isErrorName(name) || reportsError(value)) return isToolName(name) ? {} : { error: value };
	if (isPlainObject(value) && isFromOtherRole(value)) return {};
	const isNonAnswer = !answerPath && isNonAnswerName(name);
	const end = detectEnd(name);
	if (end) return parseEndEvent(end, isNonAnswer, name, () => find(value));
	const parsed = isNonAnswer ? {} : parseText(find(value), value, answerPath || name);
	if (isPlainObject(value) && isFinalEvent(value)) return parseFinalEvent(parsed, value, find);
	return parsed;
}

function parseText(text: string | undefined, value: unknown, name: string): ParsedEvent {
	const parsed = withText({}, 'text', text);
	if (parsed.text !== undefined || !hasContent(value)) return parsed;
	const isError = !name && isPlainObject(value) && hasErrors(value);
	return isError ? { error: value } : { ...parsed, unknown: true };
}

/** The end of something other than the answer, such as a tool call, does not end the answer. */
function parseEndEvent(
	end: 'stream' | 'message',
	isNonAnswer: boolean,
	name: string,
	find: () => string | undefined,
): ParsedEvent {
	if (!isNonAnswer) return withText({ end }, 'summary', find());
	return end === 'message' && !isWholeStreamName(name) ? {} : { end };
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

/** The result of a JSON-RPC response. */
function unwrapJsonRpc(value: unknown): unknown {
	if (!isPlainObject(value) || !('jsonrpc' in value)) return value;
	return isErrorValue(value['error']) ? value : (value['result'] ?? value['params'] ?? value);
}

function findEventName(value: unknown, eventName: string | undefined): string {
	const { type, event, kind, event_type, eventType } = isPlainObject(value) ? value : {};
	const names = [eventName, type, event, kind, event_type, eventType].filter(isNonEmptyString);
	return names.find((name) => name !== 'message') ?? '';
}

const withText = (
	parsed: ParsedEvent,
	field: 'text' | 'summary',
	text: string | undefined,
): ParsedEvent =>
	text === undefined || text === '[DONE]' || (field === 'summary' && !text)
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

function isFromOtherRole(value: Record<string, unknown>): boolean {
	return [value, value['message'], value['data']]
		.filter(isPlainObject)
		.flatMap(({ role, sender, author }) => [role, sender, author])
		.some(isOtherRole);
}

const isNonEmptyString = (value: unknown): value is string =>
	typeof value === 'string' && value !== '';
