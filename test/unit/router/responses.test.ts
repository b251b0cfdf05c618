import { ServiceError } from '../../../src/core/errors';
import { createResponse, type ResponseRequest } from '../../../src/router/responses';
import fc from '../../support/fastCheck';
import { bytes, events, failureOf, inMemory, json, split, type Answer } from '../inMemoryHttp';
import { call, delta, done, fragment, itemDone, message, said } from './responseStream';

const REQUEST: ResponseRequest = { model: 'vendor/model', input: 'Hi' };
const data = (...values: unknown[]) =>
	values
		.map((value) => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`)
		.join('');
/** With its name on a line of its own, and not in the data. */
const named = ({ type, ...event }: Record<string, unknown>) =>
	`event: ${String(type)}\ndata: ${JSON.stringify(event)}\n\n`;
const DONE = data('[DONE]');
const USAGE = { input_tokens: 1, output_tokens: 2 };
const END = done({ usage: USAGE });

const asked = (answer: Answer | ServiceError) => createResponse(inMemory(answer), REQUEST);

it('forwards the request as it is, always streamed', async () => {
	const http = inMemory(events(data(delta('a'), END)));
	await createResponse(http, { ...REQUEST, stream: false, instructions: 'Be brief', store: false });
	expect(http.requests).toEqual([
		{
			method: 'POST',
			path: '/v1/responses',
			accept: 'text/event-stream',
			body: { ...REQUEST, stream: true, instructions: 'Be brief', store: false },
		},
	]);
});

it.each<[string, string | Answer]>([
	['ends by response.completed and [DONE]', data(delta('a'), END) + DONE],
	['ends by response.completed alone', data(delta('a'), END)],
	['ends without a line end', data(delta('a'), END).trimEnd()],
	['names its events beside the data', named(delta('a')) + named(END) + DONE],
	['goes on after its end', data(delta('a'), END, delta('b'), { error: 'late' })],
	['breaks after its end', events(data(delta('a'), END), { breaks: true })],
	['has words between its events', data(delta('a'), '1', '"ping"', 'null', '[1]', END)],
	['has empty events between', `${data(delta('a'))}data:\n\nevent: ping\ndata: \n\n${data(END)}`],
	['has unknown events', data({ type: 'response.new', delta: 'x' }, delta('a'), { a: 1 }, END)],
	['comes whole', json({ output: [message(said('a'))], usage: USAGE })],
	['comes whole in a field', json({ response: { output_text: 'a', usage: USAGE } })],
])('an answer that %s is complete', async (_name, answer) => {
	const given = typeof answer === 'string' ? events(answer) : answer;
	const http = inMemory({ ...given, headers: { ...given.headers, 'x-request-id': 'r' } });
	const heard: string[] = [];
	expect(await createResponse(http, REQUEST, (text) => void heard.push(text))).toEqual({
		text: 'a',
		model: 'vendor/model',
		finishReason: 'stop',
		usage: USAGE,
		toolCalls: [],
		requestId: 'r',
		response: expect.objectContaining({ usage: USAGE, output: expect.any(Array) }),
	});
	expect([heard, http.closed]).toEqual([['a'], [1]]);
});

it('asks for tools in the words of the chat', async () => {
	const arrived = data(itemDone(0, call('f', { arguments: '' })), fragment(0, '{"a":1}'), END);
	expect(await asked(events(arrived))).toMatchObject({
		text: '',
		finishReason: 'tool_calls',
		toolCalls: [{ id: 'call f', name: 'f', arguments: { a: 1 } }],
	});
});

it('the cap is a whole answer that was cut off', async () => {
	const response = { incomplete_details: { reason: 'max_output_tokens' } };
	const arrived = data(delta('a'), { type: 'response.incomplete', response });
	expect(await asked(events(arrived))).toMatchObject({ text: 'a', finishReason: 'length' });
});

const ERROR = { code: 'backend_failed', message: 'boom', meta: { a: 1 } };
const SAID = { code: 'backend_failed', reason: 'boom', meta: { a: 1 } };
const closedBefore = 'The connection closed before the end mark "response.completed" arrived.';

it.each<[string, string, object]>([
	['an error line and [DONE]', data(delta('a'), { error: ERROR }) + DONE, SAID],
	['an error line and no [DONE]', data(delta('a'), { error: ERROR }), SAID],
	['an error line and the end', data(delta('a'), { error: 'boom' }, END), { reason: 'boom' }],
	['an error event', data(delta('a'), { type: 'error', ...ERROR }) + DONE, SAID],
	['an error event by its name', data(delta('a')) + named({ type: 'error', ...ERROR }), SAID],
	[
		'a failed response',
		data(delta('a'), { type: 'response.failed', response: { error: ERROR } }),
		SAID,
	],
	[
		'a failed response without a reason',
		data(delta('a'), { type: 'response.failed', response: { error: null } }),
		{ reason: 'The response failed.' },
	],
	[
		'[DONE] before the end',
		data(delta('a')) + DONE + data(END),
		{ reason: 'The stream ended before "response.completed" arrived.' },
	],
	['a missing end', data(delta('a')), { reason: closedBefore }],
	[
		'an item that is done, and no end',
		data(delta('a'), itemDone(0, message(said('ab')))),
		{ reason: closedBefore },
	],
	[
		'an event that is cut',
		`${data(delta('a'))}data: {"type":"response.comp`,
		{ reason: 'An event could not be read: {"type":"response.comp' },
	],
])('%s cuts the answer; what came is kept, and billed', async (_name, text, details) => {
	const failure = await failureOf(asked(events(text, { headers: { 'x-request-id': 'r' } })));
	expect(failure).toMatchObject({
		kind: 'truncated',
		message: 'The answer stopped before its end',
		details: {
			...details,
			requestId: 'r',
			outcome: 'started',
			partial: { text: 'a', model: 'vendor/model', response: expect.any(Object) },
		},
	});
	expect(failure.details.partial).not.toHaveProperty('finishReason');
});

