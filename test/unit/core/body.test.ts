import { createDecoder, readJson, readErrorResponse, readText } from '../../../src/core/body';
import { isErrorResponse } from '../../../src/core/http';
import fc from '../../support/fastCheck';
import { bytes, failureOf, json, response, split, type Answer } from '../inMemoryHttp';

const TEXT = 'aé€😀\ufeffz';

function textOf(chunks: Uint8Array[]) {
	const { decode } = createDecoder(response({ chunks }));
	return [...chunks, undefined].map((each) => decode(each)).join('');
}

it('decodes a text however it is split', () => {
	const whole = bytes(TEXT);
	const places = fc.array(fc.nat(whole.length));
	fc.assert(fc.property(places, (at) => expect(textOf(split(whole, at))).toBe(TEXT)));
});

it('drops byte order marks, and only at the start', () => {
	const marked = bytes('\ufeffa\ufeff');
	expect(textOf([marked])).toBe('a\ufeff');
	expect(textOf(split(marked, [1, 2]))).toBe('a\ufeff');
});

it('decodes another character set that is declared', async () => {
	const latin = { chunks: [Uint8Array.of(0xe9)] };
	const headers = { 'content-type': 'application/json; charset=ISO-8859-1' };
	expect(await readText(response({ ...latin, headers }))).toBe('é');
});

it('replaces what is no UTF-8, and never throws', () => {
	expect(textOf([new Uint8Array([0x61, 0xff, 0x62, 0xe2, 0x82])])).toBe('a\ufffdb\ufffd');
	fc.assert(
		fc.property(fc.array(fc.uint8Array()), (chunks) => {
			const text = textOf(chunks);
			expect(text.isWellFormed()).toBe(true);
		}),
	);
});

it('a text that ends within a character says so', async () => {
	const chunks = [new Uint8Array([0x61, 0xe2, 0x82])];
	expect(await readText(response({ chunks }))).toBe('a\ufffd');
});

it('a value comes back as it is', async () => {
	expect(await readJson(response(json({ a: [1, 'é'] })))).toEqual({ a: [1, 'é'] });
	expect(await readJson(response({ ...json(null), status: 201 }))).toBeNull();
});

it('a body that breaks off is cut, not garbled, and keeps its request ID', async () => {
	const broken = { chunks: ['{"a":1}'], breaks: true, headers: { 'x-request-id': 'r-1' } };
	expect(await failureOf(readJson(response(broken)))).toMatchObject({
		kind: 'truncated',
		details: { requestId: 'r-1', reason: 'The connection broke (aborted).' },
	});
});

it.each<[string, Answer, string]>([
	['an empty body', {}, 'The answer was empty.'],
	['204', { status: 204 }, 'The answer was empty.'],
	['cut JSON', { chunks: ['{"a":'] }, '{"a":'],
	['HTML', { chunks: ['<html>login'] }, 'An HTML page'],
	['two values', { chunks: ['{}{}'] }, '{}{}'],
	['too deep', { chunks: ['['.repeat(201) + ']'.repeat(201)] }, `${'['.repeat(200)}…`],
])('readJson of %s is garbled, and says what came', async (_name, answer, reason) => {
	expect(await failureOf(readJson(response(answer)))).toMatchObject({
		kind: 'malformed',
		message: 'The service answered in a form that cannot be read',
		details: { status: answer.status ?? 200, reason },
	});
});

it.each([[199], [301], [302], [400], [500]])('%d is refused', async (status) => {
	const answer = response(json({ error: { message: 'words', code: 'x' } }, { status }));
	expect(isErrorResponse(answer)).toBe(true);
	expect(await failureOf(readJson(answer))).toMatchObject({
		kind: 'refused',
		details: { status, reason: 'words', code: 'x' },
	});
});

it('a body over the limit is given up, a refusal is read as far as it came, and both are closed', async () => {
	let closed = 0;
	const endless = (status: number) =>
		response({ status, chunks: Array(100).fill('x'.repeat(1024 * 1024)) }, () => closed++);
	expect(await failureOf(readText(endless(200), 3 * 1024 * 1024))).toMatchObject({
		kind: 'malformed',
		details: { reason: 'more than 3 MiB' },
	});
	expect((await readErrorResponse(endless(500))).details.reason).toHaveLength(2001);
	expect(closed).toBe(2);
	const broken = response({ status: 502, chunks: ['proxy says no'], breaks: true });
	const details = { status: 502, reason: 'proxy says no' };
	expect((await readErrorResponse(broken)).details).toEqual(details);
});
