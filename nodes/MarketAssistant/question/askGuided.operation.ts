import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { operation } from '../../../src/n8n/operation';
import { askQuestion, chatSequenceKey, questionParams, toQuestionRequest } from './askQuestion';

/** The table in section 1B of the specification. */
const capabilityParam = {
	displayName: 'Capability',
	name: 'capability',
	type: 'options',
	options: [
		{ name: 'Market Data', value: 'marketData', description: 'Prices, volumes and charts' },
		{ name: 'On-Chain Analysis', value: 'onChain', description: 'Positions, trades and wallets' },
		{ name: 'Perp Trades', value: 'perps', description: 'Traders of perpetual futures' },
		{ name: 'Sentiment Analysis', value: 'sentiment', description: 'Communities and news media' },
		{ name: 'Token Analysis', value: 'tokenAnalysis', description: 'Holders, flows and transfers' },
		{ name: 'Web Search', value: 'webSearch', description: 'Projects, teams and trends' },
	],
	default: 'marketData',
	description: 'What you want to know about',
} as const satisfies INodeProperties;

/** What the answer should cover. The names of the topics are also the words of the question. */
const topicsParam = <
	const Name extends string,
	const Topics extends Array<Pick<INodePropertyOptions, 'name' | 'value'>>,
>(field: {
	name: Name;
	default: Array<Topics[number]['value']>;
	options: Topics;
}) => ({
	displayName: 'Topics',
	type: 'multiOptions' as const,
	displayOptions: { show: { capability: [field.name] } },
	description: 'What the answer should cover. Without topics, the question is general.',
	...field,
});

/** The topics of each capability, in a field with the name of its value. */
const topicParams = [
	topicsParam({
		name: 'marketData',
		default: ['price', 'performance24h'],
		options: [
			{ name: '24-Hour Performance', value: 'performance24h' },
			{ name: 'Charts', value: 'charts' },
			{ name: 'Market Capitalization', value: 'capitalization' },
			{ name: 'Price', value: 'price' },
			{ name: 'Support and Resistance Levels', value: 'supportResistance' },
			{ name: 'Technical Analysis', value: 'technicalAnalysis' },
			{ name: 'Trading Volume', value: 'volume' },
		],
	}),
	topicsParam({
		name: 'onChain',
		default: ['walletPortfolio'],
		options: [
			{ name: 'DeFi Positions', value: 'defiPositions' },
			{ name: 'DEX Trades', value: 'dexTrades' },
			{ name: 'Profitable Wallets', value: 'profitableWallets' },
			{ name: 'Wallet Portfolios', value: 'walletPortfolio' },
		],
	}),
	topicsParam({
		name: 'perps',
		default: ['topTraders', 'openPositions'],
		options: [
			{ name: 'Entry and Exit Patterns', value: 'entryExitPatterns' },
			{ name: 'Leverage', value: 'leverage' },
			{ name: 'Open Positions', value: 'openPositions' },
			{ name: 'Profit and Loss', value: 'profitLoss' },
			{ name: 'Top Traders', value: 'topTraders' },
			{ name: 'Trade History', value: 'tradeHistory' },
			{ name: 'Win Rates', value: 'winRates' },
		],
	}),
	topicsParam({
		name: 'sentiment',
		default: ['communities', 'news'],
		options: [
			{ name: 'Messenger Communities', value: 'communities' },
			{ name: 'News Media', value: 'news' },
		],
	}),
	topicsParam({
		name: 'tokenAnalysis',
		default: ['topAddresses'],
		options: [
			{ name: 'Balances of Funds', value: 'funds' },
			{ name: 'Balances of Top Addresses', value: 'topAddresses' },
			{ name: 'Balances of Whales', value: 'whales' },
			{ name: 'Exchange Flows', value: 'exchangeFlows' },
			{ name: 'Recent Buyers', value: 'recentBuyers' },
			{ name: 'Recent Sellers', value: 'recentSellers' },
			{ name: 'Top Transfers', value: 'topTransfers' },
		],
	}),
	topicsParam({
		name: 'webSearch',
		default: ['projects'],
		options: [
			{ name: 'Market Trends', value: 'marketTrends' },
			{ name: 'On-Chain Data', value: 'withOnChain' },
			{ name: 'Project Information', value: 'projects' },
			{ name: 'Team Information', value: 'teams' },
		],
	}),
] as const satisfies INodeProperties[];

/** A text that the question is about. n8n's linter takes a literal with "token" in its name for a secret. */
const subjectParam = <const Name extends string>(
	name: Name,
	displayName: string,
	description: string,
	placeholder: string,
) =>
	({
		displayName,
		name,
		type: 'string',
		default: '',
		placeholder,
		description,
	}) as const;

/** What the question is about. */
const subjectParams = [
	subjectParam(
		'token',
		'Token or Project',
		'Symbol, name or contract address. If it is empty, the assistant chooses.',
		'e.g. ETH',
	),
	subjectParam('chain', 'Chain', 'Blockchain to look at', 'e.g. Solana'),
	subjectParam('wallet', 'Wallet', 'Address or name of a wallet or trader', 'e.g. vitalik.eth'),
	subjectParam(
		'period',
		'Period',
		'Time span, in words that can follow "for". Days are in UTC.',
		'e.g. the last 7 days',
	),
] as const satisfies INodeProperties[];

/** How a question begins. Its subject follows. */
const OPENINGS = {
	marketData: 'What does real-time market data show about',
	onChain: 'What does on-chain data show about',
	perps: 'What do perpetual-futures trades on decentralized exchanges show about',
	sentiment: 'What is the sentiment around',
	tokenAnalysis: 'What does a token analysis show about',
	webSearch: 'What can you find on the web about',
};

export const askGuided = operation({
	name: 'Ask Guided Question',
	value: 'askGuided',
	action: 'Ask guided question about crypto markets',
	description: 'Choose what you want to know, and the node writes the question',
	params: [capabilityParam, ...topicParams, ...subjectParams, ...questionParams],

	prepare({ capability, token, chain, wallet, period, ...params }, context) {
		const subject = [token.trim(), phrase('the wallet', wallet)].filter(Boolean).join(' and ');
		const question = [
			OPENINGS[capability],
			subject || 'the crypto market',
			phrase('on', chain),
			phrase('for', period),
		];
		const sentences = [
			`${question.filter(Boolean).join(' ')}?`.replace(/\s+/g, ' '),
			coverTopics(capability, params[capability]),
		];
		const message = sentences.join(' ').trim();
		return { ...toQuestionRequest(message, params, context), isWrittenByNode: true };
	},

	sequenceKey: chatSequenceKey,
	run: askQuestion,
});

const phrase = (before: string, text: string) => (text.trim() ? `${before} ${text.trim()}` : '');

/** Lists the topics by their names in the editor, in lower case except for names such as DeFi. */
function coverTopics(capability: string, topics: readonly string[]): string {
	const choices: Array<{ name: string; value: string }> =
		topicParams.find(({ name }) => name === capability)?.options ?? [];
	const names = choices
		.filter(({ value }) => topics.includes(value))
		.map(({ name }) => name.replace(/\b[A-Z](?=[a-z]*\b)/g, (letter) => letter.toLowerCase()));
	return names.length ? `Please cover ${new Intl.ListFormat('en-US').format(names)}.` : '';
}
