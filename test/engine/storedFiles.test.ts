import { request, type IncomingMessage } from 'node:http';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';

import { startService, type Fault, type Service } from '../service/service';
import { job, secretsOf } from './rig/calls';
import { useFileStore, type FileStore } from './rig/fileStore';
import { run } from './rig/run';

// a file is in n8n's store whole, or nothing of it is there
let service: Service;
let store: FileStore;
beforeAll(async () => (service = await startService()));
beforeEach(async () => {
	service.reset();
	service.forms.jobSteps = 0;
	store = await useFileStore();
});
afterEach(() => store.remove());
afterAll(() => service.stop());

const MIB = 1024 * 1024;
const model = { __rl: true, mode: 'id', value: 'canvas/sketch-1' };
const execute = (operation: string, parameters: object, settings: object = {}) =>
	run({
		...job(operation, { mediaType: 'images', ...parameters }),
		secrets: secretsOf(service),
		settings: { onError: 'continueErrorOutput', ...settings },
	});
const startOf = async (prompt: string) =>
	String((await execute('start', { model, prompt })).items[0]?.json['jobId']);
const download = (jobId: string, parameters: object = {}) =>
	execute('download', { jobId, ...parameters });
const fault = (what: Fault | Fault[], times?: number) =>
	service.fault({ match: { path: '/content' }, ...(times && { times }), do: what });
const fetches = () => service.requests.filter(({ path }) => path.endsWith('/content')).length;

/** The file and what n8n notes of it. */
const expectOneFile = (bytes: Buffer) => {
	const files = store.files().filter((path) => !path.endsWith('.metadata'));
	expect(files).toHaveLength(1);
	expect(readFileSync(files[0] ?? '').equals(bytes)).toBe(true);
};
/** Bytes of the file's response as they go over the wire. */
async function sentBytes(jobId: string, faulty: Fault): Promise<number> {
	service.fault({ match: { path: '/content' }, times: 1, do: faulty });
	const headers = { 'X-API-KEY': service.router.keys.main };
	const response = await new Promise<IncomingMessage>((resolve) =>
		request(`${service.url}/v1/images/jobs/${jobId}/content`, { headers }, resolve).end(),
	);
	let count = 0;
	for await (const piece of response) count += (piece as Buffer).length;
	return count;
}
const original = async (jobId: string) => {
	const path = `/v1/images/jobs/${jobId}/content`;
	const headers = { 'X-API-KEY': service.router.keys.main };
	return Buffer.from(await (await fetch(service.url + path, { headers })).arrayBuffer());
};

it.each(['present', 'absent'] as const)('whole (content-length %s)', async (form) => {
	service.forms.contentLength = form;
	const jobId = await startOf('a cat [[size:3000000]]');
	const { items } = await download(jobId);
	expect(items[0]).toMatchObject({
		json: { file: { bytes: 3_000_000, mimeType: 'image/png' } },
		binary: { data: { id: expect.stringMatching(/^filesystem-v2:/), bytes: 3_000_000 } },
	});
	expectOneFile(await original(jobId));
});

describe('over the limit', () => {
	it.each([
		['present', 5 * MIB],
		['absent', 5 * MIB],
		['absent', 2 * MIB + 1],
	] as const)('content-length %s, %d bytes: stopped early, nothing is left', async (form, size) => {
		service.forms.contentLength = form;
		const jobId = await startOf(`a cat [[size:${size}]]`);
		const { failed, items } = await download(jobId, { options: { maxSizeMib: 2 } });
		expect(items).toEqual([]);
		expect(failed[0]?.json).toMatchObject({
			error: expect.stringMatching(/larger than 2 MiB and was not stored/),
			details: { kind: 'failed', jobId, reason: expect.stringMatching(/at least \d+ bytes/) },
		});
		expect(fetches()).toBe(1);
		expect(store.files()).toEqual([]);
	});

	it('says what has to be set in queue mode', async () => {
		const jobId = await startOf(`a cat [[size:${2 * MIB}]]`);
		const { failed } = await download(jobId, { options: { maxSizeMib: 1 } });
		const error = String(failed[0]?.json['error']);
		for (const word of [
			'queue mode',
			'N8N_DEFAULT_BINARY_DATA_MODE',
			'N8N_STORAGE_PATH',
			'S3',
		])
			expect(error).toContain(word);
	});

	it('of exactly the limit it is stored', async () => {
		const jobId = await startOf(`a cat [[size:${2 * MIB}]]`);
		const { items } = await download(jobId, { options: { maxSizeMib: 2 } });
		expect(items[0]?.json).toMatchObject({ file: { bytes: 2 * MIB } });
	});

	it('is 250 MiB where nothing else is said', async () => {
		const jobId = await startOf(`a cat [[size:${250 * MIB + 1}]]`);
		const { failed } = await download(jobId);
		expect(failed[0]?.json['error']).toContain('larger than 250 MiB');
	});
});

