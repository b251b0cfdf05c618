import type { INodeParameters } from 'n8n-workflow';

import { CARRY_ON, chat, model, posts, response } from './rig/calls';
import { type RunOptions, shownText } from './rig/run';
import { serviceForTests } from './rig/service';

// what a chat can be asked, and every way in which it is answered
const service = serviceForTests();

const ask = (content: string, more: INodeParameters = {}, options: Partial<RunOptions> = {}) =>
	service.run(chat(content, more), options);
const sent = () => posts(service)[0]?.body as Record<string, unknown>;
const PICTURE_URL = 'data:image/png;base64,AAAA';
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('what is sent', () => {
	it('is every field of the protocol, by name and as JSON', async () => {
		const { error } = await ask('x', {
			systemMessage: 'Be short.',
			options: {
				maxTokens: 900,
				temperature: 0.5,
				reasoningEffort: 'low',
				additionalFields:
					'{"stop":["END"],"response_format":{"type":"json_object"},"seed":7,"top_p":0.9,"n":2}',
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
			stop: ['END'],
			response_format: { type: 'json_object' },
			seed: 7,
			top_p: 0.9,
			n: 2,
			stream: true,
		});
	});

	const part = { text: 'Be short.', cache_control: { type: 'ephemeral' } };
	const marked = (type: string) => ({ role: 'system', content: [{ type, ...part }] });
	const user = { role: 'user', content: 'x' };
	it.each([
		['chat', chat, true, { messages: [marked('text'), user] }],
		['responses', response, false, { instructions: 'Be short.', input: [user] }],
		['responses', response, true, { input: [marked('input_text'), user] }],
	])('has the system message in %s, marked for the cache: %s', async (...row) => {
		const [, call, cacheSystemMessage, expected] = row;
		await service.run(call('x', { systemMessage: part.text, options: { cacheSystemMessage } }));
		const { messages, input, instructions } = sent();
		expect({ messages, input, instructions }).toEqual(expected);
	});

	it('is a list with all five roles', async () => {
		const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } };
		const called = { role: 'assistant', content: null, tool_calls: [call] };
		const message = [
			{ role: 'developer', content: 'a' },
			{ role: 'system', content: 'b' },
			{ role: 'user', content: 'c' },
			{ role: 'assistant', assistantMessage: JSON.stringify(called) },
			{ role: 'tool', content: 'd', toolCallId: 'c1' },
		];
		const { items } = await ask('', { messages: { message } });
		expect(sent()['messages']).toEqual([
			...message.slice(0, 3),
			called,
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
		const picture = base64('\x89PNG');
		const attachment = [
			{ file: 'data' },
			{ file: 'https://example.com/a.mp4' },
			{ file: 'paper' },
			{ file: 'https://example.com/b.mp4', modality: 'image' },
		];
		const files = {
			data: { data: picture, mimeType: 'image/png', fileName: 'a.png' },
			paper: { data: base64('%PDF-1.7'), mimeType: 'application/pdf', fileName: 'a.pdf' },
		};
		const more = { model: model('aurora-labs/omni-2'), attachments: { attachment } };
		const { error } = await ask('look', more, { files });
		expect(error).toBeUndefined();
		const file_data = `data:application/pdf;base64,${base64('%PDF-1.7')}`;
		const content = [
			{ type: 'text', text: 'look' },
			{ type: 'image_url', image_url: { url: `data:image/png;base64,${picture}` } },
			{ type: 'video_url', video_url: { url: 'https://example.com/a.mp4' } },
			{ type: 'file', file: { filename: 'a.pdf', file_data } },
			{ type: 'image_url', image_url: { url: 'https://example.com/b.mp4' } },
		];
		expect(sent()['messages']).toEqual([{ role: 'user', content }]);
	});

	it.each([
		[{ choice: {} }, 'auto'],
		[{ choice: { mode: 'required', toolName: 'f' } }, 'required'],
		[{ choice: { mode: 'one', toolName: ' g ' } }, { type: 'function', function: { name: 'g' } }],
	])('is the choice of tools %j as %j', async (toolChoice, field) => {
		const tools = { tool: [{ name: 'f' }, { name: 'g' }] };
		expect((await ask('x', { tools, options: { toolChoice } })).error).toBeUndefined();
		expect(sent()['tool_choice']).toEqual(field);
	});
});

describe('what is refused before anything is sent', () => {
	it.each([
		[
			'a field twice',
			{ options: { temperature: 1, additionalFields: '{"temperature":1}' } },
			/must not contain "temperature"/,
		],
		[
			'a tool without a name',
			{ options: { tools: { tool: [{ description: 'x' }] } } },
			/^Options: Tools 1: Name/,
		],
		[
			'a picture for a model that takes text only',
			{ attachments: { attachment: [{ file: 'https://example.com/a.png' }] } },
			/^Attachments 1: the model northwind\/quill-2.5 does not take images. Nothing was sent. The inputs that the catalog lists: text/,
		],
		[
			'a picture in messages for a model that takes text only',
			{
				inputType: 'json',
				messagesJson: JSON.stringify([
					{ role: 'user', content: [{ type: 'image_url', image_url: { url: PICTURE_URL } }] },
				]),
			},
			/^The model northwind\/quill-2.5 does not take images/,
		],
	])('%s', async (_what, more, message) => {
		expect(shownText((await ask('x', more)).error)).toMatch(message);
		expect(posts(service)).toEqual([]);
	});

	it('a file of which only its content shows that the model does not take it', async () => {
		const head = Buffer.alloc(44);
		head.write('RIFF');
		head.write('WAVEfmt ', 8);
		const data = { data: head.toString('base64'), mimeType: 'application/octet-stream' };
		const attachment = [{ file: 'data' }];
		const more = { model: model('aurora-labs/prism-4.1-turbo'), attachments: { attachment } };
		const { error } = await ask('x', more, { files: { data } });
		expect(shownText(error)).toMatch(/^Attachments 1: the model .* does not take audio/);
		expect(posts(service)).toEqual([]);
	});

	it.each([
		['cannot be asked', 'reel/clip-3', '"Video"'],
		['could cost too much', 'aurora-labs/prism-4.1-turbo', 'more than the spending cap'],
	])('a last item whose model %s, before the first is sent', async (_why, last, sentence) => {
		const more = { model: '={{ $json.model }}', options: { maxTokens: 70_000 } };
		const items = [{ model: 'northwind/quill-2.5' }, { model: last }];
		const { error } = await ask('x', more, { items });
		expect([error?.context?.['itemIndex'], posts(service)]).toEqual([1, []]);
		const { failed, items: answered } = await ask('x', more, { items, settings: CARRY_ON });
		expect(answered).toHaveLength(1);
		expect(failed).toMatchObject([
			{ json: { error: expect.stringContaining(sentence), details: { kind: 'invalid' } } },
		]);
	});
});

describe('what comes out', () => {
	it('is simplified: text, model, reason, usage, cost, request ID', async () => {
		Object.assign(service.forms, { chatChunkEnd: 'usage-in-each', list: 'models' });
		const { items } = await ask('one two three');
		const json = {
			output: 'You said: "one two three".',
			model: 'northwind/quill-2.5',
			complete: true,
			finishReason: 'stop',
			usage: expect.objectContaining({ prompt_tokens: 3, completion_tokens: 5 }),
			costUsd: 0.000009,
			costComputed: true,
			requestId: expect.stringMatching(/^req-/),
			durationMs: expect.any(Number),
		};
		expect(items).toEqual([{ json, pairedItem: { item: 0 } }]);
	});

	it("is the protocol's own object with Simplify off", async () => {
		const { items } = await ask('hi', { simplify: false });
		const message = { role: 'assistant', content: 'You said: "hi".' };
		expect(items[0]?.json).toMatchObject({
			output: 'You said: "hi".',
			complete: true,
			requestId: expect.stringMatching(/^req-/),
			completion: {
				object: 'chat.completion',
				choices: [{ index: 0, message, finish_reason: 'stop' }],
				usage: { total_tokens: expect.any(Number) },
			},
		});
	});
});

it('counts tokens where n8n counts them', async () => {
	const { run: done } = await ask('one two', {}, { items: [{}, {}, {}] });
	expect(done.data.resultData.runData['Node']?.[0]?.metadata).toMatchObject({
		tokenUsage: { inputTokens: 6, outputTokens: 12 },
	});
});
