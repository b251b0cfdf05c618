import { Big } from '../../../src/core/money';
import { ServiceError, type ServiceErrorDetails } from '../../../src/core/errors';
import { explainBalance, explainJobBalance, withAdvice } from '../../../src/router/advice';

const GONE =
	'The file is no longer available: images and videos are kept for 7 days, music and speech must be downloaded right away.';
const SMALL = 'The free balance is too small';
const KNOWN = '(needed: $2.00, balance: $1.50, held by other running requests: $0.000001)';
const TOP_UP = 'Top up the account at the service';
const WAIT = `${TOP_UP}, or wait for other requests to end.`;
const ENDPOINT =
	'Use "Text: Message a Model" for text models, "Media" for image, video, music and audio models.';
const FIGURES = { required_micro_usd: 2e6, balance_micro_usd: '1500000', held_micro_usd: 1 };
const NOT_YET = 'The job is still running, or has failed: Wait for Job tells which.';
const TOO_LONG = expect.stringMatching(/^The conversation is too long for the model/);
const held = (meta: object) => ({ status: 402, meta: { ...meta } });
const ids = { jobId: 'j' };

it.each([
	['a balance', { code: 'insufficient_balance', meta: FIGURES }, `${SMALL} ${KNOWN}. ${WAIT}`],
	['a balance without figures', held({}), `${SMALL}. ${TOP_UP}.`],
	[
		'a balance of which nothing is held',
		held({ ...FIGURES, held_micro_usd: 0 }),
		`${SMALL} (needed: $2.00, balance: $1.50, held by other running requests: $0.00). ${TOP_UP}.`,
	],
	[
		'an empty balance',
		held({ balance_micro_usd: '0' }),
		`The balance is empty (balance: $0.00). ${TOP_UP}.`,
	],
	['the wrong endpoint', { code: 'wrong_endpoint', status: 418 }, ENDPOINT],
	['an unfinished job', { code: 'job_not_completed' }, NOT_YET],
	['409 for a job', { status: 409, ids }, NOT_YET],
	['409 alone', { status: 409 }, undefined],
	['a file that is gone', { code: 'content_expired' }, GONE],
	['410 alone', { status: 410 }, GONE],
	['advice that was there', { status: 410, advice: 'Hurry.' }, `${GONE} Hurry.`],
	['the same advice again', { status: 410, advice: `${GONE} Hurry.` }, `${GONE} Hurry.`],
	['a long prompt', { status: 400, code: 'context_length_exceeded' }, TOO_LONG],
	['a long prompt, in words', { status: 413, reason: 'prompt is too long: 9 tokens' }, TOO_LONG],
	[
		'a long prompt, in others',
		{ status: 400, reason: "This model's maximum context length is 8 tokens." },
		TOO_LONG,
	],
	['a long prompt of llama.cpp', { status: 400, code: 'exceed_context_size_error' }, TOO_LONG],
	['a long prompt of Perplexity', { status: 400, code: 'too_many_prompt_tokens' }, TOO_LONG],
	...[
		"This model's maximum prompt length is 131072 but the request contains 136973 tokens.",
		'Your request exceeded model token limit: 262144 (requested: 269030)',
		'Your input exceeds the context window of this model.',
		'invalid params, context window exceeds limit (2013)',
		'Please reduce the length of the messages or completion.',
		'The number of tokens to keep from the initial prompt is greater than the context length.',
		'prompt token count of 70000 exceeds the limit of 64000',
		'Input is too long for requested model.',
		'model max length exceeded, max length:8192',
		'prompt too long; exceeded max context length by 1119046 tokens',
	].map((reason): [string, object, unknown] => [reason, { status: 400, reason }, TOO_LONG]),
	['a long prompt of another status', { status: 404, code: 'context_length_exceeded' }, undefined],
	['a long name', { status: 400, reason: 'name: max length exceeded (limit 256)' }, undefined],
	[
		'a large file',
		{ status: 413, reason: 'Request too large for this endpoint (max 10 MB)' },
		undefined,
	],
	['anything else', { status: 400, code: 'x' }, undefined],
])('what is advised at %s', (_name, details, advice) => {
	expect(withAdvice(new ServiceError('refused', 'x', details)).details.advice).toEqual(advice);
});

it.each([
	[402, '0', 'The balance is empty (402)'],
	[402, '-5', 'The balance is empty (402)'],
	[402, '5', 'x'],
	[402, undefined, 'x'],
	[400, '0', 'x'],
	[403, '0', 'x'],
])('the title at %s, with a balance of %s', (status, balance, title) => {
	const details = { status, code: 'insufficient_balance', meta: { balance_micro_usd: balance } };
	expect(withAdvice(new ServiceError('refused', 'x', details)).message).toBe(title);
});

it.each([
	'openai/gpt-4o requires moderation on OpenAI. Your input was flagged for "violence".',
	'Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO',
])('a message that is refused for its words is no matter of the key: %s', (reason) => {
	const error = withAdvice(new ServiceError('refused', 'x', { status: 403, reason }));
	expect(error.message).toBe('The service refused the request (403)');
	expect(error.details.advice).toBe('Change the messages, or use another model.');
});

it.each([413, 429])('a request too large for a minute is told so, with %d', (status) => {
	const reason = 'Request too large for gpt-4o on tokens per min (TPM): Limit 3, Requested 4.';
	const error = withAdvice(new ServiceError('refused', 'x', { status, reason }));
	expect(error.message).toBe(`The service refused the request (${status})`);
	expect(error.details.advice).toContain('in a minute: shorten the messages');
});

