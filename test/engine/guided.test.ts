import type { INodeParameters, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { askGuided } from '../../nodes/MarketAssistant/question/askGuided.operation';
import { assistant, posts } from './rig/calls';
import { type RunOptions } from './rig/run';
import { serviceForTests } from './rig/service';

// questions that the node puts into words
const service = serviceForTests();

const ask = (parameters: INodeParameters, options: Partial<RunOptions> = {}) =>
	service.run(assistant('askGuided', parameters), options);

const asked = () => posts(service).map(({ body }) => (body as { message: string }).message);

const valuesOf = (name: string) => {
	const param = (askGuided.params as readonly INodeProperties[]).find((each) => each.name === name);
	return (param?.options as INodePropertyOptions[]).map(({ value }) => String(value));
};

const ABOUT = 'PEPE and the wallet 0xd8dA 6BF2 on Solana for the last 7 days?';
/** For each capability, how its question begins, and what it covers with nothing else chosen, and with everything filled in. */
const QUESTIONS: Record<string, [begins: string, withDefaults: string, withEverything: string]> = {
	marketData: [
		'What does real-time market data show about',
		'24-hour performance and price',
		'24-hour performance, charts, market capitalization, price, support and resistance levels, technical analysis, and trading volume',
	],
	onChain: [
		'What does on-chain data show about',
		'wallet portfolios',
		'DeFi positions, DEX trades, profitable wallets, and wallet portfolios',
	],
	perps: [
		'What do perpetual-futures trades on decentralized exchanges show about',
		'open positions and top traders',
		'entry and exit patterns, leverage, open positions, profit and loss, top traders, trade history, and win rates',
	],
	sentiment: [
		'What is the sentiment around',
		'messenger communities and news media',
		'messenger communities and news media',
	],
	tokenAnalysis: [
		'What does a token analysis show about',
		'balances of top addresses',
		'balances of funds, balances of top addresses, balances of whales, exchange flows, recent buyers, recent sellers, and top transfers',
	],
	webSearch: [
		'What can you find on the web about',
		'project information',
		'market trends, on-chain data, project information, and team information',
	],
};

it('has the six capabilities of the specification, in at most 12 fields of its own', () => {
	expect(valuesOf('capability')).toEqual(Object.keys(QUESTIONS));
	const shared = ['sessionMode', 'chatId', 'sessionKey', 'streamAnswer', 'options'];
	const own = askGuided.params.filter(({ name }) => !shared.includes(name));
	// and the instructions in Options
	expect(own).toHaveLength(12 - 1);
});

it.each(Object.entries(QUESTIONS))(
	'%s is asked as a person would ask it',
	async (capability, [begins, withDefaults, withEverything]) => {
		const everything = {
			[capability]: valuesOf(capability),
			...{ token: ' PEPE ', chain: 'Solana', wallet: '0xd8dA\n6BF2', period: 'the last 7 days' },
			options: { instructions: 'Compare it\nwith BTC. ' },
		};
		for (const parameters of [{}, everything, { [capability]: [], token: 'PEPE' }])
			await ask({ capability, ...parameters } as INodeParameters);
		expect(asked()).toEqual([
			`${begins} the crypto market? Please cover ${withDefaults}.`,
			`${begins} ${ABOUT} Please cover ${withEverything}.\n\nCompare it\nwith BTC.`,
			`${begins} PEPE?`,
		]);
	},
);

it.each([
	[{ token: 'ETH', wallet: ' ' }, 'about ETH?'],
	[{ wallet: 'vitalik.eth ' }, 'about the wallet vitalik.eth?'],
	[{ chain: 'Solana', period: ' today ' }, 'about the crypto market on Solana for today?'],
])('%j is asked with "%s"', async (parameters, words) => {
	await ask({ capability: 'onChain', ...parameters });
	expect(asked()[0]).toContain(`What does on-chain data show ${words} Please cover `);
});

it('goes on in a chat, as any question does', async () => {
	const options = { model: 'svc_v1.3' };
	const { items } = await ask(
		{ sessionMode: 'key', sessionKey: 'a', token: '={{ $json.token }}', options },
		{ items: [{ token: 'ETH' }, { token: 'BTC' }] },
	);
	const chat_id = items[0]?.json['chatId'];
	expect(items[1]?.json['chatId']).toBe(chat_id);
	expect(posts(service)[1]?.body).toMatchObject({ ...options, chat_id });
});

it('adds the instructions to a question in own words, too', async () => {
	const options = { instructions: ' In two sentences.\n' };
	await service.run(assistant('ask', { question: 'Why?', options }));
	expect(asked()).toEqual(['Why?\n\nIn two sentences.']);
});
