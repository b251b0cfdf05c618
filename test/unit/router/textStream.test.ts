import { REPORTED } from '../../../src/core/errorResponses';
import { ServiceError } from '../../../src/core/errors';
import { completeChat } from '../../../src/router/chatCompletions';
import { ASK_FOR_USAGE } from '../../../src/router/ownFields';
import { createResponse } from '../../../src/router/responses';
import type { TextAnswer } from '../../../src/router/textAnswer';
import type { OnText } from '../../../src/router/textStream';
import { events, failureOf, inMemory, json, typed, type Answer } from '../inMemoryHttp';
import {
	added,
	call,
	chunk,
	chunkOf,
	data,
	dataOf,
	delta,
	DONE,
	done,
	itemDone,
	message,
	part,
	said,
	says,
} from './protocolEvents';

// Both text protocols: how an answer ends, breaks off, fails, or is none.

type Ask = (http: ReturnType<typeof inMemory>, onText?: OnText) => Promise<TextAnswer>;
const REQUEST = { model: 'v/m', stream: false, seed: 7, stop: ['x'] };
const unheard = () => {};
const askChat: Ask = async (http, onText = unheard) =>
	await completeChat(http, Object.freeze({ ...REQUEST, messages: [] }), onText);
const askResponses: Ask = async (http, onText = unheard) =>
	await createResponse(http, Object.freeze({ ...REQUEST, input: 'q' }), onText);
const chat = async (answer: Answer) => await askChat(inMemory(answer));
/** Of a service that is asked for token counts. */
const otherChat = async (answer: Answer) =>
	await completeChat(inMemory(answer), { ...REQUEST, messages: [], ...ASK_FOR_USAGE }, unheard);
const responses = async (answer: Answer) => await askResponses(inMemory(answer));

const stream = (...values: unknown[]) => events(data(...values));
const USAGE = { total_tokens: 3 };
const ERROR = { code: 'backend_failed', message: 'boom', meta: { a: 1 } };
const BOOM = { code: 'backend_failed', reason: 'boom', meta: { a: 1 } };
const STOP = { finish_reason: 'stop' };

const NOTHING = 'It ended without any content.';

const protocols = {
	chat: {
		ask: askChat,
		endMark: DONE,
		says,
		end: data(chunk({}, STOP), { choices: [], usage: USAGE }, DONE),
		whole: { choices: [{ index: 0, message: { content: 'a' }, ...STOP }], usage: USAGE },
		request: ['/v1/chat/completions', { messages: [] }],
		requestName: 'the chat request',
	},
	responses: {
		ask: askResponses,
		endMark: 'response.completed',
		says: delta,
		end: data(done({ usage: USAGE })),
		whole: { output: [message(said('a'))], usage: USAGE },
		request: ['/v1/responses', { input: 'q' }],
		requestName: 'the request for a response',
	},
};

