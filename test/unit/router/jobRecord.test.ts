import { readJobRecord } from '../../../src/router/jobRecord';
import { jobFailedError } from '../../../src/router/jobs';
import fc from '../../support/fastCheck';

const read = (body: unknown, knownId?: string) => readJobRecord(body, 'images', {}, knownId);

it.each<[string, unknown]>([
	['bare', { id: 'j-1', status: 'queued' }],
	['job', { job: { id: 'j-1', status: 'queued' } }],
	['data', { data: { id: 'j-1', status: 'queued' } }],
	['data with a job', { data: { job: { id: 'j-1', status: 'queued' } } }],
])('finds the record: %s', (_form, body) => {
	expect(read(body)).toEqual({
		jobId: 'j-1',
		mediaType: 'images',
		state: 'unfinished',
		status: 'queued',
		record: { id: 'j-1', status: 'queued' },
	});
});

it.each<[unknown, string | undefined]>([
	[{ id: 'a/b c' }, 'a/b c'],
	[{ id: 17 }, '17'],
	[{ id: 0 }, '0'],
	[{ id: '12345678901234567890' }, '12345678901234567890'],
	[{ job_id: 'a' }, 'a'],
	[{ jobId: 'a' }, 'a'],
	[{ id: null, job_id: 'a' }, 'a'],
	[{ id: null }, undefined],
	[{ id: '' }, undefined],
	[{ id: '  ' }, undefined],
	[{ id: {} }, undefined],
	[{ id: true }, undefined],
	[{ status: 'queued' }, undefined],
	[{ a: { b: { id: 'x' } } }, undefined],
	[{}, undefined],
	[[], undefined],
	[[{ id: 'in a list' }], undefined],
	[null, undefined],
	['job', undefined],
])('the id in %j is %j', (body, jobId) => {
	expect(read(body)?.jobId).toBe(jobId);
});

it.each<[string, string[]]>([
	[
		'completed',
		[
			'completed',
			'COMPLETED',
			'Complete',
			'success',
			'succeeded',
			'successful',
			'done',
			'finished',
			'ready',
			'ok',
			' completed ',
		],
	],
	[
		'failed',
		[
			'failed',
			'FAILURE',
			'error',
			'errored',
			'cancelled',
			'canceled',
			'rejected',
			'aborted',
			'timeout',
			'timed_out',
			'timed out',
		],
	],
	[
		'unfinished',
		[
			'queued',
			'pending',
			'running',
			'in_progress',
			'started',
			'processing',
			'unfinished',
			'incomplete',
			'not_ready',
			'almost done',
			'held',
		],
	],
])('%s', (state, words) => {
	for (const status of words) {
		expect({ status, ...read({ id: 1, status }) }).toMatchObject({ state, status });
		expect(read({ id: 1, state: status })).toMatchObject({ state, status });
	}
});

it.each<[object, object]>([
	[
		{ status: null, state: 'done' },
		{ state: 'completed', status: 'done' },
	],
	[{ status: 3 }, { state: 'unfinished' }],
	[{ status: { state: 'done' } }, { state: 'unfinished' }],
	[
		{ status: 'Not Ready', cost: 5 },
		{ state: 'unfinished', status: 'Not Ready' },
	],
	[{}, { state: 'unfinished' }],
	[{ cost: 5 }, { state: 'completed' }],
	[{ cost: null }, { state: 'unfinished' }],
	[{ estimated_cost: 5 }, { state: 'unfinished' }],
	[{ error: 'boom' }, { state: 'failed' }],
	[{ error: null, cost: null }, { state: 'unfinished' }],
	[{ status: ' ', cost: 5 }, { state: 'completed' }],
])('the state of %j is %j', (fields, expected) => {
	const job = read({ id: 1, ...fields });
	expect(job).toMatchObject(expected);
	if (!('status' in expected)) expect(job).not.toHaveProperty('status');
});

