import { createServer, type IncomingMessage } from 'node:http';

import { listen } from '../service/listen';
import { startService, type Service } from '../service/service';
import { job, secretsOf } from './rig/calls';
import { run } from './rig/run';

// the file of a job: under which name it is stored, and where it is fetched from
let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => {
	service.reset();
	service.forms.jobSteps = 0;
	store.requests.length = 0;
	store.answer = { status: 200, headers: { 'content-type': 'image/png' } };
});
afterAll(() => service.stop());

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

const execute = (operation: string, parameters: object) =>
	run({
		...job(operation, { mediaType: 'images', ...parameters }),
		secrets: secretsOf(service),
		settings: { onError: 'continueErrorOutput' },
	});
const completed = async () => {
	const model = { __rl: true, mode: 'id', value: 'canvas/sketch-1' };
	const { items } = await execute('start', { model, prompt: 'a cat' });
	return String(items[0]?.json['jobId']);
};
const download = async () => await execute('download', { jobId: await completed() });

describe('the name of the file', () => {
	it.each<[string, string, RegExp | string]>([
		['a name', 'attachment; filename="cat.png"', 'cat.png'],
		['a way up, and another ending', 'attachment; filename="../../evil.html"', 'evil.png'],
		['RFC 8187', `attachment; filename="x"; filename*=UTF-8''%E2%82%AC.png`, '€.png'],
		['a turn of direction', `attachment; filename*=UTF-8''a%E2%80%AEgnp.exe`, 'agnp.png'],
		['a device', 'attachment; filename="CON.txt"', /^images-[\w-]+\.png$/],
		['5 kB', `attachment; filename="${'a'.repeat(5000)}.png"`, `${'a'.repeat(116)}.png`],
		['none', 'missing', /^images-[\w-]+\.png$/],
	])('%s', async (_what, disposition, expected) => {
		service.forms.contentDisposition = disposition;
		const { items } = await download();
		const name = typeof expected === 'string' ? expected : expect.stringMatching(expected);
		expect(items[0]).toMatchObject({
			json: { file: { fileName: name, mimeType: 'image/png' } },
			binary: { data: { fileName: name, fileExtension: 'png' } },
		});
	});
});

describe('a redirect', () => {
	const redirect = (to: string, status = 302) =>
		service.fault({
			match: { path: '/v1/images/jobs/', method: 'GET' },
			do: { type: 'redirect', status, to },
		});

	it.each([301, 302, 303, 307, 308])('%d to another origin: the key stays here', async (status) => {
		redirect(`${store.url}/files/a.png?signature=x%2Fy`, status);
		const { items } = await download();
		expect(items).toMatchObject([{ json: { file: { bytes: PNG.length, mimeType: 'image/png' } } }]);
		expect(store.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
			'GET /files/a.png?signature=x%2Fy',
		]);
		const seen = JSON.stringify(store.requests.map(({ rawHeaders }) => rawHeaders)).toLowerCase();
		expect(seen).not.toContain('x-api-key');
		expect(seen).not.toContain('authorization');
		expect(seen).not.toContain(service.router.keys.main.toLowerCase());
	});

	it('to the same origin: the key goes along', async () => {
		const jobId = await completed();
		redirect(`/v1/image/jobs/${jobId}/content`);
		const { items } = await execute('download', { jobId });
		expect(items).toHaveLength(1);
		expect(service.requests.at(-1)).toMatchObject({
			path: `/v1/image/jobs/${jobId}/content`,
			headers: { 'x-api-key': service.router.keys.main },
		});
	});

	it('a second one is not followed', async () => {
		store.answer = { status: 302, headers: { location: `${store.url}/b` } };
		redirect(`${store.url}/a`);
		const { failed } = await download();
		expect(store.requests.map(({ url }) => url)).toEqual(['/a']);
		expect(failed[0]?.json).toMatchObject({
			error: expect.stringMatching(/stores the file refused the request \(302\).*jobId/),
		});
	});

	it.each(['http://files.example/a', 'ftp://127.0.0.1/a', 'http://user:word@127.0.0.1/a'])(
		'to %s is not followed',
		async (to) => {
			redirect(to);
			const { failed } = await download();
			expect(failed[0]?.json).toMatchObject({
				error: expect.stringMatching(/redirect to an address that is not safe.*jobId/),
			});
		},
	);

	it.each([403, 404, 410])(
		'an address that answers %d: said as it is, with the id',
		async (status) => {
			store.answer = { status, headers: {} };
			redirect(`${store.url}/a`);
			const { failed } = await download();
			expect(store.requests).toHaveLength(1);
			expect(failed[0]?.json).toMatchObject({
				error: expect.stringContaining(`stores the file refused the request (${status})`),
				details: { status, jobId: expect.any(String) },
			});
		},
	);

	it('an error page is not stored from there either', async () => {
		store.answer = { status: 200, headers: { 'content-type': 'text/html' } };
		redirect(`${service.url}/somewhere`);
		service.fault({ match: { path: '/somewhere' }, do: { type: 'login_page' } });
		const { items, failed } = await download();
		expect([items.length, failed.length]).toEqual([0, 1]);
	});

	it('is followed for files only: never for a state or a start', async () => {
		const jobId = await completed();
		redirect(`${store.url}/a`);
		const { failed } = await execute('get', { jobId });
		expect(failed[0]?.json['error']).toContain('sent a redirect (302), which is not followed');
		expect(store.requests).toEqual([]);
	});
});

describe('what comes in place of the file', () => {
	const inPlace = (body: string, contentType: string) =>
		service.fault({ match: { path: '/content' }, do: { type: 'body', body, contentType } });

	it('a plain text is no file, and says why', async () => {
		inPlace('Internal error: no such file', 'text/plain');
		const { items, failed } = await download();
		expect(items).toHaveLength(0);
		expect(failed[0]?.json).toMatchObject({
			details: { kind: 'malformed', reason: 'Internal error: no such file' },
		});
	});

	it('an error that came with status 200 is read as one', async () => {
		const error = { code: 'job_not_completed', message: 'wait' };
		inPlace(JSON.stringify({ error }), 'application/json');
		expect((await download()).failed[0]?.json).toMatchObject({
			error: expect.stringContaining('The job is not finished yet'),
			details: { code: 'job_not_completed', reason: 'wait', jobId: expect.any(String) },
		});
	});

	it('an address is not lost, however long', async () => {
		const url = `https://files.example/a.png?signature=${'x'.repeat(800)}`;
		inPlace(JSON.stringify({ url }), 'application/json');
		expect((await download()).failed[0]?.json).toMatchObject({
			details: { reason: expect.stringContaining(url) },
		});
	});

	it.each([202, 204, 404, 425])('%d for a moment after the job has completed', async (status) => {
		service.fault({
			match: { path: '/content' },
			// both spellings of the path
			times: status === 404 ? 2 : 1,
			do: { type: 'status', status, body: status === 204 ? '' : { status: 'processing' } },
		});
		const model = { __rl: true, mode: 'id', value: 'canvas/sketch-1' };
		expect((await execute('generate', { model, prompt: 'a cat' })).items).toHaveLength(1);
	});
});
