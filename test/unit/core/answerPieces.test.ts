import { createPieceReader } from '../../../src/core/answerPieces';
import { createDecoder } from '../../../src/core/body';
import { mapServiceError } from '../../../src/core/errors';
import type { AnswerPiece } from '../../../src/core/sse';
import { bytes, failureOf, response, split, typed, type Answer } from '../inMemoryHttp';
import publicStreams from './publicStreams.json';

/** `[event, value]` for an event with a name, otherwise the value alone. */
type Piece = unknown;
type Row = [type: string, body: string, ...pieces: Piece[]];

const SSE = 'text/event-stream';
const LINES = 'application/x-ndjson';
const JSON_TYPE = 'application/json';
const TEXT = 'text/plain';

/** The forms in which an answer may arrive: content type, body, and the pieces that are read from it. */
const rows: Record<string, Row[]> = {
	sse: [
		[SSE, 'data: {"a":1}\n\ndata: {"a":2}\n\n', { a: 1 }, { a: 2 }],
		[SSE, 'data: [{"a":1}]\n\n', [{ a: 1 }]],
		[SSE, 'event: x\ndata: {"a":1}\n\n', ['x', { a: 1 }]],
		[SSE, 'data: {"a":1}\nevent: x\n\n', ['x', { a: 1 }]],
		[SSE, 'event: x\n\nevent: finish\n', ['x', ''], ['finish', '']],
		[SSE, 'event: x\ndata\n\n', ['x', '']],
		[SSE, 'event: x\ndatax: 1\n\n', ['x', '']],
		[SSE, 'event: x\nevent: y\n\n', ['y', '']],
		[SSE, 'event: x\ndata: {}', ['x', {}]],
		[SSE, 'event: x\nid: 1\ndata: v\n\n', ['x', 'v']],
		[SSE, 'event: x\nevent: x\ndata: v\ndata: w\n\n', ['x', 'v\nw']],
		[SSE, 'error: {"error":"x"}\n\n', ['error', { error: 'x' }]],
		[SSE, 'data: {"a":1}\n\ndata: 7\n\ndata: null\n\n', { a: 1 }, 7, null],
		[SSE, 'data: {"a":1}\n\ndata: [DONE]\n\n', { a: 1 }, '[DONE]'],
		[SSE, 'data: "a "\n\ndata: "b"\n\n', 'a ', 'b'],
		[SSE, 'data: "a"\n\nevent: end\n\n', 'a', ['end', '']],
		[SSE, 'data: "a"\n\ndata: {"b":1}\n\n', 'a', { b: 1 }],
		[SSE, 'data: {\ndata: "a": 1}\n\n', { a: 1 }],
		// of a server that sends JSON over several lines, only the first begins with `data:`
		[
			SSE,
			'event: x\ndata: {\n  "a": [\n    1\n  ]\n}\n\nevent: y\ndata: {\n"b": 2\n}\n\n',
			['x', { a: [1] }],
			['y', { b: 2 }],
		],
		// events without a blank line between them, and one that goes on over lines
		[SSE, 'data: {"a":1}\ndata: {"a":2}\ndata: [DONE]\n', { a: 1 }, { a: 2 }, '[DONE]'],
		[SSE, 'data: {"a":[\ndata: {"b":1}]}\n\n', { a: [{ b: 1 }] }],
		[SSE, ': hi\n\n: ping\n\ndata: {"a":1}\n\n: hi\n\n', { a: 1 }],
		[SSE, 'data: a\n\ndata:  b\n\n', 'a', ' b'],
		[SSE, 'data: a\n\ndata:\ndata:\n\ndata: b\n\n', 'a', '\n', 'b'],
		[SSE, 'event: t\ndata: a\n\nevent: t\ndata:\ndata:\ndata:\n\n', ['t', 'a'], ['t', '\n\n']],
		[SSE, 'data: 5\n\ndata:  apples\n\n', '5', ' apples'],
		[SSE, 'data: a\n\ndata: {}\n\ndata: "b"\n\ndata: 5\n\n', 'a', '{}', '"b"', '5'],
		[SSE, 'data: Processing fees are 2 percent.\n\n', 'Processing fees are 2 percent.'],
		[SSE, 'data: 👍\n\n', '👍'],
		// what a text and JSON may begin with: the next event tells
		[SSE, 'data: []\n\ndata:  is empty\n\n', '[]', ' is empty'],
		[SSE, 'data: {}\n\ndata:  is empty\n\n', '{}', ' is empty'],
		[SSE, 'data: null\n\ndata:  is void\n\n', 'null', ' is void'],
		[SSE, 'data: "Yes"\n\ndata:  is a word\n\n', '"Yes"', ' is a word'],
		[SSE, 'data: {\n\ndata: "a"\n\ndata: : 1}\n\n', '{', '"a"', ': 1}'],
		[SSE, 'data: {"\n\ndata: a": 1}\n\n', '{"', 'a": 1}'],
		[SSE, 'data: []\n\ndata: {"a":1}\n\n', [], { a: 1 }],
		[SSE, 'data: null\n\nevent: message\ndata: {"a":1}\n\n', null, ['message', { a: 1 }]],
		[SSE, 'data: "a"\n\ndata: [DONE]\n\n', 'a', '[DONE]'],
		[SSE, 'event: x\ndata: {}\n\nevent: y\ndata: a\n\n', ['x', {}], ['y', 'a']],
		[SSE, 'data: a\n\nevent: end\ndata: {"tokens":12}\n\n', 'a', ['end', { tokens: 12 }]],
		[SSE, 'event: data\ndata: a\n\nevent: end\ndata: {}\n\n', ['data', 'a'], ['end', {}]],
		[SSE, 'event: data\ndata: a\n\nevent: end\ndata: null\n\n', ['data', 'a'], ['end', null]],
		[SSE, 'event: a\ndata: I\n\nevent: b\ndata: 5\n\n', ['a', 'I'], ['b', '5']],
		[SSE, 'event: t\ndata: f = \n\nevent: t\ndata: {}\n\n', ['t', 'f = '], ['t', '{}']],
		[SSE, 'data: f\n\nevent: message\ndata: []\n\n', 'f', ['message', '[]']],
		[SSE, 'event: metadata\ndata: {"run":1}\n\ndata: a\n\n', ['metadata', { run: 1 }], 'a'],
		[SSE, 'data: {"a":1}\n\nevent: ping\ndata: 12:30\n\n', { a: 1 }, ['ping', '12:30']],
		[SSE, 'data: {"a":1}\n\nevent: error\ndata: no\n\n', { a: 1 }, ['error', 'no']],
		[SSE, 'data: {"a":1}\n\nevent: finish\ndata: None\n\n', { a: 1 }, ['finish', 'None']],
		[JSON_TYPE, 'data: {"a":1}\n\n', { a: 1 }],
		['text/html', '\n\n  data: {"a":1}\n\n', { a: 1 }],
		['', '\ufeffdata: {"a":1}\n\n', { a: 1 }],
		['', 'data: a\n\ndata: b\n\n', 'a', 'b'],
		['text/html', 'event: t\ndata: a\n\n', ['t', 'a']],
		[TEXT, ': hi\n\nid: 1\ndata: {"a":1}\n\n', { a: 1 }],
		[TEXT, 'data: [DONE]', '[DONE]'],
		// a NUL in a comment says nothing of the answer
		[SSE, ': padding \0\n\ndata: {"a":1}\n\n', { a: 1 }],
		[TEXT, ': padding of a proxy \0\n\ndata: {"a":1}\n\n', { a: 1 }],
		[SSE, 'data: a\0b\n\n', 'a\0b'],
	],
	ndjson: [
		[LINES, '{"a":1}\n{"a":2}\n', { a: 1 }, { a: 2 }],
		[LINES, '{"a":1}\n', { a: 1 }],
		[LINES, '{"a":1}\n{"a":2}', { a: 1 }, { a: 2 }],
		['application/jsonl', '\n{"a":1}\r\n\r\n{"a":2}\r\n', { a: 1 }, { a: 2 }],
		[SSE, '{"a":1}\n{"a":2}\n', { a: 1 }, { a: 2 }],
		[TEXT, '{"a":1}\n{"a":2}\n', { a: 1 }, { a: 2 }],
		[LINES, '"a"\n7\nnull\n', 'a', 7, null],
	],
	json: [
		[JSON_TYPE, '{"a":1}', { a: 1 }],
		[JSON_TYPE, '{"a":1}\n', { a: 1 }],
		[TEXT, '{\n "a": 1\n}\n', { a: 1 }],
		['text/html', '\ufeff[1,\n2]', [1, 2]],
		[JSON_TYPE, '"a"', 'a'],
		[SSE, '\n\n\n{"a":1}', { a: 1 }],
	],
	text: [
		[TEXT, 'a\nb', 'a\nb'],
		['', 'a', 'a'],
		[TEXT, '\n a \n', '\n a \n'],
		[JSON_TYPE, 'Hello there', 'Hello there'],
		[TEXT, '[1] is a footnote\nand more', '[1] is a footnote\nand more'],
		[TEXT, '[1]\nand more', '[1]\nand more'],
		[TEXT, 'null\n\nis void', 'null\n\nis void'],
		[TEXT, '{curly} braces', '{curly} braces'],
		[TEXT, ':) Sure\n\nmore', ':) Sure\n\nmore'],
		['', ': a long first line\nand more of a text', ': a long first line\nand more of a text'],
		[TEXT, 'data: 5 rows were found\n\nThat is all.', 'data: 5 rows were found\n\nThat is all.'],
		['text/markdown', '<b>a</b>', '<b>a</b>'],
		// an example at its beginning
		[TEXT, '{"error":"x"}\n\nis an error', '{"error":"x"}\n\nis an error'],
		[TEXT, '{}\nis empty', '{}\nis empty'],
		[TEXT, '[]\nis empty', '[]\nis empty'],
		[TEXT, '[]', '[]'],
		[TEXT, '{}', '{}'],
		[TEXT, '"Yes," she said.', '"Yes," she said.'],
		[TEXT, 'error: {"error":"x"}\nis a line', 'error: {"error":"x"}\nis a line'],
		[TEXT, 'data: {"error":"x"}\nis a line\n', 'data: {"error":"x"}\nis a line\n'],
		['text/plain; charset=utf-8', 'null', 'null'],
	],
};
// examples of public documents, with their source
for (const { type, body, form, pieces } of publicStreams) rows[form]?.push([type, body, ...pieces]);

