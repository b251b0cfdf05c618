import type { INodeParameters } from 'n8n-workflow';

import { startService, type Service } from '../service/service';
import { chat, posts, secretsOf } from './rig/calls';
import { run, type RunOptions, shownText } from './rig/run';

// what a chat can be asked, and every way in which it is answered
let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

const model = (value: string) => ({ __rl: true, mode: 'id', value });
const ask = (content: string, more: INodeParameters = {}, options: Partial<RunOptions> = {}) =>
	run({ ...chat(content, more), secrets: secretsOf(service), ...options });
const sent = () => posts(service)[0]?.body as Record<string, unknown>;
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('what is sent', () => {
	it('is every field of the protocol, by name and as JSON', async () => {
		const options = {
			maxTokens: 900,
			temperature: 0.5,
			reasoningEffort: 'low',
			frequencyPenalty: 0.5,
			presencePenalty: -0.5,
			seed: 7,
			topP: 0.9,
			answerCount: 2,
		};
		const additionalFields =
			'{"response_format":{"type":"json_object"},"user":"u-1","logit_bias":{},"logprobs":true,"top_logprobs":2}';
		const { error } = await ask('x', {
			options: {
				...options,
				stopSequences: '["END"]',
				additionalFields,
				systemMessage: 'Be short.',
			},
		});
		expect(error).toBeUndefined();
		expect(sent()).toEqual({
			model: 'northwind/quill-2.5',
			messages: [
				{ role: 'system', content: 'Be short.' },
				{ role: 'user', content: 'x' },
			],
			max_tokens: 900,
			temperature: 0.5,
			reasoning_effort: 'low',
			frequency_penalty: 0.5,
			presence_penalty: -0.5,
			seed: 7,
			top_p: 0.9,
			logprobs: true,
			top_logprobs: 2,
			n: 2,
			stop: ['END'],
			response_format: { type: 'json_object' },
			user: 'u-1',
			logit_bias: {},
			stream: true,
		});
	});

	it('is a prompt', async () => {
		await ask('', { inputType: 'prompt', prompt: 'hello' });
		expect(sent()['messages']).toEqual([{ role: 'user', content: 'hello' }]);
	});

	it('is a list with all five roles', async () => {
		const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } };
		const message = [
			{ role: 'developer', content: 'a' },
			{ role: 'system', content: 'b' },
			{ role: 'user', content: 'c' },
			{ role: 'assistant', content: '', toolCalls: JSON.stringify([call]) },
			{ role: 'tool', content: 'd', toolCallId: 'c1' },
		];
		const { items } = await ask('', { messages: { message } });
		expect(sent()['messages']).toEqual([
			...message.slice(0, 3),
			{ role: 'assistant', content: null, tool_calls: [call] },
			{ role: 'tool', content: 'd', tool_call_id: 'c1' },
		]);
		expect(items[0]?.json['output']).toBe('The tool said: d');
	});

	it('is JSON from an expression', async () => {
		const talk = [
			{ role: 'user', content: [{ type: 'text', text: 'hi' }] },
			{ role: 'assistant', content: 'hello', name: 'a' },
			{ role: 'user', content: 'well' },
		];
		await ask('', { inputType: 'json', messagesJson: '={{ $json.talk }}' }, { items: [{ talk }] });
		expect(sent()['messages']).toEqual(talk);
	});

	it('has files behind the text, from binary fields and addresses', async () => {
		const picture = `${base64('\x89PNG')}`;
		const { items, error } = await ask(
			'look',
			{
				model: model('aurora-labs/omni-2'),
				attachments: {
					attachment: [
						{ source: 'binary', binaryProperty: 'data' },
						{ source: 'url', url: 'https://example.com/a.png?x=1' },
						{ source: 'binary', binaryProperty: 'sound' },
						{ source: 'url', url: 'https://example.com/a.mp4' },
						{ source: 'binary', binaryProperty: 'paper' },
					],
				},
			},
			{
				files: {
					data: { data: picture, mimeType: 'image/png', fileName: 'a.png' },
					sound: { data: base64('ID3'), mimeType: 'audio/mpeg', fileName: 'a.mp3' },
					paper: { data: base64('%PDF-1.7'), mimeType: 'application/pdf', fileName: 'a.pdf' },
				},
			},
		);
		expect(error).toBeUndefined();
		expect(sent()['messages']).toEqual([
			{
				role: 'user',
				content: [
					{ type: 'text', text: 'look' },
					{ type: 'image_url', image_url: { url: `data:image/png;base64,${picture}` } },
					{ type: 'image_url', image_url: { url: 'https://example.com/a.png?x=1' } },
					{ type: 'input_audio', input_audio: { data: base64('ID3'), format: 'mp3' } },
					{ type: 'video_url', video_url: { url: 'https://example.com/a.mp4' } },
					{
						type: 'file',
						file: {
							filename: 'a.pdf',
							file_data: `data:application/pdf;base64,${base64('%PDF-1.7')}`,
						},
					},
				],
			},
		]);
		expect(items[0]?.json['output']).toMatch(/shown 2 image\(s\)/);
	});
});

