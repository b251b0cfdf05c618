import { gzipSync } from 'node:zlib';
import type { IDataObject } from 'n8n-workflow';

import { someOf } from '../support/cases';
import { contraryForTests, type Said } from './contrary';
import { CARRY_ON, paying } from './rig/calls';
import { run } from './rig/run';

// No answer that was paid for is thrown away because its form was not expected: what came is in the output, or in the error's
// `partial`. And half an answer is never a whole one. Which text is read from which form is in the tests of the clients
const service = contraryForTests();

const MARK = 'MARKER-4711';
const SSE = 'text/event-stream';
const LINES = 'application/x-ndjson';
const text = (body: string, type = 'text/plain'): Said => ({ type, body });
const json = (value: unknown, type = 'application/json'): Said => text(JSON.stringify(value), type);
const sse = (...events: unknown[]): Said =>
	text(
		events
			.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
			.join(''),
		SSE,
	);
const named = (...events: Array<[string, unknown]>): Said =>
	text(
		events.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join(''),
		SSE,
	);
const chunk = (content: string) => ({ choices: [{ index: 0, delta: { content } }] });
const latin = Buffer.from(`\xe9 ${MARK}`, 'latin1');

const forms: Array<[string, Said]> = [
	['a text', text(`The answer is ${MARK}.`)],
	['a text as JSON', text(`The answer is ${MARK}.`, 'application/json')],
	['a text as a stream', text(`The answer is ${MARK}.`, SSE)],
	['a text that begins like an event', text(`data: ${MARK} rows\nwere found`)],
	['a text that begins like JSON lines', text(`{}\n${MARK}`)],
	['a text in Latin letters', { type: 'text/plain; charset=iso-8859-1', body: latin }],
	['a web page', text(`<!doctype html><html><body><p>${MARK}</p></body></html>`, 'text/html')],
	['XML', text(`<?xml version="1.0"?><answer>${MARK}</answer>`, 'application/xml')],
	['a compressed text', { headers: { 'content-encoding': 'gzip' }, body: gzipSync(MARK) }],
	['an object as a stream', json({ answer: MARK }, SSE)],
	['a deep envelope', json({ status: 'ok', result: { data: { response: { text: MARK } } } })],
	['an unknown name, deep', json({ a: { b: { c: [{ d: MARK }] } } })],
	['an error with an answer', json({ error: { message: 'late' }, answer: MARK })],
	['a failure with an answer', json({ success: false, answer: MARK })],
	['half of an object', text(`{"answer":"${MARK}`, 'application/json')],
	['lines, the last one cut', text(`{"text":"a"}\n{"text":"${MARK}`, LINES)],
	['lines, one of words', text(`{"text":"a"}\n${MARK} is what came\n{"text":"b"}\n`, LINES)],
	['a stream of chunks', sse(chunk('a '), chunk(MARK), '[DONE]')],
	['a stream of chunks without an end', sse(chunk('a '), chunk(MARK))],
	['a stream of words', sse('The ', MARK, '[DONE]')],
	['a stream of unknown names', named(['wahrsagung', { spruch: MARK }], ['finish', null])],
	['a stream of events beside', named(['status', { text: MARK }], ['finish', null])],
	['a stream of tools alone', named(['tool_result', { output: MARK }], ['done', {}])],
	['a stream as HTML', { ...sse(chunk(MARK), '[DONE]'), type: 'text/html' }],
	['a stream, cut in an event', sse(chunk('a'), `{"choices":[{"delta":{"content":"${MARK}`)],
	['a stream with an error event', named(['delta', { text: 'a' }], ['error', { text: MARK }])],
	['a stream with an error', sse(chunk('a'), { error: { message: 'x' }, text: MARK })],
	['a stream of comments', text(`: ${MARK}\n\n: b\n\n`, SSE)],
	['a stream, cut in a line', text(`data: {"text":"a"}\n\ndata: {"text":"${MARK}`, SSE)],
];
const HALVES = /half|cut|without an end|error event|with an error$/;
const halves = forms.filter(([form]) => HALVES.test(form));

const STREAMS = [
	'agent: send',
	'assistant: ask with streaming',
	'router: chat',
	'router: response',
];
const calls = [
	...paying.map(([name, what]) => [name, what('hello')] as const),
	...paying
		.filter(([name]) => STREAMS.includes(name))
		.map(([name, what]) => {
			const { parameters, ...call } = what('hello');
			const options = { ...(parameters['options'] as IDataObject), onIncomplete: 'partial' };
			const given = { ...call, parameters: { ...parameters, options } };
			return [`${name}, giving what arrived`, given] as const;
		}),
];

// each operation gets some forms, and each form comes to some operations
describe.each(calls.map(([name, call], at) => [name, call, at] as const))(
	'%s',
	(name, call, at) => {
		const outcomeOf = async (answer: Said) => {
			service.answer(({ method }) => (method === 'POST' ? answer : undefined));
			const options = { secrets: service.secrets, settings: CARRY_ON };
			const { items, failed, error } = await run({ ...call, ...options });
			expect(error).toBeUndefined();
			expect(service.posted).toHaveLength(1);
			return {
				item: items[0]?.json,
				details: failed[0]?.json['details'] as IDataObject | undefined,
			};
		};

		it.each(someOf(forms, 5, at))('%s is kept', async (_form, answer) => {
			const { item, details } = await outcomeOf(answer);
			expect(JSON.stringify(item ?? details?.['partial'])).toContain(MARK);
			// a job that has an ID was started
			if (details && !details['jobId'])
				expect(['started', 'unknown']).toContain(details['outcome']);
			if (item && !name.startsWith('router: start')) expect(item['complete']).toBeDefined();
		});

		if (/start|generate/.test(name)) return;

		it.each(someOf(halves, 3, at))('%s is never complete', async (form, answer) => {
			// an agent's stream need not have an end mark
			if (form.includes('without an end') && name.startsWith('agent')) return;
			expect((await outcomeOf(answer)).item?.['complete']).not.toBe(true);
		});
	},
);
