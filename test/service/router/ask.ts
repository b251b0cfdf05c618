import { isFields, type Fields } from '../call.ts';
import type { Scripted } from '../../../demo/personas/model.ts';
import type { Entry, Model } from './catalog.ts';
import { partsIn, unfit, type Shown } from './parts.ts';

/** What the deterministic model is asked, taken from either protocol. */
export interface Ask {
	/** Text of the last user message. */
	message: string;
	/** All text of the prompt. */
	prompt: string;
	/** What came with the last user message beside its text. */
	shown: Shown;
	/** The prompt up to a part that is marked for the cache. */
	marked?: string | undefined;
	/** Answer of a tool, when that is the last message. */
	toolResult?: string | undefined;
	maxTokens?: number | undefined;
	effort?: string | undefined;
	reasoning: boolean;
	/** How many tokens it writes if nobody limits it; undefined where that depends on what it is asked. */
	writes?: number | undefined;
	tools: Fields[];
	toolChoice: unknown;
	/** A JSON schema the answer is to fit. */
	schema?: unknown;
	jsonObject: boolean;
	/** In the demo: what it answers. */
	scripted?: Scripted | undefined;
}

const ROLES = new Set(['system', 'developer', 'user', 'assistant', 'tool']);
const EFFORTS = ['minimal', 'low', 'medium', 'high'];

/** What is wrong with the numbers both protocols have (section 4C), if anything. */
export function wrongNumbers(body: Fields, cap: 'max_tokens' | 'max_output_tokens') {
	const { temperature } = body;
	if (isGiven(temperature) && !inRange(temperature, 0, 2)) return 'temperature is 0 to 2';
	const max = body[cap];
	if (isGiven(max) && !(Number.isSafeInteger(max) && Number(max) >= 1)) {
		return `${cap} is a whole number from 1`;
	}
	if (isGiven(body.stream) && typeof body.stream !== 'boolean') return 'stream is a boolean';
	if (isGiven(body.tools) && !Array.isArray(body.tools)) return 'tools is a list';
	return undefined;
}

/** @returns what is asked, or what is wrong with the body. */
export function askOfChat(body: Fields, { entry, reasoning, writes }: Model): Ask | string {
	const wrong = wrongNumbers(body, 'max_tokens');
	if (wrong) return wrong;
	const effort = body.reasoning_effort;
	if (isGiven(effort) && !EFFORTS.includes(String(effort))) {
		return `reasoning_effort is one of ${EFFORTS.join(', ')}`;
	}
	if (!Array.isArray(body.messages) || body.messages.length === 0) {
		return 'messages is required, a list';
	}
	const said = readMessages(body.messages, 'messages', entry);
	if (typeof said === 'string') return said;
	const format = isFields(body.response_format) ? body.response_format : {};
	const schema = isFields(format.json_schema) ? format.json_schema.schema : undefined;
	return {
		...said,
		maxTokens: numberOf(body.max_tokens),
		effort: isGiven(effort) ? String(effort) : undefined,
		reasoning,
		writes,
		tools: Array.isArray(body.tools) ? body.tools.filter(isFields) : [],
		toolChoice: body.tool_choice,
		schema: format.type === 'json_schema' ? (schema ?? {}) : undefined,
		jsonObject: format.type === 'json_object',
	};
}

type Said = Pick<Ask, 'message' | 'prompt' | 'marked' | 'shown' | 'toolResult'>;

/** Reads a list of messages; `name` is the field, for the error. */
export function readMessages(messages: unknown[], name: string, model: Entry): Said | string {
	const said: Said = { message: '', prompt: '', shown: {} };
	const prompt: string[] = [];
	for (const [index, message] of messages.entries()) {
		const place = `${name}[${index}]`;
		if (!isFields(message)) return `${place} is an object`;
		// the responses protocol has items that are no messages
		if (message.type === 'function_call_output') {
			said.toolResult = String(message.output);
			continue;
		}
		if (message.type === 'function_call' || message.type === 'reasoning') continue;
		const role = String(message.role);
		if (!ROLES.has(role)) return `${place}.role is one of ${[...ROLES].join(', ')}`;
		const calls = role === 'assistant' && Array.isArray(message.tool_calls);
		if (typeof message.content !== 'string' && !Array.isArray(message.content) && !calls) {
			return `${place}.content is text or a list of parts`;
		}
		const { text, shown, isMarked } = partsIn(message.content);
		const modality = unfit(shown, model.input_modalities);
		if (modality) return `${place}.content: ${model.id} takes no ${modality} input`;
		prompt.push(text);
		if (isMarked) said.marked = prompt.join('\n');
		said.toolResult = role === 'tool' ? text : undefined;
		if (role === 'user') Object.assign(said, { message: text, shown });
	}
	return { ...said, prompt: prompt.join('\n') };
}

/** Fields given as null count as not given. */
const isGiven = (value: unknown) => value !== undefined && value !== null;

const inRange = (value: unknown, low: number, high: number) =>
	typeof value === 'number' && value >= low && value <= high;

export const numberOf = (value: unknown): number | undefined =>
	typeof value === 'number' ? value : undefined;
