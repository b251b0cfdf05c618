import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { type AskedServer, sendMessage, type SendOptions } from '../../../src/agent/client';
import { serverOf } from '../../../src/agent/servers';
import { askStreaming } from '../../../src/assistant/client';
import { REPORTED } from '../../../src/core/errorResponses';
import { ServiceError } from '../../../src/core/errors';
import { someOf, upTo } from '../../support/cases';
import publicStreams from '../core/publicStreams.json';
import {
	bytes,
	events,
	failureOf,
	inMemory,
	json,
	split,
	typed,
	type Answer,
} from '../inMemoryHttp';

const MESSAGE = { sessionId: '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90', content: 'the question' };
const ids = { sessionId: MESSAGE.sessionId };
const send = (answer: Answer, listening?: SendOptions) =>
	sendMessage(inMemory(answer), MESSAGE, listening);
const SSE = 'text/event-stream';

it('posts the content into the session', async () => {
	const http = inMemory(events('data: "ok"\n\n', { headers: { 'x-request-id': 'r-1' } }));
	expect(await sendMessage(http, MESSAGE)).toMatchObject({ text: 'ok', requestId: 'r-1' });
	expect(http.requests).toEqual([
		{
			method: 'POST',
			path: `/session/${MESSAGE.sessionId}/messages`,
			body: { content: 'the question' },
			accept: 'text/event-stream, application/x-ndjson, application/json, text/plain',
		},
	]);
});

describe('the forms of other services', () => {
	const R = 'Hello world';
	const [, whole = [], streams = []] = readFileSync(join(__dirname, 'wireFormats.txt'), 'utf8')
		.split('\n\n')
		.map((block) =>
			block
				.trim()
				.split('\n')
				.map((line): [name: string, body: string] => {
					const [name = '', , body = ''] = line.split(' | ');
					return [name, body.replaceAll('\\n', '\n')];
				}),
		);

	it.each(whole)('%s, under any type', async (_name, body) => {
		for (const type of ['application/json', 'text/plain', 'text/html', SSE, '']) {
			const answer = await send(typed(type, body));
			expect(answer).toMatchObject({ text: R, format: expect.stringMatching(/json/) });
			expect(answer).not.toHaveProperty('dialect');
		}
		const http = inMemory(typed('application/json', body));
		const answer = await askStreaming(http, { message: 'q' });
		expect(answer).toMatchObject({ text: R, body: expect.anything() });
	});

	it.each(streams)('%s, also byte by byte', async (_name, body) => {
		const type = body.startsWith('{') ? 'application/x-ndjson' : SSE;
		expect(await send(typed(type, body))).toMatchObject({ text: R });
		const stream = bytes(body);
		const chunks = split(stream, [...stream.keys()]);
		expect(await send(typed('text/html', ...chunks))).toMatchObject({ text: R });
	});

	it.each([...streams, ...whole])('%s, cut anywhere, is a part of it', async (_name, body) => {
		const type = body.startsWith('{') ? 'application/x-ndjson' : SSE;
		for (const length of someOf(upTo(body.length), 11, body.length)) {
			const result = await send(typed(type, body.slice(0, length))).catch(
				(error: unknown) => error,
			);
			const said = result as { text?: string; details?: { partial?: { text?: string } } };
			const came = said.text ?? said.details?.partial?.text ?? '';
			expect({ length, came }).toEqual({ length, came: R.slice(0, came.length) });
		}
	});
});

it.each(publicStreams.flatMap(({ answer, ...stream }) => (answer ? [{ answer, ...stream }] : [])))(
	'reads $what',
	async ({ type, body, form, answer }) => {
		expect(await send(typed(type, body))).toMatchObject({ format: form, text: answer });
	},
);

const texts = (...said: string[]) => said.map((text) => ({ type: 'text', text }));
const role = (name: string, content: string) => ({ role: name, type: 'message', content });
const answers = (...said: string[]) => said.map((text) => role('assistant', text));
const TOOL = { type: 'tool_result', content: 'found' };
const A = 'data: {"t":"a"}\n\n';
const END = 'event: end\n';

