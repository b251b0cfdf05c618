import { readAnswer } from '../../../src/core/answerReader';
import fc from '../../support/fastCheck';
import { bytes, failureOf, response, split, type Answer } from '../inMemoryHttp';
import publicStreams from './publicStreams.json';

// The forms in which an answer may arrive, as data: content type, body, and the pieces that are read from it.

/** `[event, value]` for an event with a name, otherwise the value alone. */
type Piece = unknown;
type Row = [what: string, type: string, body: string, form: string, pieces: Piece[]];

const SSE = 'text/event-stream';
const LINES = 'application/x-ndjson';
const JSON_TYPE = 'application/json';
const TEXT = 'text/plain';

const rows: Row[] = [
	// JSON events
	['objects', SSE, 'data: {"a":1}\n\ndata: {"a":2}\n\n', 'sse', [{ a: 1 }, { a: 2 }]],
	['lists', SSE, 'data: [{"a":1}]\n\n', 'sse', [[{ a: 1 }]]],
	['named objects', SSE, 'event: x\ndata: {"a":1}\n\n', 'sse', [['x', { a: 1 }]]],
	['a name after the data', SSE, 'data: {"a":1}\nevent: x\n\n', 'sse', [['x', { a: 1 }]]],
	[
		'names without data',
		SSE,
		'event: x\n\nevent: finish\n',
		'sse',
		[
			['x', ''],
			['finish', ''],
		],
	],
	[
		'numbers and null within JSON',
		SSE,
		'data: {"a":1}\n\ndata: 7\n\ndata: null\n\n',
		'sse',
		[{ a: 1 }, 7, null],
	],
	['an end mark', SSE, 'data: {"a":1}\n\ndata: [DONE]\n\n', 'sse', [{ a: 1 }, '[DONE]']],
	['texts', SSE, 'data: "a "\n\ndata: "b"\n\n', 'sse', ['a ', 'b']],
	['one text', SSE, 'data: "a"\n\n', 'sse', ['a']],
	['one text and an end mark', SSE, 'data: "a"\n\ndata: [DONE]\n\n', 'sse', ['a', '[DONE]']],
	['one text and a name', SSE, 'data: "a"\n\nevent: end\n\n', 'sse', ['a', ['end', '']]],
	['a text, then objects', SSE, 'data: "a"\n\ndata: {"b":1}\n\n', 'sse', ['a', { b: 1 }]],
	['one value over several lines', SSE, 'data: {\ndata: "a": 1}\n\n', 'sse', [{ a: 1 }]],
	[
		'no blank line between',
		SSE,
		'data: {"a":1}\ndata: {"a":2}\ndata: [DONE]\n',
		'sse',
		[{ a: 1 }, { a: 2 }, '[DONE]'],
	],
	['a field name of a proxy', SSE, 'data: data: {"a":1}\n\n', 'sse', [{ a: 1 }]],
	['comments', SSE, ': hi\n\n: ping\n\ndata: {"a":1}\n\n: hi\n\n', 'sse', [{ a: 1 }]],
	// events with plain words
	['words', SSE, 'data: a\n\ndata:  b\n\n', 'sse', ['a', ' b']],
	['words of several lines', SSE, 'data: a\ndata: b\n\n', 'sse', ['a\nb']],
	['a line break', SSE, 'data: a\n\ndata:\ndata:\n\ndata: b\n\n', 'sse', ['a', '\n', 'b']],
	[
		'two line breaks under a name',
		SSE,
		'event: t\ndata: a\n\nevent: t\ndata:\ndata:\ndata:\n\n',
		'sse',
		[
			['t', 'a'],
			['t', '\n\n'],
		],
	],
	['numbers first', SSE, 'data: 5\n\ndata:  apples\n\n', 'sse', ['5', ' apples']],
	[
		'words, then what is JSON',
		SSE,
		'data: a\n\ndata: {}\n\ndata: "b"\n\ndata: 5\n\n',
		'sse',
		['a', '{}', '"b"', '5'],
	],
	['words in quotes first', SSE, 'data: "Hello"\n\ndata:  world\n\n', 'sse', ['"Hello"', ' world']],
	[
		'words in quotes around a ping',
		SSE,
		'data: "a"\n\nevent: ping\ndata: {}\n\ndata:  b\n\n',
		'sse',
		[['ping', {}], '"a"', ' b'],
	],
	[
		'a short answer',
		SSE,
		'data: Processing fees are 2 percent.\n\n',
		'sse',
		['Processing fees are 2 percent.'],
	],
	['a mark', SSE, 'data: 👍\n\n', 'sse', ['👍']],
	[
		'a word that some take for a sign of life',
		SSE,
		'data: ok\n\ndata: [DONE]\n\n',
		'sse',
		['ok', '[DONE]'],
	],
	[
		'token counts at the end',
		SSE,
		'data: a\n\nevent: end\ndata: {"tokens":12}\n\n',
		'sse',
		['a', ['end', { tokens: 12 }]],
	],
	[
		'nothing at the end',
		SSE,
		'event: data\ndata: a\n\nevent: end\ndata: {}\n\n',
		'sse',
		[
			['data', 'a'],
			['end', {}],
		],
	],
	[
		'null at the end',
		SSE,
		'event: data\ndata: a\n\nevent: end\ndata: null\n\n',
		'sse',
		[
			['data', 'a'],
			['end', null],
		],
	],
	['a number at the end', SSE, 'data: a\n\nevent: end\ndata: 12\n\n', 'sse', ['a', ['end', 12]]],
	[
		'a number among words of another name',
		SSE,
		'event: a\ndata: I\n\nevent: b\ndata: 5\n\n',
		'sse',
		[
			['a', 'I'],
			['b', '5'],
		],
	],
	[
		'words of code',
		SSE,
		'event: t\ndata: f = \n\nevent: t\ndata: {}\n\n',
		'sse',
		[
			['t', 'f = '],
			['t', '{}'],
		],
	],
	[
		'code in events of the usual name',
		SSE,
		'data: f\n\nevent: message\ndata: []\n\n',
		'sse',
		['f', ['message', '[]']],
	],
	[
		'metadata in JSON first',
		SSE,
		'event: metadata\ndata: {"run":1}\n\ndata: a\n\n',
		'sse',
		[['metadata', { run: 1 }], 'a'],
	],
	[
		'a ping with words within JSON',
		SSE,
		'data: {"a":1}\n\nevent: ping\ndata: 12:30\n\n',
		'sse',
		[{ a: 1 }, ['ping', '12:30']],
	],
	[
		'an error with words within JSON',
		SSE,
		'data: {"a":1}\n\nevent: error\ndata: no\n\n',
		'sse',
		[{ a: 1 }, ['error', 'no']],
	],
	// events under another type
	['events as JSON', JSON_TYPE, 'data: {"a":1}\n\n', 'sse', [{ a: 1 }]],
	['events behind white space', 'text/html', '\n\n  data: {"a":1}\n\n', 'sse', [{ a: 1 }]],
	['events behind a byte order mark', '', '\ufeffdata: {"a":1}\n\n', 'sse', [{ a: 1 }]],
	['words without a type', '', 'data: a\n\ndata: b\n\n', 'sse', ['a', 'b']],
	['named words as a page', 'text/html', 'event: t\ndata: a\n\n', 'sse', [['t', 'a']]],
	['comments first', TEXT, ': hi\n\nid: 1\ndata: {"a":1}\n\n', 'sse', [{ a: 1 }]],
	['an end mark alone', TEXT, 'data: [DONE]', 'sse', ['[DONE]']],
	// JSON lines
	['lines', LINES, '{"a":1}\n{"a":2}\n', 'ndjson', [{ a: 1 }, { a: 2 }]],
	['one line', LINES, '{"a":1}\n', 'ndjson', [{ a: 1 }]],
	['the last line without its end', LINES, '{"a":1}\n{"a":2}', 'ndjson', [{ a: 1 }, { a: 2 }]],
	[
		'blank lines',
		'application/jsonl',
		'\n{"a":1}\r\n\r\n{"a":2}\r\n',
		'ndjson',
		[{ a: 1 }, { a: 2 }],
	],
	[
		'record separators',
		'application/json-seq',
		'\x1e{"a":1}\n\x1e{"a":2}\n',
		'ndjson',
		[{ a: 1 }, { a: 2 }],
	],
	['lines as events', SSE, '{"a":1}\n{"a":2}\n', 'ndjson', [{ a: 1 }, { a: 2 }]],
	['lines as text', TEXT, '{"a":1}\n{"a":2}\n', 'ndjson', [{ a: 1 }, { a: 2 }]],
	['scalar lines', LINES, '"a"\n7\nnull\n', 'ndjson', ['a', 7, null]],
	// one JSON body
	['an object', JSON_TYPE, '{"a":1}', 'json', [{ a: 1 }]],
	['an object and a line end', JSON_TYPE, '{"a":1}\n', 'json', [{ a: 1 }]],
	['an object over several lines', TEXT, '{\n "a": 1\n}\n', 'json', [{ a: 1 }]],
	['a list as a page', 'text/html', '\ufeff[1,\n2]', 'json', [[1, 2]]],
	['a text', JSON_TYPE, '"a"', 'json', ['a']],
	['an object behind blank lines', SSE, '\n\n\n{"a":1}', 'json', [{ a: 1 }]],
	// plain text
	['a text', TEXT, 'a\nb', 'text', ['a\nb']],
	['a letter', '', 'a', 'text', ['a']],
	['white space around it', TEXT, '\n a \n', 'text', ['\n a \n']],
	['a text as JSON', JSON_TYPE, 'Hello there', 'text', ['Hello there']],
	['a text as events', SSE, 'Hello there', 'text', ['Hello there']],
	['a footnote', TEXT, '[1] is a footnote\nand more', 'text', ['[1] is a footnote\nand more']],
	['a footnote in a line of its own', TEXT, '[1]\nand more', 'text', ['[1]\nand more']],
	['curly braces', TEXT, '{curly} braces', 'text', ['{curly} braces']],
	['a smiley', TEXT, ':) Sure\n\nmore', 'text', [':) Sure\n\nmore']],
	[
		'data in words',
		TEXT,
		'data: 5 rows were found\n\nThat is all.',
		'text',
		['data: 5 rows were found\n\nThat is all.'],
	],
	['some markup', 'text/markdown', '<b>a</b>', 'text', ['<b>a</b>']],
];

