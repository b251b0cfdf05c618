import { chanceOf } from '../media/drawn/chance.ts';

/** What a section is written about. */
export interface Subject {
	token: string;
	/** Entries of a list. */
	count: number;
	/** USD. */
	price: number;
	question: string;
}

/** Whether a question is about no token, but asks for some. */
export const asksForTokens = (question: string): boolean => /\bwhich tokens\b/i.test(question);

/** One thing that can be asked for. */
export interface Section {
	title: string;
	asked: RegExp;
	/** Which of the assistant's tools looks it up. */
	tool: 'market' | 'web' | 'wallets';
	/** One line, or a list. */
	lines(subject: Subject, chance: () => number): string[];
}

type Chance = () => number;

/** A number between two others, of three digits that count. */
export const figure = (chance: Chance, from: number, to: number): number =>
	Number((from + chance() * (to - from)).toPrecision(3));

const usd = (amount: number) =>
	`${amount.toLocaleString('en-US', { minimumFractionDigits: amount < 10_000 ? 2 : 0, maximumFractionDigits: 2 })} USD`;
const millions = (amount: number) => `${Math.round(amount).toLocaleString('en-US')} million USD`;

const list = (count: number, row: (index: number) => string): string[] =>
	Array.from({ length: count }, (_, index) => `  ${index + 1}. ${row(index)}`);

function wallet(chance: Chance): string {
	const part = () =>
		Math.floor(chance() * 0x10000)
			.toString(16)
			.padStart(4, '0');
	return `0x${part()}…${part()}`;
}

/** Wallets with falling amounts. */
function wallets(
	{ token, count, price }: Subject,
	chance: Chance,
	note: (chance: Chance) => string,
): string[] {
	let amount = figure(chance, 6_000_000, 9_000_000) / price;
	return list(count, () => {
		const row = `${wallet(chance)} ${Math.round(amount).toLocaleString('en-US')} ${token}${note(chance)}`;
		amount *= 0.45 + chance() * 0.35;
		return row;
	});
}

/** Traders, each with less than the one before. */
function traders(
	{ count }: Subject,
	chance: Chance,
	row: (most: number, chance: Chance) => string,
) {
	let most = figure(chance, 18, 40);
	return list(count, () => {
		const line = `${wallet(chance)} ${row(most, chance)}`;
		most *= 0.5 + chance() * 0.3;
		return line;
	});
}

const walletList = (
	title: string,
	asked: RegExp,
	note: (chance: Chance) => string = () => '',
): Section => ({
	title,
	asked,
	tool: 'wallets',
	lines: (subject, chance) => wallets(subject, chance, note),
});

const traderList = (
	title: string,
	asked: RegExp,
	row: (most: number, chance: Chance) => string,
): Section => ({
	title,
	asked,
	tool: 'wallets',
	lines: (subject, chance) => traders(subject, chance, row),
});

const fact = (
	title: string,
	asked: RegExp,
	tool: Section['tool'],
	line: (subject: Subject, chance: Chance) => string,
): Section => ({
	title,
	asked,
	tool,
	lines: (subject, chance) => [line(subject, chance)],
});

const change = (chance: Chance) => {
	const value = figure(chance, -4, 6);
	return `${value < 0 ? 'down' : 'up'} ${Math.abs(value).toFixed(1)} %`;
};

/** The change of a token's price: the same wherever it is told. */
const changeOf = ({ token }: Subject) => change(chanceOf(`change ${token}`));