/** An answer is JSON, if it is no text: the text of a stream, or a plain one. */
it.each([
	['a list of events', [...texts('a'), TOOL, ...texts('b')], 'a\n\nb'],
	['a history', [role('user', 'q'), ...answers('a', 'b')], 'a\n\nb'],
	['the question alone', { message: 'the question' }, 'the question'],
	['a whole answer of any type', { type: 'info', message: 'a' }, 'a'],
	['texts in a list', ['a', 'b'].map((text) => ({ recipient_id: 'u', text })), 'a\n\nb'],
	['nothing but an aside', 'data: {"type":"info","text":"a"}\n\ndata: {"type":"done"}\n\n', 'a'],
	['the same piece again', 'data: {"t":"ha"}\n\ndata: {"t":"ha"}\n\n', 'haha'],
	['an end without data', `data: a\n\n${END}\n`, 'a'],
	['an end that is JSON', `data: a\n\n${END}data: {}\n\n`, 'a'],
	['a mark, and something late', 'data: a\n\ndata: [DONE]\n\ndata: late\n\n', 'a'],
	['token counts', `data: a\n\n${END}data: {"tokens":12}\n\n`, 'a'],
	['a word at the end', `${A}${END}data: completed\n\n`, 'a'],
	['the last words in the end of words', `data: a\n\n${END}data:  b.\n\n`, 'a b.'],
	['words about the end', `${A}${END}data: {"message":"Stream completed"}\n\n`, 'a'],
	['the whole at the end', `${A}${END}data: {"output":"a"}\n\n`, 'a'],
	['nothing before', `event: status\n${A}${END}data: {"output":"b"}\n\n`, 'b'],
	// a word in the event that ends a stream is never the answer
	['an event of its own', `event: activity\n${A}event: end\ndata: end\n\n`, 'a'],
])('reads every word of %s, once', async (_name, answer, text) => {
	const [format, sent] =
		typeof answer === 'string' ? ['sse', events(answer)] : ['json', json(answer)];
	let heard = '';
	const onText = (piece: string) => void (heard += piece);
	expect(await send(sent as Answer, { onText })).toMatchObject({ format, text });
	expect(heard).toBe(text);
});

const say = (...contents: unknown[]) =>
	contents.map((content) => `data: ${JSON.stringify({ content })}\n\n`).join('');
const echo = (event: string) => `data: ${JSON.stringify({ event, content: MESSAGE.content })}\n\n`;

const LONG = 'What is the price of BTC today?';

it.each<[string, string, string, string?]>([
	['its beginning', say('the question', ' is good'), 'the question is good'],
	['its middle', say('Here is ', 'the question', '.'), 'Here is the question.'],
	['several pieces', say('the question', '', 'the question'), 'the questionthe question'],
	['a part', say([{ text: 'the question' }, { text: ' is good' }]), 'the question is good'],
	['all', say('the question'), 'the question'],
	['no part: it is longer than a piece', say(LONG, 'Hello'), 'Hello', LONG],
	['no part: an event before it', echo('received') + say('Hello'), 'Hello'],
	['all, behind such an event', echo('received') + say('the question'), 'the question'],
])('an answer of which %s is the question is whole, also live', async (...row) => {
	const [, body, text, content = MESSAGE.content] = row;
	let live = '';
	const lines = body.replaceAll('data: ', '').replaceAll('\n\n', '\n');
	for (const answer of [events(body), typed('application/x-ndjson', lines)]) {
		live = '';
		const onText = (piece: string) => void (live += piece);
		const message = { ...MESSAGE, content };
		expect(await sendMessage(inMemory(answer), message, { onText })).toMatchObject({ text });
		expect(live).toBe(text);
	}
});

it('reads every word of plain text, once', async () => {
	let heard = '';
	const onText = (piece: string) => void (heard += piece);
	const answer = await send(typed('text/plain', 'a', 'aa', 'aaa'), { onText });
	expect([answer, heard]).toMatchObject([{ format: 'text', text: 'aaaaaa' }, 'aaaaaa']);
});

