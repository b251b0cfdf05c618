import { truncatedAnswerError } from '../core/errors';
import { detectEnd, isNonAnswerName } from '../core/eventNames';
import { extractText, hasContent } from '../core/extractText';
import { isPlainObject } from '../core/json';
import { createTextAccumulator } from '../core/textAccumulator';

/** Far more than any answer has: a stream with more is broken or hostile. */
const MAX_TOOLS_AND_MESSAGES = 5000;

/** Events kept of an answer without text, so that the user can see what arrived instead. */
const MAX_KEPT_EVENTS = 50;

export interface AssistantAnswer {
	/** The text of all messages, with a blank line between them. */
	text: string;
	/** Present once the service has sent it. */
	chatId?: string;
	chatTitle?: string;
	messageIds: string[];
	toolCalls: ToolCall[];
	/** Every event as it arrived, if requested; the first ones if there is no text. */
	events: unknown[];
	requestId?: string;
}

export interface AccumulatorOptions {
	/** Keeps every event as it arrived. */
	includeRawEvents?: boolean;
	/** Called when the first event of a tool call arrives. */
	onToolCall?: (call: ToolCall) => void;
	/** Returns milliseconds since the question was sent, for the timeline of the tools. */
	time?: () => number;
	/** Language of the tool titles, e.g. `de`. Default `en`. */
	toolTitleLanguage?: string;
}

/** What has arrived of an answer, apart from its texts and tool calls. */
type AnswerFields = Omit<AssistantAnswer, 'text' | 'toolCalls'>;

/**
 * Builds an answer from the events of the assistant's stream.
 *
 * Tolerates missing events: a `chat` that never arrived, a tool that finished without a start, a message without an end.
 */
export function createAnswerAccumulator({
	includeRawEvents = false,
	onToolCall = () => {},
	time = () => 0,
	toolTitleLanguage = 'en',
}: AccumulatorOptions = {}) {
	/** The texts of the messages. */
	const messages = createTextAccumulator('\n\n');
	/** The text of unknown events. It is the answer if there is no other text. */
	const unknownText = createTextAccumulator();
	const tools = createToolTimeline(time, toolTitleLanguage);
	const answer: AnswerFields = { messageIds: [], events: [] };
	let keptEvents = 0;
	/** Whether an unknown event had content, but no text. */
	let hasUnknownContent = false;
	const handlers = createEventHandlers(answer, messages, tools, onToolCall);

	return {
		/** @returns the text that this event adds to the answer. */
		add(event: string, data: unknown): string {
			if (includeRawEvents || (!messages.text() && keptEvents++ < MAX_KEPT_EVENTS))
				answer.events.push({ event, data });
			const payload = typeof data === 'string' && event === 'message_start' ? { t: data } : data;
			const handle = findHandler(handlers, event, payload);
			if (handle) return handle(isPlainObject(payload) ? payload : {});
			if (Object.hasOwn(handlers, event) || isNonAnswerName(event)) return '';
			const text = extractText(data);
			hasUnknownContent ||= text === undefined && hasContent(data);
			unknownText.add(text ?? '');
			return '';
		},
		/** The answer has ended, or broken off. @returns the text that this adds. */
		end(): string {
			const added = messages.flush();
			unknownText.flush();
			return messages.text() ? added : messages.append(unknownText.text());
		},
		/** Whether nothing arrived that could be an answer. */
		isEmpty: () => !messages.text() && !hasUnknownContent,
		chatId: () => answer.chatId,
		answer(): AssistantAnswer {
			const text = messages.text();
			return {
				...answer,
				events: includeRawEvents || !text ? answer.events : [],
				text,
				toolCalls: tools.calls(),
			};
		},
	};
}

type EventHandler = (data: Record<string, unknown>) => string;

/** One handler for each specified event; it returns the text that the event adds to the answer. */
function createEventHandlers(
	answer: AnswerFields,
	messages: ReturnType<typeof createTextAccumulator>,
	tools: ReturnType<typeof createToolTimeline>,
	onToolCall: (call: ToolCall) => void,
): Record<string, EventHandler> {
	return {
		chat({ chat_id, chat_title }) {
			if (isTextOrNumber(chat_id)) answer.chatId = String(chat_id);
			if (isTextOrNumber(chat_title)) answer.chatTitle = String(chat_title);
			return '';
		},
		pending_tool_call({ call_id, title }) {
			const call = tools.start(call_id, title);
			if (call) onToolCall(call);
			checkCount(tools.count());
			return '';
		},
		finished_tool_call({ call_id }) {
			tools.finish(call_id);
			checkCount(tools.count());
			return '';
		},
		message_start: (data) => messages.add(readMessageText(data)),
		message_end(data) {
			const { message_id } = data;
			if (isTextOrNumber(message_id)) checkCount(answer.messageIds.push(String(message_id)));
			const added = messages.finishMessage(readMessageText(data));
			checkCount(messages.endedCount());
			return added;
		},
	};
}

