import {
	truncatedAnswerError,
	ServiceError,
	type ServiceErrorDetails,
} from '../../../src/core/errors';
import type { TextAnswer } from '../../../src/router/textAnswer';
import {
	streamAnswer,
	type AnswerAccumulator,
	type TextProtocol,
} from '../../../src/router/textStream';
import { events, failureOf, inMemory, json, type Answer } from '../inMemoryHttp';

// A protocol in which every event is a piece of text, or says that the answer is whole, or that it failed.

const data = (...values: unknown[]) =>
	values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join('');
const DONE = 'data: [DONE]\n\n';
const t = (text: string) => ({ t: text });

interface Toy extends TextProtocol<TextAnswer> {
	taken: unknown[];
}

function toy({ sees = true } = {}): Toy {
	const taken: unknown[] = [];
	const join = (model: string): AnswerAccumulator<TextAnswer> => {
		let [text, whole] = ['', false];
		let failure: ServiceErrorDetails | undefined;
		return {
			add(event, name) {
				taken.push(name ? [name, event] : event);
				const { t: piece = '', whole: ended, failed } = event;
				text += String(piece);
				whole ||= Boolean(ended);
				if (failed !== undefined) failure = { reason: String(failed), code: 'toy' };
				return String(piece);
			},
			addComplete(body) {
				text = String(body['text'] ?? '');
				if (body['failed']) failure = { reason: 'it failed', code: 'toy' };
				return 'text' in body;
			},
			isEmpty: () => false,
			...(sees && { isComplete: () => whole, failure: () => failure }),
			answer: () => ({ text, model, toolCalls: [] }),
		};
	};
	return {
		path: '/v1/toy',
		requestName: 'toy',
		endMark: 'the end',
		createAccumulator: join,
		taken,
	};
}

const REQUEST = { model: 'v/m' };
const asked = async (answer: Answer | ServiceError, protocol = toy(), onText = () => {}) =>
	await streamAnswer(inMemory(answer), REQUEST, protocol, onText);

it('streams, whatever the request says, and leaves the request as it was', async () => {
	const http = inMemory(events(data({ whole: true })));
	const request = Object.freeze({ ...REQUEST, stream: false, a: [1] });
	await streamAnswer(http, request, toy(), () => {});
	expect(http.requests).toMatchObject([
		{ method: 'POST', path: '/v1/toy', body: { model: 'v/m', stream: true, a: [1] } },
	]);
});

it('the joiner sees every object in its order, with its name', async () => {
	const protocol = toy();
	const stream = `${data(t('a'), 1, null)}event: x\n${data(t('b'))}: hi\n\n${data([], 'c', {})}`;
	await asked(events(stream + data({ whole: true })), protocol);
	expect(protocol.taken).toEqual([t('a'), ['x', t('b')], {}, { whole: true }]);
});

it.each<[string, boolean, string, string | undefined]>([
	['the end mark', true, data(t('a'), { whole: true }), undefined],
	['[DONE] after the end mark', true, data(t('a'), { whole: true }) + DONE, undefined],
	['[DONE] alone', true, data(t('a')) + DONE, 'The stream ended before "the end" arrived.'],
	['nothing', true, data(t('a')), 'The connection closed before the end mark "the end" arrived.'],
	['[DONE], which is all that tells', false, data(t('a')) + DONE, undefined],
	['[DONE] with spaces', false, `${data(t('a'))}data:  [DONE] \n\n`, undefined],
	[
		'an end that is not seen',
		false,
		data(t('a'), { whole: true }),
		'The connection closed before the end mark "the end" arrived.',
	],
	['a failure with the end mark', true, data(t('a'), { failed: 'no', whole: true }), 'no'],
	[
		'a failure without a reason',
		true,
		data(t('a'), { failed: '' }),
		'The router reported an error without a reason.',
	],
	['a failure without words', true, data(t('a'), { error: { message: null } }), '{"message":null}'],
	[
		'an event with the name of an error',
		true,
		`${data(t('a'))}event: error\n${data({ message: 'no' })}`,
		'no',
	],
	[
		'a text with the name of an error',
		false,
		`${data(t('a'))}event: error\n${data('no')}${DONE}`,
		'no',
	],
	[
		'bare words with the name of an error',
		false,
		`${data(t('a'))}event: error\ndata: no\n\n${DONE}`,
		'no',
	],
	[
		'a sign of life',
		true,
		data(t('a')) + 'data:\n\n',
		'The connection closed before the end mark "the end" arrived.',
	],
	['an empty error', true, data(t('a'), { error: '' }, { whole: true }), undefined],
])('an answer that ends by %s', async (_name, sees, stream, reason) => {
	const answer = asked(events(stream), toy({ sees }));
	if (reason === undefined) expect(await answer).toMatchObject({ text: 'a' });
	else
		expect(await failureOf(answer)).toMatchObject({
			kind: 'truncated',
			details: { reason, partial: { text: 'a', model: 'v/m' } },
		});
});