it('a word in the event that ends a stream is not the answer where nothing else is', async () => {
	const stream = 'event: status\ndata: {"text":"no"}\n\nevent: done\ndata: done\n\n';
	expect(await failureOf(send(events(stream)))).toMatchObject({
		kind: 'malformed',
		details: { reason: 'Its first event: {"event":"status","data":{"text":"no"}}' },
	});
});

const noReason = 'The agent reported an error without a reason.';

/** What follows the first piece. The reason is "boom", if it is not told. */
it.each([
	['event', 'event: error\ndata: {"message":"boom","code":"c"}\n\n'],
	['event without data', 'event: error\n\n', noReason],
	['field', 'data: {"error":"boom"}\n\ndata: [DONE]\n\n'],
	['code', 'data: {"code":4000,"msg":"boom"}\n\n'],
	['detail', 'data: {"detail":"boom"}\n\ndata: [DONE]\n\n'],
	['type below another name', 'event: update\ndata: {"type":"error","message":"boom"}\n\n'],
	['status', 'data: {"statusCode":500,"message":"boom"}\n\n'],
	['problem', 'data: {"title":"Failed","status":503,"detail":"boom"}\n\n'],
	['flag', 'data: {"type":"result","is_error":true,"result":"boom"}\n\n'],
	['state', 'data: {"state":"failed","message":"boom"}\n\n'],
	['message alone', 'data: {"errorMessage":"boom"}\n\n'],
	[
		'of a workflow',
		'data: {"event":"workflow_finished","data":{"status":"failed","error":"boom"}}\n\n',
	],
	['in one word', 'data: {"type":"stepError","content":"boom"}\n\n'],
	['of its end', 'data: {"type":"abort"}\n\n', '{"type":"abort"}'],
])('an error %s cuts the answer, and keeps what came', async (what, rest, reason = 'boom') => {
	expect(await failureOf(send(events(A + rest)))).toMatchObject({
		kind: 'truncated',
		message: reason === noReason ? 'The answer stopped before its end' : REPORTED,
		details: {
			reason,
			ids,
			outcome: 'started',
			partial: { text: 'a' },
			...(what === 'event' && { code: 'c' }),
		},
	});
});

it('an error line cuts the answer, and keeps what came', async () => {
	const lines = typed('application/x-ndjson', '{"t":"a"}\n{"error":{"message":"boom"}}\n');
	const details = { reason: 'boom', ids, outcome: 'started', partial: { text: 'a' } };
	expect(await failureOf(send(lines))).toMatchObject({ message: REPORTED, details });
});

it('a binary body is no answer', async () => {
	const answer = typed('application/vnd.amazon.eventstream', '\0\0\0v\0\0\0R:event-type');
	const advice = expect.stringContaining('whether the service received the message');
	expect(await failureOf(send(answer))).toMatchObject({
		kind: 'malformed',
		details: { ids, advice },
	});
});

it('what was told before the form was recognized is a message of its own, also live', async () => {
	const answer = events(
		'data: {"text":"Wait."}\n\ndata: {"type":"RUN_STARTED"}\n\n' +
			'data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"1","delta":"Hello"}\n\n' +
			'data: {"type":"RUN_FINISHED"}\n\n',
	);
	let live = '';
	const { text, notice } = await send(answer, { onText: (piece) => void (live += piece) });
	expect([text, live]).toEqual(['Wait.\n\nHello', 'Wait.\n\nHello']);
	expect(notice).toMatch(/^The first paragraph had already been shown/);
});

const words = (name: string, count: number) =>
	Array.from({ length: count }, (_, at) => `${name}${at} `);
const named = (event: string) => `event: ${event}\ndata: {"name":"x"}\n\n`;
const typedAs = (type: string) => `data: ${JSON.stringify({ type })}\n\n`;