describe('the choice of tools', () => {
	const tools = { tool: [{ name: 'f' }, { name: 'g' }] };

	it.each<[INodeParameters, unknown]>([
		[{}, undefined],
		[{ choice: {} }, 'auto'],
		[{ choice: { mode: 'auto' } }, 'auto'],
		[{ choice: { mode: 'none' } }, 'none'],
		[{ choice: { mode: 'required', toolName: 'f' } }, 'required'],
		[{ choice: { mode: 'one', toolName: ' g ' } }, { type: 'function', function: { name: 'g' } }],
	])('%j is sent as %j', async (toolChoice, field) => {
		const { error } = await ask('x', { tools, options: { toolChoice } });
		expect(error).toBeUndefined();
		expect(sent()['tool_choice']).toEqual(field);
	});
});

describe('what is refused before anything is sent', () => {
	const attachment = (entry: object) =>
		({ attachments: { attachment: [entry] } }) as INodeParameters;

	it.each<[string, INodeParameters, RegExp]>([
		['no message', { messages: { message: [] } }, /^Messages is empty/],
		['an empty prompt', { inputType: 'prompt', prompt: ' ' }, /^Prompt is empty/],
		[
			'JSON that is no list',
			{ inputType: 'json', messagesJson: '{"role":"user"}' },
			/^Messages \(JSON\) must be a JSON list/,
		],
		[
			'a role that nobody knows',
			{ inputType: 'json', messagesJson: '[{"role":"bot","content":"x"}]' },
			/^Messages \(JSON\) 1: role must be one of/,
		],
		[
			"a tool's message without its call",
			{ messages: { message: [{ role: 'tool', content: 'x' }] } },
			/^Messages 1: Tool Call ID is empty/,
		],
		['a temperature over 2', { options: { temperature: 2.1 } }, /Temperature must be 0 to 2/],
		[
			'a field twice',
			{ options: { temperature: 1, additionalFields: '{"temperature":1}' } },
			/must not contain "temperature"/,
		],
		['streaming off', { options: { additionalFields: '{"stream":false}' } }, /"stream".*always/],
		[
			'a tool without a name',
			{ options: { tools: { tool: [{ description: 'x' }] } } },
			/^Options: Tools 1: Name/,
		],
		[
			'no tool named',
			{ options: { toolChoice: { choice: { mode: 'one' } } } },
			/Tool Choice: Tool Name is empty/,
		],
		[
			'a file that is not there',
			attachment({ source: 'binary', binaryProperty: 'photo' }),
			/^Attachments 1: the input item has no file in "photo"/,
		],
		[
			'an address that is none',
			attachment({ source: 'url', url: 'picture.png' }),
			/^Attachments 1: URL must begin with https/,
		],
		[
			'a picture for a model that takes text only',
			attachment({ source: 'url', url: 'https://example.com/a.png' }),
			/^Attachments 1: the model northwind\/quill-2.5 does not take images. Nothing was sent. It takes: text/,
		],
		['a model of another kind', { model: model('Canvas/SKETCH.1') }, /makes images/],
	])('%s', async (_what, more, message) => {
		const { error } = await ask('x', more);
		expect(shownText(error)).toMatch(message);
		expect(posts(service)).toEqual([]);
	});

	it('also for the last item, before the first is sent', async () => {
		const { failed, items } = await ask(
			'x',
			{ model: '={{ $json.model }}' },
			{
				items: [{ model: 'northwind/quill-2.5' }, { model: 'reel/clip-3' }],
				settings: { onError: 'continueErrorOutput' },
			},
		);
		expect(items).toHaveLength(1);
		expect(failed).toMatchObject([
			{ json: { error: expect.stringContaining('"Video"'), details: { kind: 'invalid' } } },
		]);
		service.reset();
		const { error } = await ask(
			'x',
			{ model: '={{ $json.model }}' },
			{ items: [{ model: 'northwind/quill-2.5' }, { model: 'reel/clip-3' }] },
		);
		expect([error?.context?.['itemIndex'], posts(service)]).toEqual([1, []]);
	});
});