it.each<[object, string]>([
	// the cost is set when the job completes: it tells what an unknown word means
	[{ status: 'delivered', cost: '40000' }, 'completed'],
	[{ status: 'JOB_STATE_SUCCEEDED', cost: 5 }, 'completed'],
	[{ status: 'delivered', cost: 0 }, 'unfinished'],
	[{ status: 'failed', cost: 5 }, 'failed'],
	[{ status: 'delivered' }, 'unfinished'],
	[{ status: 'not_ready', cost: 5 }, 'unfinished'],
	[{ status: 'expired', cost: 5 }, 'completed'],
	[{ status: 'expired' }, 'failed'],
])('%j means %s', (fields, state) => {
	expect(read({ id: 1, ...fields })?.state).toBe(state);
});

it('reads what stands beside the record, and inside of it', () => {
	expect(read({ job: { id: 1 }, estimated_cost: 40 })).toMatchObject({ estimatedCostMicroUsd: 40 });
	expect(read({ job_id: 'j', data: { status: 'completed', cost: 5 } })).toMatchObject({
		jobId: 'j',
		state: 'completed',
		costMicroUsd: 5,
	});
	expect(read({ id: 'answer-1', job: { id: 'j', status: 'queued' } })?.jobId).toBe('j');
	expect(read({ id: 'j', status: 'queued', job: { id: 'kind-1' } })?.jobId).toBe('j');
});

it('what only reports an error is no record', () => {
	for (const body of [
		{ error: 'x' },
		{ errors: ['x'] },
		{ detail: 'x' },
		{ success: false },
		{ status: 'error', message: 'x' },
		{ data: { error: 'x' } },
	])
		expect(read(body, 'j')).toBeUndefined();
	expect(read({ status: 'failed', error: 'x' }, 'j')?.state).toBe('failed');
});

it.each([[4000], [0], ['4000'], [0.004], ['$0.004'], [{ usd: 1 }]])(
	'a cost of %j is given on as it is',
	(cost) => {
		expect(read({ id: 1, status: 'done', cost, estimated_cost: cost })).toMatchObject({
			costMicroUsd: cost,
			estimatedCostMicroUsd: cost,
		});
	},
);

it('a cost that is missing is not invented', () => {
	const job = read({ id: 1, status: 'completed', cost: null });
	expect(job).not.toHaveProperty('costMicroUsd');
	expect(job).not.toHaveProperty('estimatedCostMicroUsd');
});

it('takes the known id where the record has none', () => {
	expect(read({ status: 'done' }, 'j-1')).toMatchObject({ jobId: 'j-1', state: 'completed' });
	expect(read({ data: { status: 'done' } }, 'j-1')).toMatchObject({
		jobId: 'j-1',
		state: 'completed',
		record: { status: 'done' },
	});
	// the id that was asked for is the one that is known to work
	expect(read({ id: 'r-2', status: 'done' }, 'j-1')).toMatchObject({ jobId: 'j-1' });
	expect(read([], 'j-1')).toBeUndefined();
});

it('keeps the request id', () => {
	expect(readJobRecord({ id: 1 }, 'music', { 'x-request-id': 'r' })).toMatchObject({
		requestId: 'r',
		mediaType: 'music',
	});
});

it('throws for no body', () => {
	fc.assert(
		fc.property(fc.jsonValue(), (body) => {
			const job = read(body);
			if (job) expect(job.jobId.trim()).not.toBe('');
		}),
	);
});

it.each<[object, object]>([
	[
		{ error: { code: 'nsfw', message: 'refused by the model' } },
		{ code: 'nsfw', reason: 'refused by the model' },
	],
	[{ error: 'boom' }, { reason: 'boom' }],
	[{ failure: { message: 'boom' } }, { reason: 'boom' }],
	[{ failure_reason: 'boom' }, { reason: 'boom' }],
	[{ message: 'boom' }, { reason: 'boom' }],
	[{}, { reason: 'The service gave no reason.' }],
])('a failed job with %j says why', (fields, details) => {
	const record = { id: 1, status: 'failed', ...fields };
	const failure = jobFailedError({ ...read(record)!, requestId: 'r' });
	expect(failure).toMatchObject({
		kind: 'failed',
		message: 'The media job failed',
		details: { ...details, ids: { jobId: '1' }, requestId: 'r', partial: record },
	});
	expect(failure.details.advice).toContain('A failed job is not charged');
});
