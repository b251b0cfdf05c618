import type { INodeParameters, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { askGuided } from '../../nodes/MarketAssistant/question/askGuided.operation';
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
	return (param?.options as INodePropertyOptions[]).map(({ value }) => String(value));
};

/** For each capability, what is asked with nothing else chosen, and with everything filled in. */
const QUESTIONS: Record<string, [withDefaults: string, withEverything: string]> = {
	marketData: [
		'What does real-time market data show about the crypto market? Please cover 24-hour performance and price.',
		'What does real-time market data show about PEPE and the wallet 0xd8dA 6BF2 on Solana for the last 7 days? Please cover 24-hour performance, charts, market capitalization, price, support and resistance levels, technical analysis, and trading volume.',
	],
	onChain: [
		'What does on-chain data show about the crypto market? Please cover wallet portfolios.',
		'What does on-chain data show about PEPE and the wallet 0xd8dA 6BF2 on Solana for the last 7 days? Please cover DeFi positions, DEX trades, profitable wallets, and wallet portfolios.',
	],
	perps: [
		'What do perpetual-futures trades on decentralized exchanges show about the crypto market? Please cover open positions and top traders.',
		'What do perpetual-futures trades on decentralized exchanges show about PEPE and the wallet 0xd8dA 6BF2 on Solana for the last 7 days? Please cover entry and exit patterns, leverage, open positions, profit and loss, top traders, trade history, and win rates.',
	],
	sentiment: [
		'What is the sentiment around the crypto market? Please cover messenger communities and news media.',
		'What is the sentiment around PEPE and the wallet 0xd8dA 6BF2 on Solana for the last 7 days? Please cover messenger communities and news media.',
	],
	tokenAnalysis: [
		'What does a token analysis show about the crypto market? Please cover balances of top addresses.',
		'What does a token analysis show about PEPE and the wallet 0xd8dA 6BF2 on Solana for the last 7 days? Please cover balances of funds, balances of top addresses, balances of whales, exchange flows, recent buyers, recent sellers, and top transfers.',
	],
	webSearch: [
		'What can you find on the web about the crypto market? Please cover project information.',
		'What can you find on the web about PEPE and the wallet 0xd8dA 6BF2 on Solana for the last 7 days? Please cover market trends, on-chain data, project information, and team information.',
	],
};
const capabilities = Object.keys(QUESTIONS);

it('has the six capabilities of the specification, in at most 12 fields of its own', () => {
	expect(valuesOf('capability')).toEqual(capabilities);
	const names = (askGuided.params as readonly INodeProperties[]).map(({ name }) => name);
	const shared = ['sessionMode', 'chatId', 'sessionKey', 'streamAnswer', 'options'];
	const own = [...names.filter((name) => !shared.includes(name)), 'options.instructions'];
	expect(own).toHaveLength(12);
});

describe.each(Object.entries(QUESTIONS))('%s', (capability, [withDefaults, withEverything]) => {
	it('is asked as a person would ask it', async () => {
		const everything = {
			[capability]: valuesOf(capability),
			...{ token: ' PEPE ', chain: 'Solana', wallet: '0xd8dA\n6BF2', period: 'the last 7 days' },
			options: { instructions: 'Compare it\nwith BTC. ' },
		};
		for (const parameters of [{}, everything, { [capability]: [], token: 'PEPE' }])
			await ask({ capability, ...parameters } as INodeParameters);
		expect(asked()).toEqual([
			withDefaults,
			`${withEverything}\n\nCompare it\nwith BTC.`,
			`${withEverything.replace(/ and the wallet .*/, '')}?`,
		]);
	});

	it('what is chosen is in the question, and nothing else', async () => {
		const topics = valuesOf(capability);
		const { items } = await ask(
			{ capability, [capability]: '={{ [$json.topic] }}' },
			{ items: topics.map((topic) => ({ topic })) },
		);
		const covered = items.map(
			({ json }) => /Please cover (.+)\.$/.exec(String(json['question']))?.[1],
		);
		expect(new Set(covered).size).toBe(topics.length);
		for (const topic of covered) expect(withEverything).toContain(topic);
		expect(asked().sort()).toEqual(items.map(({ json }) => json['question']).sort());
	});
});

it.each([
	[{ token: 'ETH', wallet: ' ' }, 'about ETH?'],
	[{ wallet: 'vitalik.eth ' }, 'about the wallet vitalik.eth?'],
	[{ chain: 'Solana', period: ' today ' }, 'about the crypto market on Solana for today?'],
])('%j is asked with "%s"', async (parameters, words) => {
	await ask({ capability: 'onChain', ...parameters });
	expect(asked()[0]).toContain(`What does on-chain data show ${words} Please cover `);
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
	expect(asked()[0]).toContain('Please cover charts and price.');
});
