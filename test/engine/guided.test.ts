import type { INodeParameters, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { askGuided } from '../../nodes/MarketAssistant/question/askGuided.operation';
import { CAPABILITIES, type Capability } from '../../src/assistant/questionTemplates';
import { startService, type Service } from '../service/service';
import { assistant, posts, secretsOf } from './rig/calls';
import { run, type RunOptions } from './rig/run';

// questions that the node puts into words
let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

const ask = (parameters: INodeParameters, options: Partial<RunOptions> = {}) =>
	run({ ...assistant('askGuided', parameters), secrets: secretsOf(service), ...options });

const asked = () => posts(service).map(({ body }) => (body as { message: string }).message);

const valuesOf = (name: string) => {
	const param = (askGuided.params as readonly INodeProperties[]).find((each) => each.name === name);
	return (param?.options as INodePropertyOptions[]).map(({ value }) => value);
};

const capabilities = Object.keys(CAPABILITIES) as Capability[];

// the table of the specification (1B), word for word where a word stands for one thing
const TABLE: Record<Capability, RegExp[]> = {
	marketData: [
		/price/,
		/volume/,
		/capitalization/,
		/charts/,
		/technical analysis/,
		/support and resistance levels/,
		/24-hour performance/,
	],
	tokenAnalysis: [
		/token flows .*exchanges/,
		/balances of the top addresses/,
		/balances of whales/,
		/balances of funds/,
		/top transfers/,
		/recent buyer activity/,
		/recent seller activity/,
	],
	onChain: [/DeFi positions/, /DEX trades/, /profitable wallets/, /portfolio tracking/],
	perps: [
		/top traders/,
		/open positions/,
		/leverage/,
		/profit and loss/,
		/trade history/,
		/entry and exit patterns/,
		/win rates/,
	],
	sentiment: [/messenger communities/, /news media/],
	webSearch: [/information on the project/, /on the team/, /market trends/, /on-chain data/],
};

it('every capability and every content of the table can be chosen', () => {
	expect(valuesOf('capability').sort()).toEqual([...capabilities].sort());
	for (const capability of capabilities) {
		const { topics } = CAPABILITIES[capability];
		expect(valuesOf(capability).sort()).toEqual(Object.keys(topics).sort());
		expect(Object.values(topics)).toEqual(
			TABLE[capability].map((words) => expect.stringMatching(words)),
		);
	}
});

describe.each(capabilities)('%s', (capability) => {
	const phrases = Object.entries(CAPABILITIES[capability].topics);

	it('what is chosen is in the question, and nothing else', async () => {
		const choices = [...phrases.map(([value]) => [value]), phrases.map(([value]) => value)];
		const { items, error } = await ask(
			{ capability, [capability]: '={{ $json.topics }}' },
			{ items: choices.map((topics) => ({ topics })) },
		);
		expect(error).toBeUndefined();
		for (const [index, { json }] of items.entries()) {
			const lines = String(json['question']).split('\n');
			expect(lines[0]).toBe(`I need ${CAPABILITIES[capability].asks}.`);
			expect(lines.filter((line) => line.startsWith('- '))).toEqual(
				phrases
					.filter(([value]) => choices[index]?.includes(value))
					.map(([, phrase]) => `- ${phrase}`),
			);
			expect(json['output']).toContain(json['question']);
		}
		expect(asked().sort()).toEqual(items.map(({ json }) => json['question']).sort());
	});

	it('what is filled in is in the question', async () => {
		await ask({
			capability,
			token: ' PEPE ',
			chain: 'Solana',
			wallet: '0xd8dA\n6BF2',
			period: 'the last 7 days',
			options: { instructions: 'Compare it\nwith BTC.', answerLanguage: 'German', maxEntries: 5 },
		});
		const [question = ''] = asked();
		expect(question.split('\n').slice(1, 5)).toEqual([
			'Token or project: PEPE',
			'Chain: Solana',
			'Wallet: 0xd8dA 6BF2',
			'Period: the last 7 days',
		]);
		expect(question).toMatch(
			/\n\nLists have at most 5 entries\.\nAnswer in German\.\n\nCompare it\nwith BTC\.$/,
		);
	});

	it('what is left empty is not', async () => {
		await ask({ capability });
		expect(asked()[0]).toMatch(/^I need [^\n]*\.\n\nCover each of these:(\n- [^\n]+)+$/);
	});
});

it('is read as a whole, or as it is made with the tools', async () => {
	const { items: whole } = await ask({ token: 'ETH' });
	const { items: made } = await ask({ token: 'ETH', streamAnswer: true });
	expect(whole[0]?.json).toMatchObject({ complete: true, body: expect.anything() });
	expect(made[0]?.json).toMatchObject({
		complete: true,
		chatTitle: expect.any(String),
		question: asked()[1],
		toolCalls: [{ label: 'Reading market data' }],
	});
	expect(posts(service).map(({ path }) => path.split('/').at(-1))).toEqual([
		'invoke_assistant',
		'invoke_assistant_stream',
	]);
});

it('goes on in a chat, as any question does', async () => {
	const { items } = await ask(
		{
			sessionMode: 'key',
			sessionKey: 'a',
			token: '={{ $json.token }}',
			options: { model: 'svc_v1.3' },
		},
		{ items: [{ token: 'ETH' }, { token: 'BTC' }] },
	);
	expect(items[1]?.json['chatId']).toBe(items[0]?.json['chatId']);
	expect(posts(service)[1]?.body).toMatchObject({
		model: 'svc_v1.3',
		chat_id: items[0]?.json['chatId'],
	});
});

it.each<[unknown, RegExp]>([
	[[], /^Topics is empty/],
	[['moon'], /^Topics must be one of: .*price/],
	['price, moon', /^Topics must be one of: /],
	[7, /^Topics must be a list/],
])('topics of %j are refused before any request', async (topics, message) => {
	const { error } = await ask(
		{ marketData: '={{ $json.topics }}' },
		{ items: [{ topics: topics as string[] }] },
	);
	expect(error?.message).toMatch(message);
	expect(service.requests).toEqual([]);
});

it('topics may be written with commas, as an AI agent does', async () => {
	await ask({ marketData: '={{ "charts, price" }}' });
	expect(asked()[0]).toContain('Cover each of these:\n- price\n- charts');
});
