import { gzipSync } from 'node:zlib';
import type { IDataObject } from 'n8n-workflow';

import { someOf } from '../support/cases';
import { startContrary, type Contrary, type Said } from './contrary';
import { agent, assistant, chat, paying, response } from './rig/calls';
import { run, type RunOptions } from './rig/run';

// No answer that was paid for is thrown away because its form was not expected: what came is in the output, or in the error's
// `partial`. And half an answer is never a whole one.
let service: Contrary;
beforeAll(async () => (service = await startContrary()));
afterAll(() => service.stop());

const MARK = 'MARKER-4711';
const text = (body: string, type = 'text/plain'): Said => ({ type, body });
const json = (value: unknown, type = 'application/json'): Said => text(JSON.stringify(value), type);
const sse = (...events: unknown[]): Said =>
	text(
		events
			.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
			.join(''),
		'text/event-stream',
	);
const named = (...events: Array<[string, unknown]>): Said =>
	text(
		events.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join(''),
		'text/event-stream',
	);
const chunk = (content: string) => ({ choices: [{ index: 0, delta: { content } }] });

const forms: Array<[string, Said]> = [
	// text
	['a text', text(`The answer is ${MARK}.`)],
	['a text as HTML', text(`The answer is ${MARK}.`, 'text/html')],
	['a text as JSON', text(`The answer is ${MARK}.`, 'application/json')],
	['a text as a stream', text(`The answer is ${MARK}.`, 'text/event-stream')],
	['a text without a type', { body: `The answer is ${MARK}.` }],
	['a text that begins like an event', text(`data: ${MARK} rows\nwere found`)],
	['a text that begins like a comment', text(`:) ${MARK}`)],
	['a text that begins like JSON', text(`[1] ${MARK}\n[2] Jones`)],
	['a text that begins like JSON lines', text(`{}\n${MARK}`)],
	[
		'a text in Latin letters',
		{ type: 'text/plain; charset=iso-8859-1', body: Buffer.from(`\xe9 ${MARK}`, 'latin1') },
	],
	['a text behind two byte order marks', text(`\ufeff\ufeff${MARK}`)],
	['Markdown', text(`# ${MARK}\n\n- a`, 'text/markdown')],
	['a long text', text(`${MARK} ${'word '.repeat(50_000)}`)],
	['a fragment of HTML', text(`<p>${MARK}</p>`, 'text/html')],
	[
		'a web page',
		text(
			`<!doctype html><html><head><title>x</title></head><body><p>${MARK}</p></body></html>`,
			'text/html',
		),
	],
	['XML', text(`<?xml version="1.0"?><answer>${MARK}</answer>`, 'application/xml')],
	['YAML', text(`answer: ${MARK}\nmore: 1`, 'application/yaml')],
	['a form', text(`answer=${MARK}&a=1`, 'application/x-www-form-urlencoded')],
	[
		'several parts',
		text(`--b\r\ncontent-type: text/plain\r\n\r\n${MARK}\r\n--b--`, 'multipart/mixed; boundary=b'),
	],
	// JSON
	['a JSON text', json(MARK)],
	['an object', json({ answer: MARK })],
	['an object as HTML', json({ answer: MARK }, 'text/html')],
	['an object as a stream', json({ answer: MARK }, 'text/event-stream')],
	[
		'an envelope',
		json({ success: true, message: 'Message processed successfully', data: { reply: MARK } }),
	],
	['a deep envelope', json({ status: 'ok', result: { data: { response: { text: MARK } } } })],
	['an unknown name', json({ weissagung: MARK })],
	['an unknown name, deep', json({ a: { b: { c: [{ d: MARK }] } } })],
	['a list', json([MARK])],
	['a list of parts', json({ content: [{ type: 'text', text: MARK }] })],
	['candidates', json({ candidates: [{ content: { role: 'model', parts: [{ text: MARK }] } }] })],
	[
		'a remote call',
		json({
			jsonrpc: '2.0',
			id: 1,
			result: { kind: 'message', parts: [{ kind: 'text', text: MARK }] },
		}),
	],
	[
		'artifacts',
		json({ jsonrpc: '2.0', id: 1, result: { artifacts: [{ parts: [{ text: MARK }] }] } }),
	],
	['a message of a role', json({ message: { role: 'assistant', content: MARK }, done: true })],
	['a generated text', json([{ generated_text: MARK }])],
	['a detail', json({ detail: MARK })],
	['an error with an answer', json({ error: { message: 'late' }, answer: MARK })],
	['an error that reports nothing', json({ answer: MARK, error: {} })],
	['a failure with an answer', json({ success: false, answer: MARK })],
	['half of an object', text(`{"answer":"${MARK}`, 'application/json')],
	['half of an object as text', text(`{"answer":"${MARK}`)],
	['two objects', text(`{"answer":"${MARK}"}{"answer":"b"}`, 'application/json')],
	['lines of JSON', text(`{"text":"a"}\n{"text":"${MARK}"}\n`, 'application/x-ndjson')],
	[
		'lines of JSON, the last one cut',
		text(`{"text":"a"}\n{"text":"${MARK}`, 'application/x-ndjson'),
	],
	[
		'lines of JSON, one of words',
		text(`{"text":"a"}\n${MARK} is what came\n{"text":"b"}\n`, 'application/x-ndjson'),
	],
	['a sequence', text(`\x1e{"text":"${MARK}"}\n`, 'application/json-seq')],
	// streams
	['a stream of chunks', sse(chunk('a '), chunk(MARK), '[DONE]')],
	['a stream of chunks without an end', sse(chunk('a '), chunk(MARK))],
	['a stream with signs of life', sse('ping', chunk(MARK), 'ping', '[DONE]')],
	['a stream of words', sse('The ', MARK, '[DONE]')],
	['a stream of JSON texts', sse(JSON.stringify(MARK), '[DONE]')],
	['a stream of pieces', sse({ delta: 'a' }, { delta: MARK }, '[DONE]')],
	[
		'a stream of blocks',
		named(
			[
				'content_block_delta',
				{ type: 'content_block_delta', delta: { type: 'text_delta', text: MARK } },
			],
			['message_stop', {}],
		),
	],
	[
		'a stream of responses',
		named(
			['response.output_text.delta', { type: 'response.output_text.delta', delta: MARK }],
			['response.completed', { type: 'response.completed', response: { output: [] } }],
		),
	],
	[
		'a stream of the assistant',
		named(['chat', { chat_id: 'c' }], ['message_start', { t: MARK }], ['finish', null]),
	],
	['a stream of unknown names', named(['wahrsagung', { spruch: MARK }], ['finish', null])],
	['a stream of events beside', named(['status', { text: MARK }], ['finish', null])],
	['a stream of tools alone', named(['tool_result', { output: MARK }], ['done', {}])],
	['a stream as HTML', { ...sse(chunk(MARK), '[DONE]'), type: 'text/html' }],
	['a stream as JSON', { ...sse(chunk(MARK), '[DONE]'), type: 'application/json' }],
	['a stream as text', { ...sse(chunk(MARK), '[DONE]'), type: 'text/plain' }],
	[
		'a stream without blank lines',
		text(`data: ${JSON.stringify(chunk(MARK))}\ndata: [DONE]\n`, 'text/event-stream'),
	],
	[
		'a stream with an unreadable event',
		sse(chunk('a'), `{"choices":[{"delta":{"content":"${MARK}`, '[DONE]'),
	],
	[
		'a stream with an error event',
		named(['delta', { text: 'a' }], ['error', { message: 'x', text: MARK }]),
	],
	['a stream with an error', sse(chunk('a'), { error: { message: 'x' }, text: MARK })],
	['a stream of wholes', sse({ text: 'Good' }, { text: 'Good day' }, { text: `Good day ${MARK}` })],
	[
		'a stream whose end has the last piece',
		named(['delta', { text: 'Hello ' }], ['final', { text: MARK }]),
	],
	['a stream of comments', text(`: ${MARK}\n\n: b\n\n`, 'text/event-stream')],
	[
		'a stream that is cut in a line',
		text(`data: {"text":"a"}\n\ndata: {"text":"${MARK}`, 'text/event-stream'),
	],
	[
		'a compressed text',
		{ type: 'text/plain', headers: { 'content-encoding': 'gzip' }, body: gzipSync(MARK) },
	],
];

