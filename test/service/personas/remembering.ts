import { listed } from './words.ts';

/** Who answers, for sentences about itself. */
export type Speaker = 'agent' | 'model';

interface Fact {
	/** As in `my project`. */
	what: string;
	/** `called ` or nothing. */
	called: string;
	value: string;
}

const TOLD = /\bmy ([a-z][a-z -]*?) (?:is|are) (called |named )?([^.!?\n]+)/gi;
const ASKED = /\bwhat (?:is|are|was) my ([a-z][a-z -]*?)(?: called| named)?\s*\?/i;

/** Answers from what was told before in the same conversation; says what it is where it knows nothing. */
export function remembering(said: readonly string[], speaker: Speaker): string {
	const message = said.at(-1) ?? '';
	const asked = ASKED.exec(message)?.[1]?.toLowerCase();
	const known = said.flatMap(factsIn);
	if (asked !== undefined) {
		const fact = known.findLast(({ what }) => what === asked);
		return fact
			? `Your ${fact.what} is ${fact.called}${fact.value}.`
			: `I do not know your ${asked} yet: tell me, and I will remember it.`;
	}
	const hello = /\b(hello|hi|hey|good (morning|evening|day))\b/i.test(message) ? 'Hello! ' : '';
	const [fact] = factsIn(message);
	if (fact)
		return `${hello}I will remember that your ${fact.what} is ${fact.called}${fact.value}. What shall we do first?`;
	const topics = known.map(({ what, called, value }) => `your ${what} is ${called}${value}`);
	const memory = topics.length ? ` From this conversation I know that ${listed(topics)}.` : '';
	return `${hello}${ABOUT[speaker]}${memory}`;
}

const ABOUT: Record<Speaker, string> = {
	agent:
		'I am the agent of this demo, and my answers are scripted. I can agree on a day for a release, write an announcement, ' +
		'help with an order, and I remember what you tell me: try "My project is called Lighthouse", then "What is my project called?".',
	model:
		'I am a model of this demo, and my answers are scripted. I know what a model router is, can calculate, read a text into fields, ' +
		'call a tool and look at the pictures of the demo. How I answer follows the system message.',
};

const factsIn = (text: string): Fact[] =>
	[...text.matchAll(TOLD)].map(([, what = '', called = '', value = '']) => ({
		what: what.toLowerCase(),
		called,
		value: value.trim(),
	}));
