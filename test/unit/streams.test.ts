import { sendMessage } from '../../src/agent/client';
import { askStreaming } from '../../src/assistant/client';
import type { Http } from '../../src/core/http';
import { completeChat } from '../../src/router/chatCompletions';
import { createResponse } from '../../src/router/responses';
import { someOf, upTo } from '../support/cases';
import fc from '../support/fastCheck';
import { bytes, failureOf, inMemory, split, type Answer } from './inMemoryHttp';

// Every client that reads a stream: the whole answer does not depend on how its bytes arrive, and whatever cuts it, what
// came before is kept.

const partialText = (error: unknown) =>
	(error as { details: { partial?: { text: string } } }).details.partial?.text ?? '';

interface Client {
	ask: (http: Http, onText?: (text: string) => void) => Promise<{ text: string }>;
	type: string;
	stream: string;
	/** Where a clean end of the connection is the end of the answer. */
	endsBy?: 'connection';
	/** Default: all three. */
	lineEnds?: string[];
}

const agent: Client['ask'] = async (http, onText = () => {}) => {
	const { text, format } = await sendMessage(http, { sessionId: 's', content: 'q' }, { onText });
	return { text, format };
};
const assistant: Client['ask'] = async (http, onText = () => {}) =>
	await askStreaming(http, { message: 'q' }, { onText, includeRawEvents: true });
const chat: Client['ask'] = async (http, onText = () => {}) =>
	await completeChat(http, { model: 'vendor/model', messages: [] }, onText);
const response: Client['ask'] = async (http, onText = () => {}) =>
	await createResponse(http, { model: 'vendor/model', input: 'q' }, onText);

const WORDS = ['He', 'llo ', 'é€😀', ' [DO', 'NE] "{', '}\\n', 'end'];
const chunk = (delta: object, more: object = {}) => ({ choices: [{ index: 0, delta, ...more }] });
const sse = (...parts: unknown[]) =>
	parts.map((part) => `data: ${JSON.stringify(part)}\n\n`).join('');
const item = (kind: string, one: object) => ({
	type: `response.output_item.${kind}`,
	output_index: 1,
	item: one,
});
const event = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

const clients: Record<string, Client> = {
	'chat completion': {
		ask: chat,
		type: 'text/event-stream',
		stream: `: hi\n\n${sse(
			chunk({ role: 'assistant', content: '' }),
			...WORDS.map((content) => chunk({ content })),
			chunk({ tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '{"a":' } }] }),
			chunk({ tool_calls: [{ index: 0, function: { arguments: '"é"}' } }] }),
			chunk({}, { finish_reason: 'stop' }),
			{ choices: [], usage: { total_tokens: 17 } },
		)}data: [DONE]\n\n`,
	},
	response: {
		ask: response,
		type: 'text/event-stream',
		stream: `${sse(
			...WORDS.map((delta) => ({ type: 'response.output_text.delta', delta })),
			item('added', { type: 'function_call', call_id: 'c', name: 'f', arguments: '' }),
			{ type: 'response.function_call_arguments.delta', output_index: 1, delta: '{"a":"é"}' },
			item('done', { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"a":"é"}' }),
			{ type: 'response.completed', response: { usage: { total_tokens: 17 } } },
		)}`,
	},
	'assistant events': {
		ask: assistant,
		type: 'text/event-stream; charset=utf-8',
		stream: [
			event('chat', { chat_id: 'c-1', chat_title: 'Títle' }),
			event('pending_tool_call', { call_id: 't', title: { en: 'Looking', de: 'Schaue' } }),
			...WORDS.map((t) => event('message_start', { t })),
			event('message_end', { message_id: 'm-1' }),
			event('finished_tool_call', { call_id: 't' }),
			event('message_start', { t: '' }),
			event('message_start', { t: 'second' }),
			event('message_end', { message_id: 'm-2' }),
			'event: finish\n\n',
		].join(''),
	},
	'agent events with JSON': {
		ask: agent,
		type: 'text/event-stream',
		stream: `${sse(...WORDS.map((content) => ({ type: 'delta', content })))}data: [DONE]\n\n`,
		endsBy: 'connection',
	},
	'agent events with text': {
		ask: agent,
		type: 'text/event-stream',
		stream: WORDS.map((word) => `event: token\ndata: ${word}\n\n`).join('') + 'event: done\n\n',
		endsBy: 'connection',
	},
	'agent JSON lines': {
		ask: agent,
		type: 'application/x-ndjson',
		stream: WORDS.map((text) => `${JSON.stringify({ text })}\n`).join(''),
		endsBy: 'connection',
		lineEnds: ['\n', '\r\n'],
	},
	'agent JSON': {
		ask: agent,
		type: 'application/json',
		stream: JSON.stringify({ output: { text: WORDS.join('') } }, null, 2),
		lineEnds: ['\n', '\r\n'],
	},
	'agent text': {
		ask: agent,
		type: 'text/plain',
		stream: WORDS.join('\n'),
		endsBy: 'connection',
		lineEnds: ['\n'],
	},
};

const NAMES =
	`chat message_start message_end pending_tool_call finished_tool_call error done delta x
	response.output_text.delta response.output_item.added response.output_item.done response.failed
	response.function_call_arguments.delta response.refusal.delta response.completed`.split(/\s+/);

const answer = ({ type }: Client, chunks: Answer['chunks'] = [], more: Answer = {}): Answer => ({
	headers: { 'content-type': type, 'x-request-id': 'r-1' },
	chunks,
	...more,
});
const whole = async (client: Client) => await client.ask(inMemory(answer(client, [client.stream])));