async function readPieces(answer: Answer, take: (piece: AnswerPiece) => void): Promise<void> {
	const given = response(answer);
	const { decode } = createDecoder(given);
	const reader = createPieceReader(given);
	const takeAll = (pieces: AnswerPiece[]) => {
		for (const piece of pieces) {
			if (piece.error) throw mapServiceError(piece.error);
			take(piece);
		}
	};
	const bytes = given.body[Symbol.asyncIterator]();
	for (;;) {
		const next = await bytes.next().catch(() => undefined);
		if (!next) return takeAll(reader.end(true));
		takeAll(reader.add(decode(next.done ? undefined : next.value)));
		if (next.done) return takeAll(reader.end(false));
	}
}

async function piecesOf(answer: Answer) {
	const pieces: Piece[] = [];
	const forms = new Set<string>();
	let text = '';
	await readPieces(answer, ({ form, event, value }) => {
		forms.add(form);
		// plain text arrives as it is sent, wherever it is cut
		if (form === 'text') text += String(value);
		else pieces.push(event ? [event, value] : value);
	});
	return { form: [...forms].join(), pieces: text ? [...pieces, text] : pieces };
}

describe.each(Object.entries(rows))('%s', (form, given) => {
	it.each(given)('(%s) %j', async (type, body, ...pieces) => {
		expect(await piecesOf(typed(type, body))).toEqual({ form, pieces });
		const encoded = bytes(body);
		const byteByByte = split(encoded, [...encoded.keys()]);
		expect(await piecesOf(typed(type, ...byteByByte))).toEqual({ form, pieces });
	});
});

