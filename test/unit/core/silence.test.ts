import { sendMessage } from '../../../src/agent/client';
import { serverOf } from '../../../src/agent/servers';
import { askStreaming } from '../../../src/assistant/client';
import type { Http } from '../../../src/core/http';
import { completeChat } from '../../../src/router/chatCompletions';
import { createResponse } from '../../../src/router/responses';
import { bytes, failureOf } from '../inMemoryHttp';
import { virtualClock } from '../virtualClock';

/** A service that sends the beginning, then again and again the same, every half a second, and then nothing more. */
function service(beginning: string, again = '', times = 0, type = 'text/event-stream') {
	const clock = virtualClock();
	const heard: number[] = [];
	async function* body() {
		yield bytes(beginning);
		for (let time = 0; time < times; time++) {
			await clock.sleep(500);
			yield bytes(again);
		}
		await clock.sleep(1_000_000);
	}
	const response = {
		status: 200,
		headers: { 'content-type': type },
		clock,
		body: body(),
		hear: () => void heard.push(clock.now()),
	};
	const http: Http = { send: async () => response };
	return { http, clock, heard };
}

const SESSION = { sessionId: 's', content: 'q' };
const unheard = () => {};
const clients: Record<string, (http: Http) => Promise<unknown>> = {
	agent: async (http) => await sendMessage(http, SESSION),
	assistant: async (http) => await askStreaming(http, { message: 'q' }),
	chat: async (http) => await completeChat(http, { model: 'v/m', messages: [] }, unheard),
	response: async (http) => await createResponse(http, { model: 'v/m', input: 'q' }, unheard),
};

const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const delta = (content: object, more: object = {}) => ({
	choices: [{ index: 0, delta: content, ...more }],
});

const NOTHING: Array<[string, string]> = [
	['a comment', ': alive\n\n'],
	['a ping without data', 'event: ping\n\n'],
	['a ping with the time', 'event: ping\ndata: {"ts":17}\n\n'],
	['a ping by its type', data({ type: 'ping' })],
	['a ping by its event', data({ event: 'ping' })],
	['a heartbeat', 'event: heartbeat\ndata: {}\n\n'],
	['no choices', data({ id: 'x', object: 'chat.completion.chunk', choices: [] })],
	['an empty delta', data(delta({ role: 'assistant', content: '' }))],
	['an empty text', data({ type: 'text-delta', id: '1', delta: '' })],
	['an empty piece', 'event: message_start\ndata: {"t":""}\n\n'],
];

describe.each(Object.entries(clients))('the %s', (_client, ask) => {
	it.each(NOTHING)('renews no timeout for %s', async (_what, again) => {
		const { http, heard } = service(': hello\n\n', again, 3);
		await failureOf(ask(http));
		expect(heard).toEqual([0]);
	});
});

it.each([
	['reasoning', delta({ reasoning_content: 'hm' })],
	['a tool call', { type: 'tool-input-delta', inputTextDelta: '{' }],
	['progress', { type: 'progress', percent: 1 }],
	['status', { type: 'status', status: 'working' }],
	['an event of its own', { type: 'CUSTOM', name: 'x', value: { a: 1 } }],
	['a step', { type: 'start-step' }],
])('the agent renews its timeout for %s', async (_what, event) => {
	const { http, heard } = service(': hello\n\n', data(event), 3);
	await failureOf(sendMessage(http, SESSION));
	expect(heard).toEqual([0, 500, 1000, 1500]);
});

it('bytes within an event renew the timeout, and those of a comment do not', async () => {
	const { http, heard } = service('data: {"t":"', 'x', 3);
	await failureOf(sendMessage(http, SESSION));
	expect(heard).toEqual([0, 0, 500, 1000, 1500]);
	const { http: quiet, heard: none } = service(': ', 'x', 3);
	await failureOf(sendMessage(quiet, SESSION));
	expect(none).toEqual([0]);
});

it('white space behind a plain text renews no timeout', async () => {
	const { http, heard } = service('Hello there', ' ', 3, 'text/plain');
	await sendMessage(http, SESSION);
	expect(heard).toEqual([0, 0]);
});

const CHAT = data(delta({ content: 'a' })) + data(delta({}, { finish_reason: 'stop' }));

it.each([
	[
		'the end of its stream',
		data({ type: 'RUN_STARTED' }) +
			data({ type: 'TEXT_MESSAGE_CHUNK', delta: 'a' }) +
			data({ type: 'RUN_FINISHED' }),
		'AG-UI',
	],
	['a mark', `${CHAT}data: [DONE]\n\n`, 'Chat completions'],
])(
	'after %s, the connection may stay open for ten seconds, and nothing is uncertain',
	async (_what, text, dialect) => {
		const { http, clock } = service(text, ': alive\n\n', 50);
		expect(await sendMessage(http, SESSION)).toEqual({
			text: 'a',
			format: 'sse',
			dialect,
			events: expect.any(Array),
		});
		expect(clock.now()).toBe(10_000);
	},
);

it('a question of LangGraph is no end: another branch may be silent for long', async () => {
	const asks = `event: updates\n${data({ __interrupt__: [{ id: 'i', value: 'May I?' }] })}`;
	const server = serverOf('langGraph')!;
	const other = { server, way: { ask: server.asks[0]! }, newId: () => 'i' };
	const { http, clock } = service(asks, ': alive\n\n', 50);
	expect(await sendMessage(http, SESSION, {}, other)).toMatchObject({
		text: 'May I?',
		waitsFor: { kind: 'approval' },
	});
	expect(clock.now()).toBe(1_025_000);
});

it('a chat that may go on is waited for as long as before its end', async () => {
	const usage = { prompt_tokens: 20, completion_tokens: 3 };
	const thought = delta({ reasoning_content: 'hm' }, { finish_reason: 'stop' });
	const { http, clock } = service(data({ ...thought, usage }));
	const stream_options = { include_usage: true };
	await failureOf(completeChat(http, { model: 'v/m', messages: [], stream_options }, unheard));
	expect(clock.now()).toBe(1_000_000);
});

const NOTICE =
	'The message had ended, and nothing followed for 10 seconds. The connection was closed.';

it.each([
	['silence', '', 0],
	['comments', ': alive\n\n', 50],
])('after the end of a message, ten seconds of %s end the answer', async (_what, again, times) => {
	const { http, clock } = service(CHAT, again, times);
	expect(await sendMessage(http, SESSION)).toMatchObject({ text: 'a', notice: NOTICE });
	expect(clock.now()).toBe(10_000);
});

it.each([
	[
		'a message that called a tool',
		data(delta({ content: 'a', tool_calls: [{ index: 0 }] })) +
			data(delta({}, { finish_reason: 'tool_calls' })),
	],
	['a message that has not ended', data(delta({ content: 'a' }))],
	[
		'a turn of TanStack AI that called a tool',
		data({ type: 'RUN_STARTED' }) +
			data({ type: 'TEXT_MESSAGE_CHUNK', delta: 'a' }) +
			data({ type: 'RUN_FINISHED', metadata: { tanstack: { finishReason: 'tool_calls' } } }),
	],
])('%s does not end the answer', async (_what, text) => {
	const { http, clock } = service(text);
	await sendMessage(http, SESSION).catch(() => undefined);
	expect(clock.now()).toBe(1_000_000);
});
