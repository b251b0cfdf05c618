import { ServiceError } from '../../../src/core/errors';
import { completeChat, type ChatRequest } from '../../../src/router/chatCompletions';
import { events, failureOf, inMemory, json, type Answer } from '../inMemoryHttp';

const REQUEST: ChatRequest = { model: 'vendor/model', messages: [{ role: 'user', content: 'Hi' }] };
const data = (value: unknown) =>
	`data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`;
const says = (content: string, more: object = {}) =>
	data({ choices: [{ index: 0, delta: { content }, ...more }] });
const USAGE = data({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } });

const asked = (answer: Answer | ServiceError) => completeChat(inMemory(answer), REQUEST);

it('forwards the request as it is, always streamed', async () => {
	const http = inMemory(events(says('a') + data('[DONE]')));
	await completeChat(http, { ...REQUEST, stream: false, seed: 7, stop: ['x'] });
	expect(http.requests).toEqual([
		{
			method: 'POST',
			path: '/v1/chat/completions',
			accept: 'text/event-stream',
			body: { ...REQUEST, stream: true, seed: 7, stop: ['x'] },
		},
	]);
});

it.each<[string, Answer]>([
	['ends by [DONE]', events(says('a', { finish_reason: 'stop' }) + USAGE + data('[DONE]'))],
	[
		'ends by [DONE] without a line end',
		events(`${says('a', { finish_reason: 'stop' }) + USAGE}data: [DONE]`),
	],
	[
		'goes on after [DONE]',
		events(
			says('a', { finish_reason: 'stop' }) +
				USAGE +
				data('[DONE]') +
				says('later') +
				data({ error: 'x' }),
		),
	],
	[
		'breaks after [DONE]',
		events(says('a', { finish_reason: 'stop' }) + USAGE + data('[DONE]'), { breaks: true }),
	],
	[
		'comes whole',
		json({
			model: 'vendor/model',
			choices: [{ index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'stop' }],
			usage: { prompt_tokens: 1, completion_tokens: 2 },
		}),
	],
])('an answer that %s is complete', async (_name, answer) => {
	const heard: string[] = [];
	const http = inMemory({ ...answer, headers: { ...answer.headers, 'x-request-id': 'r' } });
	expect(await completeChat(http, REQUEST, (text) => void heard.push(text))).toEqual({
		text: 'a',
		model: 'vendor/model',
		finishReason: 'stop',
		usage: { prompt_tokens: 1, completion_tokens: 2 },
		toolCalls: [],
		requestId: 'r',
		completion: expect.objectContaining({
			object: 'chat.completion',
			choices: [{ index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'stop' }],
			usage: { prompt_tokens: 1, completion_tokens: 2 },
		}),
	});
	expect([heard, http.closed]).toEqual([['a'], [1]]);
});

it.each(['1', '"ping"', 'null', '[1]'])('an event that is %s says nothing', async (event) => {
	const answer = await asked(events(says('a') + data(event) + says('b') + data('[DONE]')));
	expect(answer.text).toBe('ab');
});

it('an answer may come whole, with a content in parts, or with calls', async () => {
	const whole = (message: object) => json({ choices: [{ message }] });
	expect(await asked(whole({ content: [{ type: 'text', text: 'a' }] }))).toMatchObject({
		text: 'a',
	});
	const call = { id: 'c', function: { name: 'f', arguments: '{"a":1}' } };
	expect(await asked(whole({ content: null, tool_calls: [call] }))).toMatchObject({
		text: '',
		toolCalls: [{ id: 'c', name: 'f', arguments: { a: 1 } }],
	});
});

const ERROR = { error: { code: 'backend_failed', message: 'boom', meta: { a: 1 } } };

it.each<[string, string, object]>([
	[
		'an error line and [DONE]',
		says('a') + data(ERROR) + data('[DONE]'),
		{ reason: 'boom', code: 'backend_failed', meta: { a: 1 } },
	],
	[
		'an error line and no [DONE]',
		says('a') + data(ERROR),
		{ reason: 'boom', code: 'backend_failed' },
	],
	[
		'an error line without its end',
		`${says('a')}data: ${JSON.stringify(ERROR)}`,
		{ reason: 'boom' },
	],
	['an error text', says('a') + data({ error: 'boom' }), { reason: 'boom' }],
	[
		'an error beside choices',
		says('a') + data({ choices: [], error: { message: 'boom' } }),
		{ reason: 'boom' },
	],
	[
		'a missing [DONE]',
		says('a'),
		{ reason: 'The connection closed before the end mark "[DONE]" arrived.' },
	],
	[
		'a missing [DONE] after the finish reason and usage',
		says('a', { finish_reason: 'stop' }) + USAGE,
		{ reason: 'The connection closed before the end mark "[DONE]" arrived.' },
	],
	[
		'an event that is cut',
		`${says('a')}data: {"choi`,
		{ reason: 'An event could not be read: {"choi' },
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
			partial: { text: 'a', model: 'vendor/model' },
		},
	});
});

it.each<[string, Answer, string]>([
	['no event at all', events(''), 'The answer was empty.'],
	['comments only', events(': hi\n\n: hi\n\n'), 'No event arrived.'],
	['a JSON body without choices', json({ ok: true }), '{"ok":true}'],
	['a JSON body with an error', json({ choices: [], error: 'x' }), 'x'],
	['a JSON body that is a list', json([]), '[]'],
])('%s is garbled', async (_name, answer, reason) => {
	const failure = await failureOf(asked(answer));
	expect(failure).toMatchObject({ kind: 'malformed', details: { reason, outcome: 'unknown' } });
	const came = String(answer.chunks?.[0] ?? '');
	// what came is kept: parsed, or as it is
	const body = came && !came.startsWith(':') && JSON.parse(came);
	if (!came) expect(failure.details).not.toHaveProperty('partial');
	else expect(failure.details.partial).toMatchObject({ text: '', body: body || came });
});

it.each<[string, Answer | ServiceError, object]>([
	[
		'no balance',
		json(
			{ error: { code: 'insufficient_balance', message: 'm', meta: { required_micro_usd: 5 } } },
			{ status: 402 },
		),
		{
			code: 'insufficient_balance',
			outcome: 'not_started',
			advice: expect.stringContaining('(needed: $0.000005)'),
		},
	],
	[
		'the wrong endpoint',
		json({ code: 'wrong_endpoint', message: 'use /v1/images/jobs' }, { status: 400 }),
		{
			reason: 'use /v1/images/jobs',
			outcome: 'not_started',
			advice: expect.stringContaining('"Media" with the Media Type'),
		},
	],
	[
		'a failure of the service',
		json({}, { status: 503 }),
		{
			outcome: 'unknown',
			advice: expect.stringContaining('whether the service received the chat request'),
		},
	],
	[
		'a broken connection',
		new ServiceError('unreachable', 'x', { sent: true }),
		{ outcome: 'unknown' },
	],
	[
		'no connection',
		new ServiceError('unreachable', 'x', { sent: false }),
		{ outcome: 'not_started' },
	],
])('%s', async (_name, answer, details) => {
	expect((await failureOf(asked(answer))).details).toMatchObject(details);
});

it('a reader that fails ends the request with its own error', async () => {
	const http = inMemory(events(says('a') + says('b') + data('[DONE]')));
	const failure = new TypeError('mine');
	await expect(completeChat(http, REQUEST, () => Promise.reject(failure))).rejects.toBe(failure);
	expect(http.closed).toEqual([1]);
});
