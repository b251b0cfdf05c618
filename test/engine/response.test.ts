import type { INodeParameters } from 'n8n-workflow';

import { startService, type Service } from '../service/service';
import { chat, posts, response, secretsOf } from './rig/calls';
import { run, type RunOptions, shownText } from './rig/run';

// the responses protocol, in every form that the specification leaves open, and answers of both protocols that break off
let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

const ask = (prompt: string, more: INodeParameters = {}, options: Partial<RunOptions> = {}) =>
	run({ ...response(prompt, more), secrets: secretsOf(service), ...options });
const sent = () => posts(service)[0]?.body as Record<string, unknown>;
const carryOn = { settings: { onError: 'continueErrorOutput' } } as const;

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

	it('is a list of messages; what a tool said becomes an item of its own', async () => {
		const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } };
		const talk = [
			{ role: 'user', content: 'a' },
			{ role: 'assistant', content: null, tool_calls: [call] },
			{ role: 'tool', content: 'b', tool_call_id: 'c1' },
			{ type: 'function_call_output', call_id: 'c2', output: 'c' },
		];
		const { items } = await ask('', { inputType: 'json', messagesJson: JSON.stringify(talk) });
		expect(sent()['input']).toEqual([
			{ role: 'user', content: 'a' },
			{ type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
			{ type: 'function_call_output', call_id: 'c1', output: 'b' },
			{ type: 'function_call_output', call_id: 'c2', output: 'c' },
		]);
		expect(items[0]?.json['output']).toContain('The tool said');
	});

	it('has files as the protocol writes them', async () => {
		await ask('look', {
			model: { __rl: true, mode: 'id', value: 'Aurora-Labs/Prism-4.1-Turbo' },
			spendingCapPerItem: 5,
			attachments: { attachment: [{ source: 'url', url: 'https://example.com/a.png' }] },
		});
		expect(sent()['input']).toEqual([
			{
				role: 'user',
				content: [
					{ type: 'input_text', text: 'look' },
					{ type: 'input_image', image_url: 'https://example.com/a.png' },
				],
			},
		]);
	});

	it.each([
		['previous_response_id', '{"previous_response_id":"resp_1"}', /does not store responses/],
		['stream', '{"stream":false}', /always streamed/],
	])('never %s', async (_what, additionalFields, message) => {
		const { error } = await ask('x', { options: { additionalFields } });
		expect(shownText(error)).toMatch(message);
		expect(service.requests).toEqual([]);
	});
});

describe('what comes out', () => {
	const simple = {
		output: 'You said: "one two".',
		model: 'northwind/quill-2.5',
		finishReason: 'stop',
		usage: expect.objectContaining({ input_tokens: 2, output_tokens: 4 }),
		costUsd: 0.000007,
		costComputed: true,
		requestId: expect.stringMatching(/^req-/),
		complete: true,
	};

	it.each<[string, object]>([
		['all events', {}],
		['the two events that are specified', { responseEvents: 'minimal' }],
		['events without a name', { responseEvents: 'unnamed' }],
		['events that nobody knows', { responseEvents: 'unknown' }],
		['a completed event without its output', { responseOutput: 'absent' }],
		['no [DONE]', { doneMark: 'absent' }],
	])('is the same with %s', async (_what, forms) => {
		Object.assign(service.forms, forms);
		const { items, error } = await ask('one two');
		expect(error).toBeUndefined();
		expect(items).toEqual([{ json: simple, pairedItem: { item: 0 } }]);
	});

	it("is the protocol's own object with Simplify off", async () => {
		const { items } = await ask('hi', { simplify: false });
		expect(items[0]?.json).toMatchObject({
			output: 'You said: "hi".',
			response: {
				object: 'response',
				status: 'completed',
				output: [{ type: 'message', content: [{ type: 'output_text', text: 'You said: "hi".' }] }],
				usage: { input_tokens: 1 },
			},
		});
	});

	it('holds tool calls, whole', async () => {
		const { items } = await ask('Cologne [[tool:f]]', {
			options: {
				tools: {
					tool: [
						{ name: 'f', parameters: '{"type":"object","properties":{"a":{"type":"string"}}}' },
					],
				},
			},
		});
		expect(items[0]?.json).toMatchObject({
			finishReason: 'tool_calls',
			toolCalls: [{ id: 'call_1', name: 'f', arguments: { a: expect.any(String) } }],
		});
	});

	it.each(['completed', 'incomplete'] as const)(
		'says that an answer was cut off, ending with response.%s',
		async (incomplete) => {
			service.forms.incomplete = incomplete;
			const { items } = await ask('[[words:50]]', { options: { maxTokens: 5 } });
			expect(items[0]?.json).toMatchObject({
				finishReason: 'length',
				complete: true,
				notice: expect.stringContaining('Maximum Output Tokens'),
			});
		},
	);

	it('holds thoughts and a refusal where there are any', async () => {
		expect((await ask('hi [[thinks:3]]')).items[0]?.json['reasoning']).toMatch(/\w/);
		expect((await ask('hi [[refusal]]')).items[0]?.json).toMatchObject({
			refusal: expect.any(String),
		});
	});

	it('is an error that keeps the text when the response fails', async () => {
		const { failed } = await ask('[[words:5]] [[failed]]', {}, carryOn);
		expect(failed[0]?.json).toMatchObject({
			details: {
				kind: 'truncated',
				outcome: 'started',
				partial: { text: expect.stringMatching(/^word1/) },
			},
		});
	});
});

describe.each([
	['a chat', chat],
	['a response', response],
])('%s that breaks off', (_what, question) => {
	const broken = (more: INodeParameters = {}) =>
		run({
			...question('[[words:40]] [[break:5]]', more),
			secrets: secretsOf(service),
			...carryOn,
		});

	it.each(['object', 'object-without-code', 'string', 'string-with-code', 'named'] as const)(
		'tells the error, sent as %s',
		async (errorLine) => {
			service.forms.errorLine = errorLine;
			const { failed } = await broken();
			expect(failed[0]?.json).toMatchObject({
				error: expect.stringContaining('stopped before its end'),
				details: {
					kind: 'truncated',
					reason: expect.stringContaining('backend'),
					requestId: expect.stringMatching(/^req-/),
					partial: { text: expect.stringMatching(/^word1 .*word5 $/) },
				},
			});
			expect(failed[0]?.json['details']).not.toHaveProperty(['partial', 'answer']);
		},
	);

	it.each([true, false])('gives what arrived, if it is to; Simplify %s', async (simplify) => {
		const { items, failed } = await broken({ simplify, options: { onIncomplete: 'partial' } });
		expect(failed).toEqual([]);
		expect(items[0]?.json).toMatchObject({
			output: expect.stringMatching(/^word1 .*word5 $/),
			complete: false,
			notice: expect.stringMatching(/stopped before its end.*backend/),
			requestId: expect.stringMatching(/^req-/),
		});
		expect(items[0]?.json).not.toHaveProperty('error');
		expect(Object.keys(items[0]?.json ?? {})).toEqual(
			simplify
				? expect.arrayContaining(['model'])
				: expect.arrayContaining([expect.stringMatching(/^completion$|^response$/)]),
		);
	});

	it('is not asked for again, not even when n8n repeats the node', async () => {
		await run({
			...question('[[words:40]] [[break:5]]'),
			secrets: secretsOf(service),
			settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
		});
		expect(posts(service)).toHaveLength(1);
	});
});
