import { invalid } from '../service/errors';
import { isObject } from '../service/json';

export const roles = ['system', 'developer', 'user', 'assistant', 'tool'] as const;
export type Role = (typeof roles)[number];

/** A message of the chat-completions protocol. */
export interface ChatMessage {
	role: Role;
	/** Text or parts; an assistant's message that only calls tools may have none. */
	content?: string | object[] | null;
	/** Of a tool's message: which call it answers. */
	tool_call_id?: string;
	[field: string]: unknown;
}

/**
 * Checks messages.
 *
 * @param path What they are called in the editor.
 * @throws ServiceError `invalid`, naming the message.
 */
export function checkMessages(messages: readonly unknown[], path: string): ChatMessage[] {
	if (!messages.length) throw invalid(`${path} is empty`, 'Add at least one message.');
	return messages.map((message, index) => checkMessage(message, `${path} ${index + 1}`));
}

function checkMessage(message: unknown, place: string): ChatMessage {
	if (!isObject(message)) throw invalid(`${place} must be an object with "role" and "content"`);
	const { role, content } = message;
	if (!roles.some((known) => known === role))
		throw invalid(`${place}: role must be one of: ${roles.join(', ')}`, `It is ${shown(role)}.`);
	const calls = Array.isArray(message['tool_calls']) && message['tool_calls'].length > 0;
	const said = typeof content === 'string' ? content.trim() !== '' : isParts(content);
	// a tool may have nothing to say
	if (!said && !calls && !(role === 'tool' && typeof content === 'string'))
		throw invalid(`${place}: Content is empty`, 'It has to be a text, or a list of parts.');
	if (role === 'tool' && !message['tool_call_id'])
		throw invalid(
			`${place}: Tool Call ID is empty`,
			"A tool's message says with it which call it answers: it is the ID of the call.",
		);
	return message as ChatMessage;
}

const isParts = (content: unknown): content is object[] =>
	Array.isArray(content) && content.length > 0 && content.every(isObject);

const shown = (value: unknown) => (value === undefined ? 'missing' : JSON.stringify(value));

/**
 * The same conversation for the responses protocol, whose input has no tool messages: a call and its result are items of
 * their own there. Items of that protocol that are no messages stay as they are.
 *
 * @throws ServiceError `invalid`, naming the item.
 * @see POST /v1/responses, field `input`
 */
export function toInput(given: readonly unknown[], path: string): object[] {
	if (!given.length) throw invalid(`${path} is empty`, 'Add at least one message.');
	return given.flatMap((item, index) => {
		if (isObject(item) && item['type'] && !item['role']) return [item];
		return toItems(checkMessage(item, `${path} ${index + 1}`));
	});
}

function toItems({ role, content, tool_calls: calls, ...more }: ChatMessage): object[] {
	if (role === 'tool') {
		const output = typeof content === 'string' ? content : JSON.stringify(content ?? '');
		return [{ type: 'function_call_output', call_id: more.tool_call_id, output }];
	}
	const called = Array.isArray(calls) ? calls.filter(isObject) : [];
	const items = called.map(({ id, function: said }) => ({
		type: 'function_call',
		call_id: id,
		...(isObject(said) && said),
	}));
	return content === null || content === undefined || content === ''
		? items
		: [{ ...more, role, content }, ...items];
}
