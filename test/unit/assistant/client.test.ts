import { ask, askStreaming, type AskOptions } from '../../../src/assistant/client';
import { REPORTED } from '../../../src/core/errorResponses';
import { ServiceError } from '../../../src/core/errors';
import { events, failureOf, inMemory, json, typed, type Answer } from '../inMemoryHttp';

const QUESTION = { message: 'Who bought?', chat_id: 'any form: /../ é', model: 'svc_v1.2' };
const event = (name: string, value: unknown) =>
	`event: ${name}\ndata: ${JSON.stringify(value)}\n\n`;
const says = (t: unknown) => event('message_start', { t });
const CHAT = event('chat', { chat_id: 'c-1', chat_title: 'T' });
const A = says('a');
const END = event('message_end', { message_id: 'm' });
const FINISH = event('finish', null);
const stream = (text: string, more?: Answer, listening?: AskOptions) =>
	askStreaming(inMemory(events(text, more)), { message: 'q' }, listening);

it('posts the question as it is, the chat id unchanged', async () => {
	const http = inMemory(json({ answer: 'a' }), events(A + FINISH));
	await ask(http, QUESTION);
	await askStreaming(http, QUESTION);
	const post = { method: 'POST', body: QUESTION };
	expect(http.requests).toEqual([
		{ ...post, path: '/v1/invoke_assistant', accept: 'application/json' },
		{ ...post, path: '/v1/invoke_assistant_stream', accept: 'text/event-stream' },
	]);
});

type Given = Answer | ServiceError;
const asked = async (given: Given) => await askStreaming(inMemory(given), QUESTION);

it('a stream in place of a complete answer is read, and all of it is the body', async () => {
	const answer = await ask(inMemory(events(CHAT + A + FINISH)), QUESTION);
	const given = [
		{ event: 'chat', data: { chat_id: 'c-1', chat_title: 'T' } },
		{ event: 'message_start', data: { t: 'a' } },
	];
	expect(answer).toEqual({ text: 'a', chatId: 'c-1', body: { events: given } });
});

it.each([
	['half a JSON body', typed('application/json', '{"answer":"Hel'), 'truncated'],
	['an error beside a chat', json({ chat_id: 'c-1', error: 'Hel' }), 'malformed'],
	['a web page', typed('text/html', '<!doctype html><title>x</title><p>Hel'), 'malformed'],
	['half an event', events(`${CHAT}event: message_start\ndata: {"t":"Hel\n\n`), 'truncated'],
	['a stream that only began', events(says('Hel')), 'truncated'],
	['a stream of plain words', events('data: Hel\n\ndata: lo\n\n'), 'truncated'],
	['words as a stream', events('Hel and more'), 'malformed'],
])('keeps what came of %s', async (_form, answer, kind) => {
	const failure = await failureOf(asked(answer));
	expect(failure.kind).toBe(kind);
	expect(JSON.stringify(failure.details.partial)).toContain('Hel');
});

it.each([
	['an end after a chat', events(`${CHAT}event: finish\n\n`)],
	['an end after an empty message', events(says('') + event('message_end', {}) + FINISH)],
	['an end after tools', events(event('pending_tool_call', { call_id: '1' }) + FINISH)],
	['an empty list', json([])],
	['an empty object', json({})],
	['another end alone', events('data: [DONE]\n\n')],
])('nothing said is no answer: %s', async (_form, answer) => {
	const failure = await failureOf(asked(answer));
	expect(['truncated', 'malformed']).toContain(failure.kind);
	expect(['started', 'unknown']).toContain(failure.details.outcome);
});

it.each([
	[json({ detail: 'bad' }, { status: 400 }), 'refused', 'not_started'],
	[new ServiceError('unreachable', 'x', { sent: true }), 'unreachable', 'unknown'],
])('%j is %s, %s', async (answer, kind, outcome) => {
	const ids = { chatId: QUESTION.chat_id };
	expect(await failureOf(asked(answer))).toMatchObject({ kind, details: { outcome, ids } });
});