describe('broken off', () => {
	it.each<[string, 'present' | 'absent', Fault | Fault[]]>([
		['before its content-length', 'present', { type: 'limit_data', bytes: 100_000 }],
		['in the middle of its chunks', 'absent', { type: 'limit_data', bytes: 100_000 }],
		['by a reset', 'absent', { type: 'reset_peer', bytes: 100_000 }],
		['fewer bytes than announced', 'present', { type: 'content_length', add: 10 }],
		['in the middle of gzip', 'present', [{ type: 'gzip' }, { type: 'limit_data', bytes: 600 }]],
	])('%s: nothing is left, the id is', async (_what, form, broken) => {
		service.forms.contentLength = form;
		const jobId = await startOf('a cat [[size:1000000]]');
		fault(broken);
		const { failed, items } = await download(jobId);
		expect(items).toEqual([]);
		expect(failed[0]?.json).toMatchObject({
			error: expect.stringMatching(
				/was not downloaded completely.*use Download File with the job ID/,
			),
			details: { kind: 'failed', jobId },
		});
		expect(fetches()).toBe(3);
		expect(store.files()).toEqual([]);
	});

	it('it is fetched again from its beginning', async () => {
		const jobId = await startOf('a cat [[size:1000000]]');
		fault({ type: 'limit_data', bytes: 400_000 }, 2);
		const { items } = await download(jobId);
		expect(items).toHaveLength(1);
		expect(fetches()).toBe(3);
		expectOneFile(await original(jobId));
	});

	it('by a silence it is fetched again', async () => {
		const jobId = await startOf('a cat [[size:1000000]]');
		fault({ type: 'timeout', bytes: 400_000 }, 1);
		const { items } = await download(jobId, { requestSettings: { idleTimeout: 1 } });
		expect(items).toHaveLength(1);
		expect(fetches()).toBe(2);
		expectOneFile(await original(jobId));
	});
});

it.each<[string, number, boolean]>([
	['of a length not told', 1_000_000, false],
	['shorter by it', 1_000_000, true],
	['longer by it', 0, true],
])(
	'compressed although it was not asked for, %s: is stored as it was',
	async (_what, size, told) => {
		const jobId = await startOf(size ? `a cat [[size:${size}]]` : 'a cat');
		const bytes = await original(jobId);
		const length = String(await sentBytes(jobId, { type: 'gzip' }));
		const headers = { 'content-length': length };
		fault(told ? [{ type: 'gzip' }, { type: 'headers', headers }] : { type: 'gzip' });
		const { items, failed } = await download(jobId);
		expect(failed).toEqual([]);
		expect(items[0]?.json).toMatchObject({ file: { bytes: bytes.length, mimeType: 'image/png' } });
		expectOneFile(bytes);
	},
);

describe('what is no file', () => {
	it.each<[string, Fault]>([
		['a login page', { type: 'login_page' }],
		['an error as JSON', { type: 'body', body: '{"error":"x"}', contentType: 'application/json' }],
		[
			'JSON that says it is a picture',
			{ type: 'body', body: '{"error":"x"}', contentType: 'image/png' },
		],
		['a page that says nothing', { type: 'body', body: ' <!doctype html><p>x' }],
		['nothing', { type: 'body', body: '' }],
	])('%s: is refused at once, nothing is stored', async (_what, instead) => {
		const jobId = await startOf('a cat');
		fault(instead);
		const { failed, items } = await download(jobId);
		expect(items).toEqual([]);
		expect(failed[0]?.json).toMatchObject({
			error: expect.stringContaining('cannot be read'),
			details: { kind: 'malformed', jobId },
		});
		expect(fetches()).toBe(1);
		expect(store.files()).toEqual([]);
	});

	it.each(['missing', 'text/html', 'application/json', 'video/mp4'])(
		'a picture of the type %s is a picture by its bytes',
		async (contentType) => {
			service.forms.contentType = contentType;
			const { items } = await download(await startOf('a cat'));
			expect(items[0]).toMatchObject({
				json: { file: { mimeType: 'image/png' } },
				binary: { data: { mimeType: 'image/png', fileExtension: 'png' } },
			});
		},
	);
});

it('a store that takes nothing: says so, with the id, and the file can be fetched later', async () => {
	const jobId = await startOf('a cat');
	// n8n cannot make its folder where a file is
	rmSync(store.folder, { recursive: true });
	writeFileSync(store.folder, '');
	const { failed } = await download(jobId);
	expect(failed[0]?.json).toMatchObject({
		error: expect.stringMatching(/n8n could not store the file.*use Download File with the job ID/),
		details: { kind: 'failed', jobId },
	});
	expect(fetches()).toBe(1);
	store.remove();
	store = await useFileStore();
	expect((await download(jobId)).items).toHaveLength(1);
});

describe('a completed job whose file does not come', () => {
	const generate = (prompt: string, settings: object = {}) =>
		execute('generate', { model, prompt }, settings);

	it('keeps its id and what it cost, and Download brings the file without another start', async () => {
		fault({ type: 'limit_data', bytes: 20 }, 3);
		const { failed } = await generate('a cat');
		expect(failed[0]?.json).toMatchObject({
			error: expect.stringContaining('was not downloaded completely'),
			details: { jobId: expect.any(String), partial: { cost: 40_000 } },
		});
		const { jobId } = failed[0]?.json['details'] as { jobId: string };
		const { items } = await download(jobId);
		expect(items).toHaveLength(1);
		expectOneFile(await original(jobId));
		expect(service.starts('a cat')).toBe(1);
	});

	it('is not started again by Retry On Fail', async () => {
		fault({ type: 'limit_data', bytes: 20 }, 3);
		const { items } = await generate('a cat', {
			retryOnFail: true,
			maxTries: 2,
			waitBetweenTries: 1,
		});
		expect(items).toHaveLength(1);
		expect(service.starts('a cat')).toBe(1);
	});
});
