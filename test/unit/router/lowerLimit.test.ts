import { refusedRequestError } from '../../../src/core/errorResponses';
import { isUnstarted } from '../../../src/core/errors';
import { withLowerLimit } from '../../../src/router/ownFields';
import { failureOf, inMemory, response } from '../inMemoryHttp';

/** A service that takes at most so many output tokens, and else says this. */
function serviceThat(most: number, message: string, status = 400) {
	const http = { ...inMemory(), serviceFacts: new Map<string, string>() };
	const sent: number[] = [];
	const ask = async (limit: number) =>
		await withLowerLimit(http, { model: 'm', max_tokens: limit }, 'max_tokens', async (body) => {
			sent.push(body.max_tokens);
			if (body.max_tokens <= most) return { text: 'answered' };
			throw refusedRequestError(response({ status }), JSON.stringify({ error: { message } }));
		});
	return { ask, sent };
}

it.each([
	'max_tokens is too large: 16384. This model supports at most 4096 completion tokens, whereas you provided 16384.',
	'Invalid max_tokens value, the valid range of max_tokens is [1, 8192]',
	"'max_tokens' or 'max_completion_tokens' is too large: 16384. This model's maximum context length is 8192 tokens.",
	"This model's maximum context length is 8192 tokens. However, you requested 16404 tokens (20 in the messages, 16384 in the completion).",
	'`inputs` tokens + `max_new_tokens` must be <= 8193. Given: 20 `inputs` tokens and 16384 `max_new_tokens`',
	'max_tokens: 16384 > 4096, which is the maximum allowed number of output tokens for claude-3-haiku-20240307',
	'`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens`',
	'Unable to submit request because it has a maxOutputTokens value of 16384 but the supported range is from 1 to 8193.',
	'Range of max_tokens should be [1, 8192]',
	'model max length exceeded, max length:8192',
	"This model's maximum context length is 8192 tokens. However, you requested 16384 output tokens and your prompt contains at least 20 input tokens, for a total of at least 16404 tokens.",
	"Requested token count exceeds the model's maximum context length of 8192 tokens. You requested a total of 16404 tokens: 20 tokens from the input messages and 16384 tokens for the completion.",
	'The maximum tokens you requested exceeds the model limit of 10000. Try again with a maximum tokens value that is lower than 10000.',
])('fewer tokens are asked for, now and later: %s', async (message) => {
	const { ask, sent } = serviceThat(4096, message);
	const answers = [await ask(16_384), await ask(16_384), await ask(2000)];
	expect(answers.map(({ maxTokens }) => maxTokens)).toEqual([4096, 4096, 2000]);
	expect(sent).toEqual([16_384, 4096, 4096, 2000]);
});

it.each([
	[
		413,
		'Request too large for model `llama-3.1-8b-instant` on tokens per minute (TPM): Limit 6000, Requested 16404, please reduce your message size and try again.',
	],
	[
		413,
		'AiError: Ai: The estimated number of input and maximum output tokens (16404) exceeded this model context window limit (8192)',
	],
	[
		429,
		'Request too large for gpt-4o in organization o on tokens per min (TPM): Limit 10000, Requested 16404. The input or output tokens must be reduced in order to run successfully.',
	],
])('with %d fewer are asked for, too, and only now: %s', async (status, message) => {
	const { ask, sent } = serviceThat(4096, message, status);
	const answers = [await ask(16_384), await ask(16_384)];
	expect(answers.map(({ maxTokens }) => maxTokens)).toEqual([4096, 4096]);
	expect(sent).toEqual([16_384, 4096, 16_384, 4096]);
});

it.each([
	"This model's maximum context length is 20000 tokens. However, you requested 26384 tokens (10000 in the messages, 16384 in the completion).",
	'`inputs` tokens + `max_new_tokens` must be <= 20000. Given: 10000 `inputs` tokens and 16384 `max_new_tokens`',
	'max_tokens is too large for this prompt: 16384',
	'model max length exceeded, max length:32768',
])('for what is left of the window, fewer are asked for only now: %s', async (message) => {
	const { ask, sent } = serviceThat(4096, message);
	const answers = [await ask(16_384), await ask(16_384)];
	expect(answers.map(({ maxTokens }) => maxTokens)).toEqual([4096, 4096]);
	expect(sent).toEqual([16_384, 4096, 16_384, 4096]);
});

it('a window that is nearly full is asked for less, and only this time', async () => {
	const { ask, sent } = serviceThat(3000, 'max_tokens is too large: 16384');
	expect([await ask(16_384), await ask(16_384)]).toEqual([
		{ text: 'answered', maxTokens: 1024 },
		{ text: 'answered', maxTokens: 1024 },
	]);
	expect(sent).toEqual([16_384, 4096, 1024, 16_384, 4096, 1024]);
});

it.each([
	[400, "Unsupported parameter: 'max_tokens' is not supported with this model.", [16_384]],
	[400, 'The prompt is empty', [16_384]],
	[400, 'Field "name": max length exceeded (limit 256)', [16_384]],
	[400, 'You requested 0 output tokens and your prompt contains at least 262145 tokens', [16_384]],
	[413, 'The body is too large', [16_384]],
	[429, 'Rate limit reached on tokens per min (TPM): Limit 30000, Used 29937', [16_384]],
	[500, 'max_tokens is too large: 16384', [16_384]],
	[400, 'max_tokens is too large: 16384', [16_384, 4096, 1024]],
])('a refusal with %d is told: %s', async (status, message, asked) => {
	const { ask, sent } = serviceThat(0, message, status);
	expect((await failureOf(ask(16_384))).details.reason).toBe(message);
	expect(sent).toEqual(asked);
});

it.each([
	'Could not finish the message because max_tokens or model output limit was reached. Please try again with higher max_tokens. (request id: 20250807123456789)',
	"max_tokens was 16384. See 'failed_generation' for more details.",
])('a refusal after the model has run is never asked again: %s', async (message) => {
	const { ask, sent } = serviceThat(0, message);
	const failure = await failureOf(ask(16_384));
	expect([isUnstarted(failure), sent]).toEqual([false, [16_384]]);
});
