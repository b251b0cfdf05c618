import { createServer, type ServerResponse } from 'node:http';

import { createAnswerFold } from '../../../src/agent/answerFold';
import { sendMessage } from '../../../src/agent/client';
import type { Http } from '../../../src/core/http';
import { listen } from '../../service/listen.ts';
import { failureOf } from '../inMemoryHttp';

// The end of a turn, a run or a message is not the end of the body: a real server whose connection is closed too early would abort the
// work of its agent. The clock of the client goes on only where a test says so.

const sse = (...values: unknown[]) =>
	values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join('');

let aborted = 0;
let takeResponse: (response: ServerResponse) => void;
const server = createServer((_request, response) => {
	response.on('close', () => (aborted += response.writableFinished ? 0 : 1));
	response.writeHead(200, { 'content-type': 'text/event-stream' });
	takeResponse(response);
});
let port: number;
beforeAll(async () => (port = await listen(server)));
beforeEach(() => (aborted = 0));
afterAll(() => {
	server.close();
	server.closeAllConnections();
});

/** Sends a message, and answers with the beginning. @returns what decides how it goes on. */
async function ask(beginning: string) {
	const waits: Array<{ milliseconds: number; wake: () => void }> = [];
	let waited: () => void;
	const isWaiting = new Promise<void>((resolve) => (waited = resolve));
	const clock = {
		now: () => 0,
		random: () => 0.5,
		async sleep(milliseconds: number) {
			await new Promise<void>((wake) => {
				waits.push({ milliseconds, wake });
				waited();
			});
		},
	};
	const http: Http = {
		async send() {
			const leaving = new AbortController();
			const { status, body } = await fetch(`http://127.0.0.1:${port}`, { signal: leaving.signal });
			async function* read() {
				try {
					yield* body as unknown as AsyncIterable<Uint8Array>;
				} finally {
					leaving.abort();
				}
			}
			const chunks = read();
			const stop = chunks.return.bind(chunks);
			// a generator that waits for the next bytes does not hear that it has to end
			chunks.return = async (value) => {
				leaving.abort();
				return await stop(value).catch(() => ({ done: true as const, value: undefined }));
			};
			return { status, headers: { 'content-type': 'text/event-stream' }, clock, body: chunks };
		},
	};
	const response = new Promise<ServerResponse>((resolve) => (takeResponse = resolve));
	const answer = sendMessage(http, { sessionId: 's', content: 'the question' });
	const sent = await response;
	sent.write(beginning);
	return { answer, sent, isWaiting, waits };
}

const text = (delta: string) => [
	{ type: 'TEXT_MESSAGE_START', messageId: delta, role: 'assistant' },
	{ type: 'TEXT_MESSAGE_CONTENT', messageId: delta, delta },
	{ type: 'TEXT_MESSAGE_END', messageId: delta },
];
const run = (...events: object[]) =>
	sse({ type: 'RUN_STARTED', runId: 'r' }, ...events, { type: 'RUN_FINISHED', runId: 'r' });
const update = (content: string) => ({
	jsonrpc: '2.0',
	method: 'session/update',
	params: {
		update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: content } },
	},
});
const status = (state: string, said: string, final = true) => ({
	kind: 'status-update',
	status: { state, message: { role: 'agent', parts: [{ kind: 'text', text: said }] } },
	final,
});