function checkCount(count: number): void {
	if (count > MAX_TOOLS_AND_MESSAGES)
		throw truncatedAnswerError(
			`It names more than ${MAX_TOOLS_AND_MESSAGES} tool calls or messages.`,
		);
}

/** An event without an object as its data has no handler. Message events may have other names, e.g. `message_delta`, `message_done`. */
function findHandler(
	handlers: Record<string, EventHandler>,
	event: string,
	data: unknown,
): EventHandler | undefined {
	if (!isPlainObject(data) && data !== undefined) return undefined;
	if (Object.hasOwn(handlers, event)) return handlers[event];
	if (!event.startsWith('message') || typeof data?.['t'] !== 'string') return undefined;
	return handlers[detectEnd(event) ? 'message_end' : 'message_start'];
}

const readMessageText = (data: Record<string, unknown>) =>
	typeof data['t'] === 'string' ? data['t'] : (extractText(data) ?? '');

const isTextOrNumber = (value: unknown) =>
	(typeof value === 'string' && value !== '') || typeof value === 'number';

/** One tool call inside the service. Times are milliseconds since the question was sent. */
export interface ToolCall {
	/** Links the start of a call to its end. */
	callId: string;
	/** By language, e.g. `{ en: 'Looking up top holders' }`. Absent without a start event. */
	title?: Record<string, string>;
	/** The title in the requested language, or the next best one. */
	label?: string;
	/** Absent without a start event. */
	startedMs?: number;
	finished: boolean;
	/** Absent until the call has finished. */
	finishedMs?: number;
	/** Absent unless a start event arrived, and a finish event after it. */
	durationMs?: number;
}

/**
 * Records the timeline of the tools. Accepts events in any order: a finish without a start, a start without a finish, or either
 * of them twice (the first one counts).
 *
 * @param time Returns milliseconds since the question was sent.
 * @param language Language of the titles, e.g. `de`.
 */
export function createToolTimeline(time: () => number, language: string) {
	const calls = new Map<string, ToolCall>();
	return {
		/** @returns the call, unless it had already started. */
		start(id: unknown, title: unknown): ToolCall | undefined {
			const callId = String(id);
			const existing = calls.get(callId);
			if (existing?.startedMs !== undefined) return undefined;
			const titles = readTitles(title);
			const label = titles && selectTitle(titles, language);
			const call: ToolCall = {
				callId,
				...(titles && { title: titles }),
				...(label && { label }),
				startedMs: time(),
				finished: false,
				...existing,
			};
			calls.set(callId, call);
			return call;
		},
		finish(id: unknown): void {
			const callId = String(id);
			const existing = calls.get(callId);
			if (existing?.finished) return;
			const finishedMs = time();
			const { startedMs } = existing ?? {};
			const duration = startedMs === undefined ? {} : { durationMs: finishedMs - startedMs };
			calls.set(callId, { callId, ...existing, finished: true, finishedMs, ...duration });
		},
		calls: () => [...calls.values()],
		count: () => calls.size,
	};
}

function readTitles(title: unknown): Record<string, string> | undefined {
	if (typeof title === 'string') return { en: title };
	if (!isPlainObject(title)) return undefined;
	const texts = Object.entries(title).filter(([, text]) => typeof text === 'string');
	return Object.fromEntries(texts) as Record<string, string>;
}

/** Picks the title in the language, else a related one (`de` for `de-AT`, and the reverse), else English, else any. */
export function selectTitle(titles: Record<string, string>, language: string): string | undefined {
	const given = Object.entries(titles).filter(([, title]) => title.trim());
	const wanted = normalizeLanguage(language);
	const found =
		given.find(([key]) => normalizeLanguage(key) === wanted) ??
		given.find(([key]) => baseOf(key) === baseOf(wanted)) ??
		given.find(([key]) => baseOf(key) === 'en') ??
		given[0];
	return found?.[1];
}

const normalizeLanguage = (language: string) => language.trim().toLowerCase().replaceAll('_', '-');

const baseOf = (language: string) => normalizeLanguage(language).split('-')[0];
