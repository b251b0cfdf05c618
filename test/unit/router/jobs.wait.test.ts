import { ServiceError } from '../../../src/core/errors';
import { RateLimiter } from '../../../src/core/rateLimit';
import { withRetries } from '../../../src/core/resend';
import { waitForJob } from '../../../src/router/jobs';
import fc from '../../support/fastCheck';
import { failureOf, inMemory, json, type Answer } from '../inMemoryHttp';
import { virtualClock } from '../virtualClock';

const ADDRESS = { mediaType: 'music', jobId: 'j-1' } as const;
const MINUTE = 60_000;
const running = json({ id: 'j-1', status: 'running' });
const done = json({ id: 'j-1', status: 'completed', cost: 5 });
const notFound = json({ error: { message: 'no such job' } }, { status: 404 });
const status = (code: number, retryAfter?: string): Answer =>
	json(
		{ error: { message: 'trouble' } },
		{ status: code, headers: retryAfter ? { 'retry-after': retryAfter } : {} },
	);

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

it('a job that is done is not asked for twice', async () => {
	const { http, clock, job } = waiting(MINUTE, done);
	await job;
	expect([http.requests.length, clock.slept]).toEqual([1, []]);
});

it('a failed job ends the wait', async () => {
	const { job } = waiting(MINUTE, running, json({ id: 'j-1', status: 'FAILED', error: 'nsfw' }));
	expect(await job).toMatchObject({ state: 'failed', status: 'FAILED' });
});

it('ends at the deadline, with the id and the last state', async () => {
	const { clock, job } = waiting(MINUTE, running);
	const failure = await failureOf(job);
	expect(failure).toMatchObject({
		kind: 'timeout',
		message: 'The media job was not finished after 60 s',
		details: {
			ids: { jobId: 'j-1' },
			reason: 'Last state: running.',
			partial: { jobId: 'j-1', state: 'unfinished' },
		},
	});
	expect(failure.details.advice).toBe(
		'It continues to run and may be charged. Use Wait for Job or Download File with its job ID to continue; do not start it again.',
	);
	expect(clock.now()).toBeLessThanOrEqual(MINUTE);
	expect(clock.now()).toBeGreaterThan(MINUTE - 8000);
});

it.each<[string, Answer | ServiceError]>([
	['500', status(500)],
	['503', status(503)],
	['429', status(429)],
	['409', status(409)],
	['400', status(400)],
	['a broken connection', new ServiceError('unreachable', 'x', { sent: true })],
	['a body that is cut', { chunks: ['{"id"'], breaks: true }],
	['a web page', { chunks: ['<html>'] }],
	['a word that is not known', json({ id: 'j-1', status: 'pondering' })],
])('survives %s', async (_name, trouble) => {
	const { job } = waiting(10 * MINUTE, running, ...Array(9).fill(trouble), running, done);
	expect(await job).toMatchObject({ state: 'completed' });
});

it('says at the deadline what the last trouble was', async () => {
	const { job } = waiting(MINUTE, running, status(500));
	expect(await failureOf(job)).toMatchObject({
		kind: 'timeout',
		details: {
			ids: { jobId: 'j-1' },
			reason: 'Last error: The service reported an internal error (500). trouble',
			partial: { jobId: 'j-1' },
		},
	});
});

it('tolerates 404 right after the start, and counts anew once the job was seen', async () => {
	const { job } = waiting(
		60 * MINUTE,
		...Array(5).fill(notFound),
		running,
		...Array(5).fill(notFound),
		done,
	);
	expect(await job).toMatchObject({ state: 'completed' });
});

it('a job that stays unknown is lost, and its id is not', async () => {
	const { http, job } = waiting(60 * MINUTE, notFound);
	expect(await failureOf(job)).toMatchObject({
		kind: 'failed',
		message: 'The media job is lost: the service does not know it',
		details: {
			status: 404,
			reason: 'no such job',
			ids: { jobId: 'j-1' },
			advice: expect.stringContaining('Do not start it again'),
		},
	});
	expect(http.requests).toHaveLength(6);
});

