import { estimatePromptTokens, maximumPromptTokens } from '../../../src/router/promptTokens';
import fc, { character } from '../../support/fastCheck';

const user = (content: unknown) => ({ messages: [{ role: 'user', content }] });
const bytes = (value: unknown) =>
	Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value));

const TOOL = {
	type: 'function',
	function: { name: 'f', description: 'Gives the weather', parameters: { type: 'object' } },
};
const FORMAT = { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } };

const message = (content: string) => bytes([{ role: 'user', content }]);

it.each([
	['nothing', {}, 0, 0],
	['a message', user('Hello'), message('Hello') + 16, 5],
	['a text of many bytes', user('Größe 🙂'), message('Größe 🙂') + 16, 12],
	['half a character', user('\ud83d'), message('\ud83d') + 16, 3],
	['a text with line breaks and quotes', user('a\n"b"'), message('a\n"b"') + 16, 5],
	['an input', { input: 'Hello' }, 7 + 16, 5],
	['instructions', { instructions: 'Hello' }, 7 + 16, 5],
	['tools', { tools: [TOOL, TOOL] }, bytes([TOOL, TOOL]) + 128, bytes([TOOL, TOOL])],
	['functions of the old protocol', { functions: [{ name: 'f' }] }, 14 + 64, 14],
	['a form of the answer', { response_format: FORMAT }, bytes(FORMAT), bytes(FORMAT)],
	['settings', { model: 'vendor/model', max_tokens: 5, stop: ['END'], user: 'u', x: null }, 0, 0],
	['the choice of a host', { provider: { order: ['one'] }, transforms: [] }, 0, 0],
	['thinking', { thinking: { type: 'enabled' }, enable_thinking: true, reasoning: {} }, 0, 0],
])('%s', (_name, body, most, text) => {
	expect(maximumPromptTokens(body)).toMatchObject({ tokens: most, hasFiles: false });
	expect(estimatePromptTokens(body)).toBe(Math.ceil(text / 4));
});

it('takes every kind of text that a conversation holds', () => {
	const input = [
		{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'ab' }] },
		{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'cd' }] },
		{ type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
		{ type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'x' }] },
		{ type: 'custom_tool_call', call_id: 'c1', name: 'f', input: 'x' },
		{ type: 'custom_tool_call_output', call_id: 'c1', output: 'x' },
		{ type: 'reasoning', summary: [{ type: 'summary_text', text: 's' }] },
	];
	const messages = [
		{ role: 'assistant', content: null, tool_calls: [{ id: 'c1', function: { name: 'f' } }] },
		{ role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] },
		{ role: 'assistant', content: 'a', reasoning_content: 'what comes back' },
		// as gateways answer beside calls: empty, so no media
		{ role: 'assistant', content: null, images: [], audio: null, attachments: {}, file: '' },
		{ role: 'user', content: [{ type: 'text', text: 'ab', cache_control: { type: 'x' } }] },
	];
	expect(maximumPromptTokens({ input, messages })).toMatchObject({
		tokens: bytes(input) + 7 * 16 + bytes(messages) + 5 * 16,
	});
});

const holds = (type: string) =>
	`A message contains "${type}", and its number of tokens is not known before the request.`;

const adds = (what: string) =>
	`${what} adds text to the prompt that is not known before the request.`;
const costs = (what: string) =>
	`"${what}" may add to the cost, and how much is not known before the request.`;
const output = (content: unknown) => ({
	input: [{ type: 'function_call_output', output: content }],
});