describe.each(Object.entries(clients))('%s', (name, client) => {
	const length = bytes(client.stream).length;

	it('reads the same however its bytes are split and its lines end', async () => {
		const expected = await whole(client);
		expect(expected.text).toContain('é€😀');
		const places = fc.oneof(
			fc.array(fc.nat(length), { maxLength: 40 }),
			fc.constant([...upTo(2 * length)]),
		);
		const lineEnd = fc.constantFrom(...(client.lineEnds ?? ['\n', '\r', '\r\n']));
		await fc.assert(
			fc.asyncProperty(lineEnd, places, async (end, at) => {
				const stream = bytes(client.stream.replaceAll('\n', end));
				let readAlong = '';
				const within = at.filter((place) => place < stream.length);
				const http = inMemory(answer(client, split(stream, within)));
				const result = await client.ask(http, (text) => void (readAlong += text));
				expect(result).toEqual(expected);
				expect(readAlong).toBe(expected.text);
				expect(http.closed).toEqual([1]);
			}),
		);
	});

	it('keeps what came when the connection breaks, after every byte', async () => {
		const { text } = await whole(client);
		const stream = bytes(client.stream);
		let longest = '';
		for (const end of someOf(upTo(length), 7)) {
			const broken = answer(client, [stream.subarray(0, end)], { breaks: true });
			const result = await client.ask(inMemory(broken)).catch((error: unknown) => error);
			if (!(result instanceof Error)) {
				// only once its end mark was there
				expect(result).toEqual(await whole(client));
				continue;
			}
			expect(result).toMatchObject({
				name: 'ServiceError',
				kind: 'truncated',
				details: {
					outcome: 'started',
					requestId: 'r-1',
					reason: expect.stringMatching(
						/^The connection broke \(aborted\)\.( The answer broke off in its call of "f"\.)?$/,
					),
				},
			});
			const came = partialText(result);
			expect(text.startsWith(came)).toBe(true);
			expect(came.length).toBeGreaterThanOrEqual(longest.length);
			longest = came;
		}
		if (name !== 'agent JSON') expect(longest.length).toBeGreaterThanOrEqual(text.length - 6);
	});

	it('never calls less than the whole complete when the connection closes after any byte', async () => {
		const expected = await whole(client);
		const stream = bytes(client.stream);
		// an agent's form is unknown until its first event is there
		const first = client.endsBy ? client.stream.indexOf('\n\n') + 2 : 0;
		for (const end of someOf(upTo(length).slice(first), 7)) {
			const closed = inMemory(answer(client, [stream.subarray(0, end)]));
			const result = await client.ask(closed).catch((error: unknown) => error);
			if (result instanceof Error) {
				expect(result).toMatchObject({
					name: 'ServiceError',
					kind: expect.stringMatching(/^truncated$|^malformed$/),
				});
				expect(expected.text.startsWith(partialText(result))).toBe(true);
			} else if (client.endsBy) {
				const { text } = result as { text: string };
				expect(expected.text.startsWith(text.replace(/\ufffd$/, ''))).toBe(true);
			} else expect(result).toEqual(expected);
		}
	});

	it('throws nothing but ServiceError on random bytes, before and after real ones', async () => {
		const stream = bytes(client.stream);
		await fc.assert(
			fc.asyncProperty(
				fc.nat(length),
				fc.array(fc.uint8Array()),
				fc.boolean(),
				async (end, noise, breaks) => {
					const http = inMemory(answer(client, [stream.subarray(0, end), ...noise], { breaks }));
					const result = await client.ask(http).catch((error: unknown) => error);
					if (result instanceof Error) expect(result.name).toBe('ServiceError');
					expect(http.closed).toEqual([1]);
				},
			),
		);
	});

	it('throws nothing but ServiceError on events of any form', async () => {
		const value = fc.jsonValue();
		const data = fc.record(
			{
				type: fc.constantFrom(...NAMES),
				delta: value,
				choices: value,
				t: value,
				output_index: value,
				item: value,
				response: value,
				error: value,
				usage: value,
			},
			{ requiredKeys: [] },
		);
		const line = fc.oneof(
			fc.constantFrom('', '', 'data', 'data: [DONE]', 'data: null', 'data: {"error":null}'),
			fc.constantFrom(...NAMES).map((name) => `event: ${name}`),
			fc.oneof(value, data).map((one) => `data: ${JSON.stringify(one)}`),
		);
		await fc.assert(
			fc.asyncProperty(fc.array(line), async (lines) => {
				const http = inMemory(answer(client, [lines.join('\n')]));
				const result = await client.ask(http).catch((error: unknown) => error);
				if (result instanceof Error) expect(result.name).toBe('ServiceError');
			}),
		);
	});
});

describe.each(Object.entries(clients))('%s', (_name, client) => {
	it.each([
		['', client.type],
		['<!DOCTYPE html><html><body>Log in</body></html>', 'text/html; charset=utf-8'],
	])('%j is garbled', async (page, type) => {
		expect(
			await failureOf(client.ask(inMemory(answer({ ...client, type }, [page])))),
		).toMatchObject({
			kind: 'malformed',
			details: { status: 200, requestId: 'r-1', outcome: 'unknown' },
		});
	});

	it('a refusal keeps status, code and request id', async () => {
		const body = '{"error":{"code":"c","message":"m"}}';
		const refusal = answer({ ...client, type: 'application/json' }, [body], { status: 403 });
		expect(await failureOf(client.ask(inMemory(refusal)))).toMatchObject({
			kind: 'refused',
			message: 'The API key does not permit this request (403)',
			details: { status: 403, code: 'c', reason: 'm', requestId: 'r-1', outcome: 'not_started' },
		});
	});
});