const everything = [
	...paying,
	...(
		['agent: send', 'assistant: ask with streaming', 'router: chat', 'router: response'] as const
	).map((name): (typeof paying)[number] => {
		const options = { onIncomplete: 'partial' };
		const calls: Record<
			typeof name,
			(words: string) => (typeof paying)[number][1] extends (t: string) => infer R ? R : never
		> = {
			'agent: send': (message) => agent({ message, options }),
			'assistant: ask with streaming': (question) =>
				assistant('askStreaming', { question, options }),
			'router: chat': (content) => chat(content, { options }),
			'router: response': (prompt) => response(prompt, { options }),
		};
		return [`${name}, giving what arrived`, calls[name]];
	}),
];

async function outcomeOf(
	what: Pick<RunOptions, 'node' | 'parameters' | 'credential'>,
	answer: Said,
) {
	service.answer(({ method }) => (method === 'POST' ? answer : undefined));
	const settings = { onError: 'continueErrorOutput' as const };
	const { items, failed, error } = await run({ ...what, secrets: service.secrets, settings });
	expect(error).toBeUndefined();
	expect(service.posted).toHaveLength(1);
	return { item: items[0]?.json, details: failed[0]?.json['details'] as IDataObject | undefined };
}

// each operation gets some forms, and each form comes to some operations
const numbered = everything.map(([name, what], at) => [name, what, at] as const);

describe.each(numbered)('%s', (name, what, at) => {
	it.each(someOf(forms, 5, at))('%s is kept', async (_form, answer) => {
		const { item, details } = await outcomeOf(what('hello'), answer);
		expect(JSON.stringify(item ?? details?.['partial'])).toContain(MARK);
		// a job that has an ID was started
		if (details && !details['jobId']) expect(['started', 'unknown']).toContain(details['outcome']);
		if (item && !name.startsWith('router: start')) expect(item['complete']).toBeDefined();
	});
});

const HALVES = /half|cut|without an end|unreadable|error event|with an error$/;

describe.each(numbered.filter(([name]) => !name.includes('start') && !name.includes('generate')))(
	'%s',
	(_name, what, at) => {
		it.each(
			someOf(
				forms.filter(([form]) => HALVES.test(form)),
				3,
				at,
			),
		)('%s is never complete', async (form, answer) => {
			// an agent's stream need not have an end mark
			if (form.includes('without an end') && _name.startsWith('agent')) return;
			expect((await outcomeOf(what('hello'), answer)).item?.['complete']).not.toBe(true);
		});
	},
);