const MIDDLE = 'The stream ended in the middle of an event.';
const HALF = 'The answer ended in the middle of JSON.';

it.each([
	[SSE, 'data: {"a":1}\n\ndata: b\n\n', 'An event could not be read: b'],
	[SSE, 'event: x\ndata: {"a":1}\n\nevent: x\ndata: {"a":', MIDDLE],
	[SSE, 'event: x\ndata: {"a":\n\n', 'An event could not be read: x {"a":'],
	[SSE, 'data: Hello\n\ndata: and so o', MIDDLE],
	[SSE, 'data: Hello\n\ndata: [DO', MIDDLE],
	[SSE, 'data: {"t":\n', 'An event could not be read: {"t":'],
	[LINES, '{"a":1}\nnonsense\n', 'A line could not be read: nonsense'],
	[LINES, '{"a":1}\n{"a":', 'A line could not be read: {"a":'],
	[JSON_TYPE, '{"a":', HALF],
	[TEXT, '{"a":', HALF],
])('of the type %s, %j is cut', async (type, body, reason) => {
	expect(await failureOf(piecesOf(typed(type, body)))).toMatchObject({
		kind: 'truncated',
		details: { reason, partial: { unread: expect.any(String) } },
	});
});

it.each([
	[TEXT, '', 'The answer was empty.'],
	[SSE, ' \n\n', 'The answer was empty.'],
	[SSE, ': ping\n\n: ping\n\n', 'No event arrived.'],
	[SSE, 'event: x', 'No event arrived.'],
	[SSE, 'Hello there', 'No event arrived.'],
	['text/html', '<p>Log in', 'An HTML page'],
	[SSE, '<!doctype html><title> Log\n in </title><p>', 'An HTML page: "Log in"'],
	[TEXT, '<?xml version="1.0"?><Error/>', 'An XML document'],
	[TEXT, ' '.repeat(100_000), 'The answer was empty.'],
	['application/octet-stream', 'PNG\0\0', 'PNG\0\0'],
])('of the type %s, %.50j is no answer', async (type, body, reason) => {
	expect(await failureOf(piecesOf(typed(type, body)))).toMatchObject({
		kind: 'malformed',
		details: { reason },
	});
});

