import type { IExecuteFunctions } from 'n8n-workflow';

import { createModelFetch } from '../../nodes/ModelRouter/chatModel/replies';
import { sendMessage } from '../../src/agent/client';
import { ask, askStreaming } from '../../src/assistant/client';
import { readReply } from '../../src/conversation/reply';
import type { Http } from '../../src/core/http';
import { createLiveOutput } from '../../src/n8n/liveOutput';
import { createRedactor } from '../../src/n8n/redact';
import { createRequestTimeouts, withTimeouts } from '../../src/n8n/timedBody';
import { listModels } from '../../src/router/catalog';
import { completeChat } from '../../src/router/chatCompletions';
import { readJob } from '../../src/router/jobs';
import type { ChatMessage } from '../../src/router/messages';
import { createResponse } from '../../src/router/responses';
import { countCharacters } from '../support/countCharacters';
import { nameOf, recordings, type Recording } from './agent/recordings';
import { bytes, inMemory, typed } from './inMemoryHttp';

// What is asked once per piece never looks at all that came before: the characters that are looked at grow with the size of an answer,
// not with its square. Every reader gets one line of 1 MB and one of 8 MB, in pieces of 16 kB.

const MB = 1024 * 1024;
const PIECE = 16 * 1024;

type Read = (http: Http) => Promise<unknown>;

const SSE = 'text/event-stream';
const JSON_TYPE = 'application/json';
const question = { sessionId: '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90', content: 'q' };
const messages: ChatMessage[] = [{ role: 'user', content: 'q' }];

const agent: Read = async (http) => await sendMessage(http, question);
const assistant: Read = async (http) => await ask(http, { message: 'q' });
const streaming: Read = async (http) => await askStreaming(http, { message: 'q' });
const unheard = () => {};
const chat: Read = async (http) => await completeChat(http, { model: 'm', messages }, unheard);
const response: Read = async (http) =>
	await createResponse(http, { model: 'm', input: 'q' }, unheard);

const words = (size: number) => 'lorem ipsum '.repeat(Math.ceil(size / 12));
const sse = (value: unknown, name = '') =>
	`${name && `event: ${name}\n`}data: ${JSON.stringify(value)}\n\n`;
const delta = (piece: object, more: object = {}) =>
	sse({ choices: [{ index: 0, delta: piece, ...more }] });
/** The same event again and again: a sixteenth of the size, since each is counted by itself. */
const again = (event: string, size: number) => event.repeat(Math.ceil(size / 16 / event.length));
const DONE = 'data: [DONE]\n\n';

/** Reads an answer whose pieces come one by one, over a connection with a clock. */
async function read(
	reader: Read,
	chunks: ReadonlyArray<string | Uint8Array>,
	type: string,
	status = 200,
) {
	const { send } = inMemory({ ...typed(type, ...chunks), status });
	const clock = { now: () => 0, sleep: () => new Promise<void>(() => {}), random: () => 0.5 };
	return await reader({
		send: async (request) => ({ ...(await send(request)), clock, hear() {} }),
	}).catch((error: unknown) => ({ error }));
}

function inPieces(body: string, size = PIECE): Uint8Array[] {
	const whole = bytes(body);
	const starts = Array.from({ length: Math.ceil(whole.length / size) }, (_, at) => at * size);
	return starts.map((start) => whole.subarray(start, start + size));
}

/** @param limit A square would be 64. */
async function expectLinear(small: () => unknown, large: () => unknown, limit = 9) {
	const [one, eight] = [await countCharacters(small), await countCharacters(large)];
	expect(one).toBeGreaterThan(0);
	expect(eight / one).toBeLessThanOrEqual(limit);
}

