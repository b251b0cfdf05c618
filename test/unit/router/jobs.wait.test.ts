import { ServiceError } from '../../../src/core/errors';
import { RateLimiter } from '../../../src/core/rateLimit';
import { withRetries } from '../../../src/core/resend';
import { waitForJob } from '../../../src/router/jobs';
import fc from '../../support/fastCheck';
import { failureOf, inMemory, json, type Answer } from '../inMemoryHttp';
import { virtualClock } from '../virtualClock';

const ADDRESS = { mediaType: 'music', jobId: 'j-1' } as const;
const MINUTE = 60_000;
const running = json({ id: 'j-1', status: 'processing' });
const done = json({ id: 'j-1', status: 'completed', cost: 5 });
const notFound = json({ error: { message: 'no such job' } }, { status: 404 });
const status = (code: number, retryAfter?: string) =>
	json(
		{ error: { message: 'trouble' } },
		{ status: code, headers: retryAfter ? { 'retry-after': retryAfter } : {} },
	);
const unreachable = (details: object) => new ServiceError('unreachable', 'x', details);

function waiting(maxWait: number, ...answers: Array<Answer | ServiceError>) {
	const [http, clock] = [inMemory(...answers), virtualClock()];
	return { http, clock, job: waitForJob(http, ADDRESS, { maxWait, clock }) };
}

it('asks until the job has completed, less and less often', async () => {
	const { http, clock, job } = waiting(60 * MINUTE, ...Array(15).fill(running), done);
	expect(await job).toMatchObject({ jobId: 'j-1', state: 'completed', costMicroUsd: 5 });
	expect(http.requests).toHaveLength(16);
	expect(clock.slept.slice(0, 3)).toEqual([700, 950, 1325]);
	expect(Math.max(...clock.slept)).toBe(7700);
	expect(clock.slept).toEqual([...clock.slept].sort((one, other) => one - other));
});

it('a failed job ends the wait', async () => {
	const { job } = waiting(MINUTE, running, json({ id: 'j-1', status: 'FAILED', error: 'nsfw' }));
	expect(await job).toMatchObject({ state: 'failed', status: 'FAILED' });
});

it('ends at the deadline, with the id and the last state', async () => {
	const { clock, job } = waiting(MINUTE, running);
	expect(await failureOf(job)).toMatchObject({
		kind: 'timeout',
		message: 'The media job was not finished after 60 s',
		details: {
			ids: { jobId: 'j-1' },
			reason: 'Last state: processing.',
			partial: { jobId: 'j-1', state: 'unfinished' },
			advice:
				'It continues to run and may be charged. Use Wait for Job or Download File with its job ID to continue; do not start it again.',
		},
	});
	expect(clock.now()).toBeLessThanOrEqual(MINUTE);
	expect(clock.now()).toBeGreaterThan(MINUTE - 8000);
});

it.each([
	['500', status(500)],
	['400', status(400)],
	['a broken connection', unreachable({ sent: true })],
	['a body that is cut', { chunks: ['{"id"'], breaks: true }],
	['a word that is not known', json({ id: 'j-1', status: 'pondering' })],
])('survives %s', async (_name, trouble) => {
	const { job } = waiting(10 * MINUTE, running, ...Array(9).fill(trouble), running, done);
	expect(await job).toMatchObject({ state: 'completed' });
});

it('says at the deadline that the last state is not known', async () => {
	const { job } = waiting(MINUTE, json({ id: 'j-1', status: 'pondering' }));
	expect((await failureOf(job)).details.reason).toBe(
		'Last state: pondering. It is not known what the state "pondering" means: the job counts as unfinished until the service reports a cost. Check its record before you start it again.',
	);
});

it('says at the deadline what the last trouble was', async () => {
	expect(await failureOf(waiting(MINUTE, running, status(500)).job)).toMatchObject({
		kind: 'timeout',
		details: {
			ids: { jobId: 'j-1' },
			reason: 'Last error: The service reported an internal error (500). trouble',
			partial: { jobId: 'j-1' },
		},
	});
});

it.each([
	['the job was seen', running],
	['the service has failed', status(500)],
])('tolerates 404 right after the start, and counts anew once %s', async (_what, between) => {
	const lost = Array<Answer>(5).fill(notFound);
	const { job } = waiting(60 * MINUTE, ...lost, between, ...lost, done);
	expect(await job).toMatchObject({ state: 'completed' });
});