it.each([
	['an image', user([{ type: 'image_url', image_url: { url: 'x' } }]), holds('image_url')],
	['one in instructions', { instructions: [{ type: 'input_image' }] }, holds('input_image')],
	['an unknown part', user([{ type: 'hologram' }]), holds('hologram')],
	['an item of the input', { input: [{ type: 'input_image' }] }, holds('input_image')],
	['an image that a tool gave', output([{ type: 'input_image' }]), holds('input_image')],
	['one outside a list', output({ type: 'input_image' }), holds('input_image')],
	['an image in a text', user([{ type: 'text', image_url: { url: 'x' } }]), holds('image_url')],
	['an earlier sound', { messages: [{ role: 'assistant', audio: { id: 'x' } }] }, holds('audio')],
	['images beside the content', { messages: [{ content: 'a', images: ['x'] }] }, holds('images')],
	['attachments', { messages: [{ content: 'a', attachments: ['x'] }] }, holds('attachments')],
	['a very long type', user([{ type: 'x'.repeat(1000) }]), holds('x'.repeat(60))],
	['a part without a type', user([{ text: 'a' }]), 'A part of a message has no type.'],
	['a tool of the service', { tools: [TOOL, { type: 'search' }] }, adds('"search"')],
	['an earlier response', { previous_response_id: 'x' }, adds('"previous_response_id"')],
	['a conversation', { conversation: 'x' }, adds('"conversation"')],
	['a tool without a type', { tools: [{ google_search: {} }] }, adds('"google_search"')],
	['a tool that is a text', { tools: ['search'] }, adds('"search"')],
	['an old function that is a text', { functions: ['search'] }, adds('"search"')],
	['a search', { web_search_options: {} }, costs('web_search_options')],
	['a stored prompt, which may have tools', { prompt: { id: 'x' } }, costs('prompt')],
	['several answers of which one comes', { best_of: 5 }, costs('best_of')],
	['a guess, which is billed where it is wrong', { prediction: {} }, costs('prediction')],
	['sound', { modalities: ['text', 'audio'] }, costs('modalities')],
	['other models', { models: ['a/b'] }, costs('models')],
	['a dearer tier', { service_tier: 'priority' }, costs('service_tier')],
	['a field that nobody knows', { ['x'.repeat(99)]: 0 }, costs('x'.repeat(60))],
])('has no bound for %s', (_name, body, unbounded) => {
	// what the service runs may send the model more than its context window, in several requests
	const fitsWindow = !/search|may add/.test(unbounded);
	expect(maximumPromptTokens(body)).toMatchObject({ unbounded, fitsWindow });
	expect(estimatePromptTokens(body)).toBeUndefined();
});

it('counts at least every byte of any text, wherever it is', () => {
	const text = fc.string({ unit: character });
	fc.assert(
		fc.property(fc.array(text), text, text, (contents, further, instructions) => {
			const body = {
				messages: contents.map((content, at) => ({
					role: 'user',
					content: at % 2 ? content : [{ type: 'text', text: content }],
				})),
				instructions,
				response_format: further,
				tools: [{ type: 'function', function: { name: further } }],
			};
			const all = [...contents, further, instructions, further].reduce(
				(sum, one) => sum + bytes(one),
				0,
			);
			const bound = maximumPromptTokens(body) as { tokens: number };
			expect(bound.tokens).toBeGreaterThanOrEqual(all + 16 * contents.length + 16 + 64);
			expect(estimatePromptTokens(body)! * 4).toBeGreaterThanOrEqual(all);
			expect(estimatePromptTokens(body)).toBeLessThanOrEqual(bound.tokens);
		}),
	);
});

it('a tool that is no word is no reason to break', () => {
	const body = { messages: [], tools: [[{ toString: {} }]] };
	expect(maximumPromptTokens(body)).toHaveProperty('unbounded');
});

it('gives a bound or a reason for any body, and changes nothing in it', () => {
	fc.assert(
		fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
			for (const body of [
				{ messages: one, tools: other },
				{ input: [one], text: other },
				{ input: [one], further: other },
			]) {
				const before = JSON.stringify(body);
				const bound = maximumPromptTokens(body);
				if ('unbounded' in bound) expect(bound.unbounded).toMatch(/^["A-Z].*\.$/s);
				else expect(Number.isSafeInteger(bound.tokens)).toBe(true);
				expect(JSON.stringify(body)).toBe(before);
			}
		}),
	);
});