const lines: Array<[name: string, reader: Read, type: string, body: (size: number) => string]> = [
	['an agent, plain text', agent, 'text/plain', words],
	['an agent, one event', agent, SSE, (size) => sse({ text: words(size) })],
	['an agent, one event of plain words', agent, SSE, (size) => `data: ${words(size)}\n\n`],
	['an agent, one JSON body', agent, JSON_TYPE, (size) => JSON.stringify({ text: words(size) })],
	[
		'an agent, one JSON body over two lines',
		agent,
		JSON_TYPE,
		(size) => `{\n"text":"${words(size)}"}`,
	],
	[
		'an agent, JSON lines',
		agent,
		'application/x-ndjson',
		(size) => `{"a":1}\n{"text":"${words(size)}"}\n`,
	],
	[
		'an agent, an event of many data: lines',
		agent,
		SSE,
		(size) => `${again('data: lorem\n', size)}\n`,
	],
	[
		'an agent, many lines of JSON in one event',
		agent,
		SSE,
		(size) => `data: {"text":[\n${again('data: "lorem",\n', size)}data: ""]}\n\n`,
	],
	[
		'an agent, an event whose JSON goes on without data:',
		agent,
		SSE,
		(size) => `data: {\n${again('  "a": "lorem",\n', size)}  "text": "hi"\n}\n\n`,
	],
	[
		'an agent, a text that begins with an example of an event',
		agent,
		'text/plain',
		(size) => `error: {"a":1}\n${again('lorem\n', size)}`,
	],
	[
		'an agent, a text that begins with an example of JSON',
		agent,
		'text/plain',
		(size) => `{"a":1}\n${again('lorem\n', size)}`,
	],
	['an agent, one comment', agent, SSE, (size) => `: ${words(size)}\n\ndata: {"text":"hi"}\n\n`],
	['an agent, one event without end', agent, SSE, (size) => `data: {"text":"${words(size)}`],
	['an agent, white space', agent, 'text/plain', (size) => `${' '.repeat(size)}Hello there`],
	['an agent, a body that is cut', agent, JSON_TYPE, (size) => `{"text":"${words(size)}`],
	['an agent, many small events', agent, SSE, (size) => again(sse({ text: 'lorem ' }), size)],
	[
		'an agent, pieces in two places in turn',
		agent,
		SSE,
		(size) => again(sse({ text: 'lorem ' }) + sse({ answer: 'ipsum ' }), size),
	],
	[
		'an agent that goes on after its end',
		agent,
		SSE,
		(size) =>
			sse({ text: words(size) }) +
			sse({ event: 'workflow_started', workflow_run_id: '1', data: {} }) +
			sse({ event: 'workflow_finished', data: { status: 'succeeded', outputs: { a: 'hi' } } }) +
			again(sse({ event: 'node_finished', data: 'x'.repeat(PIECE) }), size),
	],
	[
		'an artifact that is not appended',
		agent,
		SSE,
		(size) =>
			sse({ kind: 'task', status: { state: 'working' } }) +
			again(
				sse({
					kind: 'artifact-update',
					artifact: { artifactId: 'a', parts: [{ kind: 'text', text: 'lorem ipsum '.repeat(80) }] },
				}),
				size,
			),
	],
	[
		'an agent, white space in the form of a row',
		agent,
		SSE,
		(size) => again(sse({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: ' ' }), size),
	],
	[
		'the assistant, one JSON body',
		assistant,
		JSON_TYPE,
		(size) => JSON.stringify({ data: { answer: words(size) } }),
	],
	[
		'the assistant, one event',
		assistant,
		SSE,
		(size) => sse({ t: words(size) }, 'message_start') + 'event: finish\n\n',
	],
	['the assistant, plain text', assistant, 'text/plain', words],
	[
		'the assistant, streamed',
		streaming,
		SSE,
		(size) => sse({ t: words(size) }, 'message_start') + 'event: finish\n\n',
	],
	[
		'the assistant, many events',
		streaming,
		SSE,
		(size) => again(sse({ t: 'lorem ' }, 'message_start'), size) + 'event: finish\n\n',
	],
	[
		'the assistant, many titles',
		streaming,
		SSE,
		(size) =>
			Array.from({ length: 100 }, (_, at) =>
				sse({ call_id: `${at}`, title: { en: words(size / 100) } }, 'pending_tool_call'),
			).join('') + 'event: finish\n\n',
	],
	[
		'the assistant, one JSON body in place of a stream',
		streaming,
		JSON_TYPE,
		(size) => JSON.stringify({ answer: words(size) }),
	],
	['a chat completion, one event', chat, SSE, (size) => delta({ content: words(size) }) + DONE],
	[
		'a chat completion, many events',
		chat,
		SSE,
		(size) => again(delta({ content: 'lorem ' }), size) + DONE,
	],
	[
		'a chat completion, one JSON body',
		chat,
		JSON_TYPE,
		(size) =>
			JSON.stringify({
				choices: [{ index: 0, message: { role: 'assistant', content: words(size) } }],
			}),
	],
	[
		'a chat completion, reasoning',
		chat,
		SSE,
		(size) =>
			again(
				delta({
					reasoning: 'lorem ',
					reasoning_details: [{ type: 'reasoning.text', text: 'lorem ', index: 0 }],
				}),
				size,
			) + DONE,
	],
	[
		'a chat completion, parts',
		chat,
		SSE,
		(size) =>
			again(
				delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'lorem ' }] }] }),
				size,
			) + DONE,
	],
	[
		'a tool call, arguments in pieces',
		chat,
		SSE,
		(size) =>
			delta({ tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '{"a":"' } }] }) +
			again(delta({ tool_calls: [{ index: 0, function: { arguments: 'lorem ' } }] }), size) +
			delta({ tool_calls: [{ index: 0, function: { arguments: '"}' } }] }) +
			DONE,
	],
	[
		'a tool call, arguments at once',
		chat,
		SSE,
		(size) =>
			delta({
				tool_calls: [
					{
						index: 0,
						id: 'c',
						function: { name: 'f', arguments: JSON.stringify({ a: words(size) }) },
					},
				],
			}) + DONE,
	],
	[
		'a response, one event',
		response,
		SSE,
		(size) =>
			sse({ type: 'response.output_text.delta', delta: words(size) }) +
			sse({ type: 'response.completed', response: {} }),
	],
	[
		'a response, many events',
		response,
		SSE,
		(size) =>
			again(sse({ type: 'response.output_text.delta', delta: 'lorem ' }), size) +
			sse({ type: 'response.completed', response: {} }),
	],
	[
		'a response, one JSON body',
		response,
		JSON_TYPE,
		(size) =>
			JSON.stringify({
				status: 'completed',
				output: [{ type: 'message', content: [{ type: 'output_text', text: words(size) }] }],
			}),
	],
	[
		'a response, arguments in pieces',
		response,
		SSE,
		(size) =>
			again(
				sse({
					type: 'response.function_call_arguments.delta',
					output_index: 0,
					item_id: 'i',
					delta: 'lorem ',
				}),
				size,
			) + sse({ type: 'response.completed', response: {} }),
	],
	[
		'a page of the catalog',
		listModels,
		JSON_TYPE,
		(size) => JSON.stringify({ data: [{ id: 'vendor/model', description: words(size) }] }),
	],
	[
		'the record of a job',
		async (http) => await readJob(http, { mediaType: 'images', jobId: 'j' }),
		JSON_TYPE,
		(size) => JSON.stringify({ id: 'j', status: 'completed', result: words(size) }),
	],
];