describe.each(Object.entries(protocols))('%s', (name, protocol) => {
	const { ask, endMark, says: piece, end, whole, request, requestName } = protocol;
	const a = data(piece('a'));
	const asked = async (answer: Answer) => await ask(inMemory(answer));

	it('sends the request as it is, always streamed', async () => {
		const http = inMemory(events(a + end));
		await ask(http);
		const [path, more] = request;
		const body = { ...REQUEST, ...(more as object), stream: true };
		expect(http.requests).toEqual([{ method: 'POST', path, accept: 'text/event-stream', body }]);
	});

	it.each([
		['ends by its mark', events(a + end)],
		['has a second end mark', events(a + end + data(DONE))],
		['goes on after its end', events(a + end + data(piece('b'), { error: 'late' }))],
		['breaks after its end', events(a + end, { breaks: true })],
		['has other values between', events(a + data('1', '"ping"', 'null', '[1]', {}) + end)],
		['has signs of life', events(`: hi\n\n${a}data:\n\nevent: ping\ndata: \n\n${end}`)],
		['reports no error', events(a + data({ error: null }, { error: {} }, { error: '' }) + end)],
		[
			'comes in lines',
			typed('text/plain', (a + end).replaceAll('data: ', '').replaceAll('\n\n', '\n')),
		],
		['comes whole', json(whole)],
	])('an answer that %s is complete', async (_how, answer) => {
		const http = inMemory({ ...answer, headers: { ...answer.headers, 'x-request-id': 'r' } });
		const heard: string[] = [];
		expect(await ask(http, (text) => void heard.push(text))).toEqual({
			text: 'a',
			model: 'v/m',
			finishReason: 'stop',
			usage: USAGE,
			toolCalls: [],
			requestId: 'r',
			[name === 'chat' ? 'completion' : 'response']: expect.objectContaining({ usage: USAGE }),
		});
		expect([heard, http.closed]).toEqual([['a'], [1]]);
	});

	const closedEarly = `The connection closed before the end mark "${endMark}" arrived.`;
	const stopped = 'The answer stopped before its end';
	const NO_WORDS = '{"message":null}';
	const named = (value: string) => `event: error\ndata: ${value}\n\n`;

	it.each([
		['an error line and an end', data({ error: ERROR }) + end, BOOM],
		['an error line alone', data({ error: ERROR }), BOOM],
		['an error line without its end', data({ error: ERROR }).trimEnd(), { reason: 'boom' }],
		['an error text', data({ error: 'boom' }), { reason: 'boom' }],
		['an error beside an answer', data({ ...piece('x'), error: ERROR }), BOOM],
		['an error without words', data({ error: { message: null } }), { reason: NO_WORDS }],
		['an object of errors', data({ object: 'error', message: 'boom' }), { reason: 'boom' }],
		['a named error', named(JSON.stringify(ERROR)), BOOM],
		['a named text', named('"boom"'), { reason: 'boom' }],
		['named words', named('boom'), { reason: 'boom' }],
		['nothing', '', { reason: closedEarly }, stopped],
		['a sign of life', 'data:\n\n', { reason: closedEarly }, stopped],
	])('an answer that ends by %s is cut, kept, and billed', async (...row) => {
		const [, rest, details, message = REPORTED] = row;
		const failure = await failureOf(asked(events(a + rest, { headers: { 'x-request-id': 'r' } })));
		expect(failure).toMatchObject({
			kind: 'truncated',
			message,
			details: { ...details, requestId: 'r', outcome: 'started' },
		});
		expect(failure.details.partial).toMatchObject({ text: 'a', model: 'v/m' });
		expect(failure.details.partial).not.toHaveProperty('finishReason');
	});

	const unread = { kind: 'malformed', outcome: 'unknown' };
	const broken = { kind: 'truncated', outcome: 'started', text: 'a' };

	it.each<[string, Answer, { kind: string; outcome: string; reason?: string; text?: string }]>([
		['another body', json({ ok: 'MARK' }), { ...unread, reason: '{"ok":"MARK"}' }],
		['another answer', json({ message: { content: 'MARK' } }), { ...unread, text: 'MARK' }],
		['an answer in a field', json({ data: whole, more: 'MARK' }), unread],
		['an error body', json({ ...whole, error: 'MARK' }), { ...unread, reason: 'MARK' }],
		['plain text', typed('text/plain', 'MARK!'), { ...unread, reason: 'MARK!', text: 'MARK!' }],
		['a web page', typed('text/html', '<!doctype html><p>MARK</p>'), { ...unread, text: '' }],
		['half a body', typed('application/json', '{"x":"MARK'), { ...broken, text: '' }],
		['words alone', stream('ping MARK', DONE), { ...unread, reason: NOTHING }],
		['values', stream(42, {}, 'null', '"MARK"', [], DONE), { ...unread, reason: NOTHING }],
		['events of another protocol', stream({ delta: { text: 'MARK' } }, DONE), unread],
		['words within JSON', events(a + data('ping MARK') + end), broken],
	])('%s is no answer, and what came is kept', async (_what, answer, expected) => {
		const { kind, details } = await failureOf(asked(answer));
		const { text, ...more } = expected;
		expect({ ...details, kind }).toMatchObject(more);
		expect(JSON.stringify(details.partial)).toContain('MARK');
		if (text !== undefined) expect(details.partial).toMatchObject({ text });
	});

	it.each([[DONE], [], ['', DONE]])('a stream of %j is no answer', async (...values) => {
		expect(await failureOf(asked(stream(...values)))).toMatchObject({
			kind: 'malformed',
			details: { outcome: 'unknown' },
		});
	});

	it('the reader is waited for, piece by piece, and hears no empty one', async () => {
		const log: string[] = [];
		const http = inMemory(events(a + data(piece(''), piece('b')) + end));
		await ask(http, async (text) => {
			log.push(text);
			for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
			log.push(`read ${text}`);
		});
		expect(log).toEqual(['a', 'read a', 'b', 'read b']);
	});

	it.each([events(a + end), json(whole)])(
		'a reader that fails ends it with its own error',
		async (answer) => {
			const failure = new TypeError('mine');
			const http = inMemory(answer);
			await expect(ask(http, () => Promise.reject(failure))).rejects.toBe(failure);
			expect(http.closed).toEqual([1]);
		},
	);

	it('Stop keeps what came', async () => {
		const stop = new ServiceError('cancelled', 'The execution was stopped');
		expect(await failureOf(ask(inMemory(events(a)), () => Promise.reject(stop)))).toMatchObject({
			kind: 'cancelled',
			details: { partial: { text: 'a' }, outcome: 'unknown' },
		});
	});

	const refused = (status: number, body: unknown = {}) => json(body, { status });
	const advice = (part: string) => ({ advice: expect.stringContaining(part) });
	const received = `whether the service received ${requestName}`;
	const balance = { code: 'insufficient_balance', meta: { required_micro_usd: 5 } };

	it.each([
		[refused(503), 'unknown', advice(received)],
		[refused(400, { code: 'wrong_endpoint' }), 'not_started', advice('"Media" for image')],
		[refused(402, { error: balance }), 'not_started', advice('(needed: $0.000005)')],
	])('%j has the outcome %s', async (answer, outcome, more) => {
		expect((await failureOf(asked(answer))).details).toMatchObject({ outcome, ...more });
	});
});

