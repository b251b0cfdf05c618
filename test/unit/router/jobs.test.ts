import { readText } from '../../../src/core/body';
import { invalidInputError, ServiceError } from '../../../src/core/errors';
import { startJob } from '../../../src/router/jobStart';
import { openContent, readJob, withJobId } from '../../../src/router/jobs';
import { kindOfMediaType, mediaTypes, type MediaType } from '../../../src/router/model';
import { failureOf, inMemory, json, type Answer } from '../inMemoryHttp';

const NOT_FOUND = json({ error: { code: 'not_found', message: 'no such job' } }, { status: 404 });
const BODY = { model: 'canvas/sketch', prompt: 'a cat', size: 1 };

it('reads a record of at most 16 MiB', async () => {
	const http = inMemory({ chunks: ['{"id":"', ...Array(17).fill('x'.repeat(1024 * 1024))] });
	expect(await failureOf(readJob(http, { mediaType: 'images', jobId: 'j-1' }))).toMatchObject({
		kind: 'malformed',
		details: { reason: 'more than 16 MiB' },
	});
});

it('starts a job with the body as it is', async () => {
	const http = inMemory(
		json({ id: 'j-1', estimated_cost: 40_000 }, { status: 202, headers: { 'x-request-id': 'r' } }),
	);
	expect(await startJob(http, 'videos', BODY)).toEqual({
		jobId: 'j-1',
		mediaType: 'videos',
		state: 'unfinished',
		estimatedCostMicroUsd: 40_000,
		requestId: 'r',
		record: { id: 'j-1', estimated_cost: 40_000 },
	});
	expect(http.requests).toEqual([{ method: 'POST', path: '/v1/videos/jobs', body: BODY }]);
});

it.each<[string, Answer | ServiceError, string, object]>([
	[
		'accepted, id missing',
		json({ status: 'queued' }),
		'unknown',
		{ reason: '{"status":"queued"}', status: 200 },
	],
	['accepted, id null', json({ id: null }, { status: 201 }), 'unknown', { status: 201 }],
	['accepted, body cut', { chunks: ['{"id":"j'] }, 'unknown', { reason: '{"id":"j' }],
	[
		'accepted, connection broken',
		{ chunks: ['{"id":"j'], breaks: true },
		'unknown',
		{ reason: 'The connection broke (aborted).' },
	],
	['accepted, empty', { status: 202 }, 'unknown', { reason: 'The answer was empty.' }],
	[
		'accepted, a web page',
		{ headers: { 'x-request-id': 'r' }, chunks: ['<html>'] },
		'unknown',
		{ requestId: 'r' },
	],
	[
		'refused',
		json({ error: { message: 'bad' } }, { status: 422 }),
		'not_started',
		{ reason: 'bad' },
	],
	[
		'refused for money',
		json({ code: 'insufficient_balance' }, { status: 402 }),
		'not_started',
		{ advice: expect.stringContaining('balance is too small') },
	],
	['limited', json({}, { status: 429 }), 'not_started', {}],
	[
		'redirected',
		{ status: 307, headers: { location: 'https://other.example' } },
		'not_started',
		{},
	],
	['taken, its result elsewhere', { status: 303 }, 'unknown', {}],
	['conflict', json({}, { status: 409 }), 'unknown', {}],
	['too slow', json({}, { status: 408 }), 'unknown', {}],
	['failure of the service', json({}, { status: 500 }), 'unknown', {}],
	['not sent', new ServiceError('unreachable', 'x', { sent: false }), 'not_started', {}],
	['sent, no answer', new ServiceError('unreachable', 'x', { sent: true }), 'unknown', {}],
	['stopped in flight', new ServiceError('cancelled', 'x'), 'unknown', {}],
])('a start that is %s', async (_name, answer, outcome, details) => {
	const failure = await failureOf(startJob(inMemory(answer), 'images', BODY));
	expect(failure.details).toMatchObject({ ...details, outcome });
	if (outcome === 'unknown')
		expect(failure.details.advice).toContain('whether the service received the job start');
});