it.each(lines)('%s', async (_name, reader, type, body) => {
	const [small, large] = [inPieces(body(MB)), inPieces(body(8 * MB))];
	await expectLinear(
		async () => await read(reader, small, type),
		async () => await read(reader, large, type),
	);
});

it.each(['an error'])('%s', async () => {
	const [small, large] = [MB, 8 * MB].map((size) =>
		inPieces(JSON.stringify({ error: { message: words(size) } })),
	);
	await expectLinear(
		async () => await read(chat, small!, JSON_TYPE, 400),
		async () => await read(chat, large!, JSON_TYPE, 400),
	);
});

/** The longest word of the answer that its body has. */
const wordIn = ({ body, expectedText }: Recording) =>
	String(expectedText)
		.match(/[a-z]{3,}/gi)
		?.filter((word) => body.includes(word))
		.sort((one, other) => other.length - one.length)[0] ?? '';

const isRead = (each: Recording) =>
	each.expectedOutcome === 'complete' && each.status < 300 && typeof each.expectedText === 'string';

/** One recorded answer of each row. */
const recorded = Object.entries(
	Object.fromEntries(
		recordings
			.filter((each) => isRead(each) && wordIn(each))
			.map((each) => [each.dialect ?? 'the plain rule', each]),
	),
);