const choices = (...list: unknown[]) => json({ choices: list });
const calls = (...tool_calls: object[]) => chunk({ tool_calls });

it.each([
	['an error', { error: ERROR, finish_reason: 'error' }, BOOM],
	['an error alone', { error: 'boom' }, { reason: 'boom' }],
	[
		'no reason',
		{ finish_reason: 'error' },
		{ reason: expect.stringContaining('without a reason') },
	],
	[
		'a reason of Z.ai',
		{ finish_reason: 'network_error' },
		{ reason: expect.stringContaining('without a reason') },
	],
	[
		'a reason that OpenRouter calls a stop',
		{ ...STOP, native_finish_reason: 'network_error' },
		{ reason: expect.stringContaining('without a reason') },
	],
])('a choice that ends by %s is a partial answer', async (_what, choice, details) => {
	const failure = await failureOf(chat(stream(says('a'), chunk({}, choice), DONE)));
	expect(failure).toMatchObject({
		kind: 'truncated',
		details: { ...details, outcome: 'started', partial: { text: 'a' } },
	});
	const whole = choices({ index: 0, message: { content: 'a' }, ...choice });
	expect(await failureOf(chat(whole))).toMatchObject({
		details: { outcome: 'started', partial: { text: 'a' } },
	});
});

it.each([
	['closes', events(data(says('a'), { ...chunk({}, STOP), usage: USAGE }))],
	['breaks', events(data(says('a'), { ...chunk({}, STOP), usage: USAGE }), { breaks: true })],
])('a chat without its mark that %s after its last piece is complete', async (_how, answer) => {
	expect(await otherChat(answer)).toMatchObject({ text: 'a', finishReason: 'stop', usage: USAGE });
	expect(await failureOf(chat(answer))).toMatchObject({
		kind: 'truncated',
		details: { partial: { text: 'a', finishReason: 'stop' } },
	});
});

