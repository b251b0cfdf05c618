import type { INodeParameters } from 'n8n-workflow';

import type { Fault } from '../service/service';
import { agent, assistant, CARRY_ON, chat, posts, response, RETRIED, secretsOf } from './rig/calls';
import { type RunOptions, shownText, start } from './rig/run';
import { serviceForTests } from './rig/service';

// of answers that stop before their end what arrived is kept, and called what it is; which forms there are is in the tests of the clients
const service = serviceForTests();

it('the items of one session are sent in their order', async () => {
	const sessionId = '6F1C2B1E-8d3a-4c0e-9a55-0d2f6b7c8e90';
	const { items } = await service.run(
		agent({ sessionMode: 'id', sessionId, message: '={{ $json.text }}' }),
		{ items: [{ text: 'first' }, { text: 'second' }, { text: 'third' }] },
	);
	expect(items.map(({ json }) => json['output'])).toEqual([
		expect.stringContaining('"first"'),
		expect.stringMatching(/"second".*"first"/s),
		expect.stringMatching(/"third".*"second"/s),
	]);
	expect(items.every(({ json }) => json['sessionId'] === sessionId)).toBe(true);
	expect(service.mostInFlight).toBe(1);
});

it.each(['   ', 'abc', '../x', '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e9', '={{ undefined }}'])(
	'the session ID "%s" is refused before any request',
	async (sessionId) => {
		const { error } = await service.run(agent({ sessionMode: 'id', sessionId, message: 'x' }));
		expect(error?.message).toMatch(/^Session ID (is empty|must be a UUID)/);
		expect(service.requests).toEqual([]);
	},
);

const question = 'one two three four five six seven eight';
const streaming = [
	['agent', agent({ message: question })],
	['assistant', assistant('askStreaming', { question })],
	['router', chat(question)],
] as const;
const quick = { requestSettings: { idleTimeout: 1 } };

describe.each(streaming)('%s', (_name, call) => {
	const execute = (settings: RunOptions['settings'] = {}, parameters = {}) =>
		service.run(call, { parameters: { ...call.parameters, ...parameters }, settings });

	it.each<[string, Fault, RegExp]>([
		['cut', { type: 'limit_data', bytes: 400 }, /connection broke/],
		['reset', { type: 'reset_peer', bytes: 400 }, /connection broke/],
		['silent', { type: 'timeout', bytes: 400 }, /Nothing arrived for 1 s/],
	])('an answer that is %s is partial', async (_what, fault, reason) => {
		const complete = (await execute()).items[0]?.json['output'] as string;
		service.fault({ do: fault });
		const { failed } = await execute(CARRY_ON, quick);
		const details = failed[0]?.json['details'] as { partial: { text: string } };
		expect(details).toMatchObject({
			kind: 'truncated',
			outcome: 'started',
			reason: expect.stringMatching(reason),
		});
		expect(complete.startsWith(details.partial.text)).toBe(true);
		expect(details.partial.text.length).toBeLessThan(complete.length);
		await service.settled();
		// where the service itself did not end the connection, the node did
		expect(service.requests.at(-1)?.abandoned).toBe(fault.type === 'timeout');
	});

	it('gives up a stream of nothing but signs of life', async () => {
		service.forms.agent = 'sse-json';
		service.fault({ do: { type: 'keep_alives_only', every: 200 } });
		expect((await execute({}, quick)).error?.description).toMatch(/keep-alive messages/);
	});

	it('closes the connection when the execution is stopped', async () => {
		service.forms.gate = true;
		const { finished, stop } = start({ ...call, secrets: secretsOf(service) });
		await service.gated();
		stop();
		expect((await finished).run.status).not.toBe('success');
		await service.settled();
		expect(posts(service)).toMatchObject([{ abandoned: true }]);
	});
});

const respond = (prompt: string, more: INodeParameters = {}) => service.run(response(prompt, more));

it.each([
	['{"previous_response_id":"resp_1"}', /does not store responses/],
	['{"stream":false}', /always streamed/],
])('what is sent in the responses protocol is never %s', async (additionalFields, message) => {
	const { error } = await respond('x', { options: { additionalFields } });
	expect(shownText(error)).toMatch(message);
	expect(service.requests).toEqual([]);
});

it("with Simplify off the protocol's own object comes out", async () => {
	const { items } = await respond('hi', { simplify: false });
	const content = [{ type: 'output_text', text: 'You said: "hi".' }];
	expect(items[0]?.json).toMatchObject({
		output: 'You said: "hi".',
		response: { object: 'response', status: 'completed', output: [{ type: 'message', content }] },
	});
});

