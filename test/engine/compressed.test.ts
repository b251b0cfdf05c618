import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';

import { contraryForTests, type Said } from './contrary';
import { agent, CARRY_ON, chat, job } from './rig/calls';
import { useFileStore, type FileStore } from './rig/binaryStores';
import { run, type RunOptions } from './rig/run';

// no compression is asked for, and not every service listens: n8n undoes it, and its length is then that of the compressed bytes
const service = contraryForTests();
let store: FileStore;
beforeEach(async () => (store = await useFileStore()));
afterEach(() => store.remove());

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Of random bytes, which compression makes longer. */
const FILE = Buffer.concat([PNG, randomBytes(100_000)]);
const TEXT = Array.from({ length: 5000 }, (_, at) => `word ${(at * 7919) % 1000}`).join(' ');

const ways: Array<[string, (data: Buffer) => Buffer]> = [
	['gzip', gzipSync],
	['x-gzip', gzipSync],
	['deflate', deflateSync],
	['br', brotliCompressSync],
	['zstd', zstdCompressSync],
];
const lengthOf = (bytes: number) => ({ 'content-length': String(bytes) });

const answered = (type: string, encoding: string, body: Buffer | string, headers = {}) => {
	const said: Said = { type, headers: { 'content-encoding': encoding, ...headers }, body };
	service.answer(({ url }) => (url === '/v1/models' ? undefined : said));
};
const execute = async (what: Pick<RunOptions, 'node' | 'parameters' | 'credential'>) => {
	const settings = CARRY_ON;
	const { items, failed, error } = await run({ ...what, secrets: service.secrets, settings });
	expect(error).toBeUndefined();
	const details = failed[0]?.json['details'] as { kind: string; partial?: { text?: string } };
	return { json: items[0]?.json, details, failure: failed[0]?.json['error'] };
};
const send = () => execute(agent({ message: 'hello' }));
const download = () => execute(job('download', { mediaType: 'music', jobId: 'j-1' }));

describe.each(ways)('%s', (encoding, compress) => {
	it.each([true, false])('is undone, its length told: %s', async (told) => {
		const text = compress(Buffer.from(TEXT));
		answered('text/plain', encoding, text, told && lengthOf(text.length));
		expect((await send()).json).toMatchObject({ output: TEXT, complete: true });
		const file = compress(FILE);
		answered('image/png', encoding, file, told && lengthOf(file.length));
		const { json } = await download();
		expect(json).toMatchObject({ file: { bytes: FILE.length, mimeType: 'image/png' } });
		const [stored = ''] = store.files().filter((path) => !path.endsWith('.metadata'));
		expect(readFileSync(stored).equals(FILE)).toBe(true);
	});
});

describe('whose connection breaks', () => {
	/** Half of it: the connection ends before the length that was told. */
	const breakOff = (type: string, whole: Buffer) =>
		answered(type, 'gzip', whole.subarray(0, whole.length >> 1), {
			...lengthOf(whole.length),
			connection: 'close',
		});

	it('a text is cut, and what came is kept', async () => {
		breakOff('text/plain', gzipSync(TEXT));
		const { details } = await send();
		expect(details).toMatchObject({ kind: 'truncated', outcome: 'started' });
		expect(TEXT.startsWith(details.partial?.text ?? 'none')).toBe(true);
	});

	it('a file is not stored', async () => {
		breakOff('image/png', gzipSync(FILE));
		const { details, failure } = await download();
		expect(failure).toMatch(/^The file was not downloaded completely/);
		expect([details.kind, store.files()]).toEqual(['failed', []]);
	}, 20_000);

	it('a stream without its end mark is cut; what breaks behind the mark takes nothing away', async () => {
		const stream = (words: string) =>
			`data: {"choices":[{"delta":{"content":"${words}"}}]}\n\ndata: [DONE]\n\n`;
		const whole = gzipSync(stream(TEXT));
		answered('text/event-stream', 'gzip', whole.subarray(0, whole.length >> 1));
		expect((await execute(chat('hello'))).details).toMatchObject({ kind: 'truncated' });
		answered('text/event-stream', 'gzip', gzipSync(stream('a') + TEXT).subarray(0, -100));
		expect((await execute(chat('hello'))).json).toMatchObject({ output: 'a', complete: true });
	});
});

it.each(['gzip, br', 'lz4'])(
	'what n8n does not undo (%s) is no answer, and no file',
	async (by) => {
		answered('text/plain', by, gzipSync(brotliCompressSync(TEXT)));
		expect((await send()).details).toMatchObject({ kind: 'malformed', outcome: 'unknown' });
		expect((await download()).details).toMatchObject({ kind: 'malformed' });
		expect(store.files()).toEqual([]);
	},
);

it.each(['identity', 'utf-8'])('an encoding that is none (%j) changes nothing', async (none) => {
	answered('text/plain', none, 'hello');
	expect((await send()).json).toMatchObject({ output: 'hello', complete: true });
});
