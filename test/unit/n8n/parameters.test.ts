import { message } from '../../../nodes/ModelRouter/text/message.operation';
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
			options: { stopSequences: '["END"]', additionalFields: '{"a":1}' },
		})(1),
	).toMatchObject({
		messagesJson: [{ content: 'b' }],
		options: { stopSequences: ['END'], additionalFields: { a: 1 } },
	});
	const row = { role: 'assistant', toolCalls: '[{"id":"c"}]' };
	expect(reader({ model: 'v/m', messages: { message: [row] } })(0)).toMatchObject({
		messages: { message: [{ toolCalls: [{ id: 'c' }] }] },
	});
	expect(() => reader({ ...json, messagesJson: '={{ $json.word }}' })(0)).toThrow(
		refusal('Messages (JSON) is not valid JSON'),
	);
	expect(() => reader({ ...json, options: { stopSequences: '{}' } })(0)).toThrow(
		refusal('Options: Stop Sequences (JSON) must be a JSON list'),
	);
});