it.each([
	['on_tool_start', '', named('on_tool_start'), words('w', 300)],
	['values', '', named('values'), words('w', 300)],
	['STATE_CHANGED', '', typedAs('STATE_CHANGED'), words('w', 300)],
	['STEP_FINISHED', words('w', 5), typedAs('STEP_FINISHED'), words('v', 5)],
	['source-url', words('w', 5), typedAs('source-url'), words('v', 300)],
	['data-card, and an echo', '', typedAs('data-card'), ['the question', ...words('v', 5)]],
])(
	'%s, which looks like a row, takes nothing of an answer away',
	async (_name, before, row, after) => {
		let live = '';
		const onText = (piece: string) => void (live += piece);
		const answer = await send(events(say(...before) + row + say(...after)), { onText });
		expect(answer).toMatchObject({
			text: [...before, ...after].join(''),
			notice: expect.stringMatching(/found in other fields/),
		});
		expect(live).toBe(answer.text);
		const broken = events(say(...before) + row + say(...after), { breaks: true });
		const { text, notice } = answer;
		expect((await failureOf(send(broken))).details.partial).toMatchObject({ text, notice });
	},
);

it.each<[string, unknown[]]>([
	['Chat completions', [{ choices: [{ delta: { content: 'Half' }, finish_reason: 'length' }] }]],
	[
		'Responses',
		[
			{ type: 'response.output_text.delta', delta: 'Half' },
			{
				type: 'response.incomplete',
				response: { incomplete_details: { reason: 'max_output_tokens' } },
			},
		],
	],
	[
		'Messages API',
		[
			{ type: 'content_block_delta', delta: { text: 'Half' } },
			{ type: 'message_delta', delta: { stop_reason: 'max_tokens' } },
		],
	],
	[
		'Messages API',
		[
			{ type: 'content_block_delta', delta: { text: 'Half' } },
			{ type: 'message_delta', delta: { stop_reason: 'model_context_window_exceeded' } },
		],
	],
	[
		'AI SDK',
		[
			{ type: 'text-delta', delta: 'Half' },
			{ type: 'finish', finishReason: 'length' },
		],
	],
	[
		'AI SDK',
		[
			{ type: 'text-delta', payload: { text: 'Half' } },
			{ type: 'finish', payload: { stepResult: { reason: 'length' } } },
		],
	],
	[
		'AG-UI',
		[
			{ type: 'TEXT_MESSAGE_CONTENT', delta: 'Half' },
			{ type: 'RUN_FINISHED', metadata: { tanstack: { finishReason: 'length' } } },
		],
	],
	[
		'Genkit',
		[
			{ message: { role: 'model', content: [{ text: 'Half' }] } },
			{ result: { message: { role: 'model', content: [] }, finishReason: 'length' } },
		],
	],
	[
		'Letta',
		[
			{ message_type: 'assistant_message', content: 'Half' },
			{ message_type: 'stop_reason', stop_reason: 'max_tokens_exceeded' },
		],
	],
	[
		'OpenAI Agents SDK',
		[
			{ type: 'raw_model_stream_event', data: { type: 'output_text_delta', delta: 'Half' } },
			{
				type: 'raw_model_stream_event',
				data: { event: { response: { incomplete_details: { reason: 'max_output_tokens' } } } },
			},
			{ type: 'raw_model_stream_event', data: { type: 'response_done' } },
		],
	],
	[
		'Google ADK',
		[
			{
				invocation_id: 'e-1',
				content: { parts: [{ text: 'Half' }] },
				finish_reason: 'MAX_TOKENS',
			},
		],
	],
])('an answer that a limit of tokens has cut is told as that: %s', async (dialect, told) => {
	const body = told.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('');
	const notice = expect.stringMatching(/limit of tokens/);
	expect(await send(events(body))).toMatchObject({ text: 'Half', dialect, notice });
	const more = body
		.replace(/length|max_\w*tokens\w*|model_context\w*/i, 'end_turn')
		.replace('Half', 'The other');
	expect(await send(events(body + more))).not.toHaveProperty('notice');
});

