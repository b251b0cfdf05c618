import type { INodeProperties } from 'n8n-workflow';

import { withFieldRules } from '../../../src/n8n/parameterValidation';

export const questionParam = {
	displayName: 'Question',
	name: 'question',
	type: 'string',
	typeOptions: { rows: 4 },
	default: '',
	required: true,
	placeholder: 'e.g. Which wallets bought the most ETH in the last 24 hours?',
	description: 'What you want to know, in plain words',
} as const satisfies INodeProperties;

/** The chat of a question. */
export const chatParams = [
	withFieldRules({ inTool: 'notFromModel' })({
		displayName: 'Chat',
		name: 'chat',
		type: 'options',
		options: [
			{
				name: 'New, or by Chat ID',
				value: 'id',
				description: 'Begin a chat for every item, or continue the one whose ID you give',
			},
			{
				name: 'From Key',
				value: 'key',
				description:
					'Items with the same key share one chat while this execution runs, in all its Market Assistant nodes: the first of them begins it',
			},
		],
		default: 'id',
		description: 'Which chat the question belongs to',
	}),
	withFieldRules({ mayBeEmpty: true, inTool: 'notFromModel' })({
		displayName: 'Chat ID',
		name: 'chatId',
		type: 'string',
		displayOptions: { show: { chat: ['id'] } },
		default: '',
		placeholder: 'e.g. {{ $json.chatId }}',
		description:
			'Chat to continue, as an earlier answer put it into "chatId". It is sent back exactly as it is. Left empty, also by an expression that finds nothing, it begins a new chat.',
	}),
	withFieldRules({ isKey: true, inTool: 'notFromModel' })({
		displayName: 'Chat Key',
		name: 'chatKey',
		type: 'string',
		displayOptions: { show: { chat: ['key'] } },
		default: '',
		required: true,
		placeholder: 'e.g. {{ $json.customer }}',
		description:
			'Any text. To go on in a later execution, keep "chatId": only the service can make a chat.',
	}),
] as const satisfies INodeProperties[];

export const modelOption = {
	displayName: 'Model',
	name: 'model',
	type: 'string',
	default: 'svc_v1.2',
	description: 'Version of the assistant. Left out, the service takes svc_v1.2.',
} as const satisfies INodeProperties;

/** Options of a streamed answer; placed among the other options by label. */
export const includeRawEventsOption = {
	displayName: 'Include Raw Events',
	name: 'includeRawEvents',
	type: 'boolean',
	default: false,
	description: 'Whether to add every event of the stream, as it came, as "events"',
} as const satisfies INodeProperties;

export const languageOption = {
	displayName: 'Language of Tool Titles',
	name: 'language',
	type: 'string',
	default: 'en',
	placeholder: 'e.g. de',
	description:
		'Code of the language for "label" in "toolCalls". Where the service has no title in it, the English one is taken, or else any.',
} as const satisfies INodeProperties;

export const showToolsOption = {
	displayName: 'Show Tool Calls in Live Output',
	name: 'showToolCalls',
	type: 'boolean',
	default: false,
	description:
		'Whether to write a line for each tool that the assistant uses into the live answer in a chat or at a streaming webhook. It is not part of "output".',
} as const satisfies INodeProperties;