const MODEL = { id: 'v/m', pricing: { input_per_mtok: 1, output_per_mtok: 2 } };
const BODY = { model: 'v/m', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1000 };
const META = { required_micro_usd: 2100, balance_micro_usd: 1600, held_micro_usd: 500 };

const refused = (details: ServiceErrorDetails) =>
	new ServiceError('refused', 'The balance does not cover this request (402)', {
		status: 402,
		...details,
	});
const told = (
	details: ServiceErrorDetails,
	more: Partial<Parameters<typeof explainBalance>[1]> = {},
) =>
	explainBalance(refused(details), {
		body: BODY,
		own: 'max_tokens',
		model: MODEL,
		others: 0,
		...more,
	}).details;

it('says who holds the money, and the largest cap that fits', () => {
	const code = 'insufficient_balance';
	expect(told({ code, meta: META, advice: 'Top up.', requestId: 'r' }, { others: 1 })).toEqual({
		status: 402,
		code,
		requestId: 'r',
		meta: META,
		advice:
			'Top up. One more of your own requests is under way in this n8n and holds money. Lower "Max Items at Once" in Request Settings, or send this one later. The largest "Maximum Output Tokens" that fits now is 500.',
		computed: {
			requiredUsd: '$0.0021',
			balanceUsd: '$0.0016',
			heldUsd: '$0.0005',
			ownRequestsUnderWay: 1,
			largestMaximumOutputTokens: 500,
		},
	});
});

const OUTSIDE =
	'The held amount belongs to unfinished media jobs, or to requests from outside this n8n process.';

it.each([
	[500, 0, OUTSIDE],
	['500', 0, OUTSIDE],
	[500, 1, 'One more of your own requests is under way in this n8n and holds money. '],
	[500, 2, '2 more of your own requests are under way in this n8n and hold money. '],
	[0, 2, undefined],
	[undefined, 2, undefined],
	['lots', 0, undefined],
	[[5], 0, undefined],
])('%j held, %d others under way', (amount, others, sentence) => {
	const { advice = '', computed } = told({ meta: { held_micro_usd: amount } }, { others });
	if (sentence) expect(advice).toContain(sentence);
	else expect(advice).not.toMatch(/^(The held amount|One more|\d+ more)/);
	expect(computed).toMatchObject({ ownRequestsUnderWay: others });
});

const FITS = 'The largest "Maximum Output Tokens" that fits now is 250.';
const NONE_FITS = 'Not even one output token fits: lowering "Maximum Output Tokens" does not help.';
const NEEDS_LESS = 'A lower "Maximum Output Tokens" needs less.';

it.each([
	['two choices', { ...META, required_micro_usd: 4100 }, { body: { ...BODY, n: 2 } }, FITS, 250],
	['no token', { ...META, balance_micro_usd: 600 }, {}, NONE_FITS, 0],
	['no figures', {}, {}, NEEDS_LESS, undefined],
	['no model', META, { model: undefined }, NEEDS_LESS, undefined],
	['no price', META, { model: { id: 'v/m' } }, NEEDS_LESS, undefined],
])('the cap that fits: %s', (_name, meta, more, sentence, largest) => {
	const { advice, computed = {} } = told({ meta: { ...meta } }, more);
	expect(advice?.endsWith(sentence)).toBe(true);
	expect(computed['largestMaximumOutputTokens']).toBe(largest);
	expect('largestMaximumOutputTokens' in computed).toBe(largest !== undefined);
});

it('no maximum is small enough for an empty balance', () => {
	const { advice } = told({ meta: { ...META, balance_micro_usd: 0, held_micro_usd: 0 } });
	expect(advice).toBe('');
});

describe('the start of a media job', () => {
	const start = (meta: Record<string, unknown>, leastMicroUsd?: Big, others = 0) =>
		explainJobBalance(refused({ meta, advice: 'Top up.' }), { leastMicroUsd, others }).details;

	it('says the figures, who holds the money, and the margin of the first use', () => {
		const meta = { required_micro_usd: 50_000, balance_micro_usd: '60000', held_micro_usd: 20_000 };
		expect(start(meta, Big(40_000), 2)).toMatchObject({
			advice:
				'Top up. 2 more of your own requests are under way in this n8n and hold money. Lower "Max Items at Once" in Request Settings, or send this one later. At the first start of a configuration, such as a new model or a first 4K clip, the service wants more than the job costs. Later starts need less. According to the catalog it costs at least $0.04.',
			meta,
			computed: {
				requiredUsd: '$0.05',
				balanceUsd: '$0.06',
				heldUsd: '$0.02',
				leastCostUsd: '$0.04',
				ownRequestsUnderWay: 2,
			},
		});
	});

	it('makes up no figure', () => {
		const { advice, computed } = start({ required_micro_usd: 'lots' });
		expect(computed).toEqual({ ownRequestsUnderWay: 0 });
		expect(advice).toMatch(/need less\.$/);
		expect(advice).not.toContain('held');
	});
});

it('any other error stays as it is', () => {
	const other = refused({ status: 429, meta: META });
	expect(explainBalance(other, { body: BODY, own: 'max_tokens', model: MODEL, others: 1 })).toBe(
		other,
	);
	expect(explainJobBalance(other, { leastMicroUsd: Big(1), others: 0 })).toBe(other);
	const byCode = refused({ status: 400, code: 'insufficient_balance' });
	expect(
		explainBalance(byCode, { body: BODY, own: 'max_tokens', model: MODEL, others: 1 }),
	).not.toBe(byCode);
});
