import { isObject } from '../service/json';
import { toolTimeline, type ToolCall } from './toolCalls';

/** Events kept of an answer without any text, so that the user can see what came instead. */
const MAX_KEPT = 50;

export interface AssistantAnswer {
	/** The text of all messages, a blank line between them. */
	text: string;
	/** Present once the service gave it. */
	chatId?: string;
	chatTitle?: string;
	messageIds: string[];
	toolCalls: ToolCall[];
	/** Every event as it came, when asked for; the first ones where there is no text. */
	events: unknown[];
	requestId?: string;
}

export interface EventListening {
	/** Keeps every event as it came. */
	keepEvents?: boolean;
	/** Called when a tool is first seen to be used. */
	onToolCall?: (call: ToolCall) => void;
	/** Gives milliseconds since the question was sent, for the timeline of the tools. */
	time?: () => number;
	/** In which the titles of tools are wanted, e.g. `de`; `en` unless given. */
	language?: string;
}

/**
 * Puts an answer together from the events of the assistant's stream; unknown events are only kept.
 *
 * Tolerates events that are missing: a `chat` that never came, a tool that finished without having begun, a message
 * without an end.
 */
export function listenToAssistant({
	keepEvents = false,
	onToolCall = () => {},
	time = () => 0,
	language = 'en',
}: EventListening = {}) {
	const messages: string[] = [];
	const tools = toolTimeline(time, language);
	const answer: Omit<AssistantAnswer, 'text' | 'toolCalls'> = { messageIds: [], events: [] };
	let [open, kept] = [false, 0];

	const take: Record<string, (data: Record<string, unknown>) => string> = {
		chat({ chat_id, chat_title }) {
			if (isGiven(chat_id)) answer.chatId = String(chat_id);
			if (isGiven(chat_title)) answer.chatTitle = String(chat_title);
			return '';
		},
		pending_tool_call({ call_id, title }) {
			const call = tools.start(call_id, title);
			if (call) onToolCall(call);
			return '';
		},
		finished_tool_call({ call_id }) {
			tools.finish(call_id);
			return '';
		},
		message_start({ t }) {
			const text = typeof t === 'string' ? t : '';
			const before = open ? (messages.pop() ?? '') : '';
			// the next message is told apart for those who read along, too
			const separator = text && !before && messages.some(Boolean) ? '\n\n' : '';
			messages.push(before + text);
			open = true;
			return separator + text;
		},
		message_end({ message_id }) {
			if (isGiven(message_id)) answer.messageIds.push(String(message_id));
			open = false;
			return '';
		},
	};

	return {
		/** Whether the specification has an event of this name. */
		knows: (event: string) => Object.hasOwn(take, event),

		/** @returns the text that this event adds to the answer. */
		take(event: string, data: unknown): string {
			if (keepEvents || (!messages.some(Boolean) && kept++ < MAX_KEPT))
				answer.events.push({ event, data });
			const given = typeof data === 'string' && event === 'message_start' ? { t: data } : data;
			if (!isObject(given) && given !== undefined) return '';
			const name =
				!Object.hasOwn(take, event) && carriesText(event, given) ? 'message_start' : event;
			return Object.hasOwn(take, name) ? (take[name]?.(given ?? {}) ?? '') : '';
		},
		answer(): AssistantAnswer {
			const text = messages.filter(Boolean).join('\n\n');
			return {
				...answer,
				events: keepEvents || !text ? answer.events : [],
				text,
				toolCalls: tools.calls(),
			};
		},
	};
}

/** Content that goes on under another name than the specification's, e.g. `message_delta`. */
const carriesText = (event: string, data: unknown) =>
	event.startsWith('message') && isObject(data) && typeof data['t'] === 'string';

const isGiven = (value: unknown) =>
	(typeof value === 'string' && value !== '') || typeof value === 'number';
