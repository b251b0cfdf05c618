import { isPlainObject, type JsonObject, isPresent, omitMissing } from './json';
import { readCount } from './money';

/** The token counts of an answer. A count that the model did not report is absent. */
export interface TokenCounts {
	/** Of the prompt, those that came from a cache or went into one included. */
	input?: number;
	/** The part of the prompt that came from a cache. */
	cached?: number;
	/** The part of the prompt that went into a cache. */
	written?: number;
	/** The part of `written` that stays there for an hour. */
	writtenForHour?: number;
	/** The part of the prompt that was sound. */
	sound?: number;
	/** Of the answer, hidden reasoning included. */
	output?: number;
	/** The part of the answer that is hidden reasoning. */
	reasoning?: number;
	/** Whether the figures contradict each other. What they are read as is the dearest that they can mean. */
	isContradictory?: true;
}

/**
 * Reads the token counts of an answer. The specification names `completion_tokens`.
 *
 * Gateways pass on what a vendor counts beside the prompt or the answer. Of figures that contradict each other, the dearer reading counts:
 *
 * - more cached tokens than the prompt has are beside it;
 * - more reasoning than the answer has is beside it;
 * - what a total has beyond both is output;
 * - of one count in two places, the larger one.
 *
 * A total that is the sum of what is beside each other says so, as with xAI and Portkey. It is still told where the reasoning is more than
 * the answer that has it by the specification, or the cache more than its prompt.
 *
 * @param usage As it was reported.
 * @see Portkey-AI/gateway#1458, CLIProxyAPI#5743, langfuse#16321, vercel/ai#6082, vercel/ai#12425, Portkey-AI/gateway#1754
 */
export function readTokenCounts(usage: unknown): TokenCounts {
	if (!isPlainObject(usage)) return {};
	const all = readAll(usage);
	const reasoning = all.reasoning.at(-1);
	const thought = reasoning ?? 0;
	const output = all.output.at(-1);
	const total = all.total.at(-1) ?? 0;
	const answer = withReasoning(output, thought, all);
	const { input, cached, isBeside, written } = readPrompt(usage, all, thought, answer);
	const isBoth = input !== undefined && answer !== undefined;
	const rest = isBoth ? Math.max(0, total - input - answer) : 0;
	// the total says that the reasoning is beside the answer: so they do not contradict each other
	const isExplained = isBoth && total === input + (output ?? 0) + thought;
	const isContradictory =
		isBeside ||
		hasTwo(all.input) ||
		hasTwo(all.output) ||
		answer !== output ||
		(!isExplained && rest > 0);
	return omitMissing({
		input,
		cached,
		written,
		writtenForHour: all.writtenForHour.at(-1),
		sound: all.sound.at(-1),
		output: answer === undefined ? undefined : answer + rest,
		reasoning,
		isContradictory: isContradictory || undefined,
	}) as TokenCounts;
}

/** Whether one count has two figures. */
const hasTwo = (counts: readonly number[]) => counts[0] !== counts.at(-1);

/**
 * More reasoning than the answer has is beside it. A little more, where the total is the sum of the others, is the same counted otherwise.
 *
 * @see https://github.com/maruel/genai (recordings: OpenRouter bills 16 tokens, of which 22 are reasoning; Together counts alike)
 */
function withReasoning(output: number | undefined, reasoning: number, all: AllCounts) {
	if (output === undefined || reasoning <= output) return output;
	const isSum = all.total.at(-1) === (all.input.at(-1) ?? 0) + output;
	return isSum && reasoning < 2 * output ? reasoning : output + reasoning;
}

/** A sentence about counts that contradict each other; undefined for any others. */
export const describeContradiction = ({
	input = 0,
	output = 0,
	isContradictory,
}: TokenCounts): string | undefined =>
	isContradictory
		? `The token counts of this answer contradict each other. The dearest that they can mean is counted: ${input} tokens in and ${output} out.`
		: undefined;

/** What is said of the prompt, and whether its cached tokens are beside it although nothing but their number says so. */
function readPrompt(usage: JsonObject, all: AllCounts, thought: number, answer = 0) {
	const prompt = withSound(all, thought, answer);
	const most = all.cached.at(-1);
	const written = all.written.at(-1);
	const cache = (most ?? 0) + (written ?? 0);
	if (prompt === undefined || !cache) return { input: prompt, cached: most, written };
	const areMessages = isOfMessages(usage, prompt, all);
	// a total that has as much reasoning beside the answer says that, which is dearer
	const isExplained = cache !== thought && all.total.at(-1) === prompt + cache + answer;
	const isBeside = cache > prompt && !areMessages;
	return areMessages || isExplained || isBeside
		? { input: prompt + cache, cached: most, written, isBeside }
		: { input: prompt, cached: all.cached[0], written };
}