it.each([
	['a text', says('a')],
	['thoughts', chunk({ reasoning: 'a' })],
])('a chat without its mark that Gemini calls cut after %s is complete', async (_what, piece) => {
	const last = { ...chunk({}, { finish_reason: 'MAX_TOKENS' }), usage: USAGE };
	const answer = await otherChat(events(data(piece, last)));
	expect(answer).toMatchObject({ finishReason: 'length', usage: USAGE });
});

/** A piece, with what came so far beside it. */
const soFar = (content: string, all: string, more: object = {}) =>
	chunk({ content }, { message: { content: all }, ...more });

it.each([
	['a last piece', [soFar('a', 'a'), { ...soFar('b', 'ab', STOP), usage: USAGE }], true],
	['a piece that is not all', [soFar('a', 'a'), { ...soFar('b', 'b', STOP), usage: USAGE }], false],
	['the first piece', [{ ...soFar('a', 'a', STOP), usage: USAGE }], false],
	[
		'a piece after an end',
		[
			soFar('a', 'a'),
			chunk({}, STOP),
			{ ...soFar('b', 'ab', { finish_reason: 'length' }), usage: USAGE },
		],
		false,
	],
])('a chat without its mark that ends with %s with all of it', async (_what, pieces, isWhole) => {
	const answered = otherChat(events(data(...pieces))).then(({ text }) => text);
	expect(await answered.catch(() => 'cut')).toBe(isWhole ? 'ab' : 'cut');
});

const COUNTED = { usage: USAGE };
const counted = (content: object, more?: object) => ({ ...chunk(content, more), ...COUNTED });
const thought = { reasoning_content: 'hm' };

it.each([
	['counts', data(says('a'), chunk({}, STOP))],
	['a reason', data(says('a'), { choices: [], usage: USAGE })],
	['a choice', data({ ...chunk({}, STOP), usage: USAGE }, chunkOf(1, { content: 'b' }))],
	// su-kaka/gcli2api#403: a reason with every piece
	['what it goes on to say', data(counted(thought, STOP))],
	['a text of which each piece has a reason', data(counted({ content: 'a' }, STOP))],
	['its text, and ends for each piece', data(...Array(2).fill(counted({ content: 'a' }, STOP)))],
	['what follows its end', data(says('a'), counted({}, STOP), says('b'), counted({}, STOP))],
	['a call after its end', data(says('a'), counted({}, STOP), calls(part(0, 'c', 'f', '{"a')))],
	// Baseten: https://github.com/maruel/genai (DeepSeek-V4-Pro_thinking/GenStream-Text)
	['its text, which comes after its end', data(chunk(thought), counted({}, STOP))],
	['a reason that is one', data(says('a'), counted({}, { finish_reason: 'null' }))],
	[
		'counts that say something',
		data(says('a'), { ...chunk({}, STOP), usage: { total_tokens: 0 } }),
	],
	['counts after the reason', data({ ...says('a'), ...COUNTED }, says('b'), chunk({}, STOP))],
])('a chat without its mark and without the end of %s is cut', async (_what, text) => {
	expect(await failureOf(otherChat(events(text)))).toMatchObject({ kind: 'truncated' });
});

it('a chat without its mark and without a choice that was asked for is cut', async () => {
	const text = data(says('a'), counted({}, STOP));
	const two = { ...REQUEST, messages: [], ...ASK_FOR_USAGE, n: 2 };
	expect(await failureOf(completeChat(inMemory(events(text)), two, unheard))).toMatchObject({
		kind: 'truncated',
	});
});

it.each([
	['before what was said', [{ ...chunk({ role: 'assistant' }), ...COUNTED }, says('a')]],
	['with a piece of it', [{ ...says('a'), ...COUNTED }]],
	['with a reason, and before more', [counted({ content: 'a' }, STOP), says('b')]],
])('counts that come %s are not those of the answer', async (_when, pieces) => {
	const cut = await failureOf(otherChat(stream(...pieces)));
	expect(cut.details.partial).not.toHaveProperty('usage');
	const end = [chunk({}, STOP), DONE];
	expect(await otherChat(stream(...pieces, ...end))).not.toHaveProperty('usage');
	const counts = { choices: [], usage: { total_tokens: 9 } };
	const whole = await otherChat(stream(...pieces, counts, ...end.slice(1)));
	expect(whole).toMatchObject({ usage: { total_tokens: 9 } });
});

