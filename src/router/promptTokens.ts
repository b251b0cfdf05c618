import { cutText } from '../core/errors';
import { isPlainObject, type JsonObject, isEmptyValue, isPresent } from '../core/json';
import { maximumFileTokens } from './fileTokens';

interface UnmeasurablePrompt {
	/** Why there is no upper bound, as a sentence. */
	unbounded: string;
	/**
	 * Whether the prompt is at most as long as the model's context window. It may be longer where the service runs tools: it then asks
	 * the model several times. Of a field that is not known, nothing is known.
	 */
	fitsWindow: boolean;
	/** The fewest tokens that its text can have. */
	least: number;
}

/** The tokens that a prompt can have. */
interface MeasuredPrompt {
	/** At most. */
	tokens: number;
	/** At least, as far as its text shows. */
	least: number;
	/** Whether it has files. */
	hasFiles: boolean;
}

/**
 * The largest number of tokens that the prompt of a request can have, in any tokenizer: the bytes of its JSON, and what its files can have.
 *
 * This is an upper bound because a token represents at least one byte of text, the JSON form of a text has at least as many bytes,
 * and the names and brackets of JSON are longer than what a model's template adds around messages and their parts. For what a
 * template may add to separate texts and to tools, 16 and 64 tokens each are added. What it says on its own comes on top:
 * `TEMPLATE_TOKENS`.
 *
 * @param body Of a chat completion or a response.
 */
export function maximumPromptTokens(body: JsonObject): MeasuredPrompt | UnmeasurablePrompt {
	const files = noFiles();
	const unmeasurable = findUnmeasurable(body, files);
	let bytes = 0;
	let frames = 0;
	for (const [name, value] of listPromptFields(body)) {
		const entries = Array.isArray(value) ? value.length : 1;
		bytes += jsonBytes(value, files);
		frames += entries * (FRAME_TOKENS[name] ?? 0);
	}
	const least = Math.ceil(bytes / BYTES_PER_TOKEN);
	if (unmeasurable) return { ...unmeasurable, least };
	return { tokens: bytes + frames + files.tokens, least, hasFiles: files.parts.size > 0 };
}

/**
 * The most tokens of what a model's own template says, once, beside the request: who it is, the date, how tools are called.
 *
 * Of the 70 templates that llama.cpp of 2026-09-28 has, rendered by its server, 37 exceed what is counted for one word, by up to 1,137
 * tokens (Devstral Small), and 33 what is counted for it with a tool, by up to 1,060 (Command R7B). Anthropic adds up to 530 for tools.
 *
 * @see https://github.com/ggml-org/llama.cpp/tree/master/models/templates
 * @see https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/overview#pricing
 */
export const TEMPLATE_TOKENS = 1500;

/** Parts of messages that are more than text, and the most tokens that their files can have. One object may be in several messages. */
interface Files {
	parts: Set<unknown>;
	tokens: number;
}

const noFiles = (): Files => ({ parts: new Set(), tokens: 0 });

/** How many bytes one token of most texts has. */
export const BYTES_PER_TOKEN = 4;

/**
 * The estimated number of tokens of a prompt: one for every four bytes of its text.
 *
 * @returns undefined when the prompt contains more than text.
 */
export function estimatePromptTokens(body: JsonObject): number | undefined {
	const files = noFiles();
	if (findUnmeasurable(body, files) || files.parts.size) return undefined;
	let bytes = 0;
	for (const [name, value] of listPromptFields(body))
		bytes += CONVERSATION_FIELDS.includes(name) ? textBytes(value) : jsonBytes(value);
	return Math.ceil(bytes / BYTES_PER_TOKEN);
}

const CONVERSATION_FIELDS = ['messages', 'input', 'instructions'];
/** Tokens that a template may add to each entry of a field. */
const FRAME_TOKENS: Record<string, number> = {
	messages: 16,
	input: 16,
	instructions: 16,
	tools: 64,
	functions: 64,
};

const toSet = (words: string) => new Set(words.trim().split(/\s+/));

/** Fields that are part of the prompt. */
const PROMPT_FIELDS = toSet(`
	messages input instructions tools functions tool_choice function_call response_format text`);
/**
 * Settings and labels that add nothing to the prompt, and that leave the model, its price in the catalog and its maximum output tokens as
 * they are, by where they are documented. Some say how much a model thinks, which counts as output.
 */
const FREE_FIELDS_BY_SOURCE = {
	'https://platform.openai.com/docs/api-reference': `
		background frequency_penalty include logit_bias logprobs max_completion_tokens max_output_tokens max_tokens max_tool_calls
		metadata model n parallel_tool_calls presence_penalty prompt_cache_key prompt_cache_retention reasoning reasoning_effort
		safety_identifier seed stop store stream stream_options temperature top_logprobs top_p truncation user verbosity`,
	'https://openrouter.ai/docs/api/reference/parameters': `
		include_reasoning min_p provider repetition_penalty structured_outputs top_a top_k transforms usage`,
	'https://api-docs.deepseek.com/guides/thinking_mode': 'thinking',
	'https://www.alibabacloud.com/help/en/model-studio/deep-thinking': 'enable_thinking',
	'https://console.groq.com/docs/reasoning': 'include_reasoning reasoning_format',
};
/** Fields that add earlier messages which the service has stored. */
const STORED_FIELDS = toSet('previous_response_id conversation');
const KNOWN_FIELDS = new Set([
	...PROMPT_FIELDS,
	...STORED_FIELDS,
	...toSet(Object.values(FREE_FIELDS_BY_SOURCE).join(' ')),
]);

