import type { INodeProperties } from 'n8n-workflow';

/** What an answer has to cover: for each capability, a list of its topics. */
export const topicParams = [
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
				description: 'The mood in communities and news media',
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
		description: 'What you want to know about',
	},
	{
		displayName: 'Topics',
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
		displayName: 'Topics',
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
		displayName: 'Topics',
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
		displayName: 'Topics',
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
		displayName: 'Topics',
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
		displayName: 'Topics',
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

/** A text that the question is about. n8n's linter takes a literal with "token" in its name for a secret. */
const subjectParam = <const Name extends string>(
	name: Name,
	displayName: string,
	placeholder: string,
	description: string,
) => ({ displayName, name, type: 'string', default: '', placeholder, description }) as const;

/** What the question is about. */
export const subjectParams = [
	subjectParam('token', 'Token or Project', 'e.g. ETH', 'Symbol, name or contract address'),
	subjectParam('chain', 'Chain', 'e.g. Solana', 'Blockchain to look at'),
	subjectParam(
		'wallet',
		'Wallet',
		'e.g. vitalik.eth',
		'Address or name of a wallet, or of a trader',
	),
	subjectParam(
		'period',
		'Period',
		'e.g. the last 7 days',
		'Time to look at, in plain words. Days are in UTC.',
	),
] as const satisfies INodeProperties[];
