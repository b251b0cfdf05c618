// What each agent says, whatever it is made of: some words, a call of its tool, and more words after the result. Every word is
// said only when the test allows it, so no clock is needed to see that a caller reads it before the next.

/** What the tool is told and what it returns, neither of which is the answer. */
export const tool = {
	name: 'look_up',
	description: 'Looks up what is under the mat',
	parameters: {
		type: 'object',
		properties: { place: { type: 'string' } },
		required: ['place'],
	},
	args: { place: 'the place that was looked up' },
	run: async () => 'the result of the tool',
};

export const thought = 'I think that I should look it up.';
export const failure = 'The model broke in the middle';

/**
 * What a model says next.
 *
 * @param {string[]} questions everything that the user said in this session
 * @param {boolean} hasLooked whether the tool has answered the last of them
 * @returns {{ text: string, then: 'call' | 'fail' | 'break' | 'end' }} `break` is for a model that throws where others report
 */
export function nextTurn(questions, hasLooked) {
	if (!hasLooked) {
		const then = /\[(fail|break)\]/.exec(questions.at(-1))?.[1] ?? 'call';
		return { text: 'One moment, please.', then };
	}
	return {
		text: `You first asked: ${questions[0]} This is your question ${questions.length}.`,
		then: 'end',
	};
}

/** @param {string} text */
export async function* wordsOf(text) {
	for (const word of text.match(/\s*\S+/g)) {
		await permission();
		yield word;
	}
}

let isAllowed = false;
/** @type {Array<() => void>} */
const waiting = [];

/** Lets the agent that speaks say its next word. */
export function allowWord() {
	const next = waiting.shift();
	isAllowed = !next;
	next?.();
}

/** @returns {Promise<void>} */
const permission = () =>
	new Promise((resolve) => {
		if (!isAllowed) waiting.push(resolve);
		else resolve();
		isAllowed = false;
	});