const ENDED: Array<[name: string, beginning: string, rest: string]> = [
	['AG-UI', run(...text('One.')), run(...text('Two.'))],
	[
		'AI SDK',
		sse({ type: 'start' }, { type: 'text-delta', id: '1', delta: 'One.' }, { type: 'finish' }),
		sse({ type: 'start' }, { type: 'text-delta', id: '1', delta: 'Two.' }, { type: 'finish' }),
	],
	[
		'MCP and ACP',
		sse(update('One.'), { jsonrpc: '2.0', id: 1, result: { stopReason: 'end_turn' } }),
		sse(update('Two.'), { jsonrpc: '2.0', id: 2, result: { stopReason: 'end_turn' } }),
	],
	[
		'Dify',
		sse({ event: 'message', task_id: 't', answer: 'One.' }, { event: 'message_end' }),
		sse({ event: 'message', task_id: 't', answer: 'Two.' }, { event: 'message_end' }),
	],
	[
		'A2A 0.3',
		sse(status('completed', 'One.')),
		sse({ kind: 'message', role: 'agent', parts: [{ kind: 'text', text: 'Two.' }] }),
	],
	[
		'Chat completions',
		sse({ choices: [{ index: 0, delta: { content: 'One.' }, finish_reason: 'stop' }] }) +
			'data: [DONE]\n\n',
		sse({ choices: [{ index: 0, delta: { content: 'Two.' }, finish_reason: 'stop' }] }) +
			'data: [DONE]\n\n',
	],
	[
		'Agno',
		sse({ event: 'RunStarted' }, { event: 'RunCompleted', content: 'One.' }),
		sse({ event: 'RunStarted' }, { event: 'RunCompleted', content: 'Two.' }),
	],
	[
		'Flowise',
		sse(
			{ event: 'agentFlowEvent', data: 'INPROGRESS' },
			{ event: 'token', data: 'One.' },
			{ event: 'end' },
		),
		sse({ event: 'token', data: 'Two.' }, { event: 'end' }),
	],
];

describe.each(ENDED)('%s', (dialect, beginning, rest) => {
	it('a run that ends leaves the connection open: what follows is read, and nothing is aborted', async () => {
		const { answer, sent, isWaiting, waits } = await ask(beginning);
		await isWaiting;
		sent.end(rest);
		expect(await answer).toEqual({ text: 'One.\n\nTwo.', dialect, format: 'sse', events: [] });
		expect(waits.every(({ milliseconds }) => milliseconds === 10_000)).toBe(true);
		expect(aborted).toBe(0);
	});

	it('a connection that stays open is closed after ten silent seconds, and the answer is complete', async () => {
		const { answer, sent, isWaiting, waits } = await ask(beginning);
		await isWaiting;
		expect(aborted).toBe(0);
		const closed = new Promise((resolve) => void sent.on('close', resolve));
		for (const { wake } of waits) wake();
		expect(await answer).toMatchObject({ text: 'One.', dialect });
		await closed;
		expect(aborted).toBe(1);
	});
});

it.each([
	['an error', sse({ type: 'RUN_ERROR', message: 'boom' })],
	[
		'the failure of another run',
		sse({ type: 'RUN_STARTED' }, { type: 'RUN_ERROR', message: 'boom' }),
	],
	[
		'a run that is cancelled',
		sse({ type: 'RUN_FINISHED', outcome: { type: 'cancelled', message: 'boom' } }),
	],
])('%s after the end of a run is the failure of the answer, which is kept', async (_what, rest) => {
	const { answer, sent, isWaiting } = await ask(run(...text('One.')));
	await isWaiting;
	sent.end(rest);
	expect(await failureOf(answer)).toMatchObject({
		details: { reason: 'boom', partial: { text: 'One.' } },
	});
});

it('another run that has no end is not complete', async () => {
	const { answer, sent, isWaiting } = await ask(run(...text('One.')));
	await isWaiting;
	sent.end(sse({ type: 'RUN_STARTED' }));
	expect(await failureOf(answer)).toMatchObject({
		details: { reason: expect.stringContaining('did not arrive'), partial: { text: 'One.' } },
	});
});

it('a run that ends without a text is waited for no longer than any other', async () => {
	const { answer, isWaiting, waits } = await ask(run());
	await isWaiting;
	for (const { wake } of waits) wake();
	expect(await answer).toMatchObject({ text: '', dialect: 'AG-UI' });
});

it('what cannot be read after the end of a run takes nothing away', async () => {
	const { answer, sent, isWaiting } = await ask(run(...text('One.')));
	await isWaiting;
	sent.end(`data: {oops\n\n${run(...text('Two.'))}`);
	expect(await answer).toMatchObject({ text: 'One.\n\nTwo.', dialect: 'AG-UI' });
});

const LATE: Array<[name: string, beginning: string, late: object]> = [
	[
		'MCP and ACP',
		sse({
			jsonrpc: '2.0',
			id: 1,
			result: { content: [{ type: 'text', text: 'One.' }] },
		}),
		{ jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } },
	],
	[
		'Langflow',
		sse(
			{ event: 'token', data: { chunk: 'One.', id: '1' } },
			{ event: 'end', data: { result: {} } },
		),
		{ event: 'log', data: { component_id: 'c', output: 'no' } },
	],
	[
		'Dify agent',
		sse({ event: 'agent_message', answer: 'One.' }, { event: 'message_end' }),
		{ event: 'agent_thought', thought: 'no' },
	],
];

