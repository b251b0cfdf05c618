import type { INodeParameters } from 'n8n-workflow';

import type { Forms } from '../service/service';
import { chat, posts, response, RETRIED, secretsOf } from './rig/calls';
import { run, shownText } from './rig/run';
import { serviceForTests } from './rig/service';

// the responses protocol through the node, and answers of both protocols that break off
const service = serviceForTests();

const ask = (prompt: string, more: INodeParameters = {}) =>
	run({ ...response(prompt, more), secrets: secretsOf(service) });
const sent = () => posts(service)[0]?.body as Record<string, unknown>;

describe('what is sent', () => {
	it('is text, with every field by name and as JSON', async () => {
		const options = { maxTokens: 500, temperature: 0.2, systemMessage: 'Be short.' };
		const { error } = await ask('hello', {
			options: {
				...options,
				toolChoice: { choice: { mode: 'required' } },
				additionalFields: '{"reasoning":{"effort":"low"}}',
				tools: { tool: [{ name: 'f', parameters: '{"type":"object"}' }] },
			},
		});
		expect(error).toBeUndefined();
		expect(sent()).toEqual({
			model: 'northwind/quill-2.5',
			input: [{ role: 'user', content: 'hello' }],
			max_output_tokens: 500,
			temperature: 0.2,
			instructions: 'Be short.',
			tools: [{ type: 'function', name: 'f', parameters: { type: 'object' } }],
			tool_choice: 'required',
			reasoning: { effort: 'low' },
			stream: true,
		});
	});

	it.each([
		['{"previous_response_id":"resp_1"}', /does not store responses/],
		['{"stream":false}', /always streamed/],
	])('is never %s', async (additionalFields, message) => {
		const { error } = await ask('x', { options: { additionalFields } });
		expect(shownText(error)).toMatch(message);
		expect(service.requests).toEqual([]);
	});
});

it.each<Partial<Forms>>([
	{ responseEvents: 'minimal', responseOutput: 'absent' },
	{ responseEvents: 'unnamed', doneMark: 'absent' },
])('what comes out is the same with %j', async (forms) => {
	Object.assign(service.forms, forms);
	const { items, error } = await ask('one two');
	expect(error).toBeUndefined();
	const json = {
		...{ output: 'You said: "one two".', model: 'northwind/quill-2.5', complete: true },
		finishReason: 'stop',
		usage: expect.objectContaining({ input_tokens: 2, output_tokens: 4 }),
		...{ costUsd: 0.000007, costComputed: true, requestId: expect.stringMatching(/^req-/) },
	};
	expect(items).toEqual([{ json, pairedItem: { item: 0 } }]);
});

it("with Simplify off the protocol's own object comes out", async () => {
	const { items } = await ask('hi', { simplify: false });
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
		run({
			...question(BROKEN, more),
			secrets: secretsOf(service),
			settings: { onError: 'continueErrorOutput', ...settings },
		});
	const text = expect.stringMatching(/^word1 .*word5 $/);
	const requestId = expect.stringMatching(/^req-/);

	it.each(['object', 'string', 'named'] as const)('tells the error, sent as %s', async (line) => {
		service.forms.errorLine = line;
		const { failed } = await broken();
		const reason = expect.stringContaining('backend');
		expect(failed[0]?.json).toMatchObject({
			error: expect.stringContaining('stopped before its end'),
			details: { kind: 'truncated', reason, requestId, partial: { text } },
		});
		expect(failed[0]?.json['details']).not.toHaveProperty(['partial', 'answer']);
	});

	it.each([true, false])('gives what arrived, if it is to; Simplify %s', async (simplify) => {
		const { items, failed } = await broken({ simplify, options: { onIncomplete: 'partial' } });
		expect(failed).toEqual([]);
		const notice = expect.stringMatching(/stopped before its end.*backend/);
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
