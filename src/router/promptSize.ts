import { isObject } from '../service/json';

export interface Unbounded {
	/** Why there is no upper bound: a sentence. */
	unbounded: string;
}

/**
 * The largest number of tokens that the prompt of a request can have, in any tokenizer: one for each byte of its text, and what
 * frames a message (16) or a tool (64).
 *
 * @param body Of a chat completion or a response.
 */
export function promptBound(body: Record<string, unknown>): { tokens: number } | Unbounded {
	const size = sizeOf(body);
	return 'unbounded' in size ? size : { tokens: size.bytes + size.frames };
}

/**
 * The likely number of tokens of a prompt: one for every four bytes of its text.
 *
 * @returns undefined where there is more than text.
 */
export function promptGuess(body: Record<string, unknown>): number | undefined {
	const size = sizeOf(body);
	return 'unbounded' in size ? undefined : Math.ceil(size.bytes / 4);
}

/** Tokens that a vendor may put around a message, one of its parts, or a tool. */
const [MESSAGE_FRAME, TOOL_FRAME] = [16, 64];

/** Settings, and labels for the service: no model reads them. */
const NO_PROMPT = new Set(
	`background frequency_penalty include logit_bias logprobs max_completion_tokens max_output_tokens max_tokens max_tool_calls
	metadata min_p modalities model n parallel_tool_calls presence_penalty prompt_cache_key prompt_cache_retention reasoning
	reasoning_effort repetition_penalty safety_identifier seed service_tier stop store stream stream_options temperature top_k
	top_logprobs top_p truncation user verbosity`.split(/\s+/),
);

/** Fields by which the service adds text of its own to the prompt. */
const KEPT_ELSEWHERE = new Set(['previous_response_id', 'conversation', 'web_search_options']);

const ROLES = new Set(['system', 'developer', 'user', 'assistant', 'tool']);
const TEXT_PARTS = new Set(
	'text input_text output_text summary_text reasoning_text refusal'.split(' '),
);
/** What the list of a conversation may hold beside messages. */
const TEXT_ITEMS = new Set([
	...'message reasoning function_call function_call_output'.split(' '),
	...'custom_tool_call custom_tool_call_output'.split(' '),
	...TEXT_PARTS,
]);
/** Fields of messages and parts that hold, or lead to, more than text, whatever the part says of its type. */
const MEDIA_FIELD =
	/^(?:(?:input_)?(?:audio|image|video|file)s?(?:_(?:url|data|id))?|attachments)$/;

type Piece = { text: string; frame: number } | Unbounded;

function sizeOf(body: Record<string, unknown>): { bytes: number; frames: number } | Unbounded {
	const encoder = new TextEncoder();
	let [bytes, frames] = [0, 0];
	for (const piece of piecesOf(body)) {
		if ('unbounded' in piece) return piece;
		bytes += encoder.encode(piece.text).length;
		frames += piece.frame;
	}
	return { bytes, frames };
}

function* piecesOf(body: Record<string, unknown>): Generator<Piece> {
	for (const [name, value] of Object.entries(body)) {
		if (isEmpty(value) || NO_PROMPT.has(name)) continue;
		if (name === 'messages' || name === 'input') yield* entries(value, TEXT_ITEMS);
		else if (name === 'instructions') yield* entries(value, TEXT_PARTS);
		else if (name === 'tools' || name === 'functions') yield* tools(value);
		else if (KEPT_ELSEWHERE.has(name) || (name === 'prompt' && isObject(value)))
			yield {
				unbounded: `"${name}" adds text to the prompt that is not known before the request.`,
			};
		else if (typeof value === 'string' || typeof value === 'object') yield written(value);
	}
}

/** A text, an entry, or a list of both: messages, and the parts of one. */
function* entries(value: unknown, types: ReadonlySet<string>): Generator<Piece> {
	for (const entry of Array.isArray(value) ? value : [value]) {
		if (isEmpty(entry)) continue;
		if (typeof entry === 'string') yield { text: entry, frame: MESSAGE_FRAME };
		else if (isObject(entry)) yield* fieldsOf(entry, types);
		else yield { unbounded: 'A message or a part of one is neither a text nor an object.' };
	}
}

function* fieldsOf(entry: Record<string, unknown>, types: ReadonlySet<string>): Generator<Piece> {
	const { type, role, ...fields } = entry;
	// a message needs no type, one of its parts does
	if (!(isEmpty(type) && types === TEXT_ITEMS) && !types.has(String(type))) {
		yield {
			unbounded: typeof type === 'string' ? uncountable(type) : 'A part of a message has no type.',
		};
		return;
	}
	yield {
		text: ROLES.has(String(role)) ? '' : asJson(role),
		frame: MESSAGE_FRAME,
	};
	for (const [name, value] of Object.entries(fields)) {
		if (isEmpty(value)) continue;
		if (MEDIA_FIELD.test(name)) yield { unbounded: uncountable(name) };
		else if (typeof value === 'string') yield { text: value, frame: 0 };
		else if (['content', 'output', 'summary'].includes(name)) yield* entries(value, TEXT_PARTS);
		else yield written(value);
	}
}

function* tools(value: unknown): Generator<Piece> {
	for (const tool of Array.isArray(value) ? value : [value]) {
		const type = isObject(tool) ? (tool['type'] ?? 'function') : 'function';
		// any other type is run by the service, which puts what it found into the prompt
		if (type !== 'function' && type !== 'custom')
			yield {
				unbounded: `The tool ${asJson(type)} adds text to the prompt that is not known before the request.`,
			};
		else yield { ...written(tool), frame: TOOL_FRAME };
	}
}

const isEmpty = (value: unknown) => value === null || value === undefined;

const asJson = (value: unknown) => JSON.stringify(value) ?? '';

const written = (value: unknown) => ({ text: asJson(value), frame: 0 });

const uncountable = (type: string) =>
	`A message holds "${type.slice(0, 60)}", and how many tokens that takes is not known before the request.`;
