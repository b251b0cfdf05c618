import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';

import { findFile, readFile } from '../../../src/n8n/binaryData';
import { failureOf, thrownBy } from '../inMemoryHttp';
import { executeContext } from './executeContext';

const MIB = 1024 * 1024;
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const WAV = Buffer.from('524946462400000057415645666d7420', 'hex');
const PDF = Buffer.from('%PDF-1.7\n');

const file = (bytes: Buffer, more: Partial<IBinaryData> = {}): IBinaryData => ({
	data: bytes.toString('base64'),
	mimeType: 'image/png',
	fileName: 'a.png',
	...more,
});

/** Items with these files in the field "data". */
const withFiles = (...files: IBinaryData[]) =>
	executeContext({ items: files.map((data) => ({ json: {}, binary: { data } })) });

/** A file whose bytes are not there, or other ones than n8n was told. */
const notRead = (data: Partial<IBinaryData>, read: () => Promise<Buffer> = jest.fn()) =>
	({
		getInputData: () => [{ json: {}, binary: { data } }],
		helpers: { getBinaryDataBuffer: read },
	}) as unknown as IExecuteFunctions;

it('finds a file without reading it', () => {
	const read = jest.fn();
	const n8n = notRead({ mimeType: 'text/csv', fileName: 'a.csv', bytes: 5 }, read);
	expect(findFile(n8n, 0, 'data', 'File')).toEqual({ mimeType: 'text/csv', fileName: 'a.csv' });
	expect(read).not.toHaveBeenCalled();
});

it.each([
	['www.example.com/p.png', true],
	['<https://example.com/p>', true],
	['\u200bhttps://example.com/p', true],
	[`example.com/${'p'.repeat(99)}`, true],
	['paper', false],
	['a'.repeat(99), false],
])('what is said of a file in %s', (name, isAddress) => {
	const { advice } = thrownBy(() => findFile(withFiles(file(PNG)), 0, name, 'File')).details;
	expect(advice?.startsWith('A URL begins with https://. It has files in: data.')).toBe(isAddress);
});

it.each([
	[0, { mimeType: 'image/png', fileName: 'a.png', base64: PNG.toString('base64') }],
	[1, { mimeType: 'application/pdf', fileName: 'b.pdf', base64: PDF.toString('base64') }],
])('item %i has its own files', async (itemIndex, expected) => {
	const n8n = withFiles(file(PNG), file(PDF, { mimeType: 'application/pdf', fileName: 'b.pdf' }));
	expect(await readFile(n8n, itemIndex, 'data', 'File')).toEqual(expected);
});

it.each([
	['File not found: workflows/1/executions/2/binary_data/3', true],
	["ENOENT: no such file or directory, open '/data/3'", true],
	['EACCES: permission denied', false],
])('a file that cannot be read: %s', async (message, isMissing) => {
	const n8n = notRead({ mimeType: 'text/csv', fileName: 'a.csv' }, async () => {
		throw new Error(message);
	});
	const { message: said, details } = await failureOf(readFile(n8n, 0, 'data', 'File'));
	expect(said).toBe('File: n8n could not read the file in "data"');
	const says = `It says: ${message}`;
	expect(details.advice).toEqual(isMissing ? expect.stringContaining(says) : says);
	expect(details.advice?.includes('N8N_STORAGE_PATH')).toBe(isMissing);
});

it.each<[string, object, object]>([
	['name', { fileName: undefined }, { mimeType: 'image/png', fileName: 'file' }],
	['name but an empty one', { fileName: '' }, { mimeType: 'image/png', fileName: 'file' }],
	['type', { mimeType: undefined }, { mimeType: 'application/octet-stream', fileName: 'a.png' }],
])('a file may have no %s', async (_field, more, found) => {
	const n8n = withFiles(file(PNG, more));
	expect(findFile(n8n, 0, 'data', 'File')).toEqual(found);
	expect(await readFile(n8n, 0, 'data', 'File')).toMatchObject({ ...found, mimeType: 'image/png' });
});