/** In the order in which they are shown; the first two are the answer to anything else. */
export const SECTIONS: Section[] = [
	fact('Price', /\bprice\b/i, 'market', ({ price }) => usd(price)),
	fact(
		'Change',
		/\b(24.hour|performance|moved)\b/i,
		'market',
		(subject) => `${changeOf(subject)} in 24 hours`,
	),
	fact('What moved it', /\b(moved|why)\b/i, 'web', (subject, chance) => {
		const amount = Math.round(figure(chance, 2e7, 9e7) / subject.price);
		const [way, aim] = /^up/.test(changeOf(subject)) ? ['left', 'buy'] : ['came to', 'sell'];
		return `${amount.toLocaleString('en-US')} ${subject.token} ${way} exchanges in one hour, after a fund had announced to ${aim}`;
	}),
	fact('Trading volume', /\bvolume\b/i, 'market', (_subject, chance) =>
		millions(figure(chance, 900, 20_000)),
	),
	fact('Market capitalization', /\bcapitali[sz]ation\b/i, 'market', (_subject, chance) =>
		millions(figure(chance, 2000, 400_000)),
	),
	fact(
		'Charts',
		/\bcharts?\b/i,
		'market',
		(_subject, chance) =>
			`higher lows for ${Math.round(figure(chance, 3, 12))} days on the daily chart, sideways on the hourly one`,
	),
	fact(
		'Technical analysis',
		/\btechnical\b/i,
		'market',
		(_subject, chance) =>
			`RSI ${Math.round(figure(chance, 38, 66))}, above the average of 50 days and below that of 200`,
	),
	fact(
		'Support and resistance',
		/\b(support|resistance)\b/i,
		'market',
		({ price }) =>
			`support at ${usd(rounded(price * 0.962))}, resistance at ${usd(rounded(price * 1.047))}`,
	),
	{
		title: 'Exchange flows',
		asked: /\b(flows?|into exchanges|out of exchanges)\b/i,
		tool: 'wallets',
		lines({ question }, chance) {
			const flow = () =>
				`${millions(figure(chance, 40, 90))} into exchanges, ${millions(figure(chance, 10, 140))} out of them`;
			const names = ['SOL', 'ETH', 'ARB'];
			return asksForTokens(question)
				? list(names.length, (index) => `${names[index] ?? ''}: ${flow()}`)
				: [flow()];
		},
	},
	walletList('Whales', /\bwhales?\b/i, (chance) =>
		chance() > 0.5 ? ', more than a week ago' : ', less than a week ago',
	),
	walletList('Funds', /\bfunds\b/i),
	walletList('Largest holders', /\b(top addresses|holders?)\b/i),
	walletList('Largest transfers', /\btransfers?\b/i, (chance) =>
		chance() > 0.5 ? ' to an exchange' : ' to a new wallet',
	),
	walletList(
		'Largest buyers',
		/\b(bought|buyers?|buying)\b/i,
		(chance) => ` in ${2 + Math.floor(chance() * 8)} purchases`,
	),
	walletList(
		'Largest sellers',
		/\b(sold|sellers?|selling)\b/i,
		(chance) => ` in ${2 + Math.floor(chance() * 8)} sales`,
	),
	walletList('DeFi positions', /\bdefi\b/i, (chance) => (chance() > 0.5 ? ' lent' : ' in a pool')),
	walletList('DEX trades', /\bdex trades?\b/i),
	walletList(
		'Profitable wallets',
		/\bprofitable\b/i,
		(chance) => `, ${figure(chance, 20, 180)} % in profit`,
	),
	fact(
		'Portfolio of the wallet',
		/\bportfolio\b/i,
		'wallets',
		({ token }, chance) =>
			`${Math.round(figure(chance, 40, 70))} % ${token}, ${Math.round(figure(chance, 10, 25))} % stablecoins, the rest in seven tokens`,
	),
	traderList('Top traders', /\btraders?\b/i, (most) => `${millions(most)} of profit this month`),
	traderList(
		'Open positions',
		/\bpositions\b(?<!defi positions)/i,
		(most, chance) => `${chance() > 0.4 ? 'long' : 'short'}, ${millions(most)}`,
	),
	fact(
		'Leverage',
		/\bleverage\b/i,
		'wallets',
		(_subject, chance) => `${Math.round(figure(chance, 3, 12))} times on average`,
	),
	fact(
		'Profit and loss',
		/\bprofit and loss\b/i,
		'wallets',
		(_subject, chance) =>
			`${millions(figure(chance, 8, 60))} won, ${millions(figure(chance, 5, 40))} lost`,
	),
	fact(
		'Trade history',
		/\btrade history\b/i,
		'wallets',
		(_subject, chance) => `${Math.round(figure(chance, 40, 300))} trades in 7 days`,
	),
	fact(
		'Entry and exit',
		/\bentry and exit\b/i,
		'wallets',
		(_subject, chance) =>
			`in after falls of ${figure(chance, 2, 5)} %, out after ${figure(chance, 3, 9)} % of profit`,
	),
	fact(
		'Win rate',
		/\bwin rates?\b/i,
		'wallets',
		(_subject, chance) => `${Math.round(figure(chance, 48, 71))} % of the closed trades`,
	),
	fact(
		'Communities',
		/\bcommunit/i,
		'web',
		(_subject, chance) =>
			`${Math.round(figure(chance, 45, 72))} % of the messages are positive; the talk is of fees and of the next upgrade`,
	),
	fact(
		'News',
		/\bnews\b/i,
		'web',
		(_subject, chance) => `${Math.round(figure(chance, 9, 40))} articles, most of them neutral`,
	),
	fact(
		'The project',
		/\bprojects?\b/i,
		'web',
		({ token }) => `${token} is described as a network for payments and contracts`,
	),
	fact(
		'The team',
		/\bteams?\b/i,
		'web',
		() => 'about forty people, a third of whom joined this year',
	),
	fact('Market trends', /\btrends?\b/i, 'web', () => 'funds buy again, and small holders wait'),
	fact(
		'On the chain',
		/\bon-chain data\b/i,
		'wallets',
		(_subject, chance) => `active addresses ${change(chance)} within a week`,
	),
];

const rounded = (amount: number) => Number(amount.toPrecision(3));