it.each([
	['a first line', TEXT, '{"a":1}\n', [{ a: 1 }]],
	['a few letters', TEXT, 'Hi', ['Hi']],
	['half an event', SSE, 'data: a\n\ndata: b\n', ['a']],
])('%s is given when the connection breaks behind it', async (_what, type, body, pieces) => {
	expect(await piecesOf({ ...typed(type, body), breaks: true })).toMatchObject({ pieces });
});

it('reads ten thousand lines that come in small pieces in linear time', async () => {
	const line = `${JSON.stringify({ text: 'x'.repeat(200) })}\n`;
	const { pieces } = await piecesOf(typed(LINES, ...line.repeat(10_000).match(/[^]{1,64}/g)!));
	expect(pieces).toHaveLength(10_000);
});

it('looks at an event of many lines once, and not again for each of them', async () => {
	const parse = jest.spyOn(JSON, 'parse');
	const body = `data: [\n${'data: {},\n'.repeat(1000)}data: 1]\n\n`;
	const { pieces } = await piecesOf(typed(SSE, body));
	const looks = parse.mock.calls.length;
	parse.mockRestore();
	expect([pieces.length, looks]).toEqual([1, 2]);
});

/** Lines of a stream with every kind of field, and the events in it. */
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
	'data: last\n',
].join('\n');
const EVENTS = [['chat', { t: 'aé€😀' }], ['bare', ''], '', 'one\ntwo', ['finish', ''], 'last'];

it.each(['\n', '\r', '\r\n'])('gives the same at once and byte by byte, with %j', async (end) => {
	const whole = bytes(STREAM.replaceAll('\n', end));
	expect((await piecesOf(typed(SSE, whole))).pieces).toEqual(EVENTS);
	const byteByByte = split(whole, [...whole.keys()]);
	expect((await piecesOf(typed(SSE, ...byteByByte))).pieces).toEqual(EVENTS);
});
