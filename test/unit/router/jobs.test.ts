import { readText } from '../../../src/core/body';
import { invalidInputError, ServiceError } from '../../../src/core/errors';
import type { Http, HttpRequest } from '../../../src/core/http';
import { openContent, readJob, withJobId } from '../../../src/router/jobs';
import type { MediaType } from '../../../src/router/model';
import { failureOf, inMemory, json, response, type Answer } from '../inMemoryHttp';

const STORE = 'the address where the service stores the file';
const NOT_FOUND = json({ error: { code: 'not_found', message: 'no such job' } }, { status: 404 });
const NO_PATH = { ...NOT_FOUND, status: 405 };
const image = (jobId: string) => ({ mediaType: 'images', jobId }) as const;
const file: Answer = { headers: { 'content-type': 'image/png' }, chunks: ['png'] };

it('reads a job, with the id that was asked where the record has none', async () => {
	const http = inMemory(json({ status: 'completed', cost: '5' }));
	const job = await readJob(http, { mediaType: 'audio', jobId: 'a/b c' });
	expect(job).toMatchObject({ jobId: 'a/b c', state: 'completed', costMicroUsd: '5' });
	expect(http.requests).toEqual([
		{ method: 'GET', path: '/v1/audio/jobs/a%2Fb%20c', accept: 'application/json' },
	]);
});

it.each([
	[
		'more than 16 MiB',
		{ chunks: ['{"id":"', ...Array(17).fill('x'.repeat(2 ** 20))] },
		{ reason: 'more than 16 MiB' },
	],
	[
		'an error',
		json({ error: { code: 'c', message: 'no such job' } }),
		{ code: 'c', reason: 'no such job' },
	],
])('%s in place of a record is no failed job', async (_what, answer, details) => {
	expect(await failureOf(readJob(inMemory(answer), image('1')))).toMatchObject({
		kind: 'malformed',
		details: { ...details, ids: { jobId: '1' } },
	});
});

it.each([
	[
		'a file that is not there yet',
		json({ code: 'job_not_completed' }, { status: 409 }),
		{ advice: 'The job is still running, or has failed: Wait for Job tells which.' },
	],
	[
		'a file that is gone',
		json({ code: 'content_expired' }, { status: 410 }),
		{ advice: expect.stringContaining('no longer available') },
	],
	['a broken refusal', { status: 500, breaks: true }, {}],
])('%s keeps the job id', async (_name, answer, details) => {
	const { status } = answer;
	expect(await failureOf(openContent(inMemory(answer), image('j')))).toMatchObject({
		kind: 'refused',
		details: { ...details, status, ids: { jobId: 'j' } },
	});
});

it.each([
	['images', '..'],
	['images', ''],
	['images', 'a\r\nb'],
	['images', 'x'.repeat(20_000)],
	['../models', '1', 'Unknown media type "../models"'],
])(
	'the job of %s with the id %.10j is refused before any request',
	async (type, jobId, ...[message]) => {
		const http = inMemory(json({}));
		for (const ask of [readJob, openContent]) {
			const failure = await failureOf(ask(http, { mediaType: type as MediaType, jobId }));
			expect(failure).toMatchObject({ kind: 'invalid', details: { ids: { jobId } } });
			if (message) expect(failure).toMatchObject({ message });
		}
		expect(http.requests).toEqual([]);
	},
);

it('every failure that concerns a job carries its id; others are left alone', async () => {
	const foreign = new TypeError('mine');
	await expect(withJobId('j', () => Promise.reject(foreign))).rejects.toBe(foreign);
	const failure = await failureOf(withJobId('j', () => Promise.reject(invalidInputError('x'))));
	expect(failure.details).toEqual({ ids: { jobId: 'j' } });
});