it('counts that an empty piece follows are those of the answer', async () => {
	const pieces = [chunk(thought), counted({}, STOP), chunk({}), DONE];
	expect(await otherChat(stream(...pieces))).toMatchObject({ usage: USAGE });
});

it('counts that only facts about its sound follow are those of the answer', async () => {
	// gpt-audio-2025-08-28: https://github.com/maruel/genai (GenStream-Text)
	const sound = { id: 'audio_1', data: 'AAA=', transcript: 'a' };
	const kept = chunk({ audio: { expires_at: 1780070122 } });
	const counts = { choices: [], usage: USAGE };
	const pieces = [chunk({ audio: sound }), counts, kept, DONE];
	expect(await otherChat(stream(...pieces))).toMatchObject({ text: 'a', usage: USAGE });
});

it.each([askChat, askResponses])(
	'what is refused as a stream is asked for in one piece',
	async (ask) => {
		const refusal = json(
			{ error: 'Your organization must be verified to stream' },
			{ status: 400 },
		);
		const { chat: one, responses: other } = protocols;
		const whole = json({ ...one.whole, ...other.whole });
		const http = inMemory(refusal, whole);
		expect(await ask(http)).toMatchObject({ text: 'a' });
		expect(http.requests.map(({ body }) => Object(body).stream)).toEqual([true, undefined]);
	},
);

it.each([
	['a role alone', stream(chunk({ role: 'assistant', content: '' }), DONE)],
	['a body without choices', choices()],
	['a choice without a message', choices({})],
	['another form', json({ choices: 'none' })],
])('a chat of %s is garbled', async (_what, answer) => {
	expect(await failureOf(chat(answer))).toMatchObject({
		kind: 'malformed',
		details: { outcome: 'unknown' },
	});
});

it('an answer without content says why it has none', async () => {
	for (const [finish_reason, said] of [
		['sensitive', 'sensitive'],
		['x'.repeat(5000), `${'x'.repeat(100)}…`],
	]) {
		const { details } = await failureOf(chat(stream(chunk({}, { finish_reason }), DONE)));
		expect(details.reason).toBe(`It ended without any content: ${said}.`);
	}
});

it.each([
	['a stop', askChat, stream(chunk({ role: 'assistant' }), chunk({}, STOP), DONE)],
	['usage alone', askChat, stream({ choices: [], usage: USAGE }, DONE)],
	['a whole chat', askChat, choices({ message: { content: '' }, ...STOP })],
	['a response', askResponses, stream(done({}))],
	['a message', askResponses, stream(done({ output: [message()], usage: USAGE }))],
	['a whole response', askResponses, json({ output: [] })],
])('%s that ends with nothing said was charged, and is no answer', async (_what, ask, answer) => {
	expect(await failureOf(ask(inMemory(answer)))).toMatchObject({
		kind: 'truncated',
		message: 'The answer is empty',
		details: {
			outcome: 'started',
			reason: NOTHING,
			partial: { text: '', model: 'v/m', body: expect.anything() },
		},
	});
});

const CALLING = { content: null, tool_calls: [part(0, 'c', 'f')] };
const ended = (finish_reason: string) => stream(chunk({}, { finish_reason }), DONE);
const wholeEnd = (message: object) => ({ choices: [{ index: 0, message, ...STOP }] });
const F_PART = part(0, 'call f', 'f', '{"a":1}');
const CALLED = { content: '', tool_calls: [F_PART] };
const F = { id: 'call f', name: 'f', arguments: { a: 1 } };

