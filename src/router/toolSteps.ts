import { isPlainObject } from '../core/json';

/**
 * Leaves out of a conversation every call of a tool, and every result, that comes a second time exactly as it is, with the same ID.
 *
 * When n8n runs an AI agent again after a failure, its latest steps are there twice (n8n-nodes-langchain 2.41.1,
 * utils/agent-execution/buildSteps.js). The conversation would be another one than the one that failed, and might be paid twice.
 *
 * @param messages Of a chat completion.
 */
export function dropRepeatedSteps(messages: unknown): unknown {
	if (!Array.isArray(messages)) return messages;
	const seen = new Set<string>();
	return messages.filter((message: unknown) => {
		if (!isToolStep(message)) return true;
		const text = JSON.stringify(message);
		const isRepeated = seen.has(text);
		seen.add(text);
		return !isRepeated;
	});
}

/** A message without an ID may be said twice. */
const isToolStep = (message: unknown) =>
	isPlainObject(message) &&
	(typeof message['tool_call_id'] === 'string' || hasCallIds(message['tool_calls']));

const hasCallIds = (calls: unknown) =>
	Array.isArray(calls) &&
	calls.length > 0 &&
	calls.every((call: unknown) => isPlainObject(call) && typeof call['id'] === 'string');