describe.each(recorded)('%s', (_dialect, recording) => {
	const { body, contentType } = recording;
	const word = wordIn(recording);
	const readEach = async (chunks: readonly Uint8Array[]) => await read(agent, chunks, contentType);

	it(`one long word: ${nameOf(recording)}`, async () => {
		const [small, large] = [MB / 4, 2 * MB].map((size) =>
			inPieces(body.replaceAll(word, `${word} ${words(size)}`)),
		);
		await expectLinear(
			async () => await readEach(small!),
			async () => await readEach(large!),
		);
	});

	it('the events of its text again and again, and what follows its end', async () => {
		const blocks = body.split(/(?<=\n\n|\n(?!data|event|id|:|$))/);
		const at = blocks.findIndex((block) => block.includes(word));
		const repeated = (times: number) =>
			[
				...blocks.slice(0, at),
				...Array<string>(times).fill(blocks[at]!),
				...blocks.slice(at + 1),
				...Array<string>(times).fill(blocks.at(-1)!),
			].map(bytes);
		// a row is looked for in the first 100 events, which would hide the rest
		const [small, large] = [repeated(200), repeated(1600)];
		await expectLinear(
			async () => await readEach(small),
			async () => await readEach(large),
			// what is bounded, such as a look at the last events, weighs more in one of them than in the other
			10,
		);
	});
});

// what passes the text on

const pieces = (size: number) => Array<string>(size / PIECE).fill(words(PIECE).slice(0, PIECE));

it('keys are taken out of a text that comes in pieces', async () => {
	const pass = (size: number) => () => {
		const stream = createRedactor('sk-Abc123def456GHI789jkl').stream();
		for (const piece of pieces(size)) stream.push(piece);
		stream.end();
	};
	await expectLinear(pass(MB), pass(8 * MB));
});

it('live output', async () => {
	const n8n = { sendChunk: async () => {}, logger: { debug() {} } } as unknown as IExecuteFunctions;
	const pass = (size: number) => async () => {
		const output = createLiveOutput(n8n, 0, { stream: createRedactor('sk-Abc123def456').stream() });
		for (const piece of pieces(size)) await output.write(piece);
		await output.end();
	};
	await expectLinear(pass(MB), pass(8 * MB));
});

it('the channel of the chat model', async () => {
	const pass = (size: number) => async () => {
		const text = pieces(size).join('');
		const model = createModelFetch(async (_body, onText) => {
			for (const piece of pieces(size)) {
				onText(piece);
				await new Promise(setImmediate);
			}
			return { text, model: 'm', toolCalls: [] };
		});
		const body = JSON.stringify({ stream: true, messages: [] });
		const reader = (await model('https://nowhere.invalid', { body })).body!.getReader();
		while (!(await reader.read()).done);
	};
	await expectLinear(pass(MB), pass(8 * MB));
});

it('a body with time limits', async () => {
	const limits = { idleTimeout: 5000, totalTimeout: 60_000, stop: undefined };
	const http = (body: string): Http => ({
		async send() {
			const requests = createRequestTimeouts(limits);
			async function* given() {
				yield* inPieces(body);
			}
			return {
				status: 200,
				headers: { 'content-type': JSON_TYPE },
				body: withTimeouts(given(), requests.begin(), requests),
			};
		},
	});
	const pass = (body: string) => async () => await agent(http(body));
	const [small, large] = [MB, 8 * MB].map((size) => JSON.stringify({ text: words(size) }));
	await expectLinear(pass(small!), pass(large!));
});

it('a reply in a conversation', async () => {
	const pass = (size: number) => {
		const items = [{ output: words(size) }, { output: words(10) }];
		return () => readReply(items, { sent: {}, hasWaited: false, isOurs: true });
	};
	await expectLinear(pass(MB), pass(8 * MB));
});
