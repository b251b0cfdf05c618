import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';

import { startContrary, type Contrary } from './contrary';
import { agent, assistant, chat, job } from './rig/calls';
import { useFileStore, type FileStore } from './rig/fileStore';
import { run, type RunOptions } from './rig/run';

// no compression is asked for, and not every service listens: n8n undoes it, and would take half of it for whole
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

/** Where a body is cut: in its last byte, in its checksum, in the middle, near its beginning. */
const cuts = [
	(length: number) => length - 1,
	(length: number) => length - 5,
	(length: number) => length >> 1,
	() => 30,
];
const framed = (body: Buffer, length: boolean) =>
	length ? { 'content-length': String(body.length) } : undefined;

describe.each(ways)('%s', (encoding, compress) => {
	describe.each([true, false])('content-length told: %s', (told) => {
		const answer = (type: string, body: Buffer) =>
			service.answer(() => ({
				type,
				headers: { 'content-encoding': encoding, ...framed(body, told) },
				body: [body.subarray(0, body.length >> 2), body.subarray(body.length >> 2)],
			}));

		it('a whole text is complete', async () => {
			answer('text/plain', compress(Buffer.from(TEXT)));
			expect((await send()).json).toMatchObject({ output: TEXT, complete: true });
		});

		it('a text that ends early is cut, and what came is kept', async () => {
			for (const at of cuts) {
				const whole = compress(Buffer.from(TEXT));
				answer('text/plain', whole.subarray(0, at(whole.length)));
				const { details } = await send();
				expect(details).toMatchObject({ kind: 'truncated', outcome: 'started' });
				expect(TEXT.startsWith(details.partial?.text ?? 'none')).toBe(true);
			}
		});

		it('a whole file is stored', async () => {
			answer('image/png', compress(FILE));
			const { json } = await download();
			expect(json).toMatchObject({ file: { bytes: FILE.length, mimeType: 'image/png' } });
			const [stored = ''] = store.files().filter((path) => !path.endsWith('.metadata'));
			expect(readFileSync(stored).equals(FILE)).toBe(true);
		});

		it('a file that ends early is not stored', async () => {
			const whole = compress(FILE);
			answer('image/png', whole.subarray(0, whole.length - 5));
			const { details, failure } = await download();
			expect(failure).toMatch(/^The file was not downloaded completely/);
			expect(details.kind).toBe('failed');
			expect(store.files()).toEqual([]);
		}, 20_000);
	});
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

it('half of a compressed answer of the assistant is cut', async () => {
	const body = gzipSync(TEXT).subarray(0, -20);
	service.answer(() => ({ type: 'text/markdown', headers: { 'content-encoding': 'gzip' }, body }));
	for (const operation of ['ask', 'askStreaming'] as const) {
		const { details } = await execute(assistant(operation, { question: 'q' }));
		expect(details).toMatchObject({ kind: 'truncated', outcome: 'started' });
		expect(JSON.stringify(details.partial)).toContain('word 919');
	}
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
		headers: { 'content-length': String(body.length) },
		body,
	}));
	const parameters = { mediaType: 'music', jobId: 'j-1', options: { maxSizeMib: 1 } };
	const { failure } = await execute(job('download', parameters));
	expect(failure).toMatch(/^The file is larger than 1 MiB/);
});

it('leaves the streams of Node as they are', () => {
	const { prototype } = Readable;
	expect(Object.getOwnPropertyDescriptor(prototype, Symbol.asyncIterator)).toMatchObject({
		writable: true,
	});
	expect(String(prototype[Symbol.asyncIterator])).toContain('streamToAsyncIterator');
});
