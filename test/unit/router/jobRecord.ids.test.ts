import { readJobRecord } from '../../../src/router/jobRecord';
import { startJob } from '../../../src/router/jobStart';
import { failureOf, inMemory, json } from '../inMemoryHttp';

const J = { id: 'J-1', status: 'queued' };
const idOf = (body: unknown) => readJobRecord(body, 'images', {})?.jobId;

it.each<[string, unknown]>([
	['in data', { id: 'req-1', data: J }],
	['in data, beside words of success', { id: 'req-1', status: 'ok', data: J }],
	['in data, beside a state of the answer', { id: 'req-1', status: 'accepted', data: J }],
	['in data, beside a completed answer', { id: 'req-1', status: 'completed', data: J }],
	['in data, with a model echoed beside', { id: 'req-1', model: 'canvas/x', data: J }],
	['in data, without any field', { id: 'req-1', data: { id: 'J-1' } }],
	['in a job', { id: 'req-1', job: { id: 'J-1' } }],
	['in data with a job', { id: 'req-1', data: { id: 'd-1', job: { id: 'J-1' } } }],
	['with an estimate only', { id: 'req-1', data: { id: 'J-1', estimated_cost: 40 } }],
	['with a model only', { id: 'req-1', data: { id: 'J-1', model: 'canvas/x' } }],
	['as the job id', { request_id: 'req-1', job_id: 'J-1' }],
	['in capitals', { ID: 'J-1', status: 'queued' }],
	['as the job id in data', { id: 'req-1', data: { jobId: 'J-1' } }],
	['as the id of a generation', { generation_id: 'J-1', status: 'queued' }],
	['in a job in data', { success: true, data: { job: { id: 'J-1' } } }],
	['beside an id of the request', { request_id: 'req-1', ...J }],
	[
		'beside what is left',
		{ ...J, links: { self: { id: 'l-1' } }, error: { id: 'e-1', status: 0 } },
	],
	['as the id of a task', { task_id: 'J-1', status: 'queued' }],
	['outside, around a file', { ...J, result: { id: 'file-1', status: 'pending' } }],
	['outside, around an upload', { ...J, data: { id: 'file-1' } }],
	['outside, around a request', { ...J, request: { id: 'req-1', status: 'received' } }],
	['outside, around a model', { ...J, model: { id: 'canvas/x', kind: 'image' } }],
	[
		'outside, around an owner',
		{ id: 'J-1', cost: null, estimated_cost: 4, user: { id: 'u-1', status: 'active' } },
	],
	['outside, with a model', { id: 'J-1', model: 'canvas/x', data: { id: 'file-1' } }],
	[
		'outside, completed at once',
		{ id: 'J-1', status: 'completed', cost: 4, data: { id: 'file-1', status: 'ok', url: 'x' } },
	],
])('the id of a job that was started is found %s', (_where, body) => {
	expect(idOf(body)).toBe('J-1');
});

it.each<[string, unknown, object]>([
	[
		'in data',
		{ id: 'req-1', data: { id: 'J-1', status: 'completed', cost: 5 } },
		{ state: 'completed', costMicroUsd: 5 },
	],
	[
		'in data, beside words of success',
		{ id: 'req-1', status: 'success', data: J },
		{ state: 'unfinished' },
	],
	['under another name', { job_id: 'J-1', status: 'completed' }, { state: 'completed' }],
	['nowhere, in data', { id: 'req-1', data: { status: 'completed' } }, { state: 'completed' }],
	['with an id of its own', { id: 'internal-7', status: 'completed' }, { state: 'completed' }],
	[
		'with an error that reports nothing',
		{ id: 'J-1', status: 'completed', error: {} },
		{ state: 'completed' },
	],
	[
		'without a state, with an error that reports nothing',
		{ id: 'J-1', cost: 5, error: {} },
		{ state: 'completed' },
	],
])('the record of a job that was asked for is found %s', (_where, body, expected) => {
	expect(readJobRecord(body, 'images', {}, 'J-1')).toMatchObject({ jobId: 'J-1', ...expected });
});

it('where a start was answered with several ids, all of the answer is kept', () => {
	const body = { id: 'file-1', status: 'ok', data: { id: 'J-1', status: 'queued' } };
	expect(readJobRecord(body, 'images', {})).toMatchObject({ jobId: 'J-1', record: body });
	expect(readJobRecord({ ok: true, data: J }, 'images', {})).toMatchObject({ record: J });
	// the stored record is read again with the id that is known
	expect(readJobRecord(body, 'images', {}, 'J-1')).toMatchObject({ status: 'queued', record: J });
});

it('a list of other jobs says nothing of this one', () => {
	const others = {
		data: [
			{ id: 'J-2', status: 'completed' },
			{ id: 'J-3', status: 'failed' },
		],
	};
	expect(readJobRecord(others, 'images', {}, 'J-1')).toMatchObject({ state: 'unfinished' });
});

it.each<[string, unknown]>([
	['no id at all', { ok: true, note: 'MARK' }],
	['an id in an unknown form', { ok: true, job: { identifier: 'MARK' } }],
	['an empty list beside', { data: [], note: 'MARK' }],
	['a list', [{ id: 'MARK', status: 'queued' }]],
	['a list of jobs', { data: [{ id: 'MARK' }, { id: 'J-2' }] }],
	['a wrapper that nobody names', { result: { id: 'MARK', status: 'queued' } }],
	['a text', 'MARK'],
])('a start that was answered with %s keeps what came', async (_what, body) => {
	const { kind, details } = await failureOf(startJob(inMemory(json(body)), 'images', {}));
	expect([kind, details.outcome]).toEqual(['malformed', 'unknown']);
	expect(JSON.stringify(details.partial)).toContain('MARK');
});

it('so does one whose answer is a page, is cut, or breaks off', async () => {
	const page = { headers: { 'content-type': 'text/html' }, chunks: ['<!doctype html><p>MARK</p>'] };
	const half = { headers: { 'content-type': 'application/json' }, chunks: ['{"id":"MARK'] };
	for (const answer of [page, half, { ...half, breaks: true }]) {
		const { details } = await failureOf(startJob(inMemory(answer), 'images', {}));
		expect(details.outcome).toBe('unknown');
		expect(JSON.stringify(details.partial)).toContain('MARK');
	}
});
