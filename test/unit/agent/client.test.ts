import { sendMessage, type SendOptions } from '../../../src/agent/client';
import { ServiceError } from '../../../src/core/errors';
import publicStreams from '../core/publicStreams.json';
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
	['the same piece again', events('data: {"t":"ha"}\n\ndata: {"t":"ha"}\n\n'), 'sse', 'haha'],
	[
		'events named as nothing known',
		typed('application/octet-stream', 'event: x\ndata: {"t":"a"}\n\n'),
		'sse',
		'a',
	],
	[
		'an end without data',
		events('event: message\ndata: a\n\nevent: done\n\ndata: later\n\n'),
		'sse',
		'a',
	],
	['JSON lines', typed('application/x-ndjson', '{"text":"a"}\n{"text":"b"}\n'), 'ndjson', 'ab'],
	['one JSON body', json({ answer: 'a' }), 'json', 'a'],
	[
		'a JSON list',
		json([
			{ role: 'user', content: 'Hi' },
			{ role: 'assistant', content: 'a' },
		]),
		'json',
		'a',
	],
	['plain text', typed('text/plain', 'a\nb'), 'text', 'a\nb'],
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
])('an %s cuts the answer, and keeps what came', async (_name, answer, details) => {
	expect(await failureOf(send(answer))).toMatchObject({
		kind: 'truncated',
		message: 'The answer stopped before its end',
		details: { ...details, ids, outcome: 'started', partial: { text: 'a' } },
	});
});

it.each<[string, Answer, string]>([
	['a web page', typed('text/html', '<p>Log in'), 'An HTML page'],
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

it.each([
	[
		'a line break',
		'data: First line\n\ndata:\ndata:\n\ndata: second line\n\n',
		'First line\nsecond line',
	],
	['an end that is JSON', 'event: data\ndata: Hello\n\nevent: end\ndata: {}\n\n', 'Hello'],
	[
		'token counts at the end',
		'data: Hello\n\nevent: end\ndata: {"tokens":12}\n\ndata: late\n\n',
		'Hello',
	],
	['a short answer', 'data: Processing fees are 2 percent.\n\n', 'Processing fees are 2 percent.'],
	['a mark', 'data: 👍\n\ndata: [DONE]\n\n', '👍'],
	['words in quotes', 'data: "Hello"\n\ndata:  world\n\n', '"Hello" world'],
])('keeps every word of an answer with %s', async (_what, stream, text) => {
	const heard: string[] = [];
	const onText = (piece: string) => void heard.push(piece);
	expect(await send(events(stream), { onText })).toMatchObject({ format: 'sse', text });
	expect(heard.join('')).toBe(text);
});

it.each(publicStreams.flatMap(({ answer, ...stream }) => (answer ? [{ answer, ...stream }] : [])))(
	'reads $what',
	async ({ type, body, form, answer }) => {
		expect(await send(typed(type, body))).toMatchObject({ format: form, text: answer });
	},
);

it('plain text is never taken for the whole so far', async () => {
	const answer = typed('text/plain', 'a', 'aa', 'aaa', 'aaaa');
	expect(await send(answer)).toMatchObject({ text: 'aaaaaaaaaa' });
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
