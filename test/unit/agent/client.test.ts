import { sendMessage, type SendOptions } from '../../../src/agent/client';
import { ServiceError } from '../../../src/core/errors';
import { events, failureOf, inMemory, json, type Answer } from '../inMemoryHttp';

const MESSAGE = { sessionId: '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90', content: 'Hi' };
const ids = { sessionId: MESSAGE.sessionId };
const send = (answer: Answer, listening?: SendOptions) =>
	sendMessage(inMemory(answer), MESSAGE, listening);
const typed = (type: string, ...chunks: string[]): Answer => ({
	headers: { 'content-type': type },
	chunks,
});

it('posts the content into the session', async () => {
	const http = inMemory(events('data: "ok"\n\n', { headers: { 'x-request-id': 'r-1' } }));
	expect(await sendMessage(http, MESSAGE)).toMatchObject({ text: 'ok', requestId: 'r-1' });
	expect(http.requests).toEqual([
		{
			method: 'POST',
			path: `/session/${MESSAGE.sessionId}/messages`,
			body: { content: 'Hi' },
			accept: 'text/event-stream, application/x-ndjson, application/json, text/plain',
		},
	]);
});

it.each<[string, Answer, string, string]>([
	[
		'events with JSON',
		events('data: {"content":"a"}\n\ndata: {"content":"b"}\n\ndata: [DONE]\n\n'),
		'sse',
		'ab',
	],
	[
		'a list of events in one body',
		json([
			{ type: 'text', text: 'a' },
			{ type: 'tool_result', content: 'found' },
			{ type: 'text', text: 'b' },
		]),
		'json',
		'ab',
	],
	['events in an object', json({ events: [{ type: 'text', text: 'a' }] }), 'json', 'a'],
	[
		'a history',
		json([
			{ role: 'user', type: 'message', content: 'q' },
			{ role: 'assistant', type: 'message', content: 'a' },
			{ role: 'assistant', type: 'message', content: 'b' },
		]),
		'json',
		'a\n\nb',
	],
	['a JSON text', json('a'), 'json', 'a'],
	['JSON texts in lines', typed('application/x-ndjson', '"a"\n"b"\n'), 'ndjson', 'ab'],
	['events under a JSON type', typed('application/json', 'data: {"t":"a"}\n\n'), 'sse', 'a'],
	[
		'the whole once more at the end',
		events(
			'data: {"t":"Good morning, "}\n\ndata: {"t":"you"}\n\ndata: {"t":"Good morning, you"}\n\n',
		),
		'sse',
		'Good morning, you',
	],
	['the same piece again', events('data: {"t":"ha"}\n\ndata: {"t":"ha"}\n\n'), 'sse', 'haha'],
	['events with JSON texts', events('data: "a "\n\ndata: "b"\n\n'), 'sse', 'a b'],
	['events with text', events('data: a\n\ndata:  b\n\ndata: "c"\n\ndata: 5\n\n'), 'sse', 'a b"c"5'],
	['events with numbers first', events('data: 5\n\ndata:  apples\n\n'), 'sse', '5 apples'],
	['events with several lines', events('data: a\ndata: b\n\n'), 'sse', 'a\nb'],
	[
		'events named as nothing known',
		typed('application/octet-stream', 'event: x\ndata: {"t":"a"}\n\n'),
		'sse',
		'a',
	],
	['events without a type', { chunks: ['data: {"t":"a"}\n\n'] }, 'sse', 'a'],
	[
		'an end without data',
		events('event: message\ndata: a\n\nevent: done\n\ndata: later\n\n'),
		'sse',
		'a',
	],
	['JSON lines', typed('application/x-ndjson', '{"text":"a"}\n{"text":"b"}\n'), 'ndjson', 'ab'],
	[
		'JSON lines, the last without its end',
		typed('application/x-ndjson', '{"text":"a"}\n{"text":"b"}'),
		'ndjson',
		'ab',
	],
	[
		'JSON lines with blank lines',
		typed('application/jsonl', '\n{"text":"a"}\r\n\r\n{"text":"b"}\r\n'),
		'ndjson',
		'ab',
	],
	[
		'JSON lines with record separators',
		typed('application/json-seq', '\x1e{"text":"a"}\n\x1e{"text":"b"}\n'),
		'ndjson',
		'ab',
	],
	['JSON lines as event-stream', events('{"text":"a"}\n{"text":"b"}\n'), 'ndjson', 'ab'],
	['one JSON body', json({ answer: 'a' }), 'json', 'a'],
	['a pretty JSON body', typed('application/json', '{\n  "answer": "a\\nb"\n}\n'), 'json', 'a\nb'],
	[
		'a JSON list',
		json([
			{ role: 'user', content: 'Hi' },
			{ role: 'assistant', content: 'a' },
		]),
		'json',
		'a',
	],
	['a pretty JSON list', typed('text/plain', '[\n {"text":"a"},\n {"text":"b"}\n]'), 'json', 'ab'],
	['plain text', typed('text/plain', 'a\nb'), 'text', 'a\nb'],
	['plain text as JSON', typed('application/json', 'Hello there'), 'text', 'Hello there'],
	[
		'plain text that begins like JSON',
		typed('text/plain', '[1] is a footnote\nand more'),
		'text',
		'[1] is a footnote\nand more',
	],
	['text with a colon', typed('text/plain', 'note: data'), 'text', 'note: data'],
	['an answer of one letter', typed('text/plain', 'a'), 'text', 'a'],
	[
		'whole answer said again at the end',
		events('data: {"t":"a"}\n\nevent: done\ndata: {"output":"a"}\n\n'),
		'sse',
		'a',
	],
	[
		'answer that comes at the end only',
		events('event: status\ndata: {"t":"x"}\n\nevent: done\ndata: {"output":"a"}\n\n'),
		'sse',
		'a',
	],
])('reads %s', async (_name, answer, format, text) => {
	expect(await send(answer)).toMatchObject({ format, text });
});

