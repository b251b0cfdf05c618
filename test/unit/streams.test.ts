import { sendMessage } from '../../src/agent/client';
import { askStreaming } from '../../src/assistant/client';
import type { Http } from '../../src/core/http';
import { completeChat } from '../../src/router/chatCompletions';
import { someOf, upTo } from '../support/cases';
import fc from '../support/fastCheck';
import { bytes, failureOf, inMemory, split, type Answer } from './inMemoryHttp';

// Every client that reads a stream: the whole answer does not depend on how its bytes arrive, and whatever cuts it, what
// came before is kept.

interface Client {
	ask: (http: Http, onText?: (text: string) => void) => Promise<{ text: string }>;
	type: string;
	stream: string;
	/** Where a clean end of the connection is the end of the answer. */
	endsBy?: 'connection';
}

const agent: Client['ask'] = async (http, onText = () => {}) => {
	const { text, format } = await sendMessage(http, { sessionId: 's', content: 'q' }, { onText });
	return { text, format };
};
const assistant: Client['ask'] = async (http, onText = () => {}) =>
	await askStreaming(http, { message: 'q' }, { onText, includeRawEvents: true });
const chat: Client['ask'] = async (http, onText) =>
	await completeChat(http, { model: 'vendor/model', messages: [] }, onText);

const WORDS = ['He', 'llo ', 'é€😀', ' [DO', 'NE] "{', '}\\n', 'end'];
const chunk = (delta: object, more: object = {}) => ({ choices: [{ index: 0, delta, ...more }] });
const sse = (...parts: unknown[]) =>
	parts.map((part) => `data: ${JSON.stringify(part)}\n\n`).join('');
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
	},
	'agent JSON': {
		ask: agent,
		type: 'application/json',
		stream: JSON.stringify({ output: { text: WORDS.join('') } }, null, 2),
	},
	'agent text': {
		ask: agent,
		type: 'text/plain',
		stream: WORDS.join('\n'),
		endsBy: 'connection',
	},
};

const answer = ({ type }: Client, chunks: Answer['chunks'] = [], more: Answer = {}): Answer => ({
	headers: { 'content-type': type, 'x-request-id': 'r-1' },
	chunks,
	...more,
});
const whole = async (client: Client) => await client.ask(inMemory(answer(client, [client.stream])));

describe.each(Object.entries(clients))('%s', (name, client) => {
	const isText = name === 'agent text';
	const lineEnds = isText
		? ['\n']
		: name.includes('JSON') && !name.includes('events')
			? ['\n', '\r\n']
			: ['\n', '\r', '\r\n'];

	it('is read whole', async () => {
		expect((await whole(client)).text).toContain('é€😀');
	});

	it('reads the same however its bytes are split and its lines end', async () => {
		const expected = await whole(client);
		const places = fc.array(fc.nat(bytes(client.stream).length), { maxLength: 40 });
		await fc.assert(
			fc.asyncProperty(fc.constantFrom(...lineEnds), places, async (end, at) => {
				const stream = bytes(client.stream.replaceAll('\n', end));
				let readAlong = '';
				const http = inMemory(answer(client, split(stream, at)));
				const result = await client.ask(http, (text) => void (readAlong += text));
				expect(result).toEqual(expected);
				expect(readAlong).toBe(expected.text);
				expect(http.closed).toEqual([1]);
			}),
		);
	});

	it.each(lineEnds.map((end) => [end]))(
		'reads the same byte by byte, lines ending in %j',
		async (end) => {
			const stream = bytes(client.stream.replaceAll('\n', end));
			const http = inMemory(answer(client, split(stream, [...stream.keys()])));
			expect(await client.ask(http)).toEqual(await whole(client));
		},
	);

	it('keeps what came when the connection breaks, after every byte', async () => {
		const { text } = await whole(client);
		const stream = bytes(client.stream);
		let longest = '';
		for (const length of someOf(upTo(stream.length), 7)) {
			const broken = answer(client, [stream.subarray(0, length)], { breaks: true });
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
					reason: 'The connection broke (aborted).',
				},
			});
			const { partial } = (result as unknown as { details: { partial: { text: string } } }).details;
			expect(text.startsWith(partial.text)).toBe(true);
			expect(partial.text.length).toBeGreaterThanOrEqual(longest.length);
			longest = partial.text;
		}
		if (name !== 'agent JSON') expect(longest.length).toBeGreaterThanOrEqual(text.length - 6);
	});

	it('never calls less than the whole complete when the connection closes after any byte', async () => {
		const expected = await whole(client);
		const stream = bytes(client.stream);
		// an agent's form is unknown until its first event is there
		const first = client.endsBy ? client.stream.indexOf('\n\n') + 2 : 0;
		for (const length of someOf(upTo(stream.length).slice(first), 7)) {
			const closed = inMemory(answer(client, [stream.subarray(0, length)]));
			const result = await client.ask(closed).catch((error: unknown) => error);
			if (result instanceof Error) {
				expect(result).toMatchObject({
					name: 'ServiceError',
					kind: expect.stringMatching(/^truncated$|^malformed$/),
				});
				const { partial } = (result as unknown as { details: { partial?: { text: string } } })
					.details;
				expect(expected.text.startsWith(partial?.text ?? '')).toBe(true);
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
				fc.nat(stream.length),
				fc.array(fc.uint8Array()),
				fc.boolean(),
				async (length, noise, breaks) => {
					const http = inMemory(answer(client, [stream.subarray(0, length), ...noise], { breaks }));
					const result = await client.ask(http).catch((error: unknown) => error);
					if (result instanceof Error) expect(result.name).toBe('ServiceError');
					expect(http.closed).toEqual([1]);
				},
			),
		);
	});

	it('throws nothing but ServiceError on events of any form', async () => {
		const names = [
			'chat',
			'message_start',
			'message_end',
			'pending_tool_call',
			'finished_tool_call',
			'error',
			'done',
			'delta',
			'x',
		];
		const line = fc.oneof(
			fc.constantFrom('', '', 'data', 'data: [DONE]', 'data: null', 'data: {"error":null}'),
			fc.constantFrom(...names).map((value) => `event: ${value}`),
			fc.json({ maxDepth: 3 }).map((value) => `data: ${value}`),
			fc
				.record(
					{
						choices: fc.jsonValue(),
						t: fc.jsonValue(),
						error: fc.jsonValue(),
						usage: fc.jsonValue(),
					},
					{ requiredKeys: [] },
				)
				.map((value) => `data: ${JSON.stringify(value)}`),
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

it.each(Object.entries(clients))(
	'%s: a web page or an empty body is garbled',
	async (_name, client) => {
		for (const page of ['', '<!DOCTYPE html><html><body>Log in</body></html>']) {
			const type = page ? 'text/html; charset=utf-8' : client.type;
			const http = inMemory(answer({ ...client, type }, [page]));
			const failure = await failureOf(client.ask(http));
			expect(failure).toMatchObject({
				details: { status: 200, requestId: 'r-1', outcome: 'unknown' },
			});
			expect(failure.kind).toBe('malformed');
		}
	},
);

it.each(Object.entries(clients))(
	'%s: a refusal keeps status, code and request id',
	async (_name, client) => {
		const refusal = answer(
			{ ...client, type: 'application/json' },
			['{"error":{"code":"c","message":"m"}}'],
			{ status: 403 },
		);
		const failure = await failureOf(client.ask(inMemory(refusal)));
		expect(failure).toMatchObject({
			kind: 'refused',
			message: 'The API key does not permit this request (403)',
			details: { status: 403, code: 'c', reason: 'm', requestId: 'r-1', outcome: 'not_started' },
		});
	},
);