/** The wanted contents of an answer: for each capability, a list of its contents. */
export const contentParams = [
	{
		displayName: 'Capability',
		name: 'capability',
		type: 'options',
		options: [
			{
				name: 'Market Data',
				value: 'marketData',
				description: 'Price, volume, charts, technical analysis',
			},
			{
				name: 'On-Chain Analysis',
				value: 'onChain',
				description: 'DeFi positions, DEX trades, wallets',
			},
			{
				name: 'Perp Trades',
				value: 'perps',
				description: 'Traders of perpetual futures on a decentralized exchange',
			},
			{
				name: 'Sentiment Analysis',
				value: 'sentiment',
				description: 'What communities and news media feel',
			},
			{
				name: 'Token Analysis',
				value: 'tokenAnalysis',
				description: 'Exchange flows, holders, transfers, buyers and sellers',
			},
			{
				name: 'Web Search',
				value: 'webSearch',
				description: 'Public information, combined with on-chain data',
			},
		],
		default: 'marketData',
		description: 'What the question is for',
	},
	{
		displayName: 'Contents',
		name: 'marketData',
		type: 'multiOptions',
		displayOptions: { show: { capability: ['marketData'] } },
		options: [
			{ name: '24-Hour Performance', value: 'performance24h' },
			{ name: 'Capitalization', value: 'capitalization' },
			{ name: 'Charts', value: 'charts' },
			{ name: 'Price', value: 'price' },
			{ name: 'Support and Resistance Levels', value: 'supportResistance' },
			{ name: 'Technical Analysis', value: 'technicalAnalysis' },
			{ name: 'Volume', value: 'volume' },
		],
		default: ['price', 'performance24h'],
		description: 'What the answer has to cover',
	},
	{
		displayName: 'Contents',
		name: 'onChain',
		type: 'multiOptions',
		displayOptions: { show: { capability: ['onChain'] } },
		options: [
			{ name: 'DeFi Positions', value: 'defiPositions' },
			{ name: 'DEX Trades', value: 'dexTrades' },
			{ name: 'Profitable Wallets', value: 'profitableWallets' },
			{ name: 'Wallet Portfolio', value: 'walletPortfolio' },
		],
		default: ['walletPortfolio'],
		description: 'What the answer has to cover',
	},
	{
		displayName: 'Contents',
		name: 'perps',
		type: 'multiOptions',
		displayOptions: { show: { capability: ['perps'] } },
		options: [
			{ name: 'Entry and Exit Patterns', value: 'entryExitPatterns' },
			{ name: 'Leverage', value: 'leverage' },
			{ name: 'Open Positions', value: 'openPositions' },
			{ name: 'Profit and Loss', value: 'profitLoss' },
			{ name: 'Top Traders', value: 'topTraders' },
			{ name: 'Trade History', value: 'tradeHistory' },
			{ name: 'Win Rates', value: 'winRates' },
		],
		default: ['topTraders', 'openPositions'],
		description: 'What the answer has to cover',
	},
	{
		displayName: 'Contents',
		name: 'sentiment',
		type: 'multiOptions',
		displayOptions: { show: { capability: ['sentiment'] } },
		options: [
			{ name: 'Messenger Communities', value: 'communities' },
			{ name: 'News Media', value: 'news' },
		],
		default: ['communities', 'news'],
		description: 'What the answer has to cover',
	},
	{
		displayName: 'Contents',
		name: 'tokenAnalysis',
		type: 'multiOptions',
		displayOptions: { show: { capability: ['tokenAnalysis'] } },
		options: [
			{ name: 'Exchange Flows', value: 'exchangeFlows' },
			{ name: 'Holder Balances: Funds', value: 'funds' },
			{ name: 'Holder Balances: Top Addresses', value: 'topAddresses' },
			{ name: 'Holder Balances: Whales', value: 'whales' },
			{ name: 'Recent Buyers', value: 'recentBuyers' },
			{ name: 'Recent Sellers', value: 'recentSellers' },
			{ name: 'Top Transfers', value: 'topTransfers' },
		],
		default: ['topAddresses'],
		description: 'What the answer has to cover',
	},
	{
		displayName: 'Contents',
		name: 'webSearch',
		type: 'multiOptions',
		displayOptions: { show: { capability: ['webSearch'] } },
		options: [
			{ name: 'Combined With On-Chain Data', value: 'withOnChain' },
			{ name: 'Market Trends', value: 'marketTrends' },
			{ name: 'Projects', value: 'projects' },
			{ name: 'Teams', value: 'teams' },
		],
		default: ['projects'],
		description: 'What the answer has to cover',
	},
] as const satisfies INodeProperties[];
