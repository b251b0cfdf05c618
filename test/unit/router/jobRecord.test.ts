import {
	findJobId,
	findJobIdInUrl,
	isRecordNeeded,
	jobFailedError,
	readJobRecord,
	summarizeJob,
	type Job,
} from '../../../src/router/jobRecord';
import fc from '../../support/fastCheck';

const read = (body: unknown, knownId?: string) => readJobRecord(body, 'images', {}, knownId);
const J = { id: 'J-1', status: 'queued' };

it.each([
	['bare', J],
	['in a job', { id: 'req-1', job: J }],
	['in data', { id: 'req-1', data: J }],
	['in data, beside words of success', { id: 'req-1', status: 'ok', data: J }],
	['in data, with a model echoed beside', { id: 'req-1', model: 'canvas/x', data: J }],
	['in data, without any field', { id: 'req-1', data: { id: 'J-1' } }],
	['in data with a job', { id: 'req-1', data: { id: 'd-1', job: { id: 'J-1' } } }],
	['with an estimate only', { id: 'req-1', data: { id: 'J-1', estimated_cost: 40 } }],
	['with a model only', { id: 'req-1', data: { id: 'J-1', model: 'canvas/x' } }],
	['as the job id in data', { id: 'req-1', data: { job_id: 'J-1', status: 'queued' } }],
	['in a result', { success: true, errors: [], messages: [], result: J }],
	['in a result, beside words of success', { status: 'success', code: 0, result: J }],
	['in a result, beside the id of the request', { id: 'req-1', result: J }],
	['in a result, beside nothing else', { id: 'req-1', result: { id: 'J-1' } }],
	['in a job of a result, beside an id', { id: 'req-1', result: { job: { id: 'J-1' } } }],
	['in a result, beside the estimate', { id: 'req-1', estimated_cost: 40, result: J }],
	['in a result, beside an id and success', { id: 'req-1', status: 'success', result: J }],
	[
		'in a result, around the estimate, beside a state',
		{ id: 'r', status: 'queued', result: { ...J, estimated_cost: 40 } },
	],
	['in data, beside the estimate', { id: 'req-1', estimated_cost: 40, data: J }],
	['outside, with an estimate', { id: 'J-1', estimated_cost: 40, data: { id: 'file-1' } }],
	[
		'outside, completed',
		{ id: 'J-1', status: 'done', cost: 4, result: { id: 'f', status: 'new' } },
	],
	['beside what is left', { ...J, links: { self: { id: 'l-1' } }, error: { id: 'e-1' } }],
	['outside, around a file', { ...J, result: { id: 'file-1', status: 'pending' } }],
	[
		'outside, done, around a file',
		{ id: 'J-1', status: 'done', result: { id: 'f', status: 'ok' } },
	],
	['outside, around an upload', { ...J, data: { id: 'file-1' } }],
	['outside, around an owner', { id: 'J-1', cost: null, user: { id: 'u-1', status: 'active' } }],
	['outside, with a model', { id: 'J-1', model: 'canvas/x', data: { id: 'file-1' } }],
	['outside, with a cost', { id: 'J-1', cost: 4, data: { id: 'file-1', status: 'ok' } }],
])('the id of a job that was started is found %s', (_where, body) => {
	expect(read(body)?.jobId).toBe('J-1');
});

it.each([
	[{ id: 'a/b c' }, 'a/b c'],
	[{ id: 0 }, '0'],
	[{ id: '12345678901234567890' }, '12345678901234567890'],
	[{ job_id: 'a' }, 'a'],
	[{ id: null, job_id: 'a' }, 'a'],
	[{ id: 'a\nb', job_id: 'a' }, 'a'],
	[{ id: 'x'.repeat(2000) }, 'x'.repeat(2000)],
	[{ task_id: 'a' }, undefined],
	[{ id: '  ' }, undefined],
	[{ id: {} }, undefined],
	[{ status: 'queued' }, undefined],
	[{ a: { b: { id: 'x' } } }, undefined],
	[[{ id: 'in a list' }], undefined],
	[null, undefined],
])('the id in %j is %j', (body, jobId) => {
	expect(read(body)?.jobId).toBe(jobId);
});

