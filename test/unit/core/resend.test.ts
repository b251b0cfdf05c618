import { readErrorResponse } from '../../../src/core/body';
import { ServiceError } from '../../../src/core/errors';
import type { Http, HttpRequest } from '../../../src/core/http';
import { RateLimiter } from '../../../src/core/rateLimit';
import { withRetries } from '../../../src/core/resend';
import type { Clock } from '../../../src/core/retry';
import { failureOf, inMemory, json, type Answer } from '../inMemoryHttp';
import { virtualClock } from '../virtualClock';

const GET: HttpRequest = { method: 'GET', path: '/v1/models' };
const POST: HttpRequest = { method: 'POST', path: '/v1/images/jobs', body: {} };
const MINUTE = 60_000;

const ok = json({ ok: true });
const status = (code: number, retryAfter?: string): Answer => ({
	status: code,
	headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
});
const notSent = new ServiceError('unreachable', 'x', { sent: false, reason: 'ECONNREFUSED.' });
const sent = new ServiceError('unreachable', 'x', { sent: true });
const unclear = new ServiceError('unreachable', 'x');
const certificate = new ServiceError('unreachable', 'x', { sent: false, permanent: true });

const resending = (http: Http, clock: Clock, maxRateLimitWait = MINUTE) =>
	withRetries(http, new RateLimiter(), { clock, maxRateLimitWait });

function retrying(...answers: Array<Answer | ServiceError>) {
	const [http, clock] = [inMemory(...answers), virtualClock()];
	return { http, clock, send: resending(http, clock).send };
}

const answered = (...codes: number[]) => codes.map((code) => [code, status(code)] as const);

it.each<readonly [what: string | number, Answer | ServiceError, gets: number, posts: number]>([
	['not sent', notSent, 4, 4],
	['broken after it was sent', sent, 4, 1],
	['broken, nobody knows when', unclear, 4, 1],
	['a bad certificate', certificate, 1, 1],
	['stopped', new ServiceError('cancelled', 'x', { sent: false }), 1, 1],
	['cut', new ServiceError('truncated', 'x'), 1, 1],
	[429, status(429), 4, 4],
	['503 with Retry-After', status(503, '1'), 4, 1],
	...answered(500, 502, 503, 504).map((one) => [...one, 4, 1] as const),
	...answered(200, 204, 301, 307, 400, 401, 402).map((one) => [...one, 1, 1] as const),
	[408, status(408), 4, 1],
	...answered(403, 404, 405, 409, 410, 422).map((one) => [...one, 1, 1] as const),
])('%s: a GET is sent %3$d times, a POST %4$d times', async (_what, answer, gets, posts) => {
	for (const [request, times] of [[GET, gets] as const, [POST, posts] as const]) {
		const { http, send } = retrying(answer);
		const result = await send(request).catch((error: unknown) => error);
		expect(http.requests).toEqual(Array(times).fill(request));
		const { kind, status } = { kind: undefined, status: undefined, ...answer };
		expect(result).toMatchObject(kind ? { kind } : { status });
	}
});

it('gives the answer that came in the end, and closes the refusals before it', async () => {
	const { http, send } = retrying(status(500), status(429, '2'), notSent, ok);
	expect(await send(GET)).toMatchObject({ status: 200 });
	expect([http.requests.length, http.closed]).toEqual([4, [1, 2]]);
});

it('says how often it tried, and keeps what was known', async () => {
	expect(await failureOf(retrying(notSent).send(POST))).toMatchObject({
		details: { sent: false, reason: 'ECONNREFUSED. Tried 4 times.' },
	});
	expect((await failureOf(retrying(sent).send(POST))).details).toEqual({ sent: true });
});

it('waits longer and longer', async () => {
	const { clock, send } = retrying(status(500));
	await send(GET);
	expect(clock.slept).toEqual([250, 500, 1000]);
});

it.each([
	['2', 2000],
	['0', 250],
	['-1', 250],
	['soon', 250],
])('waits for Retry-After: %s at least %d ms', async (header, wait) => {
	const { clock, send } = retrying(status(429, header), ok);
	expect(await send(POST)).toMatchObject({ status: 200 });
	expect(clock.now()).toBeGreaterThanOrEqual(wait);
	expect(clock.now()).toBeLessThanOrEqual(wait + 1000);
});

it.each([
	[POST, status(429, '61')],
	[GET, status(503, '61')],
	[GET, status(429, '1000000000')],
])('does not begin a wait that is too long: %j %j', async (request, answer) => {
	const { http, clock, send } = retrying(answer, ok);
	expect(await send(request)).toMatchObject({ status: answer.status });
	expect([http.requests.length, clock.slept]).toEqual([1, []]);
});

