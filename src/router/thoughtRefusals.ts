import { isBadRequest } from '../core/errors';

/**
 * What a model says of thoughts when it refuses a request: of its reasoning, its thinking, or a signature of them.
 *
 * - `missing`: an earlier answer came back without them.
 * - `invalid`: they came back, and are not those that it gave, or of another account.
 * - `unwanted`: they came back, and it takes none.
 * - `unavailable`: it was asked to give them in the encrypted form, and does not.
 */
export type ThoughtRefusal = 'missing' | 'invalid' | 'unwanted' | 'unavailable';

interface Row {
	says: RegExp;
	about: ThoughtRefusal;
}

/**
 * The recorded refusals, each with its vendor and where it is recorded. A gateway passes the words of the vendor on, with its own before them: OpenRouter, LiteLLM.
 *
 * Whatever else a refusal says, the request is not sent again in another form: a filter of contents, or a length, would then judge the
 * same words in another role.
 */
const REFUSALS: readonly Row[] = [
	// DeepSeek, Xiaomi MiMo: earendil-works/pi#3636, esengine/DeepSeek-Reasonix#8902, chatboxai/chatbox#3716
	{
		says: /in the thinking mode must be passed back/i,
		about: 'missing',
	},
	// Moonshot: continuedev/continue#11600
	{
		says: /reasoning_content is missing in assistant/i,
		about: 'missing',
	},
	// Anthropic, Amazon Bedrock: pydantic/pydantic-ai#2075, n8n-io/n8n#22550
	{
		says: /expected `?thinking`? or `?redacted_thinking`?, but found/i,
		about: 'missing',
	},
	// Anthropic: JohnnyZ93/oai-compatible-copilot#217
	{
		says: /\bthinking\.signature: Field required/i,
		about: 'missing',
	},
	// Gemini: ai.google.dev/gemini-api/docs/thought-signatures, langgenius/dify-official-plugins#2088
	{
		says: /is missing a thought_signature/i,
		about: 'missing',
	},
	// Gemini behind OpenRouter: LibreChat-AI/agents#37
	{
		says: /require OpenRouter reasoning details to be preserved/i,
		about: 'missing',
	},
	// OpenAI, in the responses protocol: continuedev/continue#10018, continuedev/continue#8933
	{
		says: /without its required ('reasoning' item|following item)/i,
		about: 'missing',
	},
	// Anthropic: anthropics/claude-code#19539
	{
		says: /`?(redacted_)?thinking`? blocks in the latest assistant message cannot be modified/i,
		about: 'invalid',
	},
	// Anthropic, Amazon Bedrock: anthropics/claude-code#10627, linanwx/nagobot#21
	{
		says: /invalid `?signature`? in `?thinking`? block/i,
		about: 'invalid',
	},
	// Gemini: google-gemini/gemini-cli#13467, decolua/9router#301, lbjlaq/Antigravity-Manager#3342
	{
		says: /(corrupted|invalid) thought signature|thought signature is not valid/i,
		about: 'invalid',
	},
	// OpenAI, in the responses protocol: openai/codex#8145
	{
		says: /encrypted content [^]{0,200}could not be verified/i,
		about: 'invalid',
	},
	// OpenAI behind Bifrost: maximhq/bifrost#5410
	{
		says: /item with id 'rs_\w+' not found/i,
		about: 'invalid',
	},
	// OpenCode Zen: can1357/oh-my-pi#11928
	{
		says: /`encrypted_content` was not issued to this caller/i,
		about: 'invalid',
	},
	// xAI, in the responses protocol: openclaw/openclaw#97925
	{
		says: /could not decrypt the provided encrypted_content/i,
		about: 'invalid',
	},
	// Groq, Cerebras: NousResearch/hermes-agent#11089, Kilo-Org/kilocode#10375
	{
		// a setting of the request, such as reasoning_effort, is no thought
		says: /property '([\w.]*\.)?(reasoning|thinking)(?!_(effort|format|budget|level))\w*' is unsupported/i,
		about: 'unwanted',
	},
	// Mistral: BerriAI/litellm#30835, charmbracelet/crush#1590
	{
		says: /extra_forbidden[^]*"assistant",\s*"(reasoning|thinking)/i,
		about: 'unwanted',
	},
	// OpenAI, in the responses protocol: pydantic/pydantic-ai#2865
	{
		says: /encrypted content is not supported/i,
		about: 'unavailable',
	},
];

/**
 * The plain rule for all others. The field that we add ourselves is named, or a field or a part in which vendors keep thoughts: then they
 * are taken for missing. A word alone, such as "thinking", says nothing: a budget, an effort or a choice of tools may be refused.
 */
const ANY_OTHER: readonly Row[] = [
	{ says: /reasoning\.encrypted_content|['"`]include['"`]/i, about: 'unavailable' },
	{
		says: /\b(reasoning|thinking|thought)[ _](content|details?|signatures?|items?|blocks?)\b|\bencrypted_content\b/i,
		about: 'missing',
	},
];

/** A filter of contents may repeat what it has found, and that may read like one of the refusals above. */
const OTHER_CODE = /filter|policy|safety|moderation|length|too_large|too_long/i;
const OTHER_REASON =
	/\bcontent (filter|management|policy)|\b(flagged|moderation|safety|guardrails?|jailbreak|injection|violate[sd]?|violations?)\b|maximum context|context window|token count|too long/i;

/** What a request was refused for, if it is for thoughts; undefined for any other failure. */
export function refusedThoughts(failure: unknown): ThoughtRefusal | undefined {
	if (!isBadRequest(failure)) return undefined;
	const { code = '', reason = '' } = failure.details;
	if (OTHER_CODE.test(code) || OTHER_REASON.test(reason)) return undefined;
	return [...REFUSALS, ...ANY_OTHER].find(({ says }) => says.test(reason))?.about;
}
