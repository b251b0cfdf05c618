import { decodeBody } from '../../../src/core/body';
import { createEventParser } from '../../../src/core/sse';
import fc from '../../support/fastCheck';
import { bytes, failureOf, response, split, type Answer } from '../inMemoryHttp';

async function eventsOf(answer: Answer) {
	const parser = createEventParser();
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

it.each([
	['event: a\ndata\n\n', [['a', '']]],
	['event: a\ndatax: 1\n\n', [['a', '']]],
	['event: a\nevent: b\n\n', [['b', '']]],
	['eventx: a\n\n', []],
	['event: a\n', [['a', '']]],
	['event: a', []],
	['event: a\ndata: 1', [['a', '1']]],
	['\ufeffdata: a\n\n', [[undefined, 'a']]],
	// the line that keeps an event without data leaves no trace
	['data: v\nevent: a\n\n', [['a', 'v']]],
	['event: a\nid: 1\ndata: v\n\n', [['a', 'v']]],
	['event: a\ndata: \ndata:\n\n', [['a', '\n']]],
	['event: a\ndata:\ndata: v\n\n', [['a', '\nv']]],
	['event: a\nevent: a\ndata: v\ndata: w\n\n', [['a', 'v\nw']]],
])('reads %j', async (text, expected) => {
	expect(await eventsOf({ chunks: [text] })).toEqual(expected);
});

it.each(['\n', '\r', '\r\n'])('gives the same at once and byte by byte, with %j', async (end) => {
	const whole = bytes(STREAM.replaceAll('\n', end));
	expect(await eventsOf({ chunks: [whole] })).toEqual(EVENTS);
	expect(await eventsOf({ chunks: split(whole, [...whole.keys()]) })).toEqual(EVENTS);
});

it('gives the same with line ends mixed, for any lines', async () => {
	const word = fc.constantFrom(
		...['data: a', 'data:', 'data', 'event: e', 'event', 'id: 1', ':', 'x', 'dat', '', ''],
	);
	const lines = fc.array(fc.tuple(word, fc.constantFrom('\n', '\r', '\r\n')));
	await fc.assert(
		fc.asyncProperty(lines, fc.array(fc.nat(200)), async (parts, at) => {
			const plain = parts.map(([text]) => `${text}\n`).join('');
			// "\r" followed by "\n" would be one line end
			const mixed = parts.map(
				([text, ending], index) => text + (parts[index + 1]?.[0] === '' ? '\r\n' : ending),
			);
			const whole = bytes(mixed.join(''));
			const places = at.filter((place) => place < whole.length);
			expect(await eventsOf({ chunks: split(whole, places) })).toEqual(
				await eventsOf({ chunks: [plain] }),
			);
		}),
	);
});

it('one endless event is cut', async () => {
	const chunks = Array(20).fill(`data: ${'x'.repeat(1024 * 1024)}`);
	expect(await failureOf(eventsOf({ chunks }))).toMatchObject({
		...{ kind: 'truncated', message: 'The answer stopped before its end' },
		details: { reason: 'one event grew past 16 MiB' },
	});
});

it('reads two hundred thousand lines in linear time', async () => {
	const chunks = Array<string>(20).fill('data: {"a":1}\n\n'.repeat(5000));
	expect(await eventsOf({ chunks })).toHaveLength(100_000);
});
