import { directivesOf } from '../directives.ts';
import { chanceOf } from '../media/drawn/chance.ts';
import { asksForTokens, figure, SECTIONS, type Section, type Subject } from './marketSections.ts';
import { NUMBER, numberFrom } from './words.ts';

const INVENTED =
	'All figures are invented: this is the reference service of the demo, not the market.';

/** What the assistant answers, and which of its tools it has used. */
export interface MarketAnswer {
	text: string;
	tools: Array<Section['tool']>;
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
	const subject: Subject = { token, count: countIn(question), price: priceOf(token), question };
	const lines = sections.map((section) =>
		section.lines(subject, chanceOf(`${section.title} ${token}`)),
	);
	const language = /\bAnswer in (\w+)\./.exec(question)?.[1];
	return {
		text: [
			headingFor(question, token, !own && earlier !== undefined),
			...sections.map(({ title }, index) => {
				const [first = '', ...more] = lines[index] ?? [];
				return more.length ? `- ${title}:\n${[first, ...more].join('\n')}` : `- ${title}: ${first}`;
			}),
			'',
			...(language && language !== 'English'
				? [`(Scripted, and so in English and not in ${language}.)`]
				: []),
			INVENTED,
		].join('\n'),
		tools: [...new Set(sections.map(({ tool }) => tool))],
	};
}

function headingFor(question: string, token: string, isFromBefore: boolean): string {
	if (asksForTokens(question)) return 'Figures for all tokens:';
	return isFromBefore ? `Still on ${token}, as before in this chat:` : `Figures for ${token}:`;
}

/** A guided question ends with what to cover; any other names it somewhere. */
function sectionsFor(question: string): Section[] {
	const covered = /\? Please cover (.+)\.$/m.exec(question)?.[1];
	const find = (text: string) => SECTIONS.filter(({ asked }) => asked.test(text));
	const found = covered ? find(covered) : find(question).slice(0, 3);
	return found.length ? found : SECTIONS.slice(0, 2);
}

const TOKENS: Array<[name: string, RegExp]> = [
	['ETH', /\b(eth|ether|ethereum)\b/i],
	['BTC', /\b(btc|bitcoin)\b/i],
	['SOL', /\b(sol|solana)\b/i],
	['ARB', /\b(arb|arbitrum)\b/i],
];

/** The token that a question names: by a known name, or in capitals. A guided question has it before its chain. */
function tokenIn(question: string): string | undefined {
	const text = /^What .*? (?:about|around) (.+?)(?: on | for |\? )/.exec(question)?.[1] ?? question;
	const known = TOKENS.find(([, pattern]) => pattern.test(text))?.[0];
	const capitals = [...text.matchAll(/\b[A-Z]{3,6}\b/g)].map(([word]) => word);
	return known ?? capitals.find((word) => !NO_TOKENS.has(word));
}

const NO_TOKENS = new Set(['DEX', 'USD', 'UTC', 'EVM', 'RSI', 'NFT', 'API', 'THE']);

function countIn(question: string): number {
	const cap = new RegExp(String.raw`\bat most ${NUMBER} entries|\btop ${NUMBER}\b`, 'i').exec(
		question,
	);
	return Math.min(10, Math.max(1, numberFrom(cap?.[1] ?? cap?.[2] ?? '') ?? 3));
}

/** In USD; invented as well. */
function priceOf(token: string): number {
	const known: Record<string, number> = { ETH: 3412.5, BTC: 96_840, SOL: 187.3, ARB: 0.84 };
	return known[token] ?? figure(chanceOf(`price ${token}`), 0.5, 40);
}
