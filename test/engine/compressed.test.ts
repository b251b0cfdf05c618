import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';

import { startContrary, type Contrary } from './contrary';
import { agent, chat, job } from './rig/calls';
import { useFileStore, type FileStore } from './rig/fileStore';
import { run, type RunOptions } from './rig/run';

// no compression is asked for, and not every service listens: n8n undoes it, and its length is then that of the compressed bytes
let service: Contrary;
let store: FileStore;
beforeAll(async () => (service = await startContrary()));
beforeEach(async () => (store = await useFileStore()));
afterEach(() => store.remove());
afterAll(() => service.stop());

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const FILE = Buffer.concat([
	PNG,
	Buffer.from(Array.from({ length: 200_000 }, (_, at) => (at * 7919) % 251)),
]);
const NOISE = randomBytes(100_000);
const TEXT = Array.from({ length: 5000 }, (_, at) => `word ${(at * 7919) % 1000}`).join(' ');

const ways: Array<[string, (data: Buffer) => Buffer]> = [
	['gzip', (data) => gzipSync(data)],
	['x-gzip', (data) => gzipSync(data)],
	['deflate', (data) => deflateSync(data)],
	['br', (data) => brotliCompressSync(data)],
	['zstd', (data) => zstdCompressSync(data)],
];

const execute = async (what: Pick<RunOptions, 'node' | 'parameters' | 'credential'>) => {
	const settings = { onError: 'continueErrorOutput' as const };
	const { items, failed, error } = await run({ ...what, secrets: service.secrets, settings });
	expect(error).toBeUndefined();
	const details = failed[0]?.json['details'] as { kind: string; partial?: { text?: string } };
	return { item: items[0], json: items[0]?.json, details, failure: failed[0]?.json['error'] };
};
const send = () => execute(agent({ message: 'hello' }));
const download = () => execute(job('download', { mediaType: 'music', jobId: 'j-1' }));

const lengthOf = (bytes: number) => ({ 'content-length': String(bytes) });

describe.each(ways)('%s', (encoding, compress) => {
	const answer = (type: string, body: Buffer, headers = {}) =>
		service.answer(({ url }) =>
			url === '/v1/models'
				? undefined
				: {
						type,
						headers: { 'content-encoding': encoding, ...headers },
						body: [body.subarray(0, body.length >> 2), body.subarray(body.length >> 2)],
					},
		);
	/** Half of it: the connection ends before the length that was told. */
	const breakOff = (type: string, whole: Buffer) =>
		answer(type, whole.subarray(0, whole.length >> 1), {
			...lengthOf(whole.length),
			connection: 'close',
		});

	describe.each([true, false])('content-length told: %s', (told) => {
		it('a whole text is complete', async () => {
			const body = compress(Buffer.from(TEXT));
			answer('text/plain', body, told && lengthOf(body.length));
			expect((await send()).json).toMatchObject({ output: TEXT, complete: true });
		});

		it.each<[string, Buffer]>([
			['a file', FILE],
			// of random bytes, which compression makes longer
			['a file that is shorter than its content-length', Buffer.concat([PNG, NOISE])],
		])('%s is stored', async (_what, file) => {
			const body = compress(file);
			answer('image/png', body, told && lengthOf(body.length));
			const { json } = await download();
			expect(json).toMatchObject({ file: { bytes: file.length, mimeType: 'image/png' } });
			const [stored = ''] = store.files().filter((path) => !path.endsWith('.metadata'));
			expect(readFileSync(stored).equals(file)).toBe(true);
		});
	});

	it('a text whose connection breaks is cut, and what came is kept', async () => {
		breakOff('text/plain', compress(Buffer.from(TEXT)));
		const { details } = await send();
		expect(details).toMatchObject({ kind: 'truncated', outcome: 'started' });
		expect(TEXT.startsWith(details.partial?.text ?? 'none')).toBe(true);
	});

	it('a stream without its end mark is cut, however its compression ends', async () => {
		const whole = compress(
			Buffer.from(`data: {"choices":[{"delta":{"content":"${TEXT}"}}]}\n\ndata: [DONE]\n\n`),
		);
		answer('text/event-stream', whole.subarray(0, whole.length >> 1));
		// of half a block of zstd nothing comes
		const kind = encoding === 'zstd' ? 'malformed' : 'truncated';
		expect((await execute(chat('hello'))).details).toMatchObject({ kind });
	});

	it('a file whose connection breaks is not stored', async () => {
		breakOff('image/png', compress(FILE));
		const { details, failure } = await download();
		expect(failure).toMatch(/^The file was not downloaded completely/);
		expect(details.kind).toBe('failed');
		expect(store.files()).toEqual([]);
	}, 20_000);
});

it('nothing at all, said to be compressed, is nothing', async () => {
	service.answer(() => ({ type: 'text/plain', headers: { 'content-encoding': 'gzip' } }));
	expect((await send()).details).toMatchObject({ kind: 'malformed', outcome: 'unknown' });
});

it('what breaks behind the end mark of a stream takes nothing away', async () => {
	const stream = gzipSync(
		'data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: [DONE]\n\n' + TEXT,
	);
	service.answer(({ method }) =>
		method === 'POST'
			? {
					type: 'text/event-stream',
					headers: { 'content-encoding': 'gzip' },
					body: stream.subarray(0, -100),
				}
			: undefined,
	);
	expect((await execute(chat('hello'))).json).toMatchObject({ output: 'a', complete: true });
});

it.each(['gzip, br', 'gzip,gzip', 'lz4', 'br, gzip'])(
	'an encoding that n8n does not undo (%s) is no answer, and no file',
	async (encoding) => {
		service.answer(() => ({
			type: 'text/plain',
			headers: { 'content-encoding': encoding },
			body: gzipSync(brotliCompressSync(TEXT)),
		}));
		expect((await send()).details).toMatchObject({ kind: 'malformed', outcome: 'unknown' });
		expect((await download()).details).toMatchObject({ kind: 'malformed' });
		expect(store.files()).toEqual([]);
	},
);

it.each(['identity', 'utf-8', 'none', ''])(
	'an encoding that is none (%j) changes nothing',
	async (encoding) => {
		service.answer(() => ({
			type: 'text/plain',
			headers: { 'content-encoding': encoding },
			body: 'hello',
		}));
		expect((await send()).json).toMatchObject({ output: 'hello', complete: true });
	},
);

it('a length that is told counts where nothing is compressed', async () => {
	const body = Buffer.concat([FILE, Buffer.alloc(1024 * 1024)]);
	service.answer(() => ({
		type: 'image/png',
		headers: lengthOf(body.length),
		body,
	}));
	const parameters = { mediaType: 'music', jobId: 'j-1', options: { maxSizeMib: 1 } };
	const { failure } = await execute(job('download', parameters));
	expect(failure).toMatch(/^The file is larger than 1 MiB/);
});
