import type { INodeParameters } from 'n8n-workflow';

import { startService, type Service } from '../service/service';
import { chat, posts, response, secretsOf } from './rig/calls';
import { run, type RunOptions } from './rig/run';

// a schema goes in, an object that fits it comes out, or an error that says where it does not
let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

const schema = {
	type: 'object',
	properties: {
		name: { type: 'string' },
		size: { enum: ['S', 'M'] },
		lines: {
			type: 'array',
			minItems: 2,
			items: {
				type: 'object',
				properties: { count: { type: 'integer', minimum: 3 } },
				required: ['count'],
			},
		},
	},
	required: ['name', 'size', 'lines'],
	additionalProperties: false,
};
const carryOn = { settings: { onError: 'continueErrorOutput' } } as const;

describe.each([
	['a chat', chat],
	['a response', response],
])('%s', (what, question) => {
	const ask = (content: string, more: INodeParameters = {}, options: Partial<RunOptions> = {}) =>
		run({
			...question(content, {
				responseFormat: 'json_schema',
				jsonSchema: JSON.stringify(schema),
				...more,
			}),
			secrets: secretsOf(service),
			...options,
		});

	it('sends the schema as the protocol has it', async () => {
		await ask('x');
		const body = posts(service)[0]?.body;
		expect(body).toMatchObject(
			what === 'a chat'
				? { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } } }
				: { text: { format: { type: 'json_schema', name: 'answer', schema } } },
		);
	});

	it('gives the object beside the text', async () => {
		const { items } = await ask('Ada');
		expect(items[0]?.json).toMatchObject({
			output: expect.stringMatching(/^\{"name"/),
			parsed: { name: expect.any(String), size: 'S', lines: [{ count: 3 }, { count: 3 }] },
			complete: true,
		});
	});

	it('also when a Markdown fence is around it', async () => {
		const { items } = await ask('Ada [[fenced]]');
		expect(items[0]?.json).toMatchObject({ parsed: { size: 'S' } });
	});

	it.each([
		['breaks the schema', '[[break_schema]]', /The answer breaks the JSON schema at /],
		['is no JSON', '[[not_json]]', /The answer is not JSON/],
	])('is an error with the text and the place when the answer %s', async (_how, words, reason) => {
		const { failed } = await ask(words, {}, carryOn);
		expect(failed[0]?.json).toMatchObject({
			error: expect.stringContaining('not in the requested format'),
			details: {
				kind: 'schemaMismatch',
				outcome: 'started',
				reason: expect.stringMatching(reason),
				requestId: expect.stringMatching(/^req-/),
				computed: { place: expect.any(String) },
				partial: {
					text: expect.stringMatching(/\w/),
					usage: expect.any(Object),
					costUsd: expect.any(Number),
					costComputed: true,
				},
			},
		});
	});

	it('says that the token cap cut the JSON off', async () => {
		const { failed } = await ask('a b c d e f g h', { options: { maxTokens: 2 } }, carryOn);
		expect(failed[0]?.json).toMatchObject({
			error: expect.stringContaining('Raise "Maximum Output Tokens"'),
			details: { kind: 'schemaMismatch' },
		});
	});

	it('is paid once, however often n8n repeats the node', async () => {
		await ask(
			'[[break_schema]]',
			{},
			{ settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 } },
		);
		expect(posts(service)).toHaveLength(1);
	});

	it('has nothing to read when the model asks for a tool', async () => {
		const { items } = await ask('x [[tool:f]]', { options: { tools: { tool: [{ name: 'f' }] } } });
		expect(items[0]?.json).toMatchObject({ finishReason: 'tool_calls' });
		expect(items[0]?.json).not.toHaveProperty('parsed');
	});

	it.each<[string, string, RegExp]>([
		['no JSON', '{"type":', /JSON Schema is not valid JSON/],
		['a type that nobody knows', '{"type":"strnig"}', /strnig|type/],
		['a reference to nowhere', '{"$ref":"#/nothing"}', /\$ref|nothing/],
		['a reference to itself', '{"$ref":"#"}', /endless loop/],
		['a pattern that RE2 does not have', '{"items":{"pattern":"(?=a)"}}', /items\.pattern: RE2/],
	])('refuses a schema with %s before anything is sent', async (_what, broken, message) => {
		const { error } = await ask('x', { jsonSchema: broken });
		expect(error?.message).toMatch(message);
		expect(posts(service)).toEqual([]);
	});

	it('reads plain JSON without a schema', async () => {
		const { items } = await ask('x', { responseFormat: 'json_object' });
		expect(items[0]?.json['parsed']).toEqual({ you_said: 'x' });
	});
});
