import fc from 'fast-check';

import { promptBound, promptGuess } from '../../../src/router/promptSize';

const user = (content: unknown) => ({ messages: [{ role: 'user', content }] });
const bytes = (value: unknown) =>
	Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value));

const TOOL = {
	type: 'function',
	function: { name: 'f', description: 'Gives the weather', parameters: { type: 'object' } },
};
const CALLS = [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }];
const FORMAT = { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } };

it.each<[string, Record<string, unknown>, number, number]>([
	['nothing', {}, 0, 0],
	['an empty message', user(''), 0, 16],
	['a message', user('Hello'), 5, 16],
	['a text of many bytes', user('Größe 🙂'), 12, 16],
	['half a character', user('\ud83d'), 3, 16],
	['a text with line breaks and quotes', user('a\n"b"'), 5, 16],
	['several messages', { messages: [...user('ab').messages, ...user('c').messages] }, 3, 32],
	['a message without content', { messages: [{ role: 'assistant', content: null }] }, 0, 16],
	['an odd role', { messages: [{ role: 'narrator', content: 'a' }] }, 11, 16],
	['a message that is a text', { messages: ['ab'] }, 2, 16],
	[
		'parts',
		user([
			{ type: 'text', text: 'ab' },
			{ type: 'text', text: 'c' },
		]),
		3,
		48,
	],
	['parts that are texts', user(['ab', 'c']), 3, 48],
	['one part outside a list', user({ type: 'text', text: 'ab' }), 2, 32],
	[
		'further fields of a part',
		user([{ type: 'text', text: 'ab', cache_control: { type: 'x' } }]),
		2 + bytes({ type: 'x' }),
		32,
	],
	[
		'a refusal',
		{ messages: [{ role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] }] },
		2,
		32,
	],
	['a name', { messages: [{ role: 'user', name: 'Ann', content: 'a' }] }, 4, 16],
	[
		'tool calls',
		{ messages: [{ role: 'assistant', content: null, tool_calls: CALLS }] },
		bytes(CALLS),
		16,
	],
	[
		'a tool that answers',
		{ messages: [{ role: 'tool', tool_call_id: 'c1', content: 'sunny' }] },
		7,
		16,
	],
	['tools', { tools: [TOOL, TOOL] }, 2 * bytes(TOOL), 128],
	['a tool without a type', { tools: [{ name: 'f' }] }, 12, 64],
	['a custom tool', { tools: [{ type: 'custom', name: 'f' }] }, 28, 64],
	['functions of the old protocol', { functions: [{ name: 'f' }] }, 12, 64],
	['tools that are no list', { tools: 'f' }, 3, 64],
	['a form of the answer', { response_format: FORMAT }, bytes(FORMAT), 0],
	['a form of the other protocol', { text: { format: FORMAT } }, bytes({ format: FORMAT }), 0],
	['an input', { input: 'Hello' }, 5, 16],
	['instructions', { instructions: 'Hello' }, 5, 16],
	['a list of inputs', { input: [{ role: 'user', content: 'a' }] }, 1, 16],
	[
		'items of the responses protocol',
		{
			input: [
				{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'ab' }] },
				{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'cd' }] },
				{ type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
				{ type: 'function_call_output', call_id: 'c1', output: 'sunny' },
				{
					type: 'function_call_output',
					call_id: 'c1',
					output: [{ type: 'input_text', text: 'x' }],
				},
				{ type: 'custom_tool_call', call_id: 'c1', name: 'f', input: 'x' },
				{ type: 'custom_tool_call_output', call_id: 'c1', output: 'x' },
				{
					type: 'reasoning',
					summary: [{ type: 'summary_text', text: 's' }],
					content: [{ type: 'reasoning_text', text: 'r' }],
				},
			],
		},
		4 + 5 + 7 + 3 + 4 + 3 + 2,
		8 * 16 + 5 * 16,
	],
	['an unknown text', { template: 'ab' }, 4, 0],
	['an unknown object', { context: { a: 'b' } }, 9, 0],
	['an unknown list', { documents: ['b'] }, 5, 0],
	['a stored prompt as a text', { prompt: 'ab' }, 4, 0],
	['unknown numbers and switches', { boost: 5, fast: true, nothing: null, none: undefined }, 0, 0],
	['a choice of a tool', { tool_choice: 'auto' }, 6, 0],
	[
		'settings',
		{
			model: 'vendor/model',
			max_tokens: 5,
			n: 2,
			stop: ['END'],
			seed: 1,
			stream: true,
			stream_options: { include_usage: true },
			user: 'u',
			metadata: { a: 'b' },
			reasoning: { effort: 'low' },
			reasoning_effort: 'low',
			logit_bias: { 50256: -100 },
			service_tier: 'auto',
			include: ['x'],
		},
		0,
		0,
	],
])('%s', (_name, body, text, frames) => {
	expect(promptBound(body)).toEqual({ tokens: text + frames });
	expect(promptGuess(body)).toBe(Math.ceil(text / 4));
});

const holds = (type: string) =>
	`A message holds "${type}", and how many tokens that takes is not known before the request.`;

