import { readData } from '../../test/service/fixture.ts';

/** What is known of a conversation, by name: `last` is the last message, `all` are all of them. */
export type Facts = Record<string, string>;

/** Rules as data: the first whose expressions all match gives the answer. */
interface Rule {
	/** Expressions by the fact that they are for; their named groups are facts too. */
	when: Facts;
	/** `{name}` is a fact, `{name:word}` has a word for a fact that is not known, `{^name}` begins with a capital. */
	answer: string;
}

interface Rules {
	/** Facts to find: the last match in another fact gives its first group, `give` if there is one. */
	facts: Record<string, { in: string; find: string; give?: string; or?: string }>;
	rules: Rule[];
}

const matched = (text: string, expression: string) =>
	[...text.matchAll(new RegExp(expression, 'gi'))].at(-1);

/** The answers of a file of rules; undefined where no rule fits. */
export function readRules(path: string): (known: Facts) => string | undefined {
	const { facts, rules } = readData<Rules>(path);
	return (known) => {
		const found = { ...known };
		for (const [name, { in: place, find, give, or = '' }] of Object.entries(facts)) {
			const match = matched(found[place] ?? '', find);
			found[name] = match ? (give ?? match[1] ?? '') : or;
		}
		for (const { when, answer } of rules) {
			const matches = Object.entries(when).map(([name, text]) => matched(found[name] ?? '', text));
			if (matches.every((match) => match !== undefined))
				return filled(answer, Object.assign(found, ...matches.map((match) => match?.groups)));
		}
		return undefined;
	};
}

function filled(answer: string, facts: Facts) {
	const text = answer.replace(
		/\{(\^?)(\w+)(?::([^}]*))?\}/g,
		(_all, capital: string, name: string, otherwise = '') => {
			const value = facts[name] || String(otherwise);
			return capital ? value.charAt(0).toUpperCase() + value.slice(1) : value;
		},
	);
	return text
		.replace(/ {2,}/g, ' ')
		.replace(/ ([.,?](\s|$))/g, '$1')
		.trim();
}