describe('a file that lies elsewhere', () => {
	const redirect = (location: string, status = 302): Answer => ({ status, headers: { location } });
	const request = { method: 'GET', path: '/v1/images/jobs/1/content', accept: '*/*' };

	it.each([301, 302, 303, 307, 308])('is fetched from there (%d)', async (status) => {
		const http = inMemory(redirect('https://files.example/1', status), file);
		expect(await readText(await openContent(http, image('1')))).toBe('png');
		expect(http.requests).toEqual([
			request,
			{ ...request, redirectedTo: 'https://files.example/1' },
		]);
		expect(http.closed).toEqual([1, 2]);
	});

	it('gets the key from the service, and from others only below the path of the job', async () => {
		const http = inMemory(
			redirect('/f'),
			redirect('https://files.example/a/1'),
			redirect('2'),
			file,
		);
		expect(await readText(await openContent(http, image('1')))).toBe('png');
		// each redirect is as seen from the one before; another server may lead back to the service
		const keyPaths = ['/v1/images/jobs/1', '/v1/image/jobs/1'];
		expect(http.requests).toEqual([
			request,
			{ ...request, redirectedTo: '/f' },
			{ ...request, redirectedTo: 'https://files.example/a/1', keyPaths },
			{ ...request, redirectedTo: 'https://files.example/a/2', keyPaths },
		]);
		expect(http.closed).toEqual([1, 2, 3, 4]);
	});

	it('is given up after four redirects, and it is said where the last one leads', async () => {
		const http = inMemory(redirect('https://files.example/1?token=x'));
		const { details } = await failureOf(openContent(http, image('1')));
		expect(details).toMatchObject({ status: 302, reason: 'It leads to https://files.example.' });
		expect(http.requests).toHaveLength(5);
	});

	it('does not lie at http where https has led to, as on this machine', async () => {
		const http = inMemory(
			redirect('HTTPS://files.example/1'),
			redirect('http://127.0.0.1/1'),
			file,
		);
		const { message } = await failureOf(openContent(http, image('1')));
		expect(message).toBe('The service sent a redirect to an address that is not safe');
		expect(http.requests).toHaveLength(2);
	});

	// neither the key nor the base URL is the cause
	const again = 'Use Download File with the job ID again: the service then gives a new address.';
	it.each([
		['a redirect to nowhere', { status: 302 }, '(302)', 302, undefined],
		['not there', { status: 404 }, '(404)', 404, again],
	])('%s: it is not looked for elsewhere', async (_what, answer, words, status, advice) => {
		const http = inMemory(redirect('https://files.example/1'), answer);
		const { kind, message, details } = await failureOf(openContent(http, image('1')));
		expect([kind, message]).toEqual(['refused', expect.stringContaining(words)]);
		expect(details).toEqual({
			status,
			ids: { jobId: '1' },
			reason: details.reason,
			...(advice && { advice }),
		});
		expect(http.requests).toHaveLength(2);
	});

	it.each([
		[
			'Check the base URL of the credential and the name server.',
			`Check ${STORE} and the name server.`,
		],
		['Check the base URL. Or trust it.', `Check ${STORE}. Or trust it.`],
		['An admin can allow the host.', 'An admin can allow the host.'],
	])('is not reached: "%s" is said of there', async (given, advice) => {
		const unreachable = new ServiceError('unreachable', 'x', { advice: given });
		const http = inMemory(redirect('https://files.example/1'), unreachable);
		const { details } = await failureOf(openContent(http, image('1')));
		expect(details.advice).toBe(advice);
	});

	it.each([
		['without an address', { status: 302 }, openContent],
		['of another kind', redirect('/f', 304), openContent],
		['with a choice', redirect('/f', 300), openContent],
		['of a state', redirect('https://files.example/1'), readJob],
	])('a redirect %s is a refusal', async (_what, answer, ask) => {
		const http = inMemory(answer, file);
		expect(await failureOf(ask(http, image('1')))).toMatchObject({ kind: 'refused' });
		expect(http.requests).toHaveLength(1);
	});
});

