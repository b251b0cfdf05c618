import { ServiceError } from '../../../src/core/errors';
import { addInputs, startJob } from '../../../src/router/jobStart';
import fc from '../../support/fastCheck';
import { failureOf, inMemory, json, type Answer } from '../inMemoryHttp';

const BODY = { model: 'canvas/sketch', prompt: 'a cat', size: 1 };
const start = async (answer: Answer | ServiceError) =>
	await startJob(inMemory(answer), 'images', BODY, {});

it('starts a job with the body as it is', async () => {
	const record = { id: 'j-1', estimated_cost: 40_000 };
	const http = inMemory(json(record, { status: 202, headers: { 'x-request-id': 'r' } }));
	const beforeAttempt = async () => Infinity;
	expect(await startJob(http, 'videos', BODY, { beforeAttempt })).toEqual({
		jobId: 'j-1',
		mediaType: 'videos',
		state: 'unfinished',
		requestId: 'r',
		estimatedCostMicroUsd: 40_000,
		record,
	});
	const request = { method: 'POST', path: '/v1/videos/jobs', body: BODY };
	expect(http.requests).toEqual([{ ...request, beforeAttempt }]);
});

const R = { 'x-request-id': 'r' };
const J = { id: 'file-1', status: 'ok' };
const MARK = '{"id":"MARK';
const answered = (status: number, body: unknown = {}) => json(body, { status });

it.each([
	['no id at all', json({ note: 'MARK' }), { reason: '{"note":"MARK"}', status: 200 }],
	['an id that fits into no address', json({ id: `MARK${'x'.repeat(2000)}` }), {}],
	['one of many bytes', json({ id: `MARK${'貓'.repeat(1000)}` }), {}],
	['one that no table takes', json({ id: 'MARK\0' }), {}],
	['such an id, around a file', json({ id: 'MARK\0', status: 'queued', result: J }), {}],
	['such an id, beside that of the request', json({ id: 'req-1', data: { id: 'MARK\0' } }), {}],
	['a list of jobs', json({ data: [{ id: 'MARK' }] }), {}],
	['a wrapper that nobody names', json({ thing: { id: 'MARK', status: 'queued' } }), {}],
	[
		'a page',
		{ headers: { 'content-type': 'text/html', ...R }, chunks: ['<!doctype html>MARK'] },
		{ requestId: 'r' },
	],
	['half a body', { chunks: [MARK] }, { reason: MARK }],
	[
		'a broken body',
		{ chunks: [MARK], breaks: true },
		{ reason: 'The connection broke (aborted).' },
	],
	['nothing', { status: 202 }, { reason: 'The answer was empty.' }],
	['its result elsewhere', { status: 303 }, {}],
	['an address in an unknown form', { status: 202, headers: { location: '/tasks/MARK' } }, {}],
	['a conflict', answered(409, { jobId: 'MARK' }), {}],
	['a failure of the service', answered(500, { id: 'MARK', error: 'x' }), { reason: 'x' }],
	['silence', new ServiceError('unreachable', 'x', { sent: true }), {}],
	['Stop', new ServiceError('cancelled', 'x'), {}],
])(
	'a start that is answered with %s may have happened, and what came is kept',
	async (_what, answer, expected) => {
		const { details } = await failureOf(start(answer));
		expect(details).toMatchObject({ ...expected, outcome: 'unknown' });
		expect(details.advice).toContain('whether the service received the job start');
		if (JSON.stringify(answer).includes('MARK'))
			expect(JSON.stringify(details.partial)).toContain('MARK');
	},
);

const FILTERED =
	"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.";

it.each([
	['refused', answered(422, { error: { message: 'bad' } }), { reason: 'bad' }],
	[
		'refused by a filter that charges for texts',
		answered(400, { error: { message: FILTERED } }),
		{},
	],
	['refused for money', answered(402), { advice: expect.stringContaining('balance is too small') }],
	['limited', answered(429), {}],
	['redirected', { status: 307, headers: { location: 'https://other.example/jobs/7' } }, {}],
	['not sent', new ServiceError('unreachable', 'x', { sent: false }), {}],
])('a start that is %s has not happened', async (_what, answer, details) => {
	expect((await failureOf(start(answer))).details).toMatchObject({
		...details,
		outcome: 'not_started',
	});
});