// Examples of public documents, with their source.
rows.push(
	...publicStreams.map(
		({ what, type, body, form, pieces }): Row => [what, type, body, form, pieces],
	),
);

async function piecesOf(answer: Answer) {
	const pieces: Piece[] = [];
	const forms = new Set<string>();
	let text = '';
	for await (const batch of readAnswer(response(answer)))
		for (const { form, event, value } of batch) {
			forms.add(form);
			// plain text arrives as it is sent, wherever it is cut
			if (form === 'text') text += String(value);
			else pieces.push(event ? [event, value] : value);
		}
	return { form: [...forms].join(), pieces: text ? [...pieces, text] : pieces };
}

const answerOf = (type: string, ...chunks: Array<string | Uint8Array>): Answer => ({
	headers: { 'content-type': type },
	chunks,
});

it.each(rows)('%s (%s, %j)', async (_what, type, body, form, pieces) => {
	expect(await piecesOf(answerOf(type, body))).toEqual({ form, pieces });
	const encoded = bytes(body);
	const byteByByte = split(encoded, [...encoded.keys()]);
	expect(await piecesOf(answerOf(type, ...byteByByte))).toEqual({ form, pieces });
});

it('reads the same however the bytes are split', async () => {
	const places = fc.array(fc.nat(60), { maxLength: 6 });
	await fc.assert(
		fc.asyncProperty(fc.constantFrom(...rows), places, async ([, type, body, form, pieces], at) => {
			const chunks = split(
				bytes(body),
				at.filter((place) => place < bytes(body).length),
			);
			expect(await piecesOf(answerOf(type, ...chunks))).toEqual({ form, pieces });
		}),
	);
});

