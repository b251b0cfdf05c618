import type { Http, HttpRequest } from '../../../src/core/http';
import { openContent, readJob } from '../../../src/router/jobs';
import { failureOf, json, response, type Answer } from '../inMemoryHttp';

/** A service that knows some paths, and writes down what it was asked. */
function service(answers: Record<string, Answer>, serviceFacts = new Map<string, string>()) {
	const asked: string[] = [];
	const http: Http = {
		serviceFacts,
		async send({ path }: HttpRequest) {
			asked.push(path);
			return response(answers[path] ?? json({ message: 'no such path' }, { status: 404 }));
		},
	};
	return { http, asked, take: () => asked.splice(0) };
}

const done = (id: string) => json({ id, status: 'completed' });
const file: Answer = { headers: { 'content-type': 'image/png' }, chunks: ['png'] };
const image = (jobId: string) => ({ mediaType: 'images', jobId }) as const;
const KINDS = {
	'/v1/image/jobs/1': done('1'),
	'/v1/image/jobs/2': done('2'),
	'/v1/image/jobs/1/content': file,
	'/v1/video/jobs/3': done('3'),
	'/v1/video/jobs/3/content': file,
};

it('the spelling that led to a job is asked first from then on', async () => {
	const { http, take } = service(KINDS);
	await readJob(http, image('1'));
	expect(take()).toEqual(['/v1/images/jobs/1', '/v1/image/jobs/1']);
	await readJob(http, image('1'));
	await readJob(http, image('2'));
	expect(take()).toEqual(['/v1/image/jobs/1', '/v1/image/jobs/2']);
});

it('it is the likelier one for content and for other media types, too', async () => {
	const { http, take } = service(KINDS);
	await readJob(http, image('1'));
	take();
	await openContent(http, image('1'));
	await readJob(http, { mediaType: 'videos', jobId: '3' });
	await openContent(http, { mediaType: 'videos', jobId: '3' });
	expect(take()).toEqual([
		'/v1/image/jobs/1/content',
		'/v1/video/jobs/3',
		'/v1/video/jobs/3/content',
	]);
});

it('content may be spelled in another way than status', async () => {
	const { http } = service({
		...KINDS,
		'/v1/image/jobs/1/content': json({}, { status: 404 }),
		'/v1/images/jobs/1/content': file,
	});
	for (let turn = 0; turn < 2; turn++) {
		expect(await readJob(http, image('1'))).toMatchObject({ state: 'completed' });
		expect(await openContent(http, image('1'))).toMatchObject({ status: 200 });
	}
});

it('without a memory, both spellings are asked every time', async () => {
	const { http, take } = service(KINDS);
	const { send } = http;
	for (let turn = 0; turn < 2; turn++) {
		await readJob({ send }, image('1'));
		expect(take()).toEqual(['/v1/images/jobs/1', '/v1/image/jobs/1']);
	}
});

it('a job that nobody knows changes nothing, and is looked for under both spellings', async () => {
	const { http, take } = service(KINDS);
	await readJob(http, image('1'));
	take();
	expect(await failureOf(readJob(http, image('lost')))).toMatchObject({ details: { status: 404 } });
	expect(take()).toEqual(['/v1/image/jobs/lost', '/v1/images/jobs/lost']);
	await readJob(http, image('1'));
	expect(take()).toEqual(['/v1/image/jobs/1']);
});

it('a job that nobody knows teaches nothing', async () => {
	const { http, take } = service(KINDS);
	await failureOf(readJob(http, image('lost')));
	await failureOf(openContent(http, image('lost')));
	take();
	await readJob(http, image('1'));
	expect(take()).toEqual(['/v1/images/jobs/1', '/v1/image/jobs/1']);
});

it.each([[401], [403], [429], [500], [400]])('a refusal (%d) teaches nothing', async (status) => {
	const answers: Record<string, Answer> = { '/v1/images/jobs/1': json({}, { status }) };
	const { http, take } = service(answers);
	await failureOf(readJob(http, image('1')));
	Object.assign(answers, { '/v1/images/jobs/1': json({}, { status: 404 }), ...KINDS });
	take();
	await readJob(http, image('1'));
	expect(take()).toEqual(['/v1/images/jobs/1', '/v1/image/jobs/1']);
});

it.each([[409], [410]])('a job that has no file (%d) is a job all the same', async (status) => {
	const { http, take } = service({ '/v1/image/jobs/1/content': json({}, { status }) });
	await failureOf(openContent(http, image('1')));
	take();
	await failureOf(openContent(http, image('1')));
	expect(take()).toEqual(['/v1/image/jobs/1/content']);
});

it('a service that changes its paths is found again', async () => {
	const answers: Record<string, Answer> = { ...KINDS };
	const { http, take } = service(answers);
	await readJob(http, image('1'));
	answers['/v1/image/jobs/1'] = json({}, { status: 405 });
	answers['/v1/images/jobs/1'] = done('1');
	take();
	await readJob(http, image('1'));
	await readJob(http, image('1'));
	expect(take()).toEqual(['/v1/image/jobs/1', '/v1/images/jobs/1', '/v1/images/jobs/1']);
});

it('a page in place of a path is no job', async () => {
	const page: Answer = {
		headers: { 'content-type': 'text/html' },
		chunks: ['<!doctype html><title>Home</title>'],
	};
	const { http, take } = service({ '/v1/images/jobs/1': page, ...KINDS });
	expect(await readJob(http, image('1'))).toMatchObject({ state: 'completed' });
	await readJob(http, image('1'));
	expect(take()).toEqual(['/v1/images/jobs/1', '/v1/image/jobs/1', '/v1/image/jobs/1']);
	const everywhere = service({ '/v1/images/jobs/1': page, '/v1/image/jobs/1': page });
	expect(await failureOf(readJob(everywhere.http, image('1')))).toMatchObject({
		kind: 'malformed',
		details: { status: 200, reason: 'An HTML page: "Home"', ids: { jobId: '1' } },
	});
});

it('what one connection has learnt another one of the account knows', async () => {
	const facts = new Map<string, string>();
	const one = service(KINDS, facts);
	await readJob(one.http, image('1'));
	const other = service(KINDS, facts);
	await readJob(other.http, image('2'));
	expect(other.take()).toEqual(['/v1/image/jobs/2']);
});
