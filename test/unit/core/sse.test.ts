import { readEvents } from '../../../src/core/sse';
import fc from '../../support/fastCheck';
import { bytes, failureOf, response, split, type Answer } from '../inMemoryHttp';

async function eventsOf(answer: Answer, allowEmptyData = false) {
	const found: Array<[string | undefined, string]> = [];
	for await (const { event, data } of readEvents(response(answer), { allowEmptyData })) {
		found.push([event, data]);
	}
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
	expect(await eventsOf({ chunks: [STREAM] }, true)).toEqual(EVENTS);
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
	expect(await eventsOf({ chunks: [text] }, true)).toEqual(expected);
});

it('leaves out events without data unless they are asked for', async () => {
	const withData = EVENTS.filter(([event]) => event !== 'bare' && event !== 'finish');
	expect(await eventsOf({ chunks: [STREAM] })).toEqual(withData);
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
				expect(await eventsOf({ chunks: split(whole, at) }, true)).toEqual(EVENTS);
			},
		),
	);
});

it.each([['\n'], ['\r'], ['\r\n']])('gives the same byte by byte with %j', async (end) => {
	const whole = bytes(STREAM.replaceAll('\n', end));
	expect(await eventsOf({ chunks: split(whole, [...whole.keys()]) }, true)).toEqual(EVENTS);
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
			expect(await eventsOf({ chunks: split(whole, places) }, true)).toEqual(
				await eventsOf({ chunks: [plain] }, true),
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
			const read = eventsOf({ chunks, breaks }, true);
			if (breaks) expect((await failureOf(read)).kind).toBe('truncated');
			else expect(Array.isArray(await read)).toBe(true);
		}),
	);
});

it('closes the connection when the reader leaves', async () => {
	let closed = false;
	const answer = response(
		{ chunks: ['data: a\n\ndata: b\n\n', 'data: c\n\n'] },
		() => (closed = true),
	);
	for await (const { data } of readEvents(answer)) if (data === 'a') break;
	expect(closed).toBe(true);
});

it.each<[string, Answer, string]>([
	[
		'one endless event',
		{ chunks: Array(20).fill(`data: ${'x'.repeat(1024 * 1024)}`) },
		'one event grew past 16 MiB',
	],
	[
		'an endless stream',
		{ chunks: Array(70).fill(`data: ${'x'.repeat(1024 * 1024)}\n\n`) },
		'the stream grew past 64 MiB',
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
	async function* comments() {
		for (;;) {
			await new Promise((resolve) => setTimeout(resolve, 5));
			yield bytes(': alive\n');
		}
	}
	const read = async () => {
		await readEvents({ body: comments(), idleTimeout: 40 }).next();
	};
	expect(await failureOf(read())).toMatchObject({
		kind: 'truncated',
		details: { reason: 'only keep-alive messages for 0.04 s' },
	});
});

it('reads two hundred thousand lines in linear time', async () => {
	const chunks = Array<string>(20).fill('data: {"a":1}\n\n'.repeat(5000));
	expect(await eventsOf({ chunks }, true)).toHaveLength(100_000);
});