it('a reported failure keeps its code, the event before it was heard', async () => {
	const heard: string[] = [];
	const http = inMemory(events(data({ t: 'a', failed: 'no' })));
	const failure = await failureOf(
		streamAnswer(http, REQUEST, toy(), (text) => void heard.push(text)),
	);
	expect(failure.details).toMatchObject({ reason: 'no', code: 'toy', partial: { text: 'a' } });
	expect([heard, http.closed]).toEqual([['a'], [1]]);
});

it('the reader is waited for, piece by piece, and hears no empty one', async () => {
	const protocol = toy();
	const log: unknown[] = [];
	let reading = false;
	const http = inMemory(events(data(t('a'), t(''), t('b'), { whole: true })));
	const answer = await streamAnswer(http, REQUEST, protocol, async (text) => {
		expect(reading).toBe(false);
		reading = true;
		log.push([text, protocol.taken.length]);
		for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
		log.push(protocol.taken.length);
		reading = false;
	});
	expect(reading).toBe(false);
	expect(log).toEqual([['a', 1], 1, ['b', 3], 3]);
	expect(answer).toMatchObject({ text: 'ab' });
});

it.each<[string, Answer]>([
	['a stream', events(data(t('a'), { whole: true }))],
	['a whole answer', json({ text: 'a' })],
])('a reader of %s that fails ends it with an error of its own', async (_name, answer) => {
	const failure = new TypeError('mine');
	const http = inMemory(answer);
	const reading = streamAnswer(http, REQUEST, toy(), () => Promise.reject(failure));
	await expect(reading).rejects.toBe(failure);
	expect(http.closed).toEqual([1]);
});

it('a JSON body is a whole answer', async () => {
	const heard: string[] = [];
	const http = inMemory(json({ text: 'a' }, { headers: { 'x-request-id': 'r' } }));
	const answer = await streamAnswer(http, REQUEST, toy(), (text) => void heard.push(text));
	expect(answer).toEqual({ text: 'a', model: 'v/m', toolCalls: [], requestId: 'r' });
	expect(heard).toEqual(['a']);
});

it('nobody hears of a whole answer without text', async () => {
	const heard: string[] = [];
	const http = inMemory(json({ text: '' }));
	await streamAnswer(http, REQUEST, toy(), (text) => void heard.push(text));
	expect(heard).toEqual([]);
});

it.each<[string, Answer, object]>([
	['no event', events(': hi\n\n'), { reason: 'No event arrived.' }],
	['a body that is none', json({ a: 1 }), { reason: '{"a":1}' }],
	[
		'a web page',
		{ chunks: ['\n<!doctype html>'] },
		{ advice: expect.stringContaining('a web page') },
	],
	[
		'a body with an error',
		json({ text: 'a', error: { code: 'c', message: 'm' } }),
		{ code: 'c', reason: 'm' },
	],
	['a body that failed', json({ text: 'a', failed: true }), { code: 'toy', reason: 'it failed' }],
])('%s is garbled: nobody knows what became of it', async (_name, answer, details) => {
	const given = { ...answer, headers: { ...answer.headers, 'x-request-id': 'r' } };
	expect(await failureOf(asked(given))).toMatchObject({
		kind: 'malformed',
		details: { ...details, requestId: 'r', outcome: 'unknown' },
	});
});

it('a broken connection keeps what came', async () => {
	const failure = await failureOf(asked(events(data(t('a')), { breaks: true })));
	expect(failure).toMatchObject({
		kind: 'truncated',
		details: { reason: 'The connection broke (aborted).', partial: { text: 'a' } },
	});
});

it('Stop keeps what came', async () => {
	const stop = new ServiceError('cancelled', 'The execution was stopped');
	const onText = jest.fn().mockRejectedValue(stop);
	const failure = await failureOf(asked(events(data(t('a'))), toy(), onText));
	expect(failure).toMatchObject({
		kind: 'cancelled',
		details: { partial: { text: 'a' }, outcome: 'unknown' },
	});
});

it.each<[Answer | ServiceError, object]>([
	[json({}, { status: 503 }), { kind: 'refused', details: { status: 503, outcome: 'unknown' } }],
	[json({}, { status: 422 }), { kind: 'refused', details: { outcome: 'not_started' } }],
	[truncatedAnswerError('x'), { kind: 'truncated', details: { outcome: 'started' } }],
])('a refusal is told with its outcome', async (answer, expected) => {
	expect(await failureOf(asked(answer))).toMatchObject(expected);
});
