/**
 * The assistant's capabilities and their topics, from the table in section 1B of the specification, worded for a question.
 */
export const CAPABILITIES = {
	marketData: {
		asks: 'real-time market data',
		topics: {
			price: 'price',
			volume: 'trading volume',
			capitalization: 'market capitalization',
			charts: 'charts',
			technicalAnalysis: 'technical analysis',
			supportResistance: 'support and resistance levels',
			performance24h: '24-hour performance',
		},
	},
	tokenAnalysis: {
		asks: 'a token analysis',
		topics: {
			exchangeFlows: 'token flows into and out of exchanges',
			topAddresses: 'holder balances of the top addresses',
			whales: 'holder balances of whales',
			funds: 'holder balances of funds',
			topTransfers: 'top transfers',
			recentBuyers: 'recent buyer activity',
			recentSellers: 'recent seller activity',
		},
	},
	onChain: {
		asks: 'an on-chain analysis',
		topics: {
			defiPositions: 'DeFi positions',
			dexTrades: 'DEX trades',
			profitableWallets: 'profitable wallets',
			walletPortfolio: 'portfolio tracking of the wallet',
		},
	},
	perps: {
		asks: 'an analysis of perpetual-futures trades on the decentralized exchange',
		topics: {
			topTraders: 'top traders',
			openPositions: 'their open positions',
			leverage: 'leverage',
			profitLoss: 'profit and loss',
			tradeHistory: 'trade history',
			entryExitPatterns: 'entry and exit patterns',
			winRates: 'win rates',
		},
	},
	sentiment: {
		asks: 'a sentiment analysis',
		topics: {
			communities: 'sentiment in messenger communities',
			news: 'sentiment in news media',
		},
	},
	webSearch: {
		asks: 'a web search',
		topics: {
			projects: 'public information on the project',
			teams: 'public information on the team',
			marketTrends: 'public information on market trends',
			withOnChain: 'what on-chain data says about it',
		},
	},
} as const;

export type Capability = keyof typeof CAPABILITIES;

/** What a question is about. Empty fields are omitted. */
interface QuestionSubject {
	token: string;
	chain: string;
	wallet: string;
	period: string;
	/** Most entries in a list. */
	maxEntries?: number | undefined;
	/** Language of the answer, e.g. `German`. */
	answerLanguage?: string | undefined;
	/** Added to the question unchanged. */
	instructions?: string | undefined;
}

/**
 * Builds the text of a question.
 *
 * @param topics Keys of the wanted topics; they are listed in the order of the table.
 */
export function buildGuidedQuestion(
	capability: Capability,
	topics: readonly string[],
	{
		token,
		chain,
		wallet,
		period,
		maxEntries,
		answerLanguage = '',
		instructions = '',
	}: QuestionSubject,
): string {
	const { asks, topics: phrases } = CAPABILITIES[capability];
	const fields = { 'Token or project': token, Chain: chain, Wallet: wallet, Period: period };
	const about = Object.entries(fields)
		.filter(([, value]) => value.trim())
		.map(([name, value]) => `${name}: ${toSingleLine(value)}`);
	const wanted = Object.entries(phrases)
		.filter(([topic]) => topics.includes(topic))
		.map(([, phrase]) => `- ${phrase}`);
	const formatRules = [
		maxEntries && `Lists have at most ${maxEntries} entries.`,
		answerLanguage.trim() && `Answer in ${toSingleLine(answerLanguage)}.`,
	];
	return [
		[`I need ${asks}.`, ...about].join('\n'),
		['Cover each of these:', ...wanted].join('\n'),
		formatRules.filter(Boolean).join('\n'),
		instructions.trim(),
	]
		.filter(Boolean)
		.join('\n\n');
}

const toSingleLine = (text: string) => text.replace(/\s+/g, ' ').trim();
