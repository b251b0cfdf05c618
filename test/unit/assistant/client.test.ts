import { ask, askStreaming, type AskOptions } from '../../../src/assistant/client';
import { ServiceError } from '../../../src/core/errors';
import { events, failureOf, inMemory, json, type Answer } from '../inMemoryHttp';

const QUESTION = { message: 'Who bought?', chat_id: 'any form: /../ é', model: 'svc_v1.2' };
const CHAT = 'event: chat\ndata: {"chat_id":"c-1","chat_title":"T"}\n\n';
const A = 'event: message_start\ndata: {"t":"a"}\n\n';
const END = 'event: message_end\ndata: {"message_id":"m"}\n\n';

const stream = (text: string, more?: Answer, listening?: AskOptions) =>
	askStreaming(inMemory(events(text, more)), { message: 'q' }, listening);

it('posts the question as it is, the chat id unchanged', async () => {
	const http = inMemory(json({ answer: 'a' }), events(`${A}event: finish\ndata: null\n\n`));
	await ask(http, QUESTION);
	await askStreaming(http, QUESTION);
	expect(http.requests).toEqual([
		{ method: 'POST', path: '/v1/invoke_assistant', body: QUESTION, accept: 'application/json' },
		{
			method: 'POST',
			path: '/v1/invoke_assistant_stream',
			body: QUESTION,
			accept: 'text/event-stream',
		},
	]);
});

it.each<[string, unknown, string, string | undefined]>([
	['an answer', { answer: 'a', chat_id: 'c' }, 'a', 'c'],
	['a chat inside', { chat: { id: 17 }, data: { text: 'a' } }, 'a', '17'],
	['a wrapper', { data: { chat_id: 'c', message: 'a' } }, 'a', 'c'],
	['a text', 'a', 'a', undefined],
	['a chat in a list', { data: [{ chat_id: 'c', text: 'a' }] }, 'a', 'c'],
	['a chat beside', { meta: { chat_id: 'c' }, answer: 'a' }, 'a', 'c'],
	[
		'a text beside a word of success',
		{ message: 'success', data: { analysis: 'a' } },
		'a',
		undefined,
	],
	['a detail beside an answer', { detail: 'full', answer: 'a' }, 'a', undefined],
	['figures only', { price: 1 }, '{\n  "price": 1\n}', undefined],
])('reads %s', async (_name, body, text, chatId) => {
	const answer = await ask(inMemory(json(body, { headers: { 'x-request-id': 'r' } })), {
		message: 'q',
	});
	expect(answer).toEqual({ text, body, requestId: 'r', ...(chatId && { chatId }) });
});

it.each<[string, Answer, object]>([
	[
		'an error with status 200',
		json({ error: { message: 'boom' } }),
		{ reason: expect.stringContaining('boom') },
	],
	['a detail with status 200', json({ detail: 'boom' }), { reason: '{"detail":"boom"}' }],
	['errors with status 200', json({ errors: [{ message: 'boom' }] }), { status: 200 }],
	['no success', json({ success: false, message: 'boom' }), { status: 200 }],
	['a state of error', json({ status: 'error', message: 'boom' }), { status: 200 }],
	['null', json(null), { reason: 'null' }],
	['nothing', {}, { reason: 'The answer was empty.' }],
	['a page', { chunks: ['<html>'] }, { reason: 'An HTML page' }],
])('%s is garbled: nobody knows what it cost', async (_name, answer, details) => {
	expect(await failureOf(ask(inMemory(answer), QUESTION))).toMatchObject({
		kind: 'malformed',
		details: { ...details, status: 200, outcome: 'unknown', ids: { chatId: QUESTION.chat_id } },
	});
});

it.each([
	['with data null', 'event: finish\ndata: null\n\n'],
	['with data empty', 'event: finish\ndata:\n\n'],
	['without a data line', 'event: finish\n\n'],
	['without its blank line', 'event: finish\n'],
	['without any line end', 'event: finish\ndata: null'],
	['and more behind it', 'event: finish\n\nevent: error\ndata: {"detail":"late"}\n\n'],
])('the stream ends by "finish" %s', async (_name, finish) => {
	expect(await stream(CHAT + A + END + finish)).toEqual({
		text: 'a',
		chatId: 'c-1',
		chatTitle: 'T',
		messageIds: ['m'],
		toolCalls: [],
		events: [],
	});
});

it.each<[string, string, object]>([
	['"finish" is missing', A, { reason: 'The stream ended without its "finish" event.' }],
	[
		'"finish" is missing after a message that ended',
		A + END,
		{ reason: 'The stream ended without its "finish" event.' },
	],
	[
		'"finish" may be "finished_tool_call"',
		`${A}event: finish`,
		{ reason: 'The stream ended without its "finish" event.' },
	],
	[
		'an event cannot be read',
		`${A}event: message_start\ndata: {"t":\n\n`,
		{ reason: 'An event could not be read: message_start {"t":' },
	],
	['an error event comes', `${A}event: error\ndata: {"detail":"boom"}\n\n`, { reason: 'boom' }],
	['an error event is plain text', `${A}event: error\ndata: boom\n\n`, { reason: 'boom' }],
	[
		'an error event is empty',
		`${A}event: error\n\n`,
		{ reason: 'The assistant reported an error without a reason.' },
	],
	[
		'an error has no name',
		`${A}data: {"error":{"message":"boom","code":"c"}}\n\n`,
		{ reason: 'boom', code: 'c' },
	],
])('the answer is cut when %s', async (_name, text, details) => {
	expect(await failureOf(stream(CHAT + text))).toMatchObject({
		kind: 'truncated',
		message: 'The answer stopped before its end',
		details: {
			...details,
			outcome: 'started',
			ids: { chatId: 'c-1' },
			partial: { text: 'a', chatId: 'c-1' },
		},
	});
});