it('a lost job keeps the record of its start, in which another id may be that of the job', async () => {
	const record = { id: 'j-1', job_id: 'the-real-one' };
	const startedJob = { ...ADDRESS, state: 'unfinished', record } as const;
	const options = { maxWait: 60 * MINUTE, clock: virtualClock(), startedJob };
	const failure = await failureOf(waitForJob(inMemory(notFound), ADDRESS, options));
	expect(failure.details).toMatchObject({ status: 404, partial: { job: record } });
});

it.each<[string, Answer | ServiceError, object]>([
	['401', status(401), { kind: 'refused', details: { status: 401 } }],
	['410', status(410), { kind: 'refused', details: { status: 410 } }],
	['403', status(403), { kind: 'refused', details: { status: 403 } }],
	['Stop', new ServiceError('cancelled', 'x'), { kind: 'cancelled' }],
	[
		'a certificate',
		new ServiceError('unreachable', 'x', { permanent: true }),
		{ kind: 'unreachable' },
	],
])('%s ends the wait at once, with the id', async (_name, answer, expected) => {
	const { http, job } = waiting(10 * MINUTE, running, answer, done);
	const failure = await failureOf(job);
	expect(failure).toMatchObject(expected);
	expect([failure.details.ids, http.requests.length]).toEqual([{ jobId: 'j-1' }, 2]);
});

it('an id that no path can hold ends the wait before any request', async () => {
	const [http, clock] = [inMemory(done), virtualClock()];
	const job = waitForJob(http, { mediaType: 'music', jobId: '..' }, { maxWait: MINUTE, clock });
	expect(await failureOf(job)).toMatchObject({ kind: 'invalid' });
	expect(http.requests).toEqual([]);
});

it('waits as long as Retry-After asks, and not past the deadline', async () => {
	const { clock, job } = waiting(10 * MINUTE, status(429, '90'), done);
	await job;
	expect(clock.slept).toEqual([90_000]);
	const late = waiting(MINUTE, status(429, '7200'), status(429, '7140'));
	expect(await failureOf(late.job)).toMatchObject({
		kind: 'timeout',
		message: 'The media job was not finished after 60 s',
		details: { ids: { jobId: 'j-1' } },
	});
	expect([late.clock.now(), late.http.requests.length]).toEqual([MINUTE, 2]);
});

it('looks a last time at the deadline', async () => {
	const { clock, job } = waiting(MINUTE, status(429, '90'), done);
	expect(await job).toMatchObject({ state: 'completed' });
	expect(clock.slept).toEqual([MINUTE]);
});

it('ends with the error of the clock when the execution is stopped', async () => {
	const stop = new Error('stopped');
	const clock = { now: () => 0, random: () => 0, sleep: () => Promise.reject(stop) };
	await expect(waitForJob(inMemory(running), ADDRESS, { maxWait: MINUTE, clock })).rejects.toBe(
		stop,
	);
});

it('whatever comes, it ends by its deadline, and never without the id', async () => {
	const answer = fc.constantFrom<Answer | ServiceError>(
		running,
		notFound,
		status(429),
		status(429, '7'),
		status(500),
		status(503, '400'),
		{ breaks: true },
		{ chunks: ['x'] },
		new ServiceError('unreachable', 'x', { sent: false }),
		json({}),
		json([]),
		json(null),
	);
	await fc.assert(
		fc.asyncProperty(
			fc.array(answer, { minLength: 1 }),
			fc.boolean(),
			fc.double({ min: 0.3, max: 0.999, noNaN: true }),
			async (answers, completes, chance) => {
				const [inner, clock] = [
					inMemory(...answers, ...(completes ? [done] : [])),
					virtualClock(chance),
				];
				const http = withRetries(inner, new RateLimiter(), { clock, maxRateLimitWait: MINUTE });
				const job = await waitForJob(http, ADDRESS, { maxWait: 10 * MINUTE, clock }).catch(
					(error: unknown) => error,
				);
				if (job instanceof ServiceError) expect(job.details.ids).toEqual({ jobId: 'j-1' });
				else expect(job).toMatchObject({ jobId: 'j-1', state: 'completed' });
				// the last request may itself be sent again
				expect(clock.now()).toBeLessThanOrEqual(14 * MINUTE);
			},
		),
	);
});
