import { decodeBody } from '../../../src/core/body';
import { createEventParser } from '../../../src/core/sse';
import fc from '../../support/fastCheck';
import { bytes, failureOf, response, split, type Answer } from '../inMemoryHttp';

async function eventsOf(answer: Answer) {
	const parser = createEventParser(300_000);
	const found: Array<[string | undefined, string]> = [];
	const take = (events: ReturnType<typeof parser.add>) =>
		found.push(...events.map(({ event, data }) => [event, data] as [string | undefined, string]));
	for await (const text of decodeBody(response(answer)).chunks) take(parser.add(text));
	take(parser.finish());
	return found;
}

const STREAM = [
	': a comment',
	'',
	'event: chat',
	'data: {"t":"aé€😀"}',
	'id: 7',
	'',
	'event: bare',
	'',
	'data',
	'',
	'data: one',
	'data: two',
	'',
	'retry: 3000',
	'',
	'event:finish',
	'',
	'data: last',
].join('\n');

const EVENTS = [
	['chat', '{"t":"aé€😀"}'],
	['bare', ''],
	[undefined, ''],
	[undefined, 'one\ntwo'],
	['finish', ''],
	[undefined, 'last'],
];

it('reads every event, the last one without its blank line too', async () => {
	expect(await eventsOf({ chunks: [STREAM] })).toEqual(EVENTS);
});

it.each([
	['event: a\ndata\n\n', [['a', '']]],
	['event: a\ndata:\n\n', [['a', '']]],
	['event: a\ndatax: 1\n\n', [['a', '']]],
	[
		'event: a\ndata: 1\n\nevent: b\n\n',
		[
			['a', '1'],
			['b', ''],
		],
	],
	[
		'event: a\n\ndata: 1\n\n',
		[
			['a', ''],
			[undefined, '1'],
		],
	],
	['event: a\nevent: b\n\n', [['b', '']]],
	['eventx: a\n\n', []],
	['event: a\n', [['a', '']]],
	['event: a', []],
	['event: a\ndata: 1', [['a', '1']]],
])('reads %j', async (text, expected) => {
	expect(await eventsOf({ chunks: [text] })).toEqual(expected);
});

it('gives the same however the bytes are split and the lines end', async () => {
	const line = fc.constantFrom('\n', '\r', '\r\n');
	await fc.assert(
		fc.asyncProperty(
			line,
			fc.infiniteStream(fc.nat(400)),
			fc.nat(60),
			async (end, places, count) => {
				const whole = bytes(STREAM.replaceAll('\n', end));
				const at = [...places.take(count)].map((place) => place % whole.length);
				expect(await eventsOf({ chunks: split(whole, at) })).toEqual(EVENTS);
			},
		),
	);
});

it.each([['\n'], ['\r'], ['\r\n']])('gives the same byte by byte with %j', async (end) => {
	const whole = bytes(STREAM.replaceAll('\n', end));
	expect(await eventsOf({ chunks: split(whole, [...whole.keys()]) })).toEqual(EVENTS);
});

it('gives the same with line ends mixed, for any lines', async () => {
	const word = fc.constantFrom(
		'data: a',
		'data:',
		'data',
		'event: e',
		'event',
		'id: 1',
		':',
		'x',
		'dat',
		'',
		'',
	);
	const end = fc.constantFrom('\n', '\r', '\r\n');
	const lines = fc.array(fc.tuple(word, end));
	await fc.assert(
		fc.asyncProperty(lines, fc.array(fc.nat(200)), async (parts, at) => {
			const plain = parts.map(([text]) => `${text}\n`).join('');
			// "\r" followed by "\n" would be one line end
			const mixed = parts
				.map(([text, ending], index) => text + (parts[index + 1]?.[0] === '' ? '\r\n' : ending))
				.join('');
			const whole = bytes(mixed);
			const places = at.filter((place) => place < whole.length);
			expect(await eventsOf({ chunks: split(whole, places) })).toEqual(
				await eventsOf({ chunks: [plain] }),
			);
		}),
	);
});

it('drops a byte order mark', async () => {
	expect(await eventsOf({ chunks: ['\ufeffdata: a\n\n'] })).toEqual([[undefined, 'a']]);
});

it('throws nothing but ServiceError on random bytes', async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(fc.uint8Array()), fc.boolean(), async (chunks, breaks) => {
			const read = eventsOf({ chunks, breaks });
			if (breaks) expect((await failureOf(read)).kind).toBe('truncated');
			else expect(Array.isArray(await read)).toBe(true);
		}),
	);
});

it.each<[string, Answer, string]>([
	[
		'one endless event',
		{ chunks: Array(20).fill(`data: ${'x'.repeat(1024 * 1024)}`) },
		'one event grew past 16 MiB',
	],
	['a broken connection', { chunks: ['data: a'], breaks: true }, 'The connection broke (aborted).'],
])('%s is cut', async (_name, answer, reason) => {
	expect(await failureOf(eventsOf(answer))).toMatchObject({
		kind: 'truncated',
		message: 'The answer stopped before its end',
		details: { reason },
	});
});

it('nothing but comments is cut after the idle timeout', async () => {
	const parser = createEventParser(40);
	expect(parser.add(': alive\n')).toEqual([]);
	await new Promise((resolve) => setTimeout(resolve, 60));
	expect(() => parser.add(': alive\n')).toThrow(
		expect.objectContaining({
			kind: 'truncated',
			details: { reason: 'only keep-alive messages for 0.04 s' },
		}),
	);
});

it.each([
	['data: v\nevent: a\n\n', 'v'],
	['event: a\nid: 1\ndata: v\n\n', 'v'],
	['event: a\ndata: \ndata:\n\n', '\n'],
	['event: a\ndata:\ndata: v\n\n', '\nv'],
	['event: a\nevent: a\ndata: v\ndata: w\n\n', 'v\nw'],
])('the line that keeps an event without data leaves no trace: %j', async (text, data) => {
	expect(await eventsOf({ chunks: [text] })).toEqual([['a', data]]);
});

it('reads two hundred thousand lines in linear time', async () => {
	const chunks = Array<string>(20).fill('data: {"a":1}\n\n'.repeat(5000));
	expect(await eventsOf({ chunks })).toHaveLength(100_000);
});