it('ends when the clock is stopped', async () => {
	const stop = new Error('stopped');
	const clock = { now: () => 0, random: () => 0.5, sleep: () => Promise.reject(stop) };
	const http = inMemory(status(500), ok);
	await expect(resending(http, clock).send(GET)).rejects.toBe(stop);
	expect(http.requests).toHaveLength(1);
});

it('reads again after a failure of the service even where nothing may wait for a 429', async () => {
	const [http, clock] = [inMemory(status(503), ok), virtualClock()];
	expect(await resending(http, clock, 0).send(GET)).toMatchObject({ status: 200 });
	const [limited, later] = [inMemory(status(429), ok), virtualClock()];
	expect(await resending(limited, later, 0).send(GET)).toMatchObject({ status: 429 });
});

it('a date in Retry-After counts from the clock that is handed in', async () => {
	const { clock, send } = retrying(status(429, new Date(30_000).toUTCString()), ok);
	await send(POST);
	expect(clock.now()).toBeGreaterThanOrEqual(30_000);
	expect(clock.now()).toBeLessThan(32_000);
});

const refusal = (error: object, code = 429) =>
	json({ error }, { status: code, headers: { 'retry-after': '1' } });

const TOO_LARGE =
	'Request too large for gpt-4o in organization o on tokens per min (TPM): Limit 30000, Requested 35000.';

it.each<[string, { message: string; [field: string]: unknown }]>([
	['OpenAI', { message: 'x', type: 'insufficient_quota', code: 'insufficient_quota' }],
	['LiteLLM', { message: 'x', type: 'budget_exceeded', param: null, code: '429' }],
	['Moonshot', { message: 'x', type: 'exceeded_current_quota_error' }],
	['OpenAI', { message: TOO_LARGE, type: 'tokens', code: 'rate_limit_exceeded' }],
])(
	'a 429 of %s that would come again is not waited for, and delays nobody: %j',
	async (_who, error) => {
		for (const request of [POST, GET]) {
			const { http, clock, send } = retrying(refusal(error), ok);
			const answer = await send(request);
			expect(answer).toMatchObject({ status: 429 });
			// what was read is still there
			expect((await readErrorResponse(answer)).details).toMatchObject({ reason: error.message });
			expect(await send(request)).toMatchObject({ status: 200 });
			expect([http.requests.length, http.closed, clock.slept]).toEqual([2, [1], []]);
		}
	},
);

it.each<[string, object]>([
	['a rate', { message: 'x', type: 'requests', code: 'rate_limit_exceeded' }],
	// Google says this of its limit per minute
	[
		'a quota per minute',
		{ code: 429, status: 'RESOURCE_EXHAUSTED', message: 'You exceeded your current quota' },
	],
	['Alibaba', { code: 'Throttling.RateQuota', message: 'x' }],
	['Cerebras', { type: 'too_many_tokens_error', param: 'quota', code: 'token_quota_exceeded' }],
	['a gateway', { code: 'quota_exceeded', message: 'Requests per minute limit exceeded' }],
	['Alibaba', { code: 'insufficient_quota', message: 'You exceeded … /error-code#token-limit' }],
])('a 429 of %s is waited for', async (_what, error) => {
	const { http, send } = retrying(refusal(error), ok);
	expect(await send(POST)).toMatchObject({ status: 200 });
	expect(http.requests).toHaveLength(2);
});

it('a 429 that asks for its wait in words is waited for as long', async () => {
	const error = { message: 'You exceeded your current quota. Please retry in 34.5s.' };
	const { clock, send } = retrying(json({ error }, { status: 429 }), ok);
	await send(POST);
	expect(clock.now()).toBeGreaterThanOrEqual(34_500);
});

it.each([
	['Google', 'GenerateRequestsPerDayPerProjectPerModel-FreeTier'],
	['OpenRouter', 'free-models-per-day-high-balance'],
	['others', 'daily limit'],
])('a 429 of %s for a quota that lasts a day is not waited for', async (_who, quotaId) => {
	const error = { message: 'Quota exceeded. Please retry in 34.07s.', details: [{ quotaId }] };
	const { clock, http, send } = retrying(json({ error }, { status: 429 }), ok);
	expect(await send(POST)).toMatchObject({ status: 429 });
	expect([http.requests.length, clock.slept]).toEqual([1, []]);
	// a header says when more is free, as at Groq
	const { send: sendLater } = retrying(refusal(error), ok);
	expect(await sendLater(POST)).toMatchObject({ status: 200 });
});

it('a 429 whose body breaks off, or never ends, is one like any other', async () => {
	const broken: Answer = { status: 429, chunks: ['{"error":'], breaks: true };
	const long: Answer = { status: 429, chunks: Array(100).fill('x'.repeat(10_000)) };
	const { http, send } = retrying(broken, long, ok);
	expect(await send(POST)).toMatchObject({ status: 200 });
	expect([http.requests.length, http.closed]).toEqual([3, [1, 2]]);
});