it.each([
	['thoughts cut off', ended('length'), { finishReason: 'length' }],
	['a filter', ended('content_filter'), { finishReason: 'content_filter' }],
	['a refusal', stream(chunk({ refusal: 'no' }, STOP), DONE), { refusal: 'no' }],
	['thoughts', stream(chunk({ reasoning_content: 'hm' }), DONE), { reasoning: 'hm' }],
	['a picture', stream(chunk({ images: ['x'] }), DONE), { completion: expect.anything() }],
	['a call', choices({ message: CALLING }), { toolCalls: [{ id: 'c', name: 'f' }] }],
	['a second choice', stream(chunkOf(1, { content: 'b' }), DONE), { text: 'b' }],
	['parts', choices({ message: { content: [{ type: 'text', text: 'a' }] } }), { text: 'a' }],
	['pieces and the whole', stream(says('a'), wholeEnd({ content: 'a' }), DONE), { text: 'a' }],
	[
		'pieces of a call and the whole',
		stream(calls(F_PART), wholeEnd(CALLED), DONE),
		{ toolCalls: [F] },
	],
	[
		'a call of the first form',
		stream(
			chunk({ function_call: { name: 'f', arguments: '{"a"' } }),
			chunk({ function_call: { arguments: ':1}' } }, { finish_reason: 'function_call' }),
			DONE,
		),
		{ toolCalls: [{ ...F, id: '' }] },
	],
	['thinking in parts', choices({ message: { content: [{ type: 'thinking' }] } }), { text: '' }],
	['another field', choices({ message: { answer: 'a' } }), { text: '' }],
	['spaces around its end', events(`${data(says('a'))}data:  [DONE] \n\n`), { text: 'a' }],
])('a chat of %s is an answer', async (_what, answer, expected) => {
	expect(await chat(answer)).toMatchObject(expected);
});

const output = (...items: object[]) => stream(done({ output: items }));
const refusal = { type: 'refusal', refusal: 'no' };
const thoughts = { type: 'reasoning', summary: [{ text: 'hm' }] };
const cap = { incomplete_details: { reason: 'max_output_tokens' } };

it.each([
	['a picture', output({ type: 'image_generation_call' }), {}],
	['a call', output(call('f', '{"a":1}')), { finishReason: 'tool_calls', toolCalls: [F] }],
	['a cap', stream({ type: 'response.incomplete', response: cap }), { finishReason: 'length' }],
	['a refusal', output(message(refusal)), { refusal: 'no' }],
	['thoughts', output(thoughts), { reasoning: 'hm' }],
])('a response of %s is an answer', async (_what, answer, expected) => {
	expect(await responses(answer)).toMatchObject({ text: '', ...expected });
});

const early = { reason: 'The stream ended before "response.completed" arrived.' };
const closed = {
	reason: 'The connection closed before the end mark "response.completed" arrived.',
};

it.each([
	['a failure', [{ type: 'response.failed', response: { error: ERROR } }], BOOM],
	['an end mark of its own', [DONE as never, done({})], early],
	['an item alone', [itemDone(0, message(said('ab')))], closed],
])('a response that ends by %s is cut', async (_what, rest, details) => {
	expect(await failureOf(responses(stream(delta('a'), ...rest)))).toMatchObject({
		kind: 'truncated',
		details: { ...details, outcome: 'started', partial: { text: 'a' } },
	});
});

it('the names of events may stand beside their data', async () => {
	const named = (name: string, value: string) => `event: response.${name}\ndata: ${value}\n\n`;
	const text = named('output_text.delta', '{"delta":"a"}') + named('completed', '{}');
	expect(await responses(events(text))).toMatchObject({ text: 'a', finishReason: 'stop' });
});

it('a whole response that failed is garbled', async () => {
	const body = { status: 'failed', output: [], error: ERROR };
	const failure = await failureOf(responses(json(body)));
	expect(failure).toMatchObject({ kind: 'malformed', details: BOOM });
});

it('what is kept of a long body is its beginning', async () => {
	const long = typed('text/plain', `MARK${'x'.repeat(1_000_000)}`);
	const { partial } = (await failureOf(chat(long))).details as {
		partial: { body: string; text: string };
	};
	expect([partial.body.length, partial.text.length]).toEqual([100_000, 100_000]);
});

