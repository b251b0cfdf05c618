import fc from 'fast-check';

import { isRefusal } from '../../../src/service/http';
import { decoded, peeked, readJson, readRefusal, readText } from '../../../src/service/readBody';
import { bytes, failureOf, json, response, split, type Answer } from '../inMemoryHttp';

const TEXT = 'aé€😀\ufeffz';

async function textOf(chunks: Uint8Array[]): Promise<string> {
	let text = '';
	for await (const piece of decoded(response({ chunks }).body)) text += piece;
	return text;
}

it('decodes a text however it is split', async () => {
	const whole = bytes(TEXT);
	const places = fc.array(fc.nat(whole.length));
	await fc.assert(
		fc.asyncProperty(places, async (at) => expect(await textOf(split(whole, at))).toBe(TEXT)),
		{ numRuns: 2000 },
	);
});

it('drops one byte order mark, and only at the start', async () => {
	expect(await textOf([new Uint8Array([0xef]), new Uint8Array([0xbb, 0xbf]), bytes('a')])).toBe(
		'a',
	);
	expect(await textOf([bytes('\ufeff\ufeffa\ufeff')])).toBe('\ufeffa\ufeff');
});

it('replaces what is no UTF-8, and never throws', async () => {
	expect(await textOf([new Uint8Array([0x61, 0xff, 0x62, 0xe2, 0x82])])).toBe('a\ufffdb\ufffd');
	await fc.assert(
		fc.asyncProperty(fc.array(fc.uint8Array()), async (chunks) => {
			const text = await textOf(chunks);
			expect(text.isWellFormed()).toBe(true);
		}),
		{ numRuns: 2000 },
	);
});

it('a value comes back as it is', async () => {
	expect(await readJson(response(json({ a: [1, 'é'] })))).toEqual({ a: [1, 'é'] });
	expect(await readJson(response({ ...json(null), status: 201 }))).toBeNull();
});

it('a body that breaks off keeps its request ID', async () => {
	const broken = { chunks: ['{"a"'], breaks: true, headers: { 'x-request-id': 'r-1' } };
	expect(await failureOf(readJson(response(broken)))).toMatchObject({
		kind: 'cut',
		details: { requestId: 'r-1' },
	});
});

it.each<[string, Answer, string]>([
	['nothing', {}, ''],
	['blanks', { chunks: [' ', '\r\n\t'] }, ''],
	['a byte order mark', { chunks: ['\ufeff', ' {"a":', '1}'] }, '{'],
	['an event', { chunks: ['\n', 'data: a'] }, 'd'],
	['what breaks at once', { breaks: true }, ''],
])('a body of %s can be looked at and is still whole', async (_what, answer, first) => {
	const read = async (body: AsyncIterable<Uint8Array>) => {
		let text = '';
		try {
			for await (const chunk of body) text += new TextDecoder().decode(chunk, { stream: true });
		} catch {
			text += ' broken';
		}
		return text;
	};
	const seen = await peeked(response(answer).body);
	expect(seen.first).toBe(first);
	expect(await read(seen.body)).toBe(await read(response(answer).body));
});

it('leaving a body that was looked at closes it', async () => {
	let closed = 0;
	const { body } = await peeked(response({ chunks: ['a', 'b'] }, () => closed++).body);
	for await (const chunk of body) {
		expect(chunk).toHaveLength(1);
		break;
	}
	expect(closed).toBe(1);
});

it.each<[string, Answer, string]>([
	['an empty body', {}, 'The answer was empty.'],
	['204', { status: 204 }, 'The answer was empty.'],
	['cut JSON', { chunks: ['{"a":'] }, '{"a":'],
	['HTML', { chunks: ['<html>login'] }, '<html>login'],
	['two values', { chunks: ['{}{}'] }, '{}{}'],
	['too deep', { chunks: ['['.repeat(201) + ']'.repeat(201)] }, `${'['.repeat(200)}…`],
])('readJson of %s is garbled, and says what came', async (_name, answer, reason) => {
	expect(await failureOf(readJson(response(answer)))).toMatchObject({
		kind: 'garbled',
		message: 'The service answered in a form that cannot be read',
		details: { status: answer.status ?? 200, reason },
	});
});

it('readJson of a broken connection is cut, not garbled', async () => {
	const broken = response({ chunks: ['{"a":1}'], breaks: true });
	expect(await failureOf(readJson(broken))).toMatchObject({
		kind: 'cut',
		details: { reason: 'The connection broke (aborted).' },
	});
});

it.each([[199], [301], [302], [400], [500]])('%d is refused', async (status) => {
	const answer = response(json({ error: { message: 'words', code: 'x' } }, { status }));
	expect(isRefusal(answer)).toBe(true);
	expect(await failureOf(readJson(answer))).toMatchObject({
		kind: 'refused',
		details: { status, reason: 'words', code: 'x' },
	});
});

it('a body over the limit is given up, and its connection closed', async () => {
	let closed = false;
	const endless = response(
		{ chunks: Array(100).fill('x'.repeat(1024 * 1024)) },
		() => (closed = true),
	);
	expect(await failureOf(readText(endless, 3 * 1024 * 1024))).toMatchObject({
		kind: 'garbled',
		details: { reason: 'more than 3 MiB' },
	});
	expect(closed).toBe(true);
});

it('a refusal is read as far as it came', async () => {
	const broken = response({ status: 502, chunks: ['proxy says no'], breaks: true });
	expect((await readRefusal(broken)).details).toEqual({ status: 502, reason: 'proxy says no' });
});

it('a refusal without end is not read to its end', async () => {
	let closed = false;
	const endless = response(
		{ status: 500, chunks: Array(5000).fill('x'.repeat(1024)) },
		() => (closed = true),
	);
	expect((await readRefusal(endless)).details.reason).toHaveLength(2001);
	expect(closed).toBe(true);
});