it.each<[string, Record<string, unknown>, string]>([
	[
		'an image',
		user([
			{ type: 'text', text: 'a' },
			{ type: 'image_url', image_url: { url: 'x' } },
		]),
		holds('image_url'),
	],
	[
		'an image of the other protocol',
		{ input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'x' }] }] },
		holds('input_image'),
	],
	['sound', user([{ type: 'input_audio', input_audio: {} }]), holds('input_audio')],
	['a file', user([{ type: 'file', file: { file_id: 'x' } }]), holds('file')],
	['a video', user([{ type: 'video_url' }]), holds('video_url')],
	['an unknown part', user([{ type: 'hologram' }]), holds('hologram')],
	[
		'an image as an input',
		{ input: [{ type: 'input_image', image_url: 'x' }] },
		holds('input_image'),
	],
	[
		'a picture of a screen',
		{ input: [{ type: 'computer_call_output', output: {} }] },
		holds('computer_call_output'),
	],
	[
		'an item kept at the service',
		{ input: [{ type: 'item_reference', id: 'x' }] },
		holds('item_reference'),
	],
	[
		'an image that a tool gave',
		{ input: [{ type: 'function_call_output', output: [{ type: 'input_image' }] }] },
		holds('input_image'),
	],
	[
		'an image under the name of a text',
		user([{ type: 'text', text: 'a', image_url: { url: 'x' } }]),
		holds('image_url'),
	],
	[
		'the sound of an earlier answer',
		{ messages: [{ role: 'assistant', audio: { id: 'x' } }] },
		holds('audio'),
	],
	[
		'images beside the content',
		{ messages: [{ role: 'user', content: 'a', images: ['x'] }] },
		holds('images'),
	],
	[
		'attachments',
		{ messages: [{ role: 'user', content: 'a', attachments: [] }] },
		holds('attachments'),
	],
	['an item under the name of a part', user([{ type: 'message', content: 'x' }]), holds('message')],
	['a very long type', user([{ type: 'x'.repeat(1000) }]), holds('x'.repeat(60))],
	['a part without a type', user([{ text: 'a' }]), 'A part of a message has no type.'],
	['a part with an odd type', user([{ type: 5 }]), 'A part of a message has no type.'],
	[
		'an instruction without a type',
		{ instructions: [{ text: 'a' }] },
		'A part of a message has no type.',
	],
	[
		'a list in a list',
		user([['a']]),
		'A message or a part of one is neither a text nor an object.',
	],
	[
		'messages that are a number',
		{ messages: 5 },
		'A message or a part of one is neither a text nor an object.',
	],
	[
		'a tool of the service',
		{ tools: [TOOL, { type: 'web_search' }] },
		'The tool "web_search" adds text to the prompt that is not known before the request.',
	],
	[
		'an earlier response',
		{ previous_response_id: 'x' },
		'"previous_response_id" adds text to the prompt that is not known before the request.',
	],
	[
		'a conversation',
		{ conversation: 'x' },
		'"conversation" adds text to the prompt that is not known before the request.',
	],
	[
		'a search',
		{ web_search_options: {} },
		'"web_search_options" adds text to the prompt that is not known before the request.',
	],
	[
		'a stored prompt',
		{ prompt: { id: 'x' } },
		'"prompt" adds text to the prompt that is not known before the request.',
	],
])('has no bound for %s', (_name, body, unbounded) => {
	expect(promptBound(body)).toEqual({ unbounded });
	expect(promptGuess(body)).toBeUndefined();
});

it('counts at least every byte of any text, wherever it is', () => {
	const text = fc.string({ unit: 'binary' });
	fc.assert(
		fc.property(fc.array(text), text, text, (contents, further, instructions) => {
			const body = {
				messages: contents.map((content, at) => ({
					role: 'user',
					content: at % 2 ? content : [{ type: 'text', text: content }],
				})),
				instructions,
				[`x_${further}`]: further,
				tools: [{ type: 'function', function: { name: further } }],
			};
			const all = [...contents, further, instructions, further].reduce(
				(sum, one) => sum + bytes(one),
				0,
			);
			const bound = promptBound(body) as { tokens: number };
			expect(bound.tokens).toBeGreaterThanOrEqual(all + 16 * contents.length + 16 + 64);
			expect(promptGuess(body)! * 4).toBeGreaterThanOrEqual(all);
			expect(promptGuess(body)).toBeLessThanOrEqual(bound.tokens);
		}),
		{ numRuns: 1000 },
	);
});

it('gives a bound or a reason for any body, and changes nothing in it', () => {
	fc.assert(
		fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
			for (const body of [
				{ messages: one, tools: other },
				{ input: [one], further: other },
			]) {
				const before = JSON.stringify(body);
				const bound = promptBound(body);
				if ('unbounded' in bound) expect(bound.unbounded).toMatch(/^["A-Z].*\.$/s);
				else expect(Number.isSafeInteger(bound.tokens)).toBe(true);
				expect(JSON.stringify(body)).toBe(before);
			}
		}),
		{ numRuns: 2000 },
	);
});
