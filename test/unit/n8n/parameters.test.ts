import { message } from '../../../nodes/ModelRouter/text/message.operation';
import { toAttachmentSources } from '../../../nodes/ModelRouter/text/messages.params';
import { createParamReader } from '../../../src/n8n/parameters';
import { executeContext } from './executeContext';

const chosen = { resource: 'text', operation: 'message', inputType: 'list' };
const items = [
	{ json: { word: 'a', heat: '0.5' } },
	{ json: { word: 'b', heat: 3 } },
	{ json: {} },
];

const reader = (parameters: Record<string, unknown>) =>
	createParamReader(
		executeContext({ parameters: { ...chosen, ...parameters } as never, items }),
		message.params,
	);

const refusal = (message: string, more: object = {}) =>
	expect.objectContaining({ kind: 'invalid', message, ...more });

it('reads and checks each item', () => {
	const read = reader({
		model: { __rl: true, mode: 'id', value: 'v/m' },
		messages: { message: [{ role: 'user', content: '={{ $json.word }}' }] },
		options: { temperature: '={{ $json.heat }}' },
	});
	expect(read(0)).toMatchObject({
		model: 'v/m',
		messages: { message: [{ role: 'user', content: 'a' }] },
		options: { temperature: 0.5 },
	});
	const details = { advice: 'It is 3.' };
	expect(() => read(1)).toThrow(refusal('Options: Temperature must be 0 to 2', { details }));
	expect(() => read(2)).toThrow(
		refusal('Messages 1: Content is empty: its expression found nothing for this item', {
			details: {
				advice:
					"Correct the expression, or give it a fallback, such as {{ $json.x ?? 'text' }}. To leave the field out, remove the expression.",
			},
		}),
	);
	const empty = { message: [{ role: 'user', content: "={{ $json.word ?? '' }}" }] };
	expect(() => reader({ model: 'v/m', messages: empty })(2)).toThrow(
		refusal('Messages 1: Content is empty: its expression gave an empty text for this item', {
			details: { advice: expect.stringContaining('or filter such items out.') },
		}),
	);
	expect(() => reader({ model: ' ' })(0)).toThrow(refusal('Model is empty', { details: {} }));
});

it('takes defaults for what is not set, and never the same object twice', () => {
	const read = reader({ model: 'v/m' });
	const [first, second] = [read(0), read(1)];
	expect(first).toMatchObject({
		model: 'v/m',
		messages: { message: [{ role: 'user', content: '' }] },
		options: {},
	});
	expect(second).toEqual(first);
	const declared = message.params.find(({ name }) => name === 'messages')?.default;
	expect(first['messages']).not.toBe(declared);
});

it('JSON is a list or an object as its default is, also in a row, in options and where it is not set', () => {
	const json = { model: 'v/m', inputType: 'json' };
	expect(reader(json)(0)).toMatchObject({ messagesJson: [], options: {} });
	expect(
		reader({
			...json,
			messagesJson: '={{ [{ content: $json.word }] }}',
			options: { additionalFields: '{"a":1}' },
		})(1),
	).toMatchObject({ messagesJson: [{ content: 'b' }], options: { additionalFields: { a: 1 } } });
	const row = { role: 'assistant', assistantMessage: '{"id":"c"}' };
	expect(reader({ model: 'v/m', messages: { message: [row] } })(0)).toMatchObject({
		messages: { message: [{ assistantMessage: { id: 'c' } }] },
	});
	expect(() => reader({ ...json, messagesJson: '={{ $json.word }}' })(0)).toThrow(
		refusal('Messages (JSON) is not valid JSON'),
	);
	expect(() => reader({ ...json, messagesJson: '{}' })(0)).toThrow(
		refusal('Messages (JSON) must be a JSON list'),
	);
});

// all fields of all nodes are tried in engine/modelChoices
describe('in a tool, what $fromAI() leaves out', () => {
	const readAll = (given: object) => {
		const parameters = { ...chosen, model: 'v/m', messages: said, ...given } as never;
		return createParamReader(
			executeContext({ parameters, type: 'test.modelRouterTool' }),
			message.params,
		)(0);
	};
	const readTool = (options: object) => readAll({ options })['options'];
	const said = { message: [{ role: 'user', content: 'hello' }] };

	it.each([
		['in single quotes', { reasoningEffort: "={{ $fromAI('p', '', 'string', '') }}" }],
		['in double quotes', { reasoningEffort: '={{ $fromAI("p", "a, b", "string", "") }}' }],
		['of spaces', { reasoningEffort: "={{ $fromAI('p', '', 'string', ' ') }}" }],
		['without a space', { reasoningEffort: "={{$fromai('p','','string','')}}" }],
		['of a number', { maxTokens: "={{ $fromAI('p', '', 'number', '') }}" }],
		['of JSON', { additionalFields: "={{ $fromAI('p', '', 'json', '') }}" }],
		[
			'as the editor marks it',
			{
				reasoningEffort:
					"={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('p', ``, 'string', '') }}",
			},
		],
	])('is not set with an empty default %s', (_how, options) => {
		expect(readTool(options)).toEqual({});
	});

	it('is no file of the item', () => {
		const left = { file: "={{ $fromAI('p', '', 'string', '') }}", modality: 'auto' };
		const attachments = { attachment: [left, { modality: 'auto' }] };
		const read = readAll({ attachments });
		expect(
			toAttachmentSources(read['attachments'] as Parameters<typeof toAttachmentSources>[0]),
		).toEqual([{ path: 'Attachments 2', binaryProperty: 'data', modality: 'auto' }]);
	});

	it.each([
		["{{ $fromAI('p', '', 'string', '') }}", { x: '' }],
		["{{ $fromAI('p', '', 'string', 'y') }}", { x: 'y' }],
	])('is an empty text in JSON: %s', (code, additionalFields) => {
		expect(readTool({ additionalFields: `={ "x": "${code}" }` })).toEqual({ additionalFields });
	});

	it.each([
		["={{ $fromAI('p', '') }}", 'nothing was given for "p"'],
		["={{ $fromAI('p', '', 'string') }}", 'nothing was given for "p"'],
		["={{ $fromAI('p', '', 'string', '') || $json.x }}", 'nothing was given for "p"'],
		["={{ $fromAI('p', '', 'string', '') }}{{ $json.x ?? '' }}", 'nothing was given for "p"'],
		["={{ $json.x ?? '' }}", 'its expression gave an empty text for this item'],
	])('is asked for without one, or with another expression: %s', (reasoningEffort, problem) => {
		const message = expect.stringContaining(`Options: Reasoning Effort is empty: ${problem}`);
		expect(() => readTool({ reasoningEffort })).toThrow(expect.objectContaining({ message }));
	});
});
