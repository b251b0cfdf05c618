import { data, event, json, stream, type Answer, type Piece } from '../service/answer';
import type { Call } from '../service/call';
import { mediaFile } from '../service/media/file';
import { someOf } from '../support/cases';
import { KEY, spellingsIn, spellingsOf, textsIn } from '../support/spellings';
import { agent, assistant, CARRY_ON, chat, job, model, models, response } from './rig/calls';
import { logOfTests } from './rig/logged';
import { run, type Outcome, type RunOptions } from './rig/run';
import { serviceForTests } from './rig/service';

// A service that repeats the key wherever it can: nothing that leaves a node holds it.
// All forms of a key are in test/unit/n8n/redact.test.ts; here, four of them in all places
const all = spellingsOf(KEY);
const spellings = ['as it is', 'URL-encoded', 'escaped for JSON', 'in base64'].map(
	(name) => all[name],
);
const ECHO = spellings.join(' | ');
/** What can stand in one line of a header. */
const LINE = spellings.join(', ');

/** How the service misbehaves: gives an answer in place of the right one. */
type Place = (call: Call, right: (call: Call) => Answer) => Answer;
let place: Place = (call, right) => right(call);
const service = serviceForTests({}, { further: (call) => echoed(place(call, echoing)) });
const logged = logOfTests();

const echoed = (answer: Answer): Answer => ({
	...answer,
	headers: { 'x-request-id': LINE, ...answer.headers },
});

/** A text in pieces of five characters. */
const pieces = (text: string) => text.match(/.{1,5}/gs) ?? [];
const streamOf = (...events: string[]) =>
	stream(
		(async function* () {
			yield* events;
		})(),
	);

/** The right answer to a request, with the key in all that it says. */
function echoing({ method, path }: Call): Answer {
	if (path.includes('/session/'))
		return streamOf(
			data({ type: 'status', status: ECHO, id: ECHO }),
			...pieces(ECHO).map((text) => data({ type: 'text', text })),
			data('[DONE]'),
		);
	if (path.endsWith('/invoke_assistant'))
		return json({ answer: ECHO, chat_id: ECHO, [ECHO]: [{ note: ECHO }] });
	if (path.endsWith('/invoke_assistant_stream'))
		return streamOf(
			event('chat', { chat_id: ECHO, chat_title: ECHO }),
			event('pending_tool_call', { call_id: ECHO, title: { en: `Reading ${ECHO}` } }),
			event('finished_tool_call', { call_id: ECHO }),
			...pieces(ECHO).map((t) => event('message_start', { t })),
			event('message_end', { message_id: ECHO }),
			event('finish', null),
		);
	if (path.endsWith('/chat/completions')) return streamOf(...chunks(), data('[DONE]'));
	if (path.endsWith('/responses')) return streamOf(...responseEvents());
	const model = { id: 'northwind/quill-2.5', name: ECHO, owned_by: ECHO, kind: ECHO, pricing: {} };
	if (path.includes('/models')) return json(path.endsWith('/models') ? { data: [model] } : model);
	if (path.endsWith('/content'))
		return {
			status: 200,
			headers: {
				'content-type': `image/png; note=${encodeURIComponent(KEY)}`,
				'content-disposition': `attachment; filename=${JSON.stringify(`a ${KEY}.png`)}`,
			},
			body: mediaFile({ kind: 'image', id: '', prompt: '' }).bytes,
		};
	const record = { id: `job-${KEY}`, model: ECHO, note: ECHO, cost: 1, estimated_cost: 1 };
	return json(method === 'POST' ? record : { ...record, status: 'completed' });
}

function chunks(): string[] {
	const chunk = (delta: object, more = {}) =>
		data({ id: ECHO, model: ECHO, choices: [{ index: 0, delta, ...more }] });
	const call = { index: 0, id: ECHO, function: { name: ECHO, arguments: `{"a":"${KEY}"}` } };
	return [
		...pieces(ECHO).map((content) => chunk({ content })),
		chunk({ tool_calls: [call] }),
		chunk({}, { finish_reason: ECHO }),
		data({ choices: [], usage: { prompt_tokens: 1, note: ECHO } }),
	];
}

function responseEvents(): string[] {
	const content = [{ type: 'output_text', text: ECHO }];
	const output = [{ id: ECHO, type: 'message', role: 'assistant', content }];
	return [
		...pieces(ECHO).map((delta) => data({ type: 'response.output_text.delta', delta })),
		data({ type: 'response.completed', response: { id: ECHO, status: 'completed', output } }),
	];
}

/** The catalog of this service has no prices. */
const options = { allowUnknownCost: true };
const picture = { mediaType: 'images', model: model('canvas/sketch-1'), prompt: 'x', options };
const address = { mediaType: 'images', jobId: 'job-1' };
const partial = { onIncomplete: 'partial' };
const events = { includeRawEvents: true, showToolCalls: true };
const question = 'x';