it.each([
	['in data', { id: 'r', data: { ...J, cost: 5 } }, { state: 'unfinished', costMicroUsd: 5 }],
	['beside another status', { id: 'r', status: 'success', data: J }, { state: 'unfinished' }],
	['under another name', { job_id: 'J-1', status: 'completed' }, { state: 'completed' }],
	['with a cost beside an error', { cost: 5, error: 'x' }, { state: 'failed', costMicroUsd: 5 }],
	['in a result', { success: true, result: { ...J, status: 'done' } }, { state: 'completed' }],
	['in a result, beside words', { status: 'ok', result: J }, { state: 'unfinished' }],
	['around a file', { status: 'done', cost: 5, result: { id: 'f' } }, { costMicroUsd: 5 }],
	['around a result', { status: 'running', result: { status: 'done' } }, { state: 'unfinished' }],
	[
		'without an id',
		{ data: { status: 'done' } },
		{ state: 'completed', record: { status: 'done' } },
	],
	['with an id of its own', { id: 'internal-7', status: 'completed' }, { state: 'completed' }],
	['with an error that reports nothing', { id: 'J-1', cost: 5, error: {} }, { state: 'completed' }],
	['with an estimate only', { estimated_cost: 4 }, { state: 'unfinished' }],
])('the record of a job that was asked for is found %s', (_where, body, expected) => {
	expect(read(body, 'J-1')).toMatchObject({ jobId: 'J-1', ...expected });
});

it('where a start was answered with several ids, all of the answer is kept', () => {
	const body = { id: 'file-1', status: 'ok', data: J };
	expect(read(body)).toMatchObject({ jobId: 'J-1', record: body });
	expect(read({ ok: true, data: J })).toMatchObject({ record: J });
	// the stored record is read again with the id that is known
	expect(read(body, 'J-1')).toMatchObject({ status: 'queued', record: J });
});

// who sends which word is beside it in src/router/jobRecord
it.each([
	['completed', 'completed,COMPLETED, done '],
	['failed', 'failed,FAILED,cancelled,canceled'],
	['unfinished', 'started,unfinished,queued,PENDING,processing,in_progress'],
	// not known: no end, and no failure
	['unfinished', 'succeeded,rejected,error,nsfw,expired,running,almost done'],
])('%s', (state, words) => {
	for (const status of words.split(','))
		expect({ status, ...read({ id: 1, status }) }).toMatchObject({ state, status });
});

it.each<[object, state: string, status?: string]>([
	[{ status: 3 }, 'unfinished'],
	[{ state: 'completed' }, 'unfinished'],
	[{}, 'unfinished'],
	[{ cost: 5 }, 'completed'],
	[{ cost: null, error: null }, 'unfinished'],
	[{ error: 'boom' }, 'failed'],
	[{ status: ' ', cost: 5 }, 'completed'],
	// the cost is set when the job completes: it tells what an unknown word means
	[{ status: 'delivered', cost: '40000' }, 'completed', 'delivered'],
	[{ status: 'delivered', cost: 0 }, 'unfinished', 'delivered'],
	[{ status: 'failed', cost: 5 }, 'failed', 'failed'],
	[{ status: 'processing', cost: 5 }, 'unfinished', 'processing'],
])('%j is %s', (fields, state, ...[status]) => {
	const job = read({ id: 1, ...fields });
	expect(job).toMatchObject({ state });
	expect(job?.status).toBe(status);
	expect(Object.keys(job!).includes('status')).toBe(status !== undefined);
});

it.each([
	{ error: 'x' },
	{ detail: 'x' },
	{ success: false },
	{ id: 'other', model: 'canvas/x' },
	{ data: { error: 'x' } },
	{ data: [{ id: 'other', status: 'completed' }] },
	[],
])('what says nothing of a job is no record: %j', (body) => {
	expect(read(body, 'j')).toBeUndefined();
});

it.each([[0], ['$0.004']])('a cost of %j is given on as it is', (cost) => {
	const costs = { costMicroUsd: cost, estimatedCostMicroUsd: cost };
	expect(read({ id: 1, status: 'done', cost, estimated_cost: cost })).toMatchObject(costs);
	// the costs may be beside the record
	expect(read({ job: { id: 1 }, cost, estimated_cost: cost })).toMatchObject(costs);
});

