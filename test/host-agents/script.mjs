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
	const begun = cuts;
	for (const word of text.match(/\s*\S+/g)) {
		await permission(begun);
		yield word;
	}
}

let isAllowed = false;
let cuts = 0;
/** @type {Array<{ resolve: () => void, reject: (reason: Error) => void }>} */
const waiting = [];

/** Lets the agent that speaks say its next word. */
export function allowWord() {
	const next = waiting.shift();
	isAllowed = !next;
	next?.resolve();
}

/** Ends what every agent says, once nobody hears it any longer: the next words that are allowed are for others. */
export function endWords() {
	cuts++;
	for (const { reject } of waiting.splice(0)) reject(nobodyHears());
	isAllowed = false;
}

const nobodyHears = () => new Error('Nobody hears it any longer');

/** @param {number} begun How many cuts there were when the text began @returns {Promise<void>} */
const permission = (begun) =>
	new Promise((resolve, reject) => {
		if (begun !== cuts) reject(nobodyHears());
		else if (!isAllowed) waiting.push({ resolve, reject });
		else resolve();
		isAllowed = false;
	});