it.each([
	['a chat with a number', { chat: { chat_id: 17 }, data: { text: 'a' } }, 'a', '17'],
	['a text', 'a', 'a', undefined],
	['a chat beside', { meta: { chat_id: 'c' }, answer: 'a' }, 'a', 'c'],
	['a detail beside an answer', { detail: 'full', answer: 'a' }, 'a', undefined],
	['figures only', { price: 1 }, '{\n  "price": 1\n}', undefined],
])('reads %s', async (_name, body, text, chatId) => {
	const http = inMemory(json(body, { headers: { 'x-request-id': 'r' } }));
	const answer = await ask(http, { message: 'q' });
	expect(answer).toEqual({ text, body, requestId: 'r', ...(chatId && { chatId }) });
});

it.each([
	['an error', json({ error: { message: 'boom' } }), { reason: expect.stringContaining('boom') }],
	['errors', json({ errors: [{ message: 'boom' }] }), { reason: 'boom' }],
	['a state of failure', json({ status: 'fail', message: 'boom' }), { reason: 'boom' }],
	['a code', json({ code: 4000, msg: 'boom' }), { reason: expect.stringContaining('boom') }],
	['null', json(null), { reason: 'null' }],
])('%s with status 200 is garbled: nobody knows what it cost', async (_name, answer, details) => {
	expect(await failureOf(ask(inMemory(answer), QUESTION))).toMatchObject({
		kind: 'malformed',
		details: { ...details, status: 200, outcome: 'unknown', ids: { chatId: QUESTION.chat_id } },
	});
});