describe.each([
	['a chat', chat],
	['a response', response],
])('%s that breaks off', (_what, question) => {
	const BROKEN = '[[words:40]] [[break:5]]';
	const broken = (more: INodeParameters = {}, settings: object = {}) =>
		service.run(question(BROKEN, more), {
			settings: { onError: 'continueErrorOutput', ...settings },
		});
	const text = expect.stringMatching(/^word1 .*word5 $/);
	const requestId = expect.stringMatching(/^req-/);

	it.each(['object', 'string', 'named'] as const)('tells the error, sent as %s', async (line) => {
		service.forms.errorLine = line;
		const { failed } = await broken();
		const reason = expect.stringContaining('backend');
		expect(failed[0]?.json).toMatchObject({
			error: expect.stringMatching(/reported an error: The backend.*before you ask again/),
			details: { kind: 'truncated', reason, requestId, partial: { text } },
		});
		expect(failed[0]?.json['details']).not.toHaveProperty(['partial', 'answer']);
	});

	it.each([true, false])('gives what arrived, if it is to; Simplify %s', async (simplify) => {
		const { items, failed } = await broken({ simplify, options: { onIncomplete: 'partial' } });
		expect(failed).toEqual([]);
		const notice = expect.stringMatching(/^The service reported an error\. .*backend/);
		const { json = {} } = items[0] ?? {};
		expect(json).toMatchObject({ output: text, complete: false, notice, requestId });
		expect(json).not.toHaveProperty('error');
		const own = simplify ? 'model' : expect.stringMatching(/^completion$|^response$/);
		expect(Object.keys(json)).toEqual(expect.arrayContaining([own]));
	});

	it('is not asked for again, not even when n8n repeats the node', async () => {
		await broken({}, { ...RETRIED, onError: 'stopWorkflow' });
		expect(posts(service)).toHaveLength(1);
	});
});

// a schema goes in, an object that fits it comes out, or an error that says where it does not
const count = {
	type: 'object',
	properties: { count: { type: 'integer', minimum: 3 } },
	required: ['count'],
};
const schema = {
	type: 'object',
	properties: {
		name: { type: 'string' },
		size: { enum: ['S', 'M'] },
		lines: { type: 'array', minItems: 2, items: count },
	},
	required: ['name', 'size', 'lines'],
	additionalProperties: false,
};
const askInFormat = (
	question: typeof chat,
	content: string,
	more: INodeParameters = {},
	settings: RunOptions['settings'] = CARRY_ON,
) => {
	const format = { responseFormat: 'json_schema', jsonSchema: JSON.stringify(schema) };
	return service.run(question(content, { ...format, ...more }), { settings });
};

it.each([
	['a chat', chat, { response_format: { type: 'json_schema', json_schema: { schema } } }],
	['a response', response, { text: { format: { type: 'json_schema', name: 'answer', schema } } }],
])(
	'%s sends the schema, and gives the object in place of the text',
	async (_what, question, body) => {
		const { items } = await askInFormat(question, 'Ada [[fenced]]');
		expect(posts(service)[0]?.body).toMatchObject(body);
		expect(items[0]?.json).toMatchObject({
			text: expect.stringContaining('{"name"'),
			output: { name: expect.any(String), size: 'S', lines: [{ count: 3 }, { count: 3 }] },
			complete: true,
		});
	},
);

it.each([
	['a chat', chat, '[[break_schema]]', /The answer breaks the JSON schema at /],
	['a response', response, '[[not_json]]', /The answer is not JSON/],
])('%s that does not fit is an error with the text and the place, paid once', async (...row) => {
	const [, question, words, reason] = row;
	await askInFormat(question, words, {}, RETRIED);
	expect(posts(service)).toHaveLength(1);
	const { failed } = await askInFormat(question, words);
	const paid = { usage: expect.any(Object), costUsd: expect.any(Number), costComputed: true };
	expect(failed[0]?.json).toMatchObject({
		error: expect.stringContaining('not in the requested format'),
		details: {
			kind: 'schemaMismatch',
			outcome: 'started',
			reason: expect.stringMatching(reason),
			requestId: expect.stringMatching(/^req-/),
			computed: { place: expect.any(String) },
			partial: { text: expect.stringMatching(/\w/), ...paid },
		},
	});
});

it('says that the token cap cut the JSON off', async () => {
	const { failed } = await askInFormat(chat, 'a b c d e f g h', { options: { maxTokens: 2 } });
	expect(failed[0]?.json['error']).toContain('Raise "Maximum Output Tokens"');
});

it.each([
	['no JSON', '{"type":', /JSON Schema is not valid JSON/],
	['half a pattern', '{"items":{"pattern":"("}}', /items\.pattern: .*Unterminated group/],
])('refuses a schema with %s before anything is sent', async (_what, jsonSchema, message) => {
	const { failed } = await askInFormat(chat, 'x', { jsonSchema });
	expect(failed[0]?.json['error']).toMatch(message);
	expect(posts(service)).toEqual([]);
});

it('reads plain JSON without a schema', async () => {
	const { items } = await askInFormat(chat, 'x', { responseFormat: 'json_object' });
	expect(items[0]?.json).toMatchObject({ output: { you_said: 'x' }, text: '{"you_said":"x"}' });
});

it.each([
	[true, { finishReason: 'stop' }],
	[false, {}],
])('gives each of several answers its object, simplified: %s', async (simplify, more) => {
	const format = {
		responseFormat: 'json_object',
		simplify,
		options: { additionalFields: '{"n":2}' },
	};
	const { items } = await askInFormat(chat, 'x', format);
	const answers = ['x', '(2) x'].map((you_said) => ({
		output: { you_said },
		text: JSON.stringify({ you_said }),
		...more,
	}));
	const { output, text } = answers[0]!;
	expect(items[0]?.json).toMatchObject({ output, text, answers });
});