it.each<[string, Answer, object]>([
	['no event at all', events(''), { reason: 'The answer was empty.' }],
	['a body without an output', json({ ok: true }), { reason: '{"ok":true}' }],
	['a chat completion', json({ choices: [] }), { reason: '{"choices":[]}' }],
	['a body with an error', json({ output: [], error: ERROR }), SAID],
	[
		'a whole response that failed',
		json({ response: { status: 'failed', output: [], error: ERROR } }),
		SAID,
	],
	['a list', json([]), { reason: '[]' }],
])('%s is garbled', async (_name, answer, details) => {
	const failure = await failureOf(asked(answer));
	expect(failure).toMatchObject({ kind: 'malformed', details: { ...details, outcome: 'unknown' } });
	const came = String(answer.chunks?.[0] ?? '');
	if (!came) expect(failure.details).not.toHaveProperty('partial');
	else expect(failure.details.partial).toMatchObject({ text: '', body: JSON.parse(came) });
});

it.each<[string, Answer | ServiceError, object]>([
	[
		'the wrong endpoint',
		json({ code: 'wrong_endpoint', message: 'use /v1/images/jobs' }, { status: 400 }),
		{ outcome: 'not_started', advice: expect.stringContaining('"Media" with the Media Type') },
	],
	[
		'a broken connection',
		new ServiceError('unreachable', 'x', { sent: true }),
		{ outcome: 'unknown', advice: expect.stringContaining('received the request for a response') },
	],
])('%s', async (_name, answer, details) => {
	expect((await failureOf(asked(answer))).details).toMatchObject(details);
});

it('does not depend on how its bytes arrive', async () => {
	const items = [message(said('é€😀')), call('f', { arguments: '{"é":"😀"}' })];
	const stream = bytes(
		data(delta('é€'), delta('😀')) +
			named(itemDone(0, items[0])) +
			data(itemDone(1, call('f')), fragment(1, '{"é":'), fragment(1, '"😀"}'), END) +
			DONE,
	);
	const whole = await asked({ ...events(''), chunks: [stream] });
	expect(whole).toMatchObject({ text: 'é€😀', response: { output: items } });
	const places = fc.array(fc.nat(stream.length), { maxLength: 20 });
	await fc.assert(
		fc.asyncProperty(places, async (cuts) => {
			const answer = await asked({ ...events(''), chunks: split(stream, cuts) });
			expect(answer).toEqual(whole);
		}),
	);
});