it.each<[string, string, string, string]>([
	['words within JSON', SSE, 'data: {"a":1}\n\ndata: b\n\n', 'An event could not be read: b'],
	[
		'a keep-alive word within JSON',
		SSE,
		'data: {"a":1}\n\ndata: ping\n\n',
		'An event could not be read: ping',
	],
	[
		'JSON that is cut within JSON',
		SSE,
		'event: x\ndata: {"a":1}\n\nevent: x\ndata: {"a":',
		'An event could not be read: x {"a":',
	],
	[
		'a text that is cut in its line',
		SSE,
		'data: Hello\n\ndata: and so o',
		'The stream ended in the middle of an event.',
	],
	[
		'an end mark that is cut',
		SSE,
		'data: Hello\n\ndata: [DO',
		'The stream ended in the middle of an event.',
	],
	[
		'JSON that is cut in its first event',
		SSE,
		'data: {"t":"Hel',
		'The stream ended in the middle of an event.',
	],
	[
		'JSON that is cut behind its line',
		SSE,
		'data: {"t":\n',
		'The stream ended in the middle of an event.',
	],
	['a line that is no JSON', LINES, '{"a":1}\nnonsense\n', 'A line could not be read: nonsense'],
	['a last line that is cut', LINES, '{"a":1}\n{"a":', 'The answer ended in the middle of JSON.'],
	['half a body', JSON_TYPE, '{"a":', 'The answer ended in the middle of JSON.'],
	['half a body as text', TEXT, '{"a":', 'The answer ended in the middle of JSON.'],
])('%s is cut', async (_what, type, body, reason) => {
	expect(await failureOf(piecesOf(answerOf(type, body)))).toMatchObject({
		kind: 'truncated',
		details: { reason, partial: { unread: expect.any(String) } },
	});
});

