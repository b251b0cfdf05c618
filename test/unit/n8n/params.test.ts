import { paramReader } from '../../../src/n8n/params';
import { resources } from '../../../nodes/ModelRouter/resources';
import { executeContext } from './executeContext';

const complete = resources[0]!.operations[0]!;
const chosen = { resource: 'chat', operation: 'complete' };
const items = [
	{ json: { word: 'a', heat: '0.5' } },
	{ json: { word: 'b', heat: 3 } },
	{ json: {} },
];

const reader = (parameters: Record<string, unknown>) =>
	paramReader(
		executeContext({ parameters: { ...chosen, ...parameters } as never, items }),
		complete.params,
	);

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
	expect(() => read(1)).toThrow(
		expect.objectContaining({
			kind: 'invalid',
			message: 'Options: Temperature must be 0 to 2',
			details: { advice: 'It is 3.' },
		}),
	);
	expect(read(2)).toMatchObject({ options: {} });
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
	const declared = complete.params.find(({ name }) => name === 'messages')?.default;
	expect(first['messages']).not.toBe(declared);
});

it('an expression that finds nothing is told apart from a fixed value', () => {
	const read = reader({ model: '={{ $json.word }}' });
	expect(read(0)).toMatchObject({ model: 'a' });
	expect(read(1)).toMatchObject({ model: 'b' });
	expect(() => read(2)).toThrow(
		expect.objectContaining({
			message: 'Model is empty',
			details: { advice: 'If it is an expression, it found nothing for this item.' },
		}),
	);
});