it.each([
	[
		'LangGraph',
		'event: messages\ndata: [{"type":"AIMessageChunk","id":"1","content":"Half"}]\n\n' +
			'event: messages\ndata: [{"type":"AIMessageChunk","id":"1","content":"","response_metadata":{"finish_reason":"length"}}]\n\n',
	],
	[
		'LangChain events',
		'data: {"event":"on_chat_model_stream","data":{"chunk":{"content":"Half"}}}\n\n' +
			'data: {"event":"on_chat_model_end","data":{"output":{"content":"Half","additional_kwargs":{"stop_reason":"max_tokens"}}}}\n\n',
	],
	[
		'LangChain messages',
		'data: [{"lc":1,"type":"constructor","id":["AIMessageChunk"],"kwargs":{"content":"Half","response_metadata":{"stop_reason":"max_tokens"}}}]\n\n',
	],
	[
		'Letta',
		'{"messages":[{"message_type":"assistant_message","content":"Half"}],"stop_reason":{"stop_reason":"max_tokens_exceeded"}}',
	],
])('so is one of %s, which does not end by that event', async (dialect, body) => {
	const notice = expect.stringMatching(/limit of tokens/);
	const type = body.startsWith('{') ? 'application/json' : 'text/event-stream';
	expect(await send(typed(type, body))).toMatchObject({ text: 'Half', dialect, notice });
});

const piece = (id: string, content: unknown, step: number, type = 'AIMessageChunk') =>
	`event: messages\ndata: ${JSON.stringify([{ type, id, content }, { langgraph_step: step }])}\n\n`;
const updated = (node: string, content: string) =>
	`event: updates\ndata: ${JSON.stringify({ [node]: { messages: [{ type: 'ai', content }] } })}\n\n`;

it('messages of nodes that run in parallel are not mixed, and what is kept of one that breaks off is told', async () => {
	const thought = [{ type: 'thinking', thinking: 'no' }];
	const begun =
		piece('a', 'The ', 1) +
		piece('b', thought, 1) +
		piece('a', 'first ', 1) +
		piece('b', 'The second ', 1) +
		piece('a', 'one.', 1);
	const rest = piece('c', 'The third.', 1) + piece('b', 'one.', 1);
	const handedOn = piece('x', 'The first one.', 1, 'ai') + piece('y', 'The third.', 1, 'ai');
	const all = events(begun + rest + handedOn + piece('d', 'All.', 2));
	let live = '';
	const { text } = await send(all, { onText: (added) => void (live += added) });
	expect(text).toBe('The first one.\n\nThe second one.\n\nThe third.\n\nAll.');
	expect(live).toBe(text);
	const broken = failureOf(send({ ...events(begun), breaks: true }));
	expect(await broken).toMatchObject({
		details: { partial: { text: 'The first one.\n\nThe second ' } },
	});
});

it('of many messages side by side, each is whole', async () => {
	const said = Array.from({ length: 250 }, (_, index) => `message ${index}`);
	const begun = said.map((text, id) => piece(`${id}`, text, 1, 'ai'));
	const rest = said.map((_, id) => piece(`${id}`, ' ends.', 1));
	const { text } = await send(events([...begun, ...rest].join('')));
	expect(text).toBe(said.map((one) => `${one} ends.`).join('\n\n'));
});