describe('the spelling of media types', () => {
	it.each<[MediaType, string[]]>([
		['images', ['/v1/images/jobs/1', '/v1/image/jobs/1']],
		['videos', ['/v1/videos/jobs/1', '/v1/video/jobs/1']],
		['audio', ['/v1/audio/jobs/1']],
	])('asks for a job of %s under both', async (mediaType, paths) => {
		for (const unknown of [NOT_FOUND, NO_PATH]) {
			const http = inMemory(unknown);
			expect(await failureOf(readJob(http, { mediaType, jobId: '1' }))).toMatchObject({
				kind: 'refused',
				details: { status: unknown.status, reason: 'no such job', ids: { jobId: '1' } },
			});
			expect(http.requests.map(({ path }) => path)).toEqual(paths);
			expect(http.closed).toHaveLength(paths.length);
		}
	});

	it('a refusal under one is not hidden by a path that there is not under the other', async () => {
		const refused = { ...NOT_FOUND, status: 400 };
		const failure = await failureOf(readJob(inMemory(refused, NOT_FOUND), image('1')));
		expect(failure).toMatchObject({ details: { status: 400 } });
	});

	it('a path that there is not at all does not hide that the job is not known', async () => {
		const failure = await failureOf(readJob(inMemory(NO_PATH, NOT_FOUND), image('1')));
		expect(failure).toMatchObject({ details: { status: 404 } });
	});

	/** A service that knows some paths, and writes down what it was asked. */
	function service(answers: Record<string, Answer>, serviceFacts?: Map<string, string>) {
		const asked: string[] = [];
		const http: Http = {
			...(serviceFacts && { serviceFacts }),
			async send({ path }: HttpRequest) {
				asked.push(path.replace('/v1/', ''));
				return response(answers[path.replace('/v1/', '')] ?? NOT_FOUND);
			},
		};
		return { http, asked };
	}

	const done = (id: string) => json({ id, status: 'completed' });
	const KINDS = {
		'image/jobs/1': done('1'),
		'image/jobs/1/content': file,
		'video/jobs/3': done('3'),
		'video/jobs/3/content': file,
	};
	const elsewhere = { 'image/jobs/1': done('1'), 'images/jobs/1/content': file };
	const page: Answer = {
		headers: { 'content-type': 'text/html' },
		chunks: ['<!doctype html><title>Home</title>'],
	};
	const refusal = (path: string, status: number) => ({ [path]: json({}, { status }) });
	const CONTENT = 'image/jobs/1/content';
	const BOTH = ['images/jobs/1', 'image/jobs/1'];
	const BOTH_CONTENTS = ['images/jobs/1/content', CONTENT];
	const LOST = ['images/jobs/lost', 'image/jobs/lost'];

	async function ask(http: Http, requests: string[]) {
		for (const request of requests) {
			const [what, mediaType, jobId = ''] = request.split(' ');
			const address = { mediaType: mediaType as MediaType, jobId };
			await (what === 'file' ? openContent : readJob)(http, address).catch(() => {});
		}
	}

	const state = 'state images 1';
	const open = 'file images 1';

	it.each([
		['also of its content', KINDS, [state, open], [...BOTH, CONTENT]],
		[
			'also of other media types',
			KINDS,
			[state, 'state videos 3', 'file videos 3'],
			[...BOTH, 'video/jobs/3', 'video/jobs/3/content'],
		],
		['may be another for content', elsewhere, [state, open], [...BOTH, CONTENT, BOTH_CONTENTS[0]!]],
		[
			'is kept',
			KINDS,
			[state, 'state images lost', state],
			[...BOTH, ...LOST.toReversed(), BOTH[1]!],
		],
		['is not learnt', KINDS, ['state images lost', state], [...LOST, ...BOTH]],
		[
			'is not learnt from a media type with one',
			{ ...KINDS, 'audio/jobs/5': done('5') },
			['state audio 5', state],
			['audio/jobs/5', ...BOTH],
		],
		['is not learnt from 401', refusal('image/jobs/1', 401), [state, state], [...BOTH, ...BOTH]],
		...[400, 404, 405, 422].map((status): [string, Record<string, Answer>, string[], string[]] => [
			`is the other one after ${status}`,
			{ ...KINDS, ...refusal('images/jobs/1', status) },
			[state, state],
			[...BOTH, BOTH[1]!],
		]),
		['is learnt from 409', refusal(CONTENT, 409), [open, open], [...BOTH_CONTENTS, CONTENT]],
		['is learnt from 410', refusal(CONTENT, 410), [open, open], [...BOTH_CONTENTS, CONTENT]],
		['for content may find a page', { [BOTH_CONTENTS[0]!]: page }, [open], [BOTH_CONTENTS[0]!]],
		['of a page is none', { ...KINDS, [BOTH[0]!]: page }, [state, state], [...BOTH, BOTH[1]!]],
	])('that is asked first %s', async (_what, answers, requests, expected) => {
		const { http, asked } = service(answers, new Map());
		await ask(http, requests);
		expect(asked).toEqual(expected);
	});

	it('without a memory, both are asked', async () => {
		const { http, asked } = service(KINDS);
		await ask(http, [state, state]);
		expect(asked).toEqual([...BOTH, ...BOTH]);
	});

	it('a page under both is no record', async () => {
		const { http } = service({ 'images/jobs/1': page, 'image/jobs/1': page });
		expect(await failureOf(readJob(http, image('1')))).toMatchObject({
			kind: 'malformed',
			details: { status: 200, reason: 'An HTML page: "Home"', ids: { jobId: '1' } },
		});
	});

	it('a service that changes its paths is found again', async () => {
		const answers: Record<string, Answer> = { ...KINDS };
		const { http, asked } = service(answers, new Map());
		await ask(http, [state]);
		Object.assign(answers, { 'image/jobs/1': NO_PATH, 'images/jobs/1': done('1') });
		await ask(http, [state, state]);
		expect(asked).toEqual([...BOTH, ...BOTH.toReversed(), 'images/jobs/1']);
	});
});