describe('what comes out', () => {
	it('is simplified: text, model, reason, usage, cost, request id', async () => {
		const { items } = await ask('one two three');
		expect(items).toEqual([
			{
				json: {
					output: 'You said: "one two three".',
					model: 'northwind/quill-2.5',
					finishReason: 'stop',
					usage: expect.objectContaining({ prompt_tokens: 3, completion_tokens: 5 }),
					costUsd: 0.000009,
					costComputed: true,
					requestId: expect.stringMatching(/^req-/),
					complete: true,
				},
				pairedItem: { item: 0 },
			},
		]);
	});

	it.each([
		{ chatChunkEnd: 'usage-with-finish' },
		{ chatChunkEnd: 'usage-in-each' },
		{ usageDetails: 'absent' },
		{ catalogExtras: 'present', list: 'object-by-id' },
	] as const)('is the same in the form %j', async (forms) => {
		Object.assign(service.forms, forms);
		const { items } = await ask('one two three');
		expect(items[0]?.json).toMatchObject({
			output: 'You said: "one two three".',
			finishReason: 'stop',
			usage: { prompt_tokens: 3, completion_tokens: 5 },
			costUsd: 0.000009,
			complete: true,
		});
	});

	it("is the protocol's own object with Simplify off", async () => {
		const { items } = await ask('hi', { simplify: false });
		expect(items[0]?.json).toMatchObject({
			output: 'You said: "hi".',
			complete: true,
			requestId: expect.stringMatching(/^req-/),
			completion: {
				object: 'chat.completion',
				id: expect.stringMatching(/^chatcmpl-/),
				created: expect.any(Number),
				choices: [
					{
						index: 0,
						message: { role: 'assistant', content: 'You said: "hi".' },
						finish_reason: 'stop',
					},
				],
				usage: { total_tokens: expect.any(Number) },
			},
		});
	});

	it('says of an answer that was cut off how to mend it', async () => {
		const { items, run: done } = await ask('[[words:50]]', { options: { maxTokens: 5 } });
		expect(items[0]?.json).toMatchObject({
			finishReason: 'length',
			complete: true,
			notice: expect.stringMatching(/cut off.*Raise "Maximum Output Tokens".*2000/),
		});
		expect(JSON.stringify(done.data.resultData.runData['Node']?.[0]?.hints)).toContain('2000');
	});

	it('says so when hidden reasoning took all tokens', async () => {
		const { items } = await ask('x', {
			model: model('aurora-labs/deep-reason-1'),
			options: { maxTokens: 10 },
		});
		expect(items[0]?.json).toMatchObject({
			output: '',
			notice: expect.stringContaining('hidden reasoning'),
		});
	});

	it('calls a content filter what it is', async () => {
		const { items } = await ask('a b c d [[finish:content_filter]]');
		expect(items[0]?.json).toMatchObject({
			finishReason: 'content_filter',
			notice: expect.stringContaining('content filter'),
		});
	});

	it('gives several answers as several', async () => {
		const { items } = await ask('hi', { options: { answerCount: 3 } });
		const answers = items[0]?.json['answers'] as Array<{ output: string }>;
		expect(answers).toHaveLength(3);
		expect(new Set(answers.map(({ output }) => output)).size).toBe(3);
		expect(items[0]?.json['output']).toBe(answers[0]?.output);
	});

	it.each(['strings', 'whole', 'object'] as const)(
		'gives tool calls whole, sent as %s',
		async (form) => {
			Object.assign(service.forms, { toolFragments: form });
			const parameters = '{"type":"object","properties":{"city":{"type":"string"}}}';
			const { items } = await ask('Cologne [[tools:2]]', {
				options: { tools: { tool: [{ name: 'get_weather', description: 'Weather', parameters }] } },
			});
			expect(sent()['tools']).toEqual([
				{
					type: 'function',
					function: {
						name: 'get_weather',
						description: 'Weather',
						parameters: JSON.parse(parameters) as object,
					},
				},
			]);
			expect(items[0]?.json).toMatchObject({
				output: '',
				finishReason: 'tool_calls',
				toolCalls: [
					{ id: expect.any(String), name: 'get_weather', arguments: { city: expect.any(String) } },
					{ id: expect.any(String), name: 'get_weather', arguments: { city: expect.any(String) } },
				],
			});
		},
	);

	it('keeps what an answer brings along', async () => {
		const { items } = await ask('hi [[thinks:3]]');
		expect(items[0]?.json['reasoning']).toEqual(expect.stringMatching(/\w/));
		const refused = await ask('hi [[refusal]]');
		expect(refused.items[0]?.json).toMatchObject({
			output: '',
			refusal: expect.any(String),
			notice: expect.stringContaining('refused'),
		});
	});
});

it('counts tokens where n8n counts them', async () => {
	const { run: done } = await ask('one two', {}, { items: [{}, {}, {}] });
	expect(done.data.resultData.runData['Node']?.[0]?.metadata).toMatchObject({
		tokenUsage: { inputTokens: 6, outputTokens: 12 },
	});
});