it('unknown events are left out, whatever they hold, and kept when asked for', async () => {
	const unknown = "event: ping\ndata: 12:30 o'clock\n\ndata: null\n\nevent: bare\n\n";
	const text = `${unknown}${A}event: finish\n\n`;
	expect((await stream(text)).text).toBe('a');
	expect((await stream(text, {}, { includeRawEvents: true })).events).toEqual([
		{ event: 'ping', data: "12:30 o'clock" },
		{ event: '', data: null },
		{ event: 'bare', data: undefined },
		{ event: 'message_start', data: { t: 'a' } },
	]);
});

it('tells the chat id the moment it comes, before anything can break', async () => {
	const chats: string[] = [];
	const onChat = (id: string) => chats.push(id);
	await stream(CHAT, { breaks: true }, { onChat }).catch(() => undefined);
	expect(chats).toEqual(['c-1']);
	await stream(`event: chat\ndata: {}\n\n${A}event: finish\n\n`, {}, { onChat });
	expect(chats).toEqual(['c-1']);
});

it('takes one JSON body for the whole answer', async () => {
	const heard: string[] = [];
	const listening = {
		onText: (text: string) => void heard.push(text),
		onChat: (id: string) => heard.push(id),
	};
	const body = { answer: 'a', chat_id: 'c' };
	expect(await askStreaming(inMemory(json(body)), { message: 'q' }, listening)).toEqual({
		text: 'a',
		chatId: 'c',
		body,
		messageIds: [],
		toolCalls: [],
		events: [],
	});
	expect(heard).toEqual(['c', 'a']);
});

it.each<[Answer | ServiceError, string, string]>([
	[json({ detail: 'slow down' }, { status: 429 }), 'refused', 'not_started'],
	[json({ detail: 'bad' }, { status: 400 }), 'refused', 'not_started'],
	[json({ detail: 'oops' }, { status: 500 }), 'refused', 'unknown'],
	[new ServiceError('unreachable', 'x', { sent: true }), 'unreachable', 'unknown'],
	[new ServiceError('unreachable', 'x', { sent: false }), 'unreachable', 'not_started'],
])('%j is %s, %s', async (answer, kind, outcome) => {
	for (const asking of [ask, askStreaming]) {
		expect(await failureOf(asking(inMemory(answer), QUESTION))).toMatchObject({
			kind,
			details: { outcome, ids: { chatId: QUESTION.chat_id } },
		});
	}
});

it.each(['text/markdown', 'TEXT/PLAIN', 'application/octet-stream'])(
	'a text of the type %s is a text',
	async (type) => {
		const answer = { headers: { 'content-type': type }, chunks: ['# BTC\n', 'up'] };
		expect(await ask(inMemory(answer), { message: 'q' })).toMatchObject({ text: '# BTC\nup' });
	},
);

const NAMES = ['chat', 'message_start', 'message_end', 'finish'] as const;
const DATA = { chat: { chat_id: 'c' }, message_start: { t: 'a' }, message_end: {}, finish: null };
it.each<[string, (name: (typeof NAMES)[number]) => string]>([
	['in capitals', (name) => `event: ${name.toUpperCase()} \ndata: ${JSON.stringify(DATA[name])}`],
	['beside the data', (event) => `data: ${JSON.stringify({ event, data: DATA[event] })}`],
	['in the data', (type) => `data: ${JSON.stringify({ type, ...DATA[type] })}`],
	[
		'as a message',
		(type) => `event: message\ndata: ${JSON.stringify({ type, payload: DATA[type] })}`,
	],
])('the name of an event may stand %s', async (_where, written) => {
	const text = NAMES.map((name) => `${written(name)}\n\n`).join('');
	expect(await stream(text)).toMatchObject({ text: 'a', chatId: 'c' });
});

it('a stream is a stream whatever its type says', async () => {
	const text = `${CHAT}${A}event: finish\ndata: null\n\n`;
	const headers = { 'content-type': 'application/json' };
	expect(await stream(text, { headers })).toMatchObject({ text: 'a', chatId: 'c-1' });
	expect(await failureOf(stream('{"answer": "a', { headers }))).toMatchObject({
		kind: 'truncated',
		details: { outcome: 'started', partial: { body: '{"answer": "a' } },
	});
});

it('a tool that fails does not end the answer', async () => {
	const tools =
		'event: finished_tool_call\ndata: {"call_id":"1","error":"x"}\n\nevent: tool_error\ndata: {}\n\n';
	expect(await stream(`${tools}${A}event: finish\n\n`)).toMatchObject({ text: 'a' });
});

it('an error in the form of the specification is said', async () => {
	expect(
		await failureOf(stream(`${CHAT}${A}data: {"detail":"no credits left"}\n\n`)),
	).toMatchObject({
		kind: 'truncated',
		details: { reason: 'no credits left', ids: { chatId: 'c-1' }, partial: { text: 'a' } },
	});
});
