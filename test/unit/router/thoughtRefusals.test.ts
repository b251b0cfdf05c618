import { refusedRequestError } from '../../../src/core/errorResponses';
import { refusedThoughts } from '../../../src/router/thoughtRefusals';
import { response } from '../inMemoryHttp';

/** What the client makes of a refusal. */
const refused = (body: unknown, status = 400) =>
	refusedRequestError(response({ status }), JSON.stringify(body));

const openAi = (message: string, more: object = {}) => ({
	error: { message, type: 'invalid_request_error', param: null, code: null, ...more },
});
const anthropic = (message: string) => ({
	type: 'error',
	error: { type: 'invalid_request_error', message },
});
const google = (message: string) => ({
	error: { code: 400, message, status: 'INVALID_ARGUMENT' },
});
const openRouter = (raw: string) => ({
	error: { message: 'Provider returned error', code: 400, metadata: { raw, provider_name: 'x' } },
});

const PASSED_BACK = 'The `reasoning_content` in the thinking mode must be passed back to the API.';
const EXPECTED =
	'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks).';
const SIGNATURE =
	'Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:Bash` , position 2.';
const MODIFIED =
	'messages.5.content.1: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.';
const INVALID = 'messages.1.content.0: Invalid `signature` in `thinking` block';

// the sources are beside the rows
it.each([
	['missing', 'DeepSeek', openAi(PASSED_BACK, { code: 'invalid_request_error' })],
	[
		'missing',
		'DeepSeek, of blocks',
		openAi(PASSED_BACK.replace('reasoning_content', 'content[].thinking')),
	],
	[
		'missing',
		'MiMo',
		{
			error: {
				code: '400',
				message: 'Param Incorrect',
				param: PASSED_BACK.replaceAll('`', ''),
				type: '',
			},
		},
	],
	['missing', 'DeepSeek behind OpenRouter', openRouter(JSON.stringify(openAi(PASSED_BACK)))],
	[
		'missing',
		'Moonshot',
		openAi(
			'thinking is enabled but reasoning_content is missing in assistant tool call message at index 2',
		),
	],
	['missing', 'Anthropic', anthropic(EXPECTED)],
	['missing', 'Anthropic without marks', anthropic(EXPECTED.replaceAll('`', ''))],
	[
		'missing',
		'Anthropic behind LiteLLM',
		openAi(`litellm.BadRequestError: AnthropicException - ${JSON.stringify(anthropic(EXPECTED))}`),
	],
	[
		'missing',
		'Anthropic, of a signature',
		anthropic('messages.2.content.1.thinking.signature: Field required'),
	],
	['missing', 'Gemini', google(SIGNATURE)],
	['missing', 'Gemini, as a list', [google(SIGNATURE)]],
	[
		'missing',
		'Gemini behind OpenRouter',
		openRouter(
			'Gemini models require OpenRouter reasoning details to be preserved in each request.',
		),
	],
	[
		'missing',
		'OpenAI, a call',
		openAi(
			"Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.",
		),
	],
	[
		'missing',
		'OpenAI, a thought',
		openAi("Item 'rs_1' of type 'reasoning' was provided without its required following item.", {
			param: 'input',
		}),
	],
	['invalid', 'Anthropic', anthropic(MODIFIED)],
	['invalid', 'Anthropic, of a signature', anthropic(INVALID)],
	[
		'invalid',
		'Bedrock behind OpenRouter',
		openRouter('{"message":"messages.7.content.2: Invalid signature in thinking block"}'),
	],
	['invalid', 'Gemini', google('Corrupted thought signature.')],
	['invalid', 'Vertex', google('Unable to submit request because Thought signature is not valid.')],
	[
		'invalid',
		'OpenAI',
		openAi('The encrypted content gAAA...DQ== could not be verified.', {
			code: 'invalid_encrypted_content',
		}),
	],
	[
		'invalid',
		'OpenAI behind Bifrost',
		openAi("Item with id 'rs_1' not found. Items are not persisted when `store` is set to false."),
	],
	[
		'invalid',
		'OpenCode Zen',
		openAi('reasoning `encrypted_content` was not issued to this caller'),
	],
	[
		'invalid',
		'xAI',
		{
			code: 'invalid-argument',
			error:
				'Could not decrypt the provided encrypted_content. Ensure the value is the unmodified encrypted_content from a previous response.',
		},
	],
	[
		'unwanted',
		'Groq',
		openAi(
			"'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]",
		),
	],
	[
		'unwanted',
		'Cerebras',
		{
			message:
				"messages.2.assistant.reasoning_content: property 'messages.2.assistant.reasoning_content' is unsupported",
			type: 'invalid_request_error',
			param: 'validation_error',
			code: 'wrong_api_format',
		},
	],
	[
		'unavailable',
		'OpenAI',
		openAi('Encrypted content is not supported with this model.', { param: 'include' }),
	],
	['unavailable', 'nobody known, of our field', openAi("Unknown parameter: 'include'.")],
	['missing', 'nobody known, of a field', openAi('messages[3].reasoning_content: field required')],
	['missing', 'nobody known, of a part', openAi('Every turn has to return its thinking blocks.')],
	['missing', 'nobody known, of a signature', openAi('thought signature expected in turn 2')],
])('%s: %s', (about, _vendor, body) => {
	expect(refusedThoughts(refused(body))).toBe(about);
});

