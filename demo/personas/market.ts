import { directivesOf } from '../../test/service/directives.ts';
import { readData } from '../../test/service/fixture.ts';
import { NUMBER, numberFrom } from './words.ts';

type Tool = 'market' | 'web' | 'wallets';

/**
 * One thing that can be asked for: an expression for whole words; which of the assistant's tools looks it up; and a line with
 * `{token}` and amounts (`{usd 2}` is twice the price in USD, `{tokens 2}` is what 2 USD buy), or the ends of the rows of a list, in
 * turn, where `{most}` is a falling number.
 */
type Section = [asked: string, tool: Tool, shown: string | string[]];

const DATA = readData<{
	invented: string;
	tokens: Record<string, { asked: string; price: number }>;
	/** Words in capitals that are no tokens. */
	others: string[];
	wallets: Record<string, { usd: number; most: number }>;
	sections: Record<string, Section>;
}>('demo/personas/market.json');

const WALLETS = Object.entries(DATA.wallets);

/** The names of those that a text asks for. */
const namesIn = (text: string, asked: Record<string, string>) =>
	Object.keys(asked).filter((name) => new RegExp(`\\b(${asked[name]})\\b`, 'i').test(text));

const ASKED = {
	sections: Object.fromEntries(
		Object.entries(DATA.sections).map(([name, [asked]]) => [name, asked]),
	),
	tokens: Object.fromEntries(Object.entries(DATA.tokens).map(([name, { asked }]) => [name, asked])),
};

/** What the assistant answers, and which of its tools it has used. */
export interface MarketAnswer {
	text: string;
	tools: Tool[];
}

/**
 * The market assistant: covers what is asked for, with invented figures that are the same every time.
 *
 * @param said All questions of the chat, the one to be answered at the end.
 * @returns undefined for a question with a directive, which is answered as it says
 */
export function marketAnswer(said: readonly string[]): MarketAnswer | undefined {
	const question = said.at(-1) ?? '';
	if (directivesOf(question).size) return undefined;
	const own = tokenIn(question);
	const earlier = said.slice(0, -1).map(tokenIn).findLast(Boolean);
	const token = own ?? earlier ?? 'ETH';
	const sections = sectionsFor(question);
	const heading = own === undefined && earlier ? `Still on ${token}, as before in this chat:` : '';
	const language = /\bAnswer in (?!English)(\w+)\./.exec(question)?.[1];
	return {
		text: [
			heading || `Figures for ${token}:`,
			...sections.flatMap((title) => linesOf(title, token, countIn(question))),
			'',
			...(language ? [`(Scripted, and so in English and not in ${language}.)`] : []),
			DATA.invented,
		].join('\n'),
		tools: [...new Set(sections.flatMap((title) => DATA.sections[title]?.[1] ?? []))],
	};
}

function linesOf(title: string, token: string, count: number) {
	const shown = DATA.sections[title]?.[2] ?? [];
	const price = DATA.tokens[token]?.price ?? 12.5;
	const number = (value: number) =>
		value.toLocaleString('en-US', { maximumFractionDigits: value < 10_000 ? 2 : 0 });
	const usd = (value: number) =>
		`${value < 10_000 ? value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 }) : number(value)} USD`;
	if (typeof shown === 'string') {
		const filled = shown
			.replaceAll('{token}', token)
			.replace(/\{usd ([\d.]+)\}/g, (_all, share) => usd(price * Number(share)))
			.replace(/\{tokens (\d+)\}/g, (_all, worth) => number(Math.round(Number(worth) / price)));
		return [`- ${title}: ${filled}`];
	}
	return [
		`- ${title}:`,
		...WALLETS.slice(0, count).map(([name, { usd: worth, most }], index) => {
			const row = shown[index % shown.length] ?? '';
			const amount = `${number(Math.round(worth / price))} ${token}`;
			return `  ${index + 1}. ${name} ${row.replace('{amount}', amount).replace('{most}', number(most))}`;
		}),
	];
}

function sectionsFor(question: string) {
	const found = namesIn(question, ASKED.sections).slice(0, 3);
	return found.length ? found : ['Price', 'Change'];
}

/** The token that a question names: by a known name, or in capitals. */
function tokenIn(question: string) {
	const [known] = namesIn(question, ASKED.tokens);
	const capitals = [...question.matchAll(/\b[A-Z]{3,6}\b/g)].map(([word]) => word);
	return known ?? capitals.find((word) => !DATA.others.includes(word));
}

function countIn(question: string) {
	const most = new RegExp(String.raw`\b(?:at most|top) ${NUMBER}(?: entries)?\b`, 'i');
	const count = numberFrom(most.exec(question)?.[1] ?? '') ?? 3;
	return Math.min(WALLETS.length, Math.max(1, count));
}