it.each<[string, Answer, object]>([
	['201, empty', { status: 201 }, {}],
	['204', { status: 204 }, {}],
	['303', { status: 303, chunks: ['See Other'] }, {}],
	['202 with a state', json({ status: 'queued' }, { status: 202 }), { status: 'queued' }],
	['an answer that is cut', { chunks: ['{"sta'], breaks: true }, {}],
])('takes the id from the address of the job: %s', async (_form, answer, record) => {
	const headers = { ...answer.headers, location: 'https://x.example/v1/image/jobs/a%2Fb/?v=1' };
	expect(await startJob(inMemory({ ...answer, headers }), 'images', BODY)).toMatchObject({
		jobId: 'a/b',
		state: 'unfinished',
		record,
	});
});

it.each(['/v1/images/jobs', '/login?next=/jobs/1', '/v1/images/jobs/1/files', ''])(
	'an address that is none of a job gives no id: %j',
	async (location) => {
		const answer = { status: 202, headers: { location } };
		expect((await failureOf(startJob(inMemory(answer), 'images', BODY))).details).toMatchObject({
			outcome: 'unknown',
		});
	},
);

it('an error that came in place of a record is no failed job', async () => {
	const inside = json({ error: { code: 'not_found', message: 'no such job' } });
	expect(
		await failureOf(readJob(inMemory(inside), { mediaType: 'images', jobId: '1' })),
	).toMatchObject({
		kind: 'malformed',
		details: { code: 'not_found', reason: 'no such job', ids: { jobId: '1' } },
	});
});

it('reads a job, with the id that was asked where the record has none', async () => {
	const http = inMemory(json({ status: 'completed', cost: '5' }));
	expect(await readJob(http, { mediaType: 'audio', jobId: 'a/b c' })).toMatchObject({
		jobId: 'a/b c',
		state: 'completed',
		costMicroUsd: '5',
	});
	expect(http.requests).toEqual([
		{ method: 'GET', path: '/v1/audio/jobs/a%2Fb%20c', accept: 'application/json' },
	]);
});

it.each<[MediaType, string[]]>([
	['images', ['/v1/images/jobs/1', '/v1/image/jobs/1']],
	['videos', ['/v1/videos/jobs/1', '/v1/video/jobs/1']],
	['music', ['/v1/music/jobs/1']],
	['audio', ['/v1/audio/jobs/1']],
])('asks for a job of %s under both spellings', async (mediaType, paths) => {
	for (const unknown of [NOT_FOUND, { ...NOT_FOUND, status: 405 }]) {
		const http = inMemory(unknown);
		expect(await failureOf(readJob(http, { mediaType, jobId: '1' }))).toMatchObject({
			kind: 'refused',
			details: { status: unknown.status, reason: 'no such job', ids: { jobId: '1' } },
		});
		expect(http.requests.map(({ path }) => path)).toEqual(paths);
		expect(http.closed).toHaveLength(paths.length);
	}
});

it('a path that there is not at all does not hide that the job is not known', async () => {
	const http = inMemory({ ...NOT_FOUND, status: 405 }, NOT_FOUND);
	expect(await failureOf(readJob(http, { mediaType: 'images', jobId: '1' }))).toMatchObject({
		details: { status: 404 },
	});
});

it('takes what the second spelling says', async () => {
	expect(
		await readJob(inMemory(NOT_FOUND, json({ id: 1, status: 'done' })), {
			mediaType: 'images',
			jobId: '1',
		}),
	).toMatchObject({ state: 'completed' });
	const conflict = json({ code: 'job_not_completed', message: 'wait' }, { status: 409 });
	expect(
		(
			await failureOf(
				openContent(inMemory(NOT_FOUND, conflict), { mediaType: 'images', jobId: '1' }),
			)
		).details,
	).toEqual({
		status: 409,
		code: 'job_not_completed',
		reason: 'wait',
		ids: { jobId: '1' },
		advice: 'The job is not finished yet: use Wait for Job, or ask again later.',
	});
});

it('opens the content without reading it', async () => {
	const http = inMemory({ headers: { 'content-type': 'image/png' }, chunks: ['bytes'] });
	const response = await openContent(http, { mediaType: 'music', jobId: '1' });
	expect([await readText(response), http.requests]).toEqual([
		'bytes',
		[{ method: 'GET', path: '/v1/music/jobs/1/content', accept: '*/*' }],
	]);
});