it('a job that stays unknown is lost; its id is not, nor the record of its start, which may have another', async () => {
	const record = { id: 'j-1', job_id: 'the-real-one' };
	const startedJob = { ...ADDRESS, state: 'unfinished', record } as const;
	const http = inMemory(notFound);
	const options = { maxWait: 60 * MINUTE, clock: virtualClock() };
	const details = {
		status: 404,
		reason: 'no such job',
		ids: { jobId: 'j-1' },
		advice: expect.stringContaining('Do not start it again'),
	};
	expect(await failureOf(waitForJob(http, ADDRESS, options))).toMatchObject({
		kind: 'failed',
		message: 'The media job is lost: the service does not know it',
		details,
	});
	expect(http.requests).toHaveLength(6);
	const failure = await failureOf(waitForJob(http, ADDRESS, { ...options, startedJob }));
	expect(failure.details).toMatchObject({ ...details, partial: { job: record } });
});

it.each([
	['401', status(401), { kind: 'refused', details: { status: 401 } }],
	['410', status(410), { kind: 'refused', details: { status: 410 } }],
	['403', status(403), { kind: 'refused', details: { status: 403 } }],
	['Stop', new ServiceError('cancelled', 'x'), { kind: 'cancelled' }],
	['a certificate', unreachable({ permanent: true }), { kind: 'unreachable' }],
	['a request that is not valid', new ServiceError('invalid', 'x'), { kind: 'invalid' }],
])('%s ends the wait at once, with the id', async (_name, answer, expected) => {
	const { http, job } = waiting(10 * MINUTE, running, answer, done);
	const failure = await failureOf(job);
	expect(failure).toMatchObject(expected);
	expect([failure.details.ids, http.requests.length]).toEqual([{ jobId: 'j-1' }, 2]);
});

it('waits as long as Retry-After asks, and looks a last time at the deadline', async () => {
	const { clock, job } = waiting(10 * MINUTE, status(429, '90'), done);
	await job;
	expect(clock.slept).toEqual([90_000]);
	const last = waiting(MINUTE, status(429, '90'), done);
	expect(await last.job).toMatchObject({ state: 'completed' });
	expect(last.clock.slept).toEqual([MINUTE]);
	const late = waiting(MINUTE, status(429, '7200'), status(429, '7140'));
	expect(await failureOf(late.job)).toMatchObject({ kind: 'timeout' });
	expect([late.clock.now(), late.http.requests.length]).toEqual([MINUTE, 2]);
});

it('ends with the error of the clock when the execution is stopped', async () => {
	const stop = new Error('stopped');
	const clock = { now: () => 0, random: () => 0, sleep: () => Promise.reject(stop) };
	const job = waitForJob(inMemory(running), ADDRESS, { maxWait: MINUTE, clock });
	await expect(job).rejects.toBe(stop);
});

it('whatever comes, it ends by its deadline, and never without the id', async () => {
	const answer = fc.constantFrom<Answer | ServiceError>(
		running,
		notFound,
		json({}),
		json([]),
		json(null),
		{ breaks: true },
		{ chunks: ['x'] },
		status(429),
		status(429, '7'),
		status(500),
		status(503, '400'),
		unreachable({ sent: false }),
	);
	const answers = fc.array(answer, { minLength: 1 });
	const chance = fc.double({ min: 0.3, max: 0.999, noNaN: true });
	await fc.assert(
		fc.asyncProperty(answers, fc.boolean(), chance, async (given, completes, random) => {
			const clock = virtualClock(random);
			const inner = inMemory(...given, ...(completes ? [done] : []));
			const http = withRetries(inner, new RateLimiter(), { clock, maxRateLimitWait: MINUTE });
			const waited = waitForJob(http, ADDRESS, { maxWait: 10 * MINUTE, clock });
			const job = await waited.catch((error: unknown) => error);
			if (job instanceof ServiceError) expect(job.details.ids).toEqual({ jobId: 'j-1' });
			else expect(job).toMatchObject({ jobId: 'j-1', state: 'completed' });
			// the last request may itself be sent again
			expect(clock.now()).toBeLessThanOrEqual(14 * MINUTE);
		}),
	);
});
