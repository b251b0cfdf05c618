import { isObject } from '../service/json';

export interface ToolCall {
	/** Links the start of a call to its end. */
	callId: string;
	/** Keyed by language, e.g. `{ en: 'Looking up top holders' }`. Absent when the call was only seen to finish. */
	title?: Record<string, string>;
	finished: boolean;
}

export interface AssistantAnswer {
	/** The text of all messages, a blank line between them. */
	text: string;
	/** Present once the service gave it. */
	chatId?: string;
	chatTitle?: string;
	messageIds: string[];
	toolCalls: ToolCall[];
	/** Every event as it came, when asked for. */
	events: unknown[];
	requestId?: string;
}

/**
 * Puts an answer together from the events of the assistant's stream; unknown events are only kept.
 *
 * Tolerates events that are missing: a `chat` that never came, a tool that finished without having begun, a message
 * without an end.
 */
export function listenToAssistant(keepEvents: boolean) {
	const messages: string[] = [];
	const toolCalls = new Map<string, ToolCall>();
	const answer: Omit<AssistantAnswer, 'text' | 'toolCalls'> = { messageIds: [], events: [] };
	let open = false;

	const take: Record<string, (data: Record<string, unknown>) => string> = {
		chat({ chat_id, chat_title }) {
			if (isGiven(chat_id)) answer.chatId = String(chat_id);
			if (isGiven(chat_title)) answer.chatTitle = String(chat_title);
			return '';
		},
		pending_tool_call({ call_id, title }) {
			const callId = String(call_id);
			toolCalls.set(callId, {
				callId,
				...titled(title),
				finished: toolCalls.get(callId)?.finished ?? false,
			});
			return '';
		},
		finished_tool_call({ call_id }) {
			const callId = String(call_id);
			toolCalls.set(callId, { ...(toolCalls.get(callId) ?? { callId }), finished: true });
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
			if (keepEvents) answer.events.push({ event, data });
			return (isObject(data) || data === undefined) && Object.hasOwn(take, event)
				? (take[event]?.(isObject(data) ? data : {}) ?? '')
				: '';
		},
		answer(): AssistantAnswer {
			return {
				...answer,
				text: messages.filter(Boolean).join('\n\n'),
				toolCalls: [...toolCalls.values()],
			};
		},
	};
}

const isGiven = (value: unknown) =>
	(typeof value === 'string' && value !== '') || typeof value === 'number';

function titled(title: unknown): { title?: Record<string, string> } {
	if (typeof title === 'string') return { title: { en: title } };
	if (!isObject(title)) return {};
	const words = Object.entries(title).filter(([, word]) => typeof word === 'string');
	return { title: Object.fromEntries(words) as Record<string, string> };
}
