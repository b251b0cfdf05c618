import { isRecordNeeded, type Job, summarizeJob } from '../../../src/router/jobRecord';

const job = (record: Record<string, unknown>, more: Partial<Job> = {}): Job => ({
	...{ jobId: 'j-1', mediaType: 'videos', state: 'unfinished', record },
	...more,
});

describe('the fields of the output', () => {
	it('are those of a workflow, in the units of the editor', () => {
		expect(
			summarizeJob(
				job(
					{ id: 'j-1', model: 'reel/clip-3', progress: 40, frames: 96 },
					{
						...{ status: 'running', requestId: 'r-1' },
						...{ costMicroUsd: '40001', estimatedCostMicroUsd: 40_000 },
					},
				),
			),
		).toEqual({
			...{ jobId: 'j-1', mediaType: 'videos', state: 'unfinished', status: 'running' },
			...{ model: 'reel/clip-3', progress: 40, requestId: 'r-1' },
			...{ costUsd: 0.040001, estimatedCostUsd: 0.04 },
		});
	});

	it('have the requested model rather than the one in the record', () => {
		expect(summarizeJob(job({ model: 'a' }), 'b')).toMatchObject({ model: 'b' });
	});

	it('leave out what is not known', () => {
		expect(summarizeJob(job({}))).toEqual({
			...{ jobId: 'j-1', mediaType: 'videos', state: 'unfinished' },
		});
	});

	it.each([
		['0.04', 0.04],
		['a text', 'much'],
		['more than a number can hold', '123456789012345678'],
		['an object', { usd: 1 }],
		['null', null],
	])('keep an amount that is none as it arrived: %s', (_what, amount) => {
		const summary = summarizeJob(job({}, { costMicroUsd: amount, estimatedCostMicroUsd: amount }));
		expect(summary).toMatchObject({ cost: amount, estimated_cost: amount });
		expect(summary).not.toHaveProperty('costUsd');
	});

	it.each([
		[0, 0],
		[1, 0.000001],
		[-5, -0.000005],
		[1_234_567_890_123_456, 1_234_567_890.123456],
	])('%s micro-dollars are %s USD, exactly', (microUsd, usd) => {
		expect(summarizeJob(job({}, { costMicroUsd: microUsd })).costUsd).toBe(usd);
	});

	it.each([
		[{ progress: '40 %' }, '40 %'],
		[{ progress: 0 }, 0],
		[{ progress: '' }, undefined],
		[{ progress: { done: 1 } }, undefined],
	])('the progress in %j is %j', (record, progress) => {
		expect(summarizeJob(job(record)).progress).toBe(progress);
	});
});

describe('the record is kept', () => {
	it.each<[string, Job]>([
		['of a failed job', job({}, { state: 'failed' })],
		['with an error', job({ error: 'no' })],
		['with a reason', job({ status_reason: 'filtered' })],
		['with warnings', job({ warnings: ['cut to 5 s'] })],
		['with a flag', job({ nsfw_detected: true })],
		['with an error inside', job({ result: { failed_parts: 2 } })],
		['with another ID of the job', job({ id: 'j-1', task_id: 't-9' })],
		[
			'in which only the ID was understood',
			job({ id: 'j-1', result: { state: 'odd' } }, { status: undefined as never }),
		],
		['with another ID inside', job({ id: 'j-1', generation: { id: 'g-9' } })],
	])('%s', (_what, one) => {
		expect(isRecordNeeded({ status: 'running', ...one })).toBe(true);
	});

	it.each<[string, Job]>([
		['of a job that goes well', job({ id: 'j-1', status: 'completed', url: 'https://x' })],
		['with its ID once more', job({ id: 'j-1', data: { id: 'j-1', user_id: 'u-1' } })],
		['with fields for errors that are empty', job({ error: null, warnings: [], failed: false })],
		['with empty details of errors', job({ result: { error: {}, reason: '' } })],
	])('not: %s', (_what, one) => {
		expect(isRecordNeeded({ status: 'running', ...one })).toBe(false);
	});
});
