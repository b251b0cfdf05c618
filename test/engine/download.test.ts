import { createServer, type IncomingMessage } from 'node:http';

import { listen } from '../service/listen';
import { CARRY_ON, job, model } from './rig/calls';
import { serviceForTests } from './rig/service';

// the file of a job: under which name it is stored, where it is fetched from, and what is said in place of it
const service = serviceForTests();
beforeEach(() => {
	service.forms.jobSteps = 0;
	store.requests.length = 0;
	store.answer = { status: 200, headers: { 'content-type': 'image/png' } };
});

/** Where a service may keep its files: another origin, which must never see the key. */
const store = {
	url: '',
	requests: [] as IncomingMessage[],
	answer: { status: 200, headers: {} as Record<string, string> },
};
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const server = createServer((request, response) => {
	store.requests.push(request);
	response.writeHead(store.answer.status, store.answer.headers).end(PNG);
});
beforeAll(async () => (store.url = `http://127.0.0.1:${await listen(server)}`));
afterAll(() => server.close());

const execute = async (operation: string, parameters: object) =>
	await service.run(job(operation, { mediaType: 'images', ...parameters }), { settings: CARRY_ON });
const start = async (prompt = 'a cat') => {
	const { items } = await execute('start', { model: model('canvas/sketch-1'), prompt });
	return String(items[0]?.json['jobId']);
};
const download = async (parameters: object = {}) =>
	await execute('download', { jobId: await start(), ...parameters });
const redirect = (to: string, status = 302) =>
	service.fault({
		match: { path: '/v1/images/jobs/', method: 'GET' },
		do: { type: 'redirect', status, to },
	});

it.each([
	['attachment; filename="../../evil.html"', /^evil\.png$/],
	['missing', /^images-[\w-]+\.png$/],
])('the file of "%s" has a safe name, and the type that its bytes tell', async (name, expected) => {
	Object.assign(service.forms, { contentDisposition: name, contentType: 'text/plain' });
	const { items } = await download({ binaryProperty: 'picture' });
	const file = { fileName: expect.stringMatching(expected), mimeType: 'image/png' };
	expect(items).toMatchObject([
		{ json: { file }, binary: { picture: { ...file, fileExtension: 'png' } } },
	]);
});

// other addresses and answers are in unit/router/jobs and unit/core/urls
describe('a redirect', () => {
	it.each([302, 307])('%d to another origin: the key stays here', async (status) => {
		redirect(`${store.url}/files/a.png?signature=x%2Fy`, status);
		const { items } = await download();
		expect(items).toMatchObject([{ json: { file: { bytes: PNG.length, mimeType: 'image/png' } } }]);
		expect(store.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
			'GET /files/a.png?signature=x%2Fy',
		]);
		const seen = JSON.stringify(store.requests.map(({ rawHeaders }) => rawHeaders)).toLowerCase();
		for (const secret of ['x-api-key', 'authorization', service.router.keys.main.toLowerCase()])
			expect(seen).not.toContain(secret);
	});

	it('to the same origin: the key goes along', async () => {
		const jobId = await start();
		redirect(`/v1/image/jobs/${jobId}/content`);
		expect((await execute('download', { jobId })).items).toHaveLength(1);
		expect(service.requests.at(-1)).toMatchObject({
			path: `/v1/image/jobs/${jobId}/content`,
			headers: { 'x-api-key': service.router.keys.main },
		});
	});

	it.each([
		['only a part of it (206) is no file', 'bytes 0-15/100', 'was not downloaded completely', 3],
		['all of it (206) is stored', 'bytes 0-15/16', undefined, 1],
	])('to a store that sends %s', async (_what, range, error, fetches) => {
		store.answer = { status: 206, headers: { 'content-range': range } };
		redirect(`${store.url}/a`);
		const { items, failed } = await download();
		expect([items.length, failed[0]?.json['error'] as string | undefined]).toEqual(
			error ? [0, expect.stringMatching(`${error}.*jobId`)] : [1, undefined],
		);
		expect(store.requests).toHaveLength(fetches);
	});

	// which addresses are below a job is in unit/core/urls
	it.each<[string, boolean, (jobId: string) => string]>([
		['below the path of the job', true, (jobId) => `/v1/images/jobs/${jobId}/content`],
		['of another job', false, (jobId) => `/v1/images/jobs/${jobId}0/content`],
	])(
		'an address of the service %s, where another server leads, gets the key: %s',
		async (_what, getsKey, toPath) => {
			const jobId = await start();
			const { origin } = new URL(service.router.baseUrl);
			store.answer = { status: 307, headers: { location: origin + toPath(jobId) } };
			redirect(`${store.url}/a`);
			await execute('download', { jobId });
			const asked = service.requests.at(-1)!;
			expect(asked.method).toBe('GET');
			expect('x-api-key' in asked.headers).toBe(getsKey);
		},
	);
});

describe('what comes in place of the file', () => {
	const url = `https://files.example/a.png?signature=${'x'.repeat(800)}`;
	const notReady = { error: { code: 'job_not_completed', message: 'wait' } };
	const ready = { code: 'job_not_completed', reason: 'wait' };
	const address = { reason: expect.stringContaining(url) };
	it.each([
		['an error with status 200', notReady, 'The job is still running, or has failed', ready],
		['an address, however long', { url }, 'cannot be read', address],
	])('%s is told, and is no file', async (_what, answer, error, details) => {
		const body = JSON.stringify(answer);
		service.fault({
			match: { path: '/content' },
			do: { type: 'body', body, contentType: 'application/json' },
		});
		const { items, failed } = await download();
		expect(items).toEqual([]);
		expect(failed[0]?.json).toMatchObject({
			error: expect.stringContaining(error),
			details: { ...details, jobId: expect.any(String) },
		});
	});
});