it.each<[string, Answer, object]>([
	['201, empty', { status: 201 }, {}],
	['302', { status: 302 }, {}],
	['303', { status: 303, chunks: ['See Other'] }, {}],
	['202 with a state', json({ status: 'queued' }, { status: 202 }), { status: 'queued' }],
	['an answer that is cut', { chunks: ['{"sta'], breaks: true }, {}],
])('takes the id from the address of the job: %s', async (_form, answer, record) => {
	const headers = { ...answer.headers, location: 'https://x.example/v1/image/jobs/a%2Fb/?v=1' };
	const job = { jobId: 'a/b', state: 'unfinished', record };
	expect(await start({ ...answer, headers })).toMatchObject(job);
});

it.each(['/v1/images/jobs', '/login?next=/jobs/1', '/v1/images/jobs/1/files', ''])(
	'an address that is none of a job gives no id: %j',
	async (location) => {
		const failure = await failureOf(start({ status: 202, headers: { location } }));
		expect(failure.details).toMatchObject({ outcome: 'unknown' });
	},
);

type Pair = [name: string, value: string];
const inputs = (...pairs: Pair[]) => pairs.map(([name, value]) => ({ name, value }));
const x = (name: string): Pair => [name, 'x'];
const y = (name: string): Pair => [name, 'y'];

it.each([
	['nothing', { a: 1 }, [], { a: 1 }],
	['a plain name', { a: 1 }, [x(' image ')], { a: 1, image: 'x' }],
	['several under one name', {}, [x('image'), y('image')], { image: ['x', 'y'] }],
	['a list of one', {}, [x('image[]')], { image: ['x'] }],
	['both spellings of one name', {}, [x('image[]'), y('image')], { image: ['x', 'y'] }],
	['a path', {}, [x('a.b.c')], { a: { b: { c: 'x' } } }],
	['a path into what is there', { a: { k: 1 } }, [x('a.b')], { a: { k: 1, b: 'x' } }],
	['names of every object', {}, [x('toString')], { toString: 'x' }],
])('adds %s', (_what, body, given, expected) => {
	const before = structuredClone(body);
	expect(addInputs({ ...body }, inputs(...given))).toEqual(expected);
	expect(body).toEqual(before);
});

it.each([
	['no name', {}, [x('  ')], /Parameter Name is empty/],
	['only a list', {}, [x('[]')], /Parameter Name is empty/],
	['an empty part', {}, [x('a..b')], /"a\.\.b" cannot be the name/],
	['a way to the prototype', {}, [x('__proto__.b')], /cannot be the name/],
	['another one', {}, [x('a.constructor')], /cannot be the name/],
	['a field that is there', { image: 1 }, [x('image')], /must not contain "image"/],
	['one that is there below', { a: { b: 1 } }, [x('a.b')], /must not contain "a\.b"/],
	['a text on the way', { a: 'x' }, [x('a.b')], /nothing can be added to "a"/],
	['a list on the way', { a: { b: [] } }, [x('a.b.c')], /nothing can be added to "a\.b"/],
])('refuses %s', (_what, body, given, message) => {
	expect(() => addInputs({ ...body }, inputs(...given))).toThrow(
		expect.objectContaining({ kind: 'invalid', message: expect.stringMatching(message) }),
	);
});

it('sends every value, or refuses', () => {
	const name = fc.constantFrom('a', 'b', 'a.b', 'a.c', 'b[]', 'c.d.e');
	fc.assert(
		fc.property(fc.array(fc.tuple(name, fc.uuid())), (pairs) => {
			let body: unknown;
			try {
				body = addInputs({}, inputs(...pairs));
			} catch (cause) {
				expect(cause).toBeInstanceOf(ServiceError);
				return;
			}
			for (const [, value] of pairs) expect(JSON.stringify(body)).toContain(value);
		}),
	);
});
