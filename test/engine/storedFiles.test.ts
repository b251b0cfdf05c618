import { readFileSync, rmSync, writeFileSync } from 'node:fs';

import type { Fault } from '../service/service';
import { CARRY_ON, job, model, RETRIED } from './rig/calls';
import { useFileStore, type FileStore } from './rig/binaryStores';
import { serviceForTests } from './rig/service';

// a file is in n8n's store whole, or nothing of it is there
const service = serviceForTests();
let store: FileStore;
beforeEach(async () => {
	service.forms.jobSteps = 0;
	store = await useFileStore();
});
afterEach(() => store.remove());

const MIB = 1024 * 1024;
const execute = async (operation: string, parameters: object, settings: object = {}) =>
	await service.run(job(operation, { mediaType: 'images', ...parameters }), {
		settings: { ...CARRY_ON, ...settings },
	});
const sketch = { model: model('canvas/sketch-1') };
const startOf = async (prompt: string) =>
	String((await execute('start', { ...sketch, prompt })).items[0]?.json['jobId']);
const download = (jobId: string, parameters: object = {}) =>
	execute('download', { jobId, ...parameters });
const fault = (what: Fault, times = Infinity) =>
	service.fault({ match: { path: '/content' }, times, do: what });
const fetches = () => service.requests.filter(({ path }) => path.endsWith('/content')).length;

async function original(jobId: string): Promise<Buffer> {
	const headers = { 'X-API-KEY': service.router.keys.main };
	const response = await fetch(`${service.url}/v1/images/jobs/${jobId}/content`, { headers });
	return Buffer.from(await response.arrayBuffer());
}
/** Beside it is what n8n notes of it. */
const expectOneFile = (bytes: Buffer) => {
	const files = store.files().filter((path) => !path.endsWith('.metadata'));
	expect(files).toHaveLength(1);
	expect(readFileSync(files[0] ?? '').equals(bytes)).toBe(true);
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
		['present', 60_000_000],
		['absent', 60_000_000],
		['absent', 2 * MIB + 1],
	] as const)('content-length %s, %d bytes: stopped early, nothing is left', async (form, size) => {
		service.forms.contentLength = form;
		const jobId = await startOf(`a cat [[size:${size}]]`);
		const { failed, items } = await download(jobId, { options: { maxSizeMib: 2 } });
		expect(items).toEqual([]);
		expect(failed[0]?.json).toMatchObject({
			error: expect.stringMatching(
				/larger than 2 MiB and was not stored.*queue mode.*N8N_DEFAULT_BINARY_DATA_MODE.*N8N_STORAGE_PATH.*S3/s,
			),
			details: { kind: 'failed', jobId, reason: expect.stringMatching(/at least \d+ bytes/) },
		});
		await service.settled();
		expect(fetches()).toBe(1);
		if (size === 60_000_000) expect(service.requests.at(-1)?.abandoned).toBe(true);
		expect(store.files()).toEqual([]);
	});

	it('of exactly the limit it is stored', async () => {
		const jobId = await startOf(`a cat [[size:${2 * MIB}]]`);
		const { items } = await download(jobId, { options: { maxSizeMib: 2 } });
		expect(items[0]?.json).toMatchObject({ file: { bytes: 2 * MIB } });
	});
});

describe('broken off', () => {
	it.each<[string, 'present' | 'absent', Fault]>([
		['before its content-length', 'present', { type: 'limit_data', bytes: 100_000 }],
		['in the middle of its chunks', 'absent', { type: 'limit_data', bytes: 100_000 }],
		['by a reset', 'absent', { type: 'reset_peer', bytes: 100_000 }],
		['fewer bytes than announced', 'present', { type: 'content_length', add: 10 }],
	])('%s: nothing is left, the id is', async (_what, form, broken) => {
		service.forms.contentLength = form;
		const jobId = await startOf('a cat [[size:1000000]]');
		fault(broken);
		const { failed, items } = await download(jobId);
		expect(items).toEqual([]);
		expect(failed[0]?.json).toMatchObject({
			error: expect.stringMatching(/was not downloaded completely.*use Download File with the job/),
			details: { kind: 'failed', jobId },
		});
		expect(fetches()).toBe(3);
		expect(store.files()).toEqual([]);
	});

	it.each<[string, Fault, number]>([
		['a break', { type: 'limit_data', bytes: 400_000 }, 2],
		['a silence', { type: 'timeout', bytes: 400_000 }, 1],
	])('it is fetched again from its beginning after %s', async (_what, broken, times) => {
		const jobId = await startOf('a cat [[size:1000000]]');
		fault(broken, times);
		const { items } = await download(jobId, { requestSettings: { idleTimeout: 1 } });
		expect(items).toHaveLength(1);
		expect(fetches()).toBe(times + 1);
		expectOneFile(await original(jobId));
	});
});

// all forms of what is no file are in unit/core/files.fileType
it.each<[string, Fault]>([
	['a login page', { type: 'login_page' }],
	['JSON', { type: 'body', body: '{"error":"x"}', contentType: 'image/png' }],
	['nothing', { type: 'body', body: '' }],
])('%s is no file: it is refused at once, and nothing is stored', async (_what, instead) => {
	const jobId = await startOf('a cat');
	fault(instead);
	const { failed, items } = await download(jobId);
	expect(items).toEqual([]);
	expect(failed[0]?.json).toMatchObject({
		error: expect.stringMatching(/cannot be read|^The service reported an error: x /),
		details: { kind: 'malformed', jobId },
	});
	expect(fetches()).toBe(1);
	expect(store.files()).toEqual([]);
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
	const generate = async (settings: object = {}) =>
		await execute('generate', { ...sketch, prompt: 'a cat' }, settings);
	beforeEach(() => fault({ type: 'limit_data', bytes: 20 }, 3));
	afterEach(() => expect(service.starts('a cat')).toBe(1));

	it('keeps its ID and what it cost, and Download brings the file', async () => {
		const { failed } = await generate();
		const details = failed[0]?.json['details'] as { jobId: string };
		expect(details).toMatchObject({ jobId: expect.any(String), partial: { cost: 40_000 } });
		expect((await download(details.jobId)).items).toHaveLength(1);
	});

	it('is not started again by Retry On Fail, which brings the file', async () => {
		expect((await generate(RETRIED)).items).toHaveLength(1);
	});
});
