import { CARRY_ON, job, PICTURE } from './rig/calls';
import { type DatabaseStore, useDatabaseStore, useFileStore } from './rig/binaryStores';
import { serviceForTests } from './rig/service';

// files that n8n's database could not give back, in queue mode its usual store
const service = serviceForTests({ jobSteps: 0 });
let store: DatabaseStore;
beforeEach(() => void (store = useDatabaseStore()));
afterEach(() => store.remove());

/** What n8n can read back from PostgreSQL. */
const LIMIT = 268_435_443;

const generate = (size: number, parameters: object = {}) =>
	service.run(
		job('generate', {
			...PICTURE,
			prompt: `a cat [[size:${size}]]`,
			options: { maxSizeMib: 1000 },
			...parameters,
		}),
		{ settings: CARRY_ON },
	);

const refusal = (bytes: unknown) => ({
	error: expect.stringMatching(
		/^n8n cannot read back a file of this size from its database, so it was not stored/,
	),
	details: expect.objectContaining({
		kind: 'failed',
		jobId: service.world.starts[0]?.jobId,
		reason: bytes,
		advice: expect.stringMatching(
			/N8N_DEFAULT_BINARY_DATA_MODE to "filesystem".*N8N_STORAGE_PATH.*S3.*still at the service: then use Download File/,
		),
	}),
});

it('announced: refused before it is downloaded, with the job ID and what to set', async () => {
	const { items, failed } = await generate(LIMIT + 1);
	expect(items).toEqual([]);
	expect(failed[0]?.json).toEqual(
		refusal(`It has at least ${LIMIT + 1} bytes; the maximum is ${LIMIT}.`),
	);
	expect(service.starts('a cat')).toBe(1);
	// only to see what store it is
	expect(store.sizes).toEqual([1]);
});

it('not announced: refused as soon as it is known', async () => {
	service.forms.contentLength = 'absent';
	const { items, failed } = await generate(LIMIT + 1_000_000);
	expect(items).toEqual([]);
	expect(failed[0]?.json).toEqual(
		refusal(expect.stringMatching(/^It has at least 268[45]\d{5} bytes/)),
	);
	expect(store.sizes).toEqual([1]);
});

it('the largest that can be read back is stored, and nothing else', async () => {
	const { items } = await generate(LIMIT);
	expect(items[0]?.json).toMatchObject({ file: { bytes: LIMIT } });
	expect(items[0]?.binary?.['data']?.id).toMatch(/^database:/);
	expect(store.sizes).toEqual([LIMIT]);
});

it('Max Size comes first', async () => {
	const { failed } = await generate(LIMIT + 1, { options: {} });
	expect(failed[0]?.json['error']).toContain('larger than 250 MiB');
	expect(store.sizes).toEqual([]);
});

it('in a file system it is not refused', async () => {
	const files = await useFileStore();
	service.fault({ match: { path: '/content' }, do: { type: 'limit_data', bytes: 1000 } });
	const { failed } = await generate(LIMIT + 1);
	files.remove();
	expect(failed[0]?.json['error']).toMatch(/^The file was not downloaded completely/);
});