it.each(LATE)(
	'%s: a log, a thought or progress after the end is no other run',
	async (dialect, beginning, late) => {
		const { answer, sent, isWaiting } = await ask(beginning);
		await isWaiting;
		sent.end(sse(late));
		expect(await answer).toMatchObject({ text: 'One.', dialect });
	},
);

const chunk = (type: string, content?: string) => ({
	type,
	content,
	metadata: { nodeId: '1', nodeName: 'AI Agent', itemIndex: 0, runIndex: 0 },
});
const said = (id: string, ...parts: string[]) => ({
	message: {
		messageId: id,
		role: 'ROLE_AGENT',
		parts: parts.map((part) => ({ text: part })),
	},
});
const STEPS: Array<[name: string, beginning: object[], rest: object[], whole: string]> = [
	[
		'n8n',
		[chunk('begin'), chunk('item', 'Let me look.'), chunk('end')],
		[chunk('begin'), chunk('item', 'Sunny.'), chunk('end')],
		'Let me look.\n\nSunny.',
	],
	[
		'A2A 1.0',
		[said('1', 'Let me '), said('1', 'look.'), said('1')],
		[said('2', 'Sun'), said('2', 'ny.')],
		'Let me look.\n\nSunny.',
	],
	[
		'Microsoft 365 Agents',
		[{ type: 'message', id: '1', from: { id: 'bot' }, text: 'One.' }],
		[{ type: 'message', id: '2', from: { id: 'bot' }, text: 'Two.' }],
		'One.\n\nTwo.',
	],
	[
		'ChatKit',
		[{ type: 'thread.item.done', item: { type: 'assistant_message', content: 'One.' } }],
		[{ type: 'thread.item.done', item: { type: 'assistant_message', content: 'Two.' } }],
		'One.\n\nTwo.',
	],
	[
		'LangGraph',
		[
			{ event: 'messages/complete', data: [{ type: 'ai', id: '1', content: 'One.' }] },
			{ event: 'updates', data: { one: {} } },
		],
		[{ event: 'messages/complete', data: [{ type: 'ai', id: '2', content: 'Two.' }] }],
		'One.\n\nTwo.',
	],
	[
		'Google ADK',
		[{ invocationId: 'e-1', author: 'one', content: { parts: [{ text: 'One.' }] } }],
		[{ invocationId: 'e-1', author: 'two', content: { parts: [{ text: 'Two.' }] } }],
		'One.\n\nTwo.',
	],
];

it.each(STEPS)(
	'%s: after the end of a step, more may follow any silence',
	(dialect, beginning, rest, whole) => {
		const fold = createAnswerFold({ question: '?', includeRawEvents: false, type: '' });
		const add = (one: object) => {
			// LangGraph names its events on their lines
			const { event, data } = one as { event?: string; data?: unknown };
			fold.add({ form: 'sse', event: event ?? '', data: '', value: event ? data : one });
		};
		beginning.forEach(add);
		expect(fold.isWhole()).toBe(false);
		rest.forEach(add);
		fold.end(() => '');
		const answer = { text: whole, dialect, format: 'sse', events: [] };
		expect(fold.answer()).toEqual(answer);
	},
);

it('a step without a text after the end of a run opens nothing again', () => {
	const fold = createAnswerFold({ question: '?', includeRawEvents: false, type: '' });
	const add = (event: string, value: unknown) => fold.add({ form: 'sse', event, data: '', value });
	add('messages/complete', [{ type: 'ai', id: '1', content: 'One.' }]);
	add('end', {});
	add('checkpoints', {});
	expect(fold.isWhole()).toBe(true);
});

it('what a bot says of its work opens the stream: cut after it, the answer is not complete', async () => {
	const working = {
		type: 'typing',
		text: 'Searching …',
		from: { id: 'bot' },
		channelData: { streamType: 'informative' },
	};
	const { answer, sent } = await ask(sse(working));
	sent.end();
	expect(await failureOf(answer)).toMatchObject({ details: { partial: { text: '' } } });
});