it.each<[string, Answer, object]>([
	[
		'error event',
		events('data: {"t":"a"}\n\nevent: error\ndata: {"message":"boom","code":"c"}\n\n'),
		{ reason: 'boom', code: 'c' },
	],
	[
		'error event without data',
		events('data: a\n\nevent: error\n\n'),
		{ reason: 'The agent reported an error without a reason.' },
	],
	[
		'error field',
		events('data: {"t":"a"}\n\ndata: {"error":"boom"}\n\ndata: [DONE]\n\n'),
		{ reason: 'boom' },
	],
	[
		'error line',
		typed('application/x-ndjson', '{"t":"a"}\n{"error":{"message":"boom"}}\n'),
		{ reason: 'boom' },
	],
	[
		'event that is no JSON',
		events('data: {"t":"a"}\n\ndata: {"t":\n\n'),
		{ reason: 'An event could not be read: {"t":' },
	],
	[
		'line that is no JSON',
		typed('application/x-ndjson', '{"t":"a"}\nnonsense\n'),
		{ reason: 'A line could not be read: nonsense' },
	],
	[
		'last line that is cut',
		typed('application/x-ndjson', '{"t":"a"}\n{"t":'),
		{ reason: 'The answer ended in the middle of JSON.' },
	],
])('an %s cuts the answer, and keeps what came', async (_name, answer, details) => {
	expect(await failureOf(send(answer))).toMatchObject({
		kind: 'truncated',
		message: 'The answer stopped before its end',
		details: { ...details, ids, outcome: 'started', partial: { text: 'a' } },
	});
});

it.each<[string, Answer, string]>([
	['an empty body', {}, 'The answer was empty.'],
	['blanks', typed('text/plain', ' \n\n'), 'The answer was empty.'],
	['a web page', typed('text/html', '<p>Log in'), 'An HTML page'],
	[
		'a web page as events',
		events('<!doctype html><title> Log\n in </title><p>'),
		'An HTML page: "Log in"',
	],
	['a stream of nothing but signs of life', events(': ping\n\n: ping\n\n'), 'No event arrived.'],
	['an XML page', typed('text/plain', '<?xml version="1.0"?><Error/>'), 'An XML document'],
])('%s is garbled, and nobody knows what became of the message', async (_name, answer, reason) => {
	const failure = await failureOf(send(answer));
	expect(failure).toMatchObject({
		kind: 'malformed',
		details: { reason, ids, outcome: 'unknown' },
	});
	expect(failure.details.advice).toContain(
		'It is not known whether the service received the message',
	);
});

it('what breaks after the end mark takes nothing away', async () => {
	const stream = 'data: {"t":"a"}\n\nevent: message_end\ndata: {}\n\n';
	expect(await send(events(stream, { breaks: true }))).toMatchObject({ text: 'a' });
	expect(await failureOf(send(events('data: {"t":"a"}\n\n', { breaks: true })))).toMatchObject({
		details: { partial: { text: 'a' } },
	});
});

it('keeps every event when asked, and the first fifty where no text is found', async () => {
	const stream = 'data: {"t":"a"}\n\nevent: status\ndata: {"step":1}\n\ndata: [DONE]\n\n';
	const all = [{ t: 'a' }, { event: 'status', data: { step: 1 } }, '[DONE]'];
	expect((await send(events(stream), { includeRawEvents: true })).events).toEqual(all);
	const silent = 'data: {"price":1}\n\n'.repeat(80);
	expect(await send(events(silent))).toMatchObject({
		text: '',
		events: Array(50).fill({ price: 1 }),
	});
});

it('waits for whoever reads along', async () => {
	const heard: string[] = [];
	const onText = async (text: string) => {
		await new Promise((resolve) => setImmediate(resolve));
		heard.push(text);
	};
	await send(events('data: a\n\ndata: b\n\n'), { onText });
	expect(heard).toEqual(['a', 'b']);
});

it('an id that no path can hold is refused before anything is sent', async () => {
	const http = inMemory(json({}));
	expect(await failureOf(sendMessage(http, { sessionId: '..', content: 'x' }))).toMatchObject({
		kind: 'invalid',
		message: 'Session ID must not point to another address',
	});
	expect(http.requests).toEqual([]);
});

it('a request that was not sent started nothing', async () => {
	const refusedConnection = new ServiceError('unreachable', 'x', { sent: false });
	expect(await failureOf(sendMessage(inMemory(refusedConnection), MESSAGE))).toMatchObject({
		kind: 'unreachable',
		details: { outcome: 'not_started', ids },
	});
});