it.each<[string, Answer, object]>([
	[
		'a file that is gone',
		json({ code: 'content_expired' }, { status: 410 }),
		{ status: 410, advice: expect.stringContaining('no longer available') },
	],
	['a broken refusal', { status: 500, breaks: true }, { status: 500 }],
])('%s keeps the job id', async (_name, answer, details) => {
	expect(
		await failureOf(openContent(inMemory(answer), { mediaType: 'music', jobId: 'j' })),
	).toMatchObject({
		kind: 'refused',
		details: { ...details, ids: { jobId: 'j' } },
	});
});

it.each([['..'], [''], ['a\r\nb'], ['x'.repeat(20_000)]])(
	'the id %.10j is refused before any request',
	async (jobId) => {
		const http = inMemory(json({}));
		for (const ask of [readJob, openContent]) {
			expect(await failureOf(ask(http, { mediaType: 'images', jobId }))).toMatchObject({
				kind: 'invalid',
				details: { ids: { jobId } },
			});
		}
		expect(http.requests).toEqual([]);
	},
);

it('a media type that does not exist is refused before any request', async () => {
	const http = inMemory(json({}));
	expect(
		await failureOf(readJob(http, { mediaType: '../models' as MediaType, jobId: '1' })),
	).toMatchObject({
		kind: 'invalid',
		message: 'Unknown media type "../models"',
	});
	expect(http.requests).toEqual([]);
});

it('every failure that concerns a job carries its id; others are left alone', async () => {
	const foreign = new TypeError('mine');
	await expect(withJobId('j', () => Promise.reject(foreign))).rejects.toBe(foreign);
	expect(
		(await failureOf(withJobId('j', () => Promise.reject(invalidInputError('x'))))).details,
	).toEqual({
		ids: { jobId: 'j' },
	});
});

it('names the kind of every media type', () => {
	expect(mediaTypes.map(kindOfMediaType)).toEqual(['image', 'video', 'music', 'audio']);
});

describe('a file that lies elsewhere', () => {
	const redirect = (location: string, status = 302): Answer => ({ status, headers: { location } });
	const file: Answer = { headers: { 'content-type': 'image/png' }, chunks: ['png'] };
	const address = { mediaType: 'images', jobId: '1' } as const;
	const path = '/v1/images/jobs/1/content';

	it.each([301, 302, 303, 307, 308])('is fetched from there (%d)', async (status) => {
		const http = inMemory(redirect('https://files.example/1', status), file);
		expect(await readText(await openContent(http, address))).toBe('png');
		expect(http.requests).toEqual([
			{ method: 'GET', path, accept: '*/*' },
			{ method: 'GET', path, accept: '*/*', redirectedTo: 'https://files.example/1' },
		]);
		expect(http.closed).toEqual([1, 2]);
	});

	it('is fetched from there under the second spelling, too', async () => {
		const http = inMemory(NOT_FOUND, redirect('/f'), file);
		await openContent(http, address);
		expect(http.requests.at(-1)).toEqual({
			method: 'GET',
			path: '/v1/image/jobs/1/content',
			accept: '*/*',
			redirectedTo: '/f',
		});
	});

	it.each<[string, Answer, string, number]>([
		['a second redirect', redirect('https://other.example/'), '(302)', 302],
		['not there', { status: 404 }, '(404)', 404],
		['not any more', { status: 403, chunks: ['<Error/>'] }, '(403)', 403],
	])('%s: it is not looked for elsewhere', async (_what, answer, words, status) => {
		const http = inMemory(redirect('https://files.example/1'), answer);
		const failure = await failureOf(openContent(http, address));
		expect(failure).toMatchObject({
			kind: 'refused',
			message: expect.stringContaining(words),
			details: { status, ids: { jobId: '1' } },
		});
		expect(http.requests).toHaveLength(2);
	});

	it.each<[string, Answer]>([
		['without an address', { status: 302 }],
		['of another kind', redirect('/f', 304)],
		['with a choice', redirect('/f', 300)],
	])('a redirect %s is a refusal', async (_what, answer) => {
		const http = inMemory(answer, file);
		expect(await failureOf(openContent(http, address))).toMatchObject({ kind: 'refused' });
		expect(http.requests).toHaveLength(1);
	});

	it('only files are: a state is not', async () => {
		const http = inMemory(redirect('https://files.example/1'), json({ id: '1' }));
		expect(await failureOf(readJob(http, address))).toMatchObject({ kind: 'refused' });
		expect(http.requests).toHaveLength(1);
	});
});