it.each([
	['one entry', (entry: object) => ({ detail: [entry] })],
	[
		'a message of them',
		(entry: object) => ({
			object: 'error',
			message: { detail: [entry] },
			type: 'invalid_request_error',
			code: null,
		}),
	],
])('unwanted: Mistral says so with 422, as %s', (_form, toBody) => {
	const loc = ['body', 'messages', 31, 'assistant', 'reasoning_content'];
	const body = toBody({ type: 'extra_forbidden', loc, msg: 'Extra inputs are not permitted' });
	expect(refusedThoughts(refused(body, 422))).toBe('unwanted');
});

it.each([
	['a filter', openAi('The response was filtered', { code: 'content_filter' })],
	['a filter that repeats what it has found', openAi(PASSED_BACK, { code: 'content_filter' })],
	['a policy, which repeats it', openAi(`Content policy: "${PASSED_BACK}" was flagged`)],
	[
		'a length',
		openAi('maximum context length is 128000 tokens', { code: 'context_length_exceeded' }),
	],
	['a guardrail, which repeats it', openAi(`Input blocked by guardrail: "${PASSED_BACK}"`)],
	['a finding, which repeats it', openAi(`Potential prompt injection detected: "${SIGNATURE}"`)],
	['a safety system, which repeats it', openAi(`Rejected by our safety system: "${PASSED_BACK}"`)],
	['a length, of thoughts', anthropic('prompt is too long: thinking blocks included')],
	[
		'an effort',
		openAi("Unsupported value: 'reasoning_effort' does not support 'minimal' with this model."),
	],
	['an effort beside thinking', openAi("cannot specify both 'thinking' and 'reasoning_effort'")],
	[
		'a budget of thoughts',
		anthropic('`max_tokens` must be greater than `thinking.budget_tokens`.'),
	],
	['a choice of tools', anthropic('Thinking may not be enabled when tool_choice forces tool use.')],
	['a word alone', openAi('This model does no reasoning.')],
	['a setting', openAi("property 'reasoning_effort' is unsupported")],
	['another setting', openAi("property 'include_reasoning' is unsupported")],
	['another field', openAi("property 'metadata' is unsupported")],
	['nothing', {}],
])('no refusal of thoughts: %s', (_what, body) => {
	expect(refusedThoughts(refused(body))).toBeUndefined();
});

it('no refusal of a conversation: any other status, and any other failure', () => {
	expect(
		[403, 404, 429, 500].map((status) => refusedThoughts(refused(openAi(INVALID), status))),
	).toEqual(Array(4).fill(undefined));
	expect(refusedThoughts(new Error(INVALID))).toBeUndefined();
});