const many = <Item>(item: (at: number) => Item) =>
	Array.from({ length: 200_000 }, (_, at) => item(at));
const item = (id: string) => added(undefined, { id, type: 'message' });

it.each([
	['items', () => many((at) => item(`i${at}`)), askResponses],
	['tool calls', () => many((at) => calls(part(undefined, `c${at}`, 'f'))), askChat],
	['calls in a chunk', () => [calls(...Array(9999).fill(part(undefined, '', 'f')))], askChat],
	['choices', () => many((at) => chunkOf(at, { content: 'a' })), askChat],
])('a stream of more than five thousand %s is given up', async (_what, values, ask) => {
	expect(await failureOf(ask(inMemory(events(dataOf(values())))))).toMatchObject({
		kind: 'truncated',
		details: { reason: expect.stringContaining('more than 5000'), partial: expect.any(Object) },
	});
});

it('a call whose fragments all have ids of their own takes linear time', async () => {
	const text = `"${'x'.repeat(200)}`;
	const fragments = many((at) => calls(part(0, `c${at}`, 'f', text))).slice(0, 50_000);
	expect(await failureOf(chat(events(dataOf(fragments))))).toMatchObject({ kind: 'truncated' });
});

it.each([
	['a chat', askChat, [calls(part(0, 'c', 'whole', '{}'), part(1, 'd', 'f', '{"a"'))], 'f'],
	['a chat before the arguments', askChat, [calls(part(0, 'c', 'f'))], 'f'],
	['a response', askResponses, [added(0, call('f', '{"a"'))], 'f'],
])('%s that breaks off in a call names its tool', async (_what, ask, pieces, name) => {
	const { details } = await failureOf(ask(inMemory(stream(...pieces))));
	expect(details.reason).toMatch(
		new RegExp(`\\. The answer broke off in its call of "${name}"\\.$`),
	);
});

describe('a response with tools is asked for its reasoning', () => {
	const body = { model: 'v/m', input: 'q', tools: [{ type: 'function', name: 'f' }] };
	const include = ['x', 'reasoning.encrypted_content'];
	const whole = stream(delta('a'), done({}));
	// pydantic-ai#2865
	const message = 'Encrypted content is not supported with this model.';
	const refused = { ...json({ error: { message } }), status: 400 };
	// DeepSeek's words
	const MISSING = 'The `reasoning_content` in the thinking mode must be passed back to the API.';
	const ask = async (http: ReturnType<typeof inMemory>, more: object = {}) =>
		await createResponse(
			{ ...http, serviceFacts: new Map(), ...more },
			{ ...body, include: ['x'] },
			unheard,
		);
	const asked = (http: ReturnType<typeof inMemory>) =>
		http.requests.map((request) => (request.body as { include: unknown }).include);

	it('without, if it refuses that, and from then on', async () => {
		const http = inMemory(refused, whole);
		const serviceFacts = new Map<string, string>();
		expect(await ask(http, { serviceFacts })).toMatchObject({ text: 'a' });
		expect(await ask(http, { serviceFacts })).toMatchObject({ text: 'a' });
		expect(asked(http)).toEqual([include, ['x'], ['x']]);
	});

	it.each([
		[
			'a refusal of both is the first',
			[refused, { ...refused, chunks: ['{}'] }],
			{ reason: message },
			2,
		],
		[
			'a refusal of anything else is not asked again',
			[{ ...json({ error: { message: 'no' } }), status: 400 }, whole],
			{ reason: 'no' },
			1,
		],
		['another failure is not asked again', [{ status: 500 }, whole], { status: 500 }, 1],
		['a failure after a refusal counts', [refused, { status: 500 }], { outcome: 'unknown' }, 2],
		[
			'a refusal of the thoughts that are put back counts: they have another form',
			[refused, { ...json({ error: { message: MISSING } }), status: 400 }],
			{ reason: MISSING },
			2,
		],
	])('%s', async (_what, answers, details, requests) => {
		const http = inMemory(...answers);
		expect(await failureOf(ask(http))).toMatchObject({ details });
		expect(http.requests).toHaveLength(requests);
	});
});