it.each([
	['what n8n was told is right', PNG, 'image/png', 'image/png'],
	['the bytes know better', PNG, 'image/jpeg', 'image/png'],
	['the bytes know better, of sound', WAV, 'audio/mpeg', 'audio/wav'],
	['the bytes know better, of a video', PNG, 'video/mp4', 'image/png'],
	['n8n was told nothing', PNG, 'binary/octet-stream', 'image/png'],
	[
		'nobody knows',
		Buffer.from('0102', 'hex'),
		'application/octet-stream',
		'application/octet-stream',
	],
	['the bytes tell nothing', Buffer.from('abc'), 'video/mp4', 'video/mp4'],
	['the bytes are a page', Buffer.from('<html>'), 'image/png', 'image/png'],
	['it is no media', PNG, 'application/x-thing', 'application/x-thing'],
	['it is a text', Buffer.from('a,b'), 'text/csv', 'text/csv'],
])('the type, where %s', async (_name, bytes, told, mimeType) => {
	const read = await readFile(withFiles(file(bytes, { mimeType: told })), 0, 'data', 'File');
	expect(read).toMatchObject({ mimeType, base64: bytes.toString('base64') });
});

it.each([
	[
		'no files',
		undefined,
		0,
		'It has no files at all: the node before this one must pass the file on.',
	],
	[
		'an empty list of files',
		{},
		0,
		'It has no files at all: the node before this one must pass the file on.',
	],
	['other files', { photo: file(PNG), scan: file(PNG) }, 0, 'It has files in: photo, scan.'],
	[
		'no such item',
		undefined,
		5,
		'It has no files at all: the node before this one must pass the file on.',
	],
])('%s: it says what there is', (_name, binary, itemIndex, advice) => {
	const n8n = executeContext({ items: [{ json: {}, ...(binary && { binary }) }] });
	const expected = {
		kind: 'invalid',
		message: 'Attachments 1: the input item has no file in "data"',
		details: { advice },
	};
	expect(() => findFile(n8n, itemIndex, 'data', 'Attachments 1')).toThrow(
		expect.objectContaining(expected),
	);
});

it.each(['constructor', 'toString', '__proto__'])('%s is no file of an item', (property) => {
	expect(() => findFile(withFiles(file(PNG)), 0, property, 'File')).toThrow(
		expect.objectContaining({ kind: 'invalid' }),
	);
});

it('an empty file is refused', async () => {
	const n8n = notRead({ mimeType: 'image/png' }, async () => Buffer.alloc(0));
	const message = 'File: the file in "data" is empty';
	expect(await failureOf(readFile(n8n, 0, 'data', 'File'))).toMatchObject({
		kind: 'invalid',
		message,
	});
});

const TOO_LARGE = {
	kind: 'invalid',
	message: 'File: the file is larger than 50 MiB',
	details: { advice: 'Put it where the service can read it, and give its address.' },
};

it('a file that is too large is refused before it is read', async () => {
	const read = jest.fn();
	const n8n = notRead({ mimeType: 'image/png', bytes: 50 * MIB + 1 }, read);
	expect(() => findFile(n8n, 0, 'data', 'File')).toThrow(expect.objectContaining(TOO_LARGE));
	expect(await failureOf(readFile(n8n, 0, 'data', 'File'))).toMatchObject(TOO_LARGE);
	expect(read).not.toHaveBeenCalled();
	expect(findFile(notRead({ mimeType: 'a/b', bytes: 50 * MIB }), 0, 'data', 'File')).toEqual({
		mimeType: 'a/b',
		fileName: 'file',
	});
});

it('a file that is larger than n8n was told is refused', async () => {
	const n8n = notRead({ mimeType: 'image/png', bytes: 1 }, async () => Buffer.alloc(50 * MIB + 1));
	expect(await failureOf(readFile(n8n, 0, 'data', 'File'))).toMatchObject(TOO_LARGE);
});