const operations: Array<[string, Pick<RunOptions, 'node' | 'parameters' | 'credential'>]> = [
	['send', agent({ message: 'x', options: { includeRawEvents: true } })],
	['send, give what arrived', agent({ message: 'x', options: partial })],
	['ask', assistant('ask', { question })],
	['ask with streaming', assistant('askStreaming', { question, options: events })],
	[
		'ask with streaming, give what arrived',
		assistant('askStreaming', { question, options: { ...events, ...partial } }),
	],
	['ask by key', assistant('askStreaming', { question, sessionMode: 'key', sessionKey: 'k' })],
	['chat', chat('x', { options })],
	['chat, not simplified', chat('x', { options, simplify: false })],
	['chat, give what arrived', chat('x', { options: { ...options, ...partial } })],
	['response', response('x', { options })],
	['start', job('start', picture)],
	['generate', job('generate', { ...picture, options: { ...options, maxWait: 1 } })],
	['get a job', job('getJob', address)],
	['get a model', models('getModel', { model: model('a/b') })],
	['get many models', models('getModels', { returnAll: true })],
];
/** They ask again for a while, where asking again may help: not in all places. */
const patient: typeof operations = [
	['wait', job('wait', { ...address, options: { maxWait: 1 } })],
	['download', job('download', address)],
];

const whole = (body: Answer['body'], status: number, type: string): Answer => ({
	status,
	headers: { 'content-type': type },
	body,
});

/** Sends the first part of the right answer; a stream ends with an event. */
function broken(answer: Answer, end: string): Answer {
	const { body } = answer;
	const begun = async function* (): AsyncGenerator<Piece> {
		if (typeof body === 'string' || Buffer.isBuffer(body)) {
			yield Buffer.from(body).subarray(0, 200);
			yield { act: 'reset' };
			return;
		}
		let left = 40;
		for await (const piece of body) if (left-- > 0) yield piece;
		yield end || { act: 'reset' };
	};
	return { ...answer, body: begun() };
}

const error = { code: ECHO, message: ECHO, meta: { [ECHO]: ECHO }, type: ECHO };
const elsewhere = { location: `https://127.0.0.1:9/?${encodeURIComponent(KEY)}` };
const places: Array<[string, Place]> = [
	['where it should answer', (call, right) => right(call)],
	['in a refusal', () => json({ error }, 400)],
	['in a refusal of few words', () => json({ detail: ECHO }, 422)],
	// a GET would be sent again
	['in a failure', ({ method }) => whole(ECHO, method === 'GET' ? 418 : 503, 'text/plain')],
	['in a web page', () => whole(`<html><title>${ECHO}</title>${ECHO}</html>`, 200, 'text/html')],
	['in a refusal that is cut', () => whole(`${'x'.repeat(1990)}${KEY}${ECHO}`, 400, 'text/plain')],
	['in a redirect', () => ({ ...whole('', 302, ''), headers: elsewhere })],
	['in an error in place of the answer', () => json({ error })],
	['in an answer that breaks off', (call, right) => broken(right(call), '')],
	['in an error in mid-answer', (call, right) => broken(right(call), data({ error }))],
	['in an event that is no JSON', (call, right) => broken(right(call), `data: {"a": ${LINE}\n\n`)],
	[
		'in the answer to one of two items, of which the other is refused',
		(call, right) => (call.bodyText.includes('bad') ? json({ error }, 403) : right(call)),
	],
];

const ways: Array<Partial<RunOptions>> = [
	{ settings: CARRY_ON },
	// a failed execution
	{},
	{ asTool: true },
];

describe.each(places.map(([where, given], at) => [where, given, at] as const))(
	'an echoed key %s',
	(where, given, at) => {
		beforeEach(() => void (place = given));

		const slow = ['where it should answer', 'in a refusal'].includes(where) ? patient : [];
		it.each([...someOf(operations, 4, at), ...slow])(
			'is in nothing that leaves: %s',
			async (_operation, operation) => {
				const secret = { apiKey: KEY, plan: 'custom', requestsPerMinute: 60_000 };
				const secrets = {
					workspaceAgentApi: { ...secret, baseUrl: service.agent.baseUrl('w') },
					marketAssistantApi: { ...secret, baseUrl: service.assistant.baseUrl },
					modelRouterApi: { ...secret, baseUrl: service.url },
				};
				for (const way of ways) {
					const live: string[] = [];
					const outcome = await run({
						...operation,
						secrets,
						items: [{}, { text: 'bad' }],
						mode: 'webhook',
						onChunk: ({ content = '' }) => live.push(content),
						...way,
					});
					expect([way, spellingsIn(leaving(outcome, live), KEY)]).toEqual([way, []]);
				}
				expect(service.requests.length).toBeGreaterThan(0);
			},
		);
	},
);

/** Everything that anybody may read afterwards: what is stored, what was shown live, and the log. */
function leaving({ run: done, error: failure }: Outcome, live: string[]): string[] {
	const { message = '', description = '', stack = '', context } = failure ?? {};
	return [...textsIn([done, message, description, stack, context, logged]), live.join('')];
}