const listPromptFields = (body: JsonObject) =>
	Object.entries(body).filter(([name, value]) => PROMPT_FIELDS.has(name) && isPresent(value));

/** Types of messages, conversation items and their parts that contain only text. */
const TEXT_TYPES = toSet(`
	message reasoning function_call function_call_output custom_tool_call custom_tool_call_output thinking redacted_thinking
	text input_text output_text summary_text reasoning_text refusal`);
/** Fields of messages and parts that contain or reference media, whatever the type of the part is. */
const MEDIA_FIELD =
	/^(?:(?:input_)?(?:audio|image|video|file)s?(?:_(?:url|data|id))?|attachments)$/;

/**
 * Why the size of a prompt, or of what comes out, cannot be calculated: the request contains more than text and settings. A field that
 * is not known may choose another model or a dearer tier, or add answers, sound or a search. All that is not known counts as unbounded.
 *
 * @param files Gets what is found.
 */
function findUnmeasurable(
	body: JsonObject,
	files: Files,
): Omit<UnmeasurablePrompt, 'least'> | undefined {
	const { messages, input, instructions } = body;
	// all of them: how long the rest is counts, whatever else has no bound
	const [media] = [
		findMedia(messages, true, files),
		findMedia(input, true, files),
		findMedia(instructions, false, files),
	].filter((found) => found !== undefined);
	const given = Object.keys(body).filter((name) => isPresent(body[name]));
	const unknown = given.find((name) => !KNOWN_FIELDS.has(name));
	if (unknown !== undefined) return { unbounded: addsCost(unknown), fitsWindow: false };
	const tool = findServiceTool(body);
	if (tool !== undefined) return { unbounded: addsText(tool), fitsWindow: false };
	const stored = given.find((name) => STORED_FIELDS.has(name));
	const unbounded = stored === undefined ? media : addsText(stored);
	return unbounded === undefined ? undefined : { unbounded, fitsWindow: true };
}

const addsCost = (name: string) =>
	`"${name.slice(0, 60)}" may add to the cost, and how much is not known before the request.`;

const addsText = (name: string) =>
	`"${name.slice(0, 60)}" adds text to the prompt that is not known before the request.`;

/** A tool that the service runs: any other than a function of the caller. Functions of the old protocol have no type. */
const findServiceTool = ({ tools, functions }: JsonObject): string | undefined =>
	[
		...[tools ?? []].flat().map((tool) => typeOf(tool, Object.keys(Object(tool))[0])),
		...[functions ?? []].flat().map((tool) => typeOf(tool, 'function')),
	].find((type) => type !== 'function' && type !== 'custom');

/** @returns JSON for what is no text: JavaScript cannot make a word of each object. */
function typeOf(tool: unknown, preset: string | undefined): string {
	const type = isPlainObject(tool) ? (tool['type'] ?? preset) : tool;
	return typeof type === 'string' ? type : String(JSON.stringify(type));
}

/** @param isItem Whether it is a message, which needs no type. A part of a message does. */
function findMedia(entry: unknown, isItem: boolean, files: Files): string | undefined {
	if (Array.isArray(entry))
		return entry.map((part) => findMedia(part, isItem, files)).find(Boolean);
	if (!isPlainObject(entry)) return undefined;
	const type = entry['type'] ?? (isItem ? 'message' : undefined);
	if (typeof type !== 'string') return 'A part of a message has no type.';
	const tokens = maximumFileTokens(entry);
	if (tokens !== undefined) {
		files.parts.add(entry);
		files.tokens += tokens;
		return undefined;
	}
	const isMedia = (name: string) => MEDIA_FIELD.test(name) && !isEmptyValue(entry[name]);
	const media = TEXT_TYPES.has(type) ? Object.keys(entry).find(isMedia) : type;
	if (media !== undefined) {
		files.parts.add(entry);
		return `A message contains "${cutText(media, 60)}", and its number of tokens is not known before the request.`;
	}
	return findMedia([entry['content'], entry['output'], entry['summary']], false, files);
}

/** Bytes of all texts in messages, without types and roles. */
function textBytes(value: unknown): number {
	if (typeof value === 'string') return Buffer.byteLength(value);
	if (Array.isArray(value))
		return value.reduce<number>((bytes, entry) => bytes + textBytes(entry), 0);
	if (!isPlainObject(value)) return 0;
	const texts = Object.entries(value).filter(([name]) => name !== 'type' && name !== 'role');
	return textBytes(texts.map(([, text]) => text));
}

/** @param files They count by themselves, and may have many megabytes. */
function jsonBytes(value: unknown, { parts }: Files = noFiles()): number {
	const leaveOut = (_name: string, part: unknown) => (parts.has(part) ? null : part);
	return Buffer.byteLength(JSON.stringify(value, parts.size ? leaveOut : undefined) ?? '');
}
