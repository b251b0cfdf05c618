import type { Answer } from '../answer.ts';
import { isFields, type Fields } from '../call.ts';
import type { World } from '../world.ts';
import { routerError } from './error.ts';

/**
 * How a model thinks before it calls a tool, and what it wants back with the call: as DeepSeek, as Claude behind OpenRouter, as Gemini, as
 * Mistral (chat completions), and as OpenAI (responses).
 */
export type Thinking = 'content' | 'details' | 'signature' | 'parts' | 'items';

/** What a model gives beside its calls: the message, and the pieces of a stream from which it is made. */
export interface Thought {
	message: Fields;
	deltas: Fields[];
	/** Beside the first call. */
	call: Fields;
	/** The item before the calls of a response. */
	item?: Fields;
}

/** What it says when that is missing, as its vendor's service does. */
const REFUSALS: Record<Thinking, string> = {
	content: 'The `reasoning_content` in the thinking mode must be passed back to the API.',
	details:
		'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block.',
	signature: 'Function call is missing a thought_signature in functionCall parts.',
	parts: 'The thinking of an assistant message with tool calls is missing.',
	items: "Item of type 'function_call' was provided without its required 'reasoning' item.",
};

/** A new thought, which the model knows again. */
export function think(world: World, kind: Thinking): Thought {
	const number = world.next();
	const [first, second] = ['I look ', `at ${number}.`];
	const text = first + second;
	const thought: Thought = { message: {}, deltas: [], call: {} };
	if (kind === 'content') {
		thought.message = { reasoning_content: text };
		thought.deltas = [{ reasoning_content: first }, { reasoning_content: second }];
	} else if (kind === 'details') {
		const entry = { type: 'reasoning.text', format: 'anthropic-claude-v1', index: 0 };
		const signature = `signature ${number}`;
		thought.message = { reasoning: text, reasoning_details: [{ ...entry, text, signature }] };
		thought.deltas = [
			{ reasoning: first, reasoning_details: [{ ...entry, text: first, signature: null }] },
			{ reasoning: second, reasoning_details: [{ ...entry, text: second }] },
			{ reasoning_details: [{ ...entry, signature }] },
		];
	} else if (kind === 'parts') {
		const part = (said: string) => [{ type: 'thinking', thinking: [{ type: 'text', text: said }] }];
		thought.message = { content: part(text) };
		thought.deltas = [{ content: part(first) }, { content: part(second) }];
	} else if (kind === 'signature') {
		thought.call = { extra_content: { google: { thought_signature: `signature ${number}` } } };
	} else {
		thought.item = {
			type: 'reasoning',
			id: `rs_${number}`,
			summary: [],
			encrypted_content: `encrypted ${number}`,
		};
	}
	world.thoughts.add(
		JSON.stringify(valueOf(kind, { ...thought.message, ...thought.call, ...thought.item })),
	);
	return thought;
}

/** What of a message, a call or an item is the thought. */
const valueOf = (kind: Thinking, given: Fields) =>
	({
		content: given.reasoning_content,
		details: sorted(given.reasoning_details),
		signature: given.extra_content,
		parts: given.content,
		items: given.encrypted_content,
	})[kind];

/** The order of the fields says nothing. */
const sorted = (list: unknown) =>
	Array.isArray(list) ? list.map((entry) => Object.entries(entry as object).sort()) : list;

/** Section 2C says nothing of it: the vendor's service refuses, and so does the router. */
export function refuseForgotten(
	world: World,
	kind: Thinking,
	entries: unknown,
): Answer | undefined {
	const list = Array.isArray(entries) ? entries.filter(isFields) : [];
	const isKnown = (given: unknown) =>
		isFields(given) && world.thoughts.has(JSON.stringify(valueOf(kind, given)));
	const isWhole = list.every((entry, index) => {
		if (kind === 'items') {
			if (entry.type !== 'function_call') return true;
			return isKnown(list.slice(0, index).findLast(({ type }) => type !== 'function_call'));
		}
		const calls = Array.isArray(entry.tool_calls) && entry.tool_calls.length > 0;
		// DeepSeek wants the reasoning of every message of the model, wherever there are tools (openclaw#73417)
		if (!calls && !(kind === 'content' && entry.role === 'assistant')) return true;
		return isKnown(kind === 'signature' ? (entry.tool_calls as unknown[])[0] : entry);
	});
	return isWhole ? undefined : routerError(400, 'invalid_request_error', REFUSALS[kind]);
}

/** The calls of a message with what the model gives beside the first one. */
export const besideCalls = (calls: object[], thought: Thought | undefined): object[] =>
	calls.map((call, index) => (index ? call : { ...call, ...thought?.call }));
