/**
 * What the assistant can do, and all that it has on it: the table of the specification (1B), in words of a question.
 */
export const CAPABILITIES = {
	marketData: {
		asks: 'real-time market data',
		contents: {
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
		contents: {
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
		contents: {
			defiPositions: 'DeFi positions',
			dexTrades: 'DEX trades',
			profitableWallets: 'profitable wallets',
			walletPortfolio: 'portfolio tracking of the wallet',
		},
	},
	perps: {
		asks: 'an analysis of perpetual-futures trades on the decentralized exchange',
		contents: {
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
		contents: {
			communities: 'sentiment in messenger communities',
			news: 'sentiment in news media',
		},
	},
	webSearch: {
		asks: 'a web search',
		contents: {
			projects: 'public information on the project',
			teams: 'public information on the team',
			marketTrends: 'public information on market trends',
			withOnChain: 'what on-chain data says about it',
		},
	},
} as const;

export type Capability = keyof typeof CAPABILITIES;

/** What a question is about. Empty fields are left out of it. */
export interface Subject {
	token: string;
	chain: string;
	wallet: string;
	period: string;
	/** How many entries a list has at most. */
	entries?: number | undefined;
	/** In which the answer is wanted, e.g. `German`. */
	language?: string | undefined;
	/** In the user's own words. */
	wishes?: string | undefined;
}

/**
 * Puts a question into words.
 *
 * @param contents What of the capability is wanted; it is asked for in the order of the table.
 */
export function guidedQuestion(
	capability: Capability,
	contents: readonly string[],
	{ token, chain, wallet, period, entries, language = '', wishes = '' }: Subject,
): string {
	const { asks, contents: phrases } = CAPABILITIES[capability];
	const fields = { 'Token or project': token, Chain: chain, Wallet: wallet, Period: period };
	const about = Object.entries(fields)
		.filter(([, value]) => value.trim())
		.map(([name, value]) => `${name}: ${onOneLine(value)}`);
	const wanted = Object.entries(phrases)
		.filter(([content]) => contents.includes(content))
		.map(([, phrase]) => `- ${phrase}`);
	const form = [
		entries && `Lists have at most ${entries} entries.`,
		language.trim() && `Answer in ${onOneLine(language)}.`,
	];
	return [
		[`I need ${asks}.`, ...about].join('\n'),
		['Cover each of these:', ...wanted].join('\n'),
		form.filter(Boolean).join('\n'),
		wishes.trim(),
	]
		.filter(Boolean)
		.join('\n\n');
}

const onOneLine = (text: string) => text.replace(/\s+/g, ' ').trim();