const SEARCH = [{ type: 'server_tool_use', id: 't', name: 'web_search' }];
it.each([
	['The first', 'is handed on', piece('x', 'The first', 1, 'ai')],
	[
		'The first\n\nA second',
		'was kept and is handed on',
		piece('b', 'A second\n', 1) + piece('x', 'A second', 1, 'ai'),
	],
	[
		'The first\n\nA second',
		'was kept and comes in an update',
		piece('b', 'A second\n', 1) + updated('a', 'The first') + updated('b', 'A second'),
	],
	[
		'The first\n\nLet me look.\n\nSunny.',
		'was kept, as two paragraphs,',
		piece('b', 'Let me look.', 1) + piece('b', SEARCH, 1) + piece('b', 'Sunny.', 1),
	],
	[
		'The first\n\nLet me look.\n\nSunny.',
		'was kept, as two paragraphs, and is handed on in the next step',
		piece('b', 'Let me look.', 1) +
			piece('b', SEARCH, 1) +
			piece('b', 'Sunny.', 1) +
			piece('x', 'Let me look.Sunny.', 2, 'ai'),
	],
	[
		'The first\n\nif x:\n        y',
		'was kept, and a piece of it is white space,',
		piece('b', 'if x:', 1) +
			piece('a', SEARCH, 1) +
			piece('b', '\n        ', 1, 'ai') +
			piece('b', 'y', 1),
	],
])('%j of a graph is told once where it %s', async (expected, _what, rest) => {
	const { text } = await send(events(piece('a', 'The first\n', 1) + rest));
	expect(text.trim().replace(/\n\n+/g, '\n\n')).toBe(expected);
});

