import { WEEKDAYS } from './words.ts';

export const isWriting = (said: readonly string[]): boolean =>
	/^\s*(please )?write\b|\byou write\b/i.test(said[0] ?? '');

/** Writes an announcement, and takes up what is said about it; or a message from somebody's research. */
export function writer(said: readonly string[]): string {
	const [task = '', ...remarks] = said;
	const asked = remarks.join('\n');
	return /\bresearch\b/i.test(task) ? fromResearch(task, asked) : announcement(task, asked);
}

function announcement(task: string, remarks: string): string {
	const product =
		/\brelease of ([A-Z]\w*)/.exec(task)?.[1] ??
		/\bof ([A-Z]\w*)/.exec(task)?.[1] ??
		'The new version';
	const when = /\b(when|day|date)\b/i.test(remarks) ? ' from Friday at 10:00 on' : '';
	const price = /\b(price|cost|charge)\b/i.test(remarks) ? ', at no extra charge' : '';
	const whom = /\b(who|whom|customers)\b/i.test(remarks)
		? 'All customers find it in their account'
		: 'Sign in as you always do to try it';
	return (
		`${product} is here${when}. It shows all your orders on one page, on a phone as well as on a large screen${price}. ` +
		`${whom}, and tell us what you miss.`
	);
}

/** Three sentences that keep the figures of lines such as `Price: 3,412.50 USD`. */
function fromResearch(task: string, remarks: string): string {
	const figures = [...task.matchAll(/^- ([^:\n]+): ([^\n]+)$/gm)];
	const find = (word: RegExp) =>
		figures.find(([, name = '']) => word.test(name))?.[2]?.replace(/\.$/, '');
	const name = /\bFigures for (\S+?):/.exec(task)?.[1] ?? 'The token';
	const [price, change, levels] = [find(/^price/i), find(/^change/i), find(/support/i)];
	const first = [
		price && `${name} stands at ${price}`,
		change && `${price ? '' : `${name} is `}${change}`,
	];
	const others = figures.filter(([, name = '']) => !/^(price|change)/i.test(name));
	const otherFigures = (others.length ? others : figures).slice(0, 2);
	const isDated = /\bwhen\b/i.test(remarks);
	const sentences = [
		first.filter(Boolean).join(', ') || `Here is the news on ${name}`,
		levels
			? `The levels that traders watch are ${levels}`
			: otherFigures
					.map(([, what, figure = '']) => `${what}: ${figure.replace(/\.$/, '')}`)
					.join('; '),
		`These figures${isDated ? ' of Friday at 10:00' : ''} are invented for the demo, and no advice to buy or sell`,
	];
	return sentences
		.filter(Boolean)
		.map((each) => `${each}.`)
		.join(' ');
}

/** Whether a text says when something happens. */
export const saysWhen = (text: string): boolean =>
	new RegExp(`\\b(${WEEKDAYS.join('|')}|today|tomorrow|\\d{1,2}:\\d{2})\\b`, 'i').test(text);