/** A total that has the sound beside the prompt says that. @see crmne/ruby_llm, 0xPlaygrounds/rig (recordings of Mistral's Voxtral) */
function withSound(all: AllCounts, thought: number, answer: number): number | undefined {
	const prompt = all.input.at(-1);
	const sound = all.sound.at(-1) ?? 0;
	const isBeside = prompt !== undefined && all.total.at(-1) === prompt + sound + answer;
	return isBeside && sound !== thought ? prompt + sound : prompt;
}

/**
 * Whether counts are those of Anthropic's messages, or of Bedrock, which are beside each other. A total of the other two says that they are
 * not.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/prompt-caching#tracking-cache-performance
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html
 */
const isOfMessages = (usage: JsonObject, prompt: number, all: AllCounts) =>
	BESIDE.some(
		([input, ...caches]) =>
			usage[input] === prompt && caches.some((name) => isPresent(usage[name])),
	) && all.total.at(-1) !== prompt + (all.output.at(-1) ?? 0);

/** The prompt, and what is beside it. */
const BESIDE = [
	['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'],
	['inputTokens', 'cacheReadInputTokens', 'cacheWriteInputTokens'],
] as const;

/**
 * Where each count may be: a field, or a field in a field. In this order: chat completions, responses, n8n's agents, AI SDK; of cached and
 * reasoning tokens chat completions, responses, LangChain, then Moonshot, DeepSeek, Anthropic and Bedrock, or Perplexity; of written tokens
 * chat completions, responses, New API (two), LiteLLM, Alibaba, LangChain, Anthropic, Bedrock.
 */
const PLACES = {
	input: ['prompt_tokens', 'input_tokens', 'promptTokens', 'inputTokens'],
	output: ['completion_tokens', 'output_tokens', 'completionTokens', 'outputTokens'],
	total: ['total_tokens', 'totalTokens'],
	cached: [
		'prompt_tokens_details.cached_tokens',
		'input_tokens_details.cached_tokens',
		'input_token_details.cache_read',
		'cached_tokens',
		'prompt_cache_hit_tokens',
		'cache_read_input_tokens',
		'cacheReadInputTokens',
	],
	written: [
		'prompt_tokens_details.cache_write_tokens',
		'input_tokens_details.cache_write_tokens',
		'prompt_tokens_details.cached_creation_tokens',
		'input_tokens_details.cached_creation_tokens',
		'prompt_tokens_details.cache_creation_tokens',
		'prompt_tokens_details.cache_creation_input_tokens',
		'input_token_details.cache_creation',
		'cache_creation_input_tokens',
		'cacheWriteInputTokens',
	],
	writtenForHour: ['cache_creation.ephemeral_1h_input_tokens', 'claude_cache_creation_1_h_tokens'],
	sound: ['prompt_tokens_details.audio_tokens'],
	reasoning: [
		'completion_tokens_details.reasoning_tokens',
		'output_tokens_details.reasoning_tokens',
		'output_token_details.reasoning',
		'reasoning_tokens',
	],
};

const PATHS = Object.entries(PLACES).map(
	([kind, places]) =>
		[kind as keyof typeof PLACES, places.map((place) => place.split('.'))] as const,
);

/** The counts at all places of a kind, the smallest first. */
type AllCounts = Record<keyof typeof PLACES, number[]>;

function readAll(usage: JsonObject): AllCounts {
	const all = {} as AllCounts;
	for (const [kind, paths] of PATHS) all[kind] = readPlaces(usage, paths);
	// most services say that there is no sound
	return { ...all, sound: all.sound.filter(Boolean) };
}

/** Some gateways fill places that they do not use with 0. */
function readPlaces(usage: JsonObject, paths: ReadonlyArray<readonly string[]>): number[] {
	const counts: number[] = [];
	for (const [name = '', field] of paths) {
		const found = usage[name];
		const value = field ? (found as JsonObject | null | undefined)?.[field] : found;
		const count = value === undefined ? undefined : readCount(value);
		if (count !== undefined) counts.push(count);
	}
	const used = counts.filter((count) => count > 0);
	return used.length ? used.sort((one, other) => one - other) : counts.slice(0, 1);
}