it('messages that only the updates of a graph have are read where no other came', async () => {
	const server = serverOf('langGraph')!;
	const other: AskedServer = { server, way: { ask: server.asks[0]! }, newId: () => '1' };
	const ask = async (...of: unknown[][]) => {
		const told = of.map(([event, data]) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
		return await sendMessage(inMemory(events(told.join(''))), MESSAGE, {}, other);
	};
	const update = (node: string, role: string, content: string) => [
		'updates',
		{ [node]: { messages: [{ role, content }] } },
	];
	const silent = [
		update('a', 'ai', 'hello'),
		update('t', 'tool', 'no'),
		update('b', 'ai', 'world'),
	];
	expect(await ask(...silent)).toMatchObject({ text: 'hello\n\nworld', dialect: 'LangGraph' });
	const said = ['messages', [{ type: 'ai', content: 'Hi' }]];
	expect(await ask(said, ...silent)).toMatchObject({ text: 'Hi' });
	expect(await ask(...silent, said)).toMatchObject({ text: 'Hi' });
	const failed = await failureOf(ask(...silent, ['error', { message: 'boom' }]));
	const partial = { text: 'hello\n\nworld', dialect: 'LangGraph' };
	expect(failed.details).toMatchObject({ reason: 'boom', partial });
});

it.each([
	['a class', { lc: 1, type: 'constructor', id: ['AIMessage', 'x'], kwargs: { content: 'a' } }],
	['a state', { text: 'a', status: 'x' }],
	['a code', { text: 'a', code: 'x' }],
	['a code of MiniMax', { text: 'a', base_resp: { status_code: 'x' } }],
])('%s that is an object without a value breaks nothing', async (_name, answer) => {
	const body = JSON.stringify(answer).replace('"x"', '{"toString":1,"valueOf":1}');
	expect(await send(typed('application/json', body))).toMatchObject({ text: 'a' });
});

it('a name that others have, too, recognizes nothing without a second sign', async () => {
	const thought = { event: 'agent_thought', thought: 'no' };
	const stream = (first: object, text: object) =>
		events(`data: ${JSON.stringify(first)}\n\ndata: ${JSON.stringify(text)}\n\n`);
	const answer = await send(stream(thought, { event: 'text', text: 'Hello' }));
	expect(answer).toMatchObject({ text: 'Hello' });
	expect(answer).not.toHaveProperty('dialect');
	const message = { event: 'agent_message', answer: 'Hello' };
	expect(await failureOf(send(stream(thought, message)))).toMatchObject({
		details: { partial: { text: 'Hello', dialect: 'Dify agent' } },
	});
});

it('an event of Strands that Python has printed is no text, before its form is recognized and after', async () => {
	const printed = (data: string) =>
		JSON.stringify(
			`{'data': '${data}', 'agent': <strands.agent.agent.Agent object at 0xffff8e55>}`,
		);
	const delta = (text: string) =>
		`data: {"event":{"contentBlockDelta":{"delta":{"text":"${text}"}}}}\n\ndata: ${printed(text)}\n\n`;
	const body =
		`data: "{'init_event_loop': True, 'request_state': UUID('2f0a')}"\n\ndata: ${printed('Hi')}\n\n` +
		`data: {"event":{"messageStart":{"role":"assistant"}}}\n\n${delta('Hello ')}${delta('you')}` +
		'data: {"event":{"messageStop":{"stopReason":"end_turn"}}}\n\n';
	const answer = await send(events(body));
	expect(answer).toMatchObject({ text: 'Hello you', dialect: 'Bedrock AgentCore' });
	expect(answer).not.toHaveProperty('notice');
});

it('what breaks after the end mark takes nothing away', async () => {
	const stream = `${A}event: end\ndata: {}\n\n`;
	expect(await send(events(stream, { breaks: true }))).toMatchObject({ text: 'a' });
	const failure = await failureOf(send(events(A, { breaks: true })));
	expect(failure).toMatchObject({ details: { partial: { text: 'a' } } });
});

it('an answer of nothing is none', async () => {
	expect(await failureOf(send(json(null)))).toMatchObject({ kind: 'malformed' });
	expect(await failureOf(send(events('event: done\n\n')))).toMatchObject({
		kind: 'truncated',
		details: { reason: 'It ended without any content.' },
	});
});

it('keeps every event when asked', async () => {
	const stream = 'data: {"t":"a"}\n\nevent: status\ndata: {"step":1}\n\ndata: [DONE]\n\n';
	const all = [{ t: 'a' }, { event: 'status', data: { step: 1 } }, '[DONE]'];
	expect((await send(events(stream), { includeRawEvents: true })).events).toEqual(all);
	const words = await send(typed('text/plain', 'Hello ', 'there, ', 'you'), {
		includeRawEvents: true,
	});
	expect(words.events).toEqual(['Hello there, you']);
});

it('an answer without a text is an error that shows its first event, and how to read it', async () => {
	const silent = 'event: ping\n\n' + 'data: {"price":1}\n\n'.repeat(120);
	expect(await failureOf(send(events(silent)))).toMatchObject({
		kind: 'malformed',
		message: 'No text was found in the answer',
		details: {
			reason: 'Its first event: {"price":1}',
			advice: expect.stringContaining('Answer Field Path'),
			outcome: 'started',
			ids,
			partial: { body: expect.stringContaining('"price":1') },
		},
	});
	const asked = await send(events(silent), { answerPath: 'text' });
	expect(asked).toMatchObject({ text: '', events: expect.arrayContaining([{ price: 1 }]) });
	expect(asked.events).toHaveLength(100);
	const words = await send(typed('text/plain', 'Hello ', 'there'), { answerPath: 'text' });
	expect(words).toMatchObject({ text: '', events: ['Hello there'] });
	expect(await send(events(silent), { answerPath: 'price' })).toMatchObject({
		text: '1'.repeat(120),
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

it('values that look like code are only values', async () => {
	const odd = { toString: 1, valueOf: 1, __proto__: { text: 'no' } };
	for (const event of [
		{ type: odd, event: odd, kind: odd, t: 'a' },
		{ choices: [{ index: odd, delta: { content: odd }, finish_reason: odd }] },
		{ type: 'TEXT_MESSAGE_CONTENT', messageId: odd, delta: odd },
		{ type: 'part-start', path: [odd], part: { type: odd } },
		{ type: 'text-delta', path: odd, textDelta: odd },
		{ kind: 'artifact-update', artifact: { artifactId: odd, parts: [odd] } },
		{ jsonrpc: odd, result: odd, error: odd },
		[odd, [odd]],
	]) {
		const both = `data: ${JSON.stringify(event)}\n\ndata: {"t":"a"}\n\n`;
		const outcome = await send(events(both)).catch((error: unknown) => error);
		expect(outcome instanceof ServiceError || (outcome as { text: string }).text).toBeTruthy();
	}
});
