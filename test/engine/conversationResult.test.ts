import type { INodeParameters } from 'n8n-workflow';

import { RETRIED } from './rig/calls';
import { converse, type ConverseOptions } from './rig/converse';

// a result as fields: what the model at Moderator makes of a conversation that has ended
const schema = {
	type: 'object',
	properties: { day: { type: 'string', enum: ['Monday', 'Friday'] }, hour: { type: 'integer' } },
	required: ['day', 'hour'],
	additionalProperties: false,
};
const FRIDAY = '{"day":"Friday","hour":10}';
const speakers = {
	Ada: () => ({ output: 'On Friday?', costUsd: 0.25 }),
	Bob: () => ({ output: 'At 10.', costUsd: 0.25 }),
};
const NONE = { output: 'At 10.', ended: 'turnLimit', turns: 2 };

const talk = async (
	moderator: NonNullable<ConverseOptions['moderator']>,
	{ options = {}, ...parameters }: { options?: INodeParameters } & INodeParameters = {},
	more: Partial<ConverseOptions> = {},
) =>
	await converse({
		parameters: {
			turnLimit: 2,
			spendingCapPerConversation: 1,
			...parameters,
			options: { resultSchema: schema, ...options },
		},
		speakers,
		moderator,
		...more,
	});

it('the model fills the schema, in a code block', async () => {
	const content = `\`\`\`json\n${FRIDAY}\n\`\`\``;
	const { json, error, prompts } = await talk([{ content, costUsd: 0.125 }]);
	expect(error).toBeUndefined();
	expect(json).toMatchObject({
		...NONE,
		result: { day: 'Friday', hour: 10 },
		costUsd: 0.625,
		speakersWithoutCost: [],
	});
	expect(json).not.toHaveProperty('resultError');
	expect(prompts).toHaveLength(1);
	expect(prompts[0]).toContain(JSON.stringify(schema));
	expect(prompts[0]).toContain('Hello\n\nAda: On Friday?\n\nBob: At 10.');
});

it('what does not fit is asked once more, with the error', async () => {
	const wrong = '{"day":"Sunday","hour":10}';
	const { json, prompts } = await talk([
		{ content: wrong, costUsd: 0.1 },
		{ content: FRIDAY, costUsd: 0.2 },
	]);
	expect(json).toMatchObject({ ...NONE, result: { day: 'Friday', hour: 10 }, costUsd: 0.8 });
	expect(prompts).toHaveLength(2);
	expect(prompts[1]).toContain(`${wrong}\n\nThe answer breaks the JSON schema at day: `);
});

it.each([
	[
		'it fits neither time',
		['Friday', FRIDAY.replace('10', '"ten"')],
		/^The answer breaks .* hour/,
		2,
	],
	['the model fails', [new Error('It broke')], /^The model could not be asked: It broke$/, 1],
])('without a result, the conversation is kept: %s', async (_what, moderator, why, asked) => {
	const { json, error, prompts } = await talk(moderator);
	expect(error).toBeUndefined();
	expect(json).toMatchObject({
		...NONE,
		resultError: expect.stringMatching(why),
		costUsd: 0.5,
		// it did not say what that cost
		speakersWithoutCost: ['Chair'],
	});
	expect(json).not.toHaveProperty('result');
	expect(prompts).toHaveLength(asked);
});

describe('the cap', () => {
	it('that is reached lets nobody ask for a result', async () => {
		const { json, prompts } = await talk([FRIDAY], { spendingCapPerConversation: 0.5 });
		expect(prompts).toEqual([]);
		expect(json['resultError']).toBe(
			'Spending Cap per Conversation of 0.5 USD was reached: 0.5 USD are spent or reserved, so the model was not asked.',
		);
		expect(json).toMatchObject({ turns: 2, output: 'At 10.' });
	});

	it('that the first answer has reached does not let it be asked again', async () => {
		const moderator = [{ content: 'Friday', costUsd: 0.5 }, FRIDAY];
		const { json, prompts } = await talk(moderator);
		expect(prompts).toHaveLength(1);
		expect(json['resultError']).toMatch(/^The answer is not JSON.* so the model was not asked\.$/);
		expect(json['costUsd']).toBe(1);
	});
});

it('a conversation in which nobody said anything has no result, and asks for none', async () => {
	const silent = { Ada: () => ({ output: '' }), Bob: () => ({ output: '' }) };
	const { json, prompts } = await talk([FRIDAY], {}, { speakers: silent });
	expect(prompts).toEqual([]);
	expect(json['resultError']).toBe('Nobody has said anything, so the model was not asked.');
});

describe('when n8n runs the node again', () => {
	it('the model is asked once, however often that call is tried again', async () => {
		let calls = 0;
		const onCalled = () => {
			if (++calls % 3) throw new Error('It broke');
		};
		const moderator = [{ content: FRIDAY, costUsd: 0.125 }, 'again'];
		const { json, error, prompts } = await talk(moderator, {}, { settings: RETRIED, onCalled });
		expect(error).toBeUndefined();
		expect(prompts).toHaveLength(1);
		expect(json).toMatchObject({ result: { day: 'Friday', hour: 10 }, costUsd: 0.625 });
	});

	it('with several items, each has its own, and one that fails the node costs no other its result', async () => {
		const items = ['One', 'Two'].map((chatInput) => ({ chatInput }));
		const Bob = ({ message }: { message?: unknown }) => {
			if (String(message).startsWith('Two')) throw new Error('It broke');
			return { output: 'At 10.' };
		};
		const hold = async (more: Partial<ConverseOptions> = {}) =>
			await talk(
				[FRIDAY, 'again'],
				{ options: { onFailure: 'fail' } },
				{
					items,
					settings: RETRIED,
					...more,
					speakers: { Ada: ({ message }) => ({ output: String(message) }), Bob },
				},
			);
		const { run, error, told, prompts } = await hold();
		const retried = await hold({ retry: run.data });
		expect(retried.error?.message).toContain('Bob failed');
		expect([retried.told, retried.prompts]).toEqual([[], []]);
		expect(told).toHaveLength(4);
		expect(prompts).toHaveLength(1);
		const [kept, failed] = (
			error as unknown as { context: { metadata: { conversations: object[] } } }
		).context.metadata.conversations;
		expect(kept).toMatchObject({ ended: 'turnLimit', result: { day: 'Friday', hour: 10 } });
		expect(failed).toMatchObject({ ended: 'speakerFailed' });
		expect(failed).not.toHaveProperty('result');
	});

	it('each of several items has a result of its own', async () => {
		const items = ['One', 'Two'].map((chatInput) => ({ chatInput }));
		const { items: results } = await talk([FRIDAY, FRIDAY.replace('10', '11')], {}, { items });
		expect(results.map(({ json }) => json['result'])).toEqual([
			{ day: 'Friday', hour: 10 },
			{ day: 'Friday', hour: 11 },
		]);
	});
});

it.each([
	[
		'Result Schema needs a model, but none is connected as Moderator',
		{},
		{ moderator: undefined as never },
	],
	['Result Schema needs Output: One Item per Conversation', { outputMode: 'turns' }, {}],
	[
		'The JSON schema cannot be used, at type: "nothing" is none of ["array","boolean","integer","null","number","object","string"]',
		{ options: { resultSchema: { type: 'nothing' } } },
		{},
	],
])('is refused before anything is sent: %s', async (message, parameters, more) => {
	const { error, told, prompts } = await talk([FRIDAY], parameters, more);
	expect(error?.message).toBe(message);
	expect([told, prompts]).toEqual([[], []]);
});