it.each([
	['with data null', FINISH],
	['without a data line', 'event: finish\n\n'],
	['without its blank line', 'event: finish\n'],
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

const unreadable = 'An event could not be read: chat {"t":';
const noReason = 'The assistant reported an error without a reason.';
const unfinished = { reason: 'The stream ended without its "finish" event.' };
const stopped = 'The answer stopped before its end';

it.each([
	['"finish" is missing', '', unfinished, stopped],
	['"finish" is missing after a message that ended', END, unfinished, stopped],
	['"finish" may be "finished_tool_call"', `event: finish`, unfinished, stopped],
	['an event cannot be read', 'event: chat\ndata: {"t":\n\n', { reason: unreadable }, stopped],
	['an error event comes', event('error', { detail: 'boom' }), { reason: 'boom' }],
	['an error event is plain text', 'event: error\ndata: boom\n\n', { reason: 'boom' }],
	['an error event is empty', 'event: error\n\n', { reason: noReason }, stopped],
	['an error has no name', 'data: {"error":{"message":"boom","code":"c"}}\n\n', { code: 'c' }],
	['the end has an error', event('finish', { error: 'boom' }), { reason: 'boom' }],
	['an error has the form of the specification', 'data: {"detail":"boom"}\n\n', { reason: 'boom' }],
])('the answer is cut when %s', async (_name, text, details, message = REPORTED) => {
	expect(await failureOf(stream(CHAT + A + text))).toMatchObject({
		kind: 'truncated',
		message,
		details: {
			...details,
			outcome: 'started',
			ids: { chatId: 'c-1' },
			partial: { text: 'a', chatId: 'c-1' },
		},
	});
});

it.each<[string, (name: string, data: object | null) => object]>([
	['beside the data', (name, data) => ({ event: name, data })],
	['in the data', (name, data) => ({ type: name, ...data })],
])('an event may have its name %s', async (_place, named) => {
	const line = (name: string, data: object | null) =>
		`data: ${JSON.stringify(named(name, data))}\n\n`;
	const chat = line('chat', { chat_id: 'c-1' });
	const body = chat + line('message_start', { t: 'a' }) + line('message_end', { message_id: 'm' });
	const answer = { text: 'a', chatId: 'c-1', messageIds: ['m'] };
	expect(await stream(body + line('finish', null))).toMatchObject(answer);
	const failed = { ...named('message_start', { t: 'b' }), error: 'No credit' };
	for (const failure of [
		line('error', { detail: 'No credit' }),
		`data: ${JSON.stringify(failed)}\n\n`,
	])
		expect(await failureOf(stream(chat + failure))).toMatchObject({
			message: REPORTED,
			details: { reason: 'No credit', ids: { chatId: 'c-1' } },
		});
});

it('unknown events are left out, whatever they hold, and kept when asked for', async () => {
	const unknown = "event: ping\ndata: 12:30 o'clock\n\ndata: null\n\nevent: bare\n\n";
	const text = unknown + A + FINISH;
	expect((await stream(text)).text).toBe('a');
	expect((await stream(text, {}, { includeRawEvents: true })).events).toEqual([
		{ event: 'ping', data: "12:30 o'clock" },
		{ event: '', data: null },
		{ event: 'bare', data: undefined },
		{ event: 'message_start', data: { t: 'a' } },
	]);
});

it('a tool that fails does not end the answer', async () => {
	const failed = event('finished_tool_call', { call_id: '1', error: 'x' });
	expect(await stream(failed + event('tool_error', {}) + A + FINISH)).toMatchObject({ text: 'a' });
});

it('tells the chat id the moment it comes, before anything can break', async () => {
	const chats: string[] = [];
	const onChat = (id: string) => chats.push(id);
	await stream(CHAT, { breaks: true }, { onChat }).catch(() => undefined);
	expect(chats).toEqual(['c-1']);
	await stream(event('chat', {}) + A + FINISH, {}, { onChat });
	expect(chats).toEqual(['c-1']);
});

const BODY = { answer: 'a', chat_id: 'c' };

const WORDS = 'Who bought it?';

it.each<[string, Answer, { text: string; chatId?: string; body: unknown }]>([
	['one JSON body', json(BODY), { text: 'a', chatId: 'c', body: BODY }],
	['a text', typed('text/markdown', 'Who ', 'bought it?'), { text: WORDS, body: WORDS }],
])('takes %s for the whole answer', async (_what, answer, expected) => {
	const heard: string[] = [];
	const listening = {
		onText: (text: string) => void heard.push(text),
		onChat: (id: string) => heard.push(id),
	};
	expect(await askStreaming(inMemory(answer), { message: 'q' }, listening)).toEqual({
		messageIds: [],
		toolCalls: [],
		events: [],
		...expected,
	});
	expect(heard).toEqual([expected.chatId ?? [], expected.text].flat());
});

const TOOL = event('pending_tool_call', { call_id: 't', title: { en: 'E' } });

it.each([
	['a chat with a number', event('chat', { chat_id: 17 }) + A, { chatId: '17', text: 'a' }],
	['pieces of one message', says('a') + says('a') + END, { text: 'aa', messageIds: ['m'] }],
	[
		'two messages',
		A + END + says('b') + event('message_end', { message_id: 2 }),
		{ text: 'a\n\nb', messageIds: ['m', '2'] },
	],
	['empty messages', says('') + END + A + END + says('') + END, { text: 'a' }],
	['texts of another type', says(17) + says(null) + says({}) + A, { text: 'a' }],
	[
		'events of other names',
		event('price', { t: 'no' }) + event('__proto__', {}) + A,
		{ text: 'a' },
	],
	['odd data', event('chat', 'no') + event('message_end', null) + A, { text: 'a', messageIds: [] }],
	[
		'a tool',
		TOOL + A,
		{ text: 'a', toolCalls: [{ callId: 't', label: 'E', startedMs: 0, finished: false }] },
	],
])('reads %s', async (_what, text, expected) => {
	let heard = '';
	const onText = (piece: string) => void (heard += piece);
	const answer = await stream(text + FINISH, {}, { onText });
	expect(answer).toMatchObject({ events: [], ...expected });
	expect(heard).toBe(answer.text);
});

it.each(['pending_tool_call', 'finished_tool_call', 'message_end'])(
	'more than five thousand of %s are given up',
	async (name) => {
		const many = Array.from({ length: 5001 }, (_, at) =>
			event(name, { call_id: at, message_id: at }),
		);
		expect(await failureOf(stream(A + many.join('') + FINISH))).toMatchObject({
			kind: 'truncated',
			details: { partial: { text: 'a' } },
		});
	},
);
