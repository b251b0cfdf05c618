import type { INodeParameters } from 'n8n-workflow';

import { CARRY_ON, chat, posts, response, RETRIED, secretsOf } from './rig/calls';
import { run, type RunOptions } from './rig/run';
import { serviceForTests } from './rig/service';

// a schema goes in, an object that fits it comes out, or an error that says where it does not
const service = serviceForTests();

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
const ask = (
	question: typeof chat,
	content: string,
	more: INodeParameters = {},
	settings: RunOptions['settings'] = CARRY_ON,
) => {
	const format = { responseFormat: 'json_schema', jsonSchema: JSON.stringify(schema) };
	return run({
		...question(content, { ...format, ...more }),
		secrets: secretsOf(service),
		settings,
	});
};

it.each([
	['a chat', chat, { response_format: { type: 'json_schema', json_schema: { schema } } }],
	['a response', response, { text: { format: { type: 'json_schema', name: 'answer', schema } } }],
])('%s sends the schema, and gives the object beside the text', async (_what, question, body) => {
	const { items } = await ask(question, 'Ada [[fenced]]');
	expect(posts(service)[0]?.body).toMatchObject(body);
	expect(items[0]?.json).toMatchObject({
		output: expect.stringContaining('{"name"'),
		parsed: { name: expect.any(String), size: 'S', lines: [{ count: 3 }, { count: 3 }] },
		complete: true,
	});
});

it.each([
	['a chat', chat, '[[break_schema]]', /The answer breaks the JSON schema at /],
	['a response', response, '[[not_json]]', /The answer is not JSON/],
])('%s that does not fit is an error with the text and the place, paid once', async (...row) => {
	const [, question, words, reason] = row;
	await ask(question, words, {}, RETRIED);
	expect(posts(service)).toHaveLength(1);
	const { failed } = await ask(question, words);
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
	const { failed } = await ask(chat, 'a b c d e f g h', { options: { maxTokens: 2 } });
	expect(failed[0]?.json['error']).toContain('Raise "Maximum Output Tokens"');
});

it.each<[string, string, RegExp]>([
	['no JSON', '{"type":', /JSON Schema is not valid JSON/],
	['a type that nobody knows', '{"type":"strnig"}', /strnig|type/],
	['a reference to itself', '{"$ref":"#"}', /endless loop/],
	['a pattern that RE2 does not have', '{"items":{"pattern":"(?=a)"}}', /items\.pattern: RE2/],
])('refuses a schema with %s before anything is sent', async (_what, jsonSchema, message) => {
	const { failed } = await ask(chat, 'x', { jsonSchema });
	expect(failed[0]?.json['error']).toMatch(message);
	expect(posts(service)).toEqual([]);
});

it('reads plain JSON without a schema', async () => {
	const { items } = await ask(chat, 'x', { responseFormat: 'json_object' });
	expect(items[0]?.json['parsed']).toEqual({ you_said: 'x' });
});