it.each<[string, string, string, string]>([
	['an empty body', TEXT, '', 'The answer was empty.'],
	['blanks', SSE, ' \n\n', 'The answer was empty.'],
	['comments', SSE, ': ping\n\n: ping\n\n', 'No event arrived.'],
	['an event without an end', SSE, 'event: x', 'No event arrived.'],
	['a web page', 'text/html', '<p>Log in', 'An HTML page'],
	[
		'a web page as events',
		SSE,
		'<!doctype html><title> Log\n in </title><p>',
		'An HTML page: "Log in"',
	],
	['an XML page', TEXT, '<?xml version="1.0"?><Error/>', 'An XML document'],
	[
		'64 KiB of white space',
		TEXT,
		' '.repeat(100_000),
		'It begins with more than 64 KiB of white space.',
	],
])('%s is no answer', async (_what, type, body, reason) => {
	let closed = false;
	const answer = response(answerOf(type, body), () => (closed = true));
	const read = async () => {
		for await (const batch of readAnswer(answer)) expect([...batch]).toEqual([]);
	};
	expect(await failureOf(read())).toMatchObject({ kind: 'malformed', details: { reason } });
	expect(closed).toBe(true);
});

it.each([
	['a first text in quotes', SSE, 'data: "a"\n\n', ['a']],
	['a first line', TEXT, '{"a":1}\n', [{ a: 1 }]],
	['a few letters', TEXT, 'Hi', ['Hi']],
])('%s is given when the connection breaks behind it', async (_what, type, body, pieces) => {
	const came: unknown[] = [];
	const read = async () => {
		for await (const batch of readAnswer(response({ ...answerOf(type, body), breaks: true })))
			for (const { value } of batch) came.push(value);
	};
	expect(await failureOf(read())).toMatchObject({ kind: 'truncated' });
	expect(came).toEqual(pieces);
});

it.each([
	[TEXT, 'x', 'the answer grew past 64 MiB'],
	[SSE, 'data: x\n\n', 'the answer grew past 64 MiB'],
	[LINES, '"x"\n', 'the answer grew past 64 MiB'],
])('more than 64 MiB of %s is given up', async (type, unit, reason) => {
	const chunks = Array<string>(70).fill(unit.repeat((1024 * 1024) / unit.length));
	const read = async () => {
		for await (const batch of readAnswer(response(answerOf(type, ...chunks)))) void batch;
	};
	expect(await failureOf(read())).toMatchObject({ kind: 'truncated', details: { reason } });
});

it.each([
	[TEXT, 'Hello'],
	[SSE, 'data: a\n\n'],
	[LINES, '{"t":"a"}\n'],
])('closes the connection of %s when its reader leaves', async (type, chunk) => {
	let closed = false;
	const answer = response(answerOf(type, ...Array<string>(9).fill(chunk)), () => (closed = true));
	const batches = readAnswer(answer);
	await batches.next();
	expect(closed).toBe(false);
	await batches.return(undefined);
	expect(closed).toBe(true);
});

it('reads ten thousand lines that come in small pieces in linear time', async () => {
	const line = `${JSON.stringify({ text: 'x'.repeat(200) })}\n`;
	const { pieces } = await piecesOf(answerOf(LINES, ...line.repeat(10_000).match(/[^]{1,64}/g)!));
	expect(pieces).toHaveLength(10_000);
});