it('reads the whole record, and invents no cost', () => {
	const record = { id: 'j', status: 'failed', error: 'x', cost: null };
	expect(readJobRecord(record, 'music', { 'x-request-id': 'r' }, 'j')).toEqual({
		jobId: 'j',
		mediaType: 'music',
		state: 'failed',
		status: 'failed',
		requestId: 'r',
		record,
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

it.each([
	[{ error: { code: 'nsfw', message: 'refused' } }, '', { code: 'nsfw', reason: 'refused' }],
	[{ error: 'boom' }, '', { reason: 'boom' }],
	[{ error: null }, ' with the state "cancelled", and the service gave no reason', {}],
])('a failed job with %j says why', (fields, why, details) => {
	const record = { id: 1, status: 'cancelled', ...fields };
	const failure = jobFailedError({ ...read(record)!, requestId: 'r' });
	expect(failure).toMatchObject({
		kind: 'failed',
		message: `The media job failed${why}`,
		details: { ...details, ids: { jobId: '1' }, requestId: 'r', partial: record },
	});
	expect(failure.details.advice).toContain('A failed job is not charged');
	expect('reason' in failure.details).toBe('reason' in details);
	const charged = jobFailedError(read({ ...record, cost: 5 })!);
	expect(charged.details.advice).toContain('The service reports a cost for it');
});

const job = (record: Record<string, unknown>, more: Partial<Job> = {}): Job => ({
	jobId: 'j-1',
	mediaType: 'videos',
	state: 'unfinished',
	record,
	...more,
});

it('the output has the fields of a workflow, in the units of the editor, and only what is known', () => {
	const known = { jobId: 'j-1', mediaType: 'videos', state: 'unfinished' };
	expect(summarizeJob(job({}))).toEqual(known);
	const record = { id: 'j-1', model: 'reel/clip-3', frames: 96 };
	const costs = { costMicroUsd: '40001', estimatedCostMicroUsd: 40_000 };
	const running = job(record, { status: 'running', requestId: 'r-1', ...costs });
	expect(summarizeJob(running)).toEqual({
		...known,
		status: 'running',
		model: 'reel/clip-3',
		requestId: 'r-1',
		costUsd: 0.040001,
		estimatedCostUsd: 0.04,
	});
	expect(summarizeJob(running, 'b')).toMatchObject({ model: 'b' });
});

it.each([['0.04'], [{ usd: 1 }]])('an amount that is none stays as it arrived: %j', (amount) => {
	const summary = summarizeJob(job({}, { costMicroUsd: amount, estimatedCostMicroUsd: amount }));
	expect(summary).toMatchObject({ cost: amount, estimated_cost: amount });
	expect(summary).not.toHaveProperty('costUsd');
});

it.each([
	['a failed job', true, job({}, { state: 'failed' })],
	['an error', true, job({ error: 'boom' })],
	['an error inside', true, job({ result: { error: 'two parts' } })],
	['an unknown status', true, job({}, { status: 'pondering' })],
	['another ID of the job', true, job({ id: 'j-1', task_id: 't-9' })],
	['another ID inside', true, job({ id: 'j-1', generation: { id: 'g-9' } })],
	['nothing understood but the ID', true, job({ id: 'j-1' }, { status: undefined as never })],
	['an ID of anything else', true, job({ id: 'j-1', data: { userId: 'u-1' } })],
	['a job that goes well', false, job({ id: 'j-1', status: 'completed', url: 'https://x' })],
	['its ID once more', false, job({ id: 'j-1', data: { id: 'j-1', paid: 4 } })],
	['empty details of errors', false, job({ error: null, result: { error: {} } })],
])('a record with %s is kept: %s', (_what, needed, one) => {
	expect(isRecordNeeded({ status: 'queued', ...one })).toBe(needed);
});

it.each([
	['https://router.example/v1/images/jobs/job-1', 'job-1'],
	['https://router.example/v1/image/jobs/job-1/?a=1#b', 'job-1'],
	['/v1/videos/jobs/a%2Fb', 'a/b'],
	['/v1/videos/jobs/100%', '100%'],
	['https://router.example/jobs/jobs/7', '7'],
	['https://router.example/v1/images', undefined],
	['https://router.example/?at=/jobs/7', undefined],
	['/v1/images/jobs/job-1/content', 'job-1'],
	['/v1/images/jobs/job-1/files', undefined],
])('%s: %s', (url, jobId) => {
	expect(findJobIdInUrl(url)).toBe(jobId);
});

it.each([
	[' HTTPS://router.example/v1/images/jobs/job-1/content/?download=1 ', 'job-1'],
	['https://router.example/v1/images/jobs/content/content', 'content'],
	['https://router.example/v1/images', undefined],
	[' job-7 ', 'job-7'],
	['https-job', 'https-job'],
	['/v1/images/jobs/7', '/v1/images/jobs/7'],
])('typed: %s is the job %s', (typed, jobId) => {
	expect(findJobId(typed)).toBe(jobId);
});
