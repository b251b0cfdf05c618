import type { Conversation } from './conversation';
import { MAX_CHARACTERS } from './heardText';
import { nextInTurn, placesOf, type Choice } from './nextSpeaker';

/** The word by which the moderator ends the conversation. */
const DONE = 'DONE';

/** What the moderator decided. */
export type Moderation = Choice | { isDone: true };

type Talk = Pick<Conversation, 'speakers' | 'turns' | 'rules' | 'earlier'>;

/**
 * The question to the moderator.
 *
 * @param instructions What the user wants of the moderator; may be empty.
 * @param descriptions Of the speakers, where there are any.
 */
export function toModeratorPrompt(
	{ speakers, turns, rules }: Talk,
	instructions: string,
	descriptions: Readonly<Record<string, string>>,
): string {
	const list = speakers.map((name) =>
		descriptions[name] ? `- ${name}: ${descriptions[name]}` : `- ${name}`,
	);
	const said = turns
		.filter(({ text }) => text.trim())
		.map(({ speaker, text }) => `${speaker}: ${text}`);
	const talk = [rules.opening, ...said].filter((text) => text.trim()).join('\n\n');
	const begun = said.length > 0;
	return [
		'You moderate a conversation. Decide who speaks next.',
		`The speakers:\n${list.join('\n')}`,
		instructions.trim(),
		`The conversation so far:\n\n${talk.slice(-MAX_CHARACTERS).toWellFormed()}`,
		`Answer with the name of exactly one speaker${begun ? `, or with ${DONE} if the conversation has reached its goal` : ''}. Write nothing else.`,
	]
		.filter(Boolean)
		.join('\n\n');
}

/**
 * Reads the moderator's answer. If it is not clear, the next speaker in turn is asked, and the transcript says so.
 *
 * @param answer undefined if the moderator failed.
 */
export function readModeration(talk: Talk, answer: string | undefined): Moderation {
	const inTurn = (why: string): Moderation => ({
		speaker: nextInTurn(talk),
		note: `${why}, so the next speaker in turn was asked.`,
	});
	if (answer === undefined) return inTurn('The moderator could not be asked');
	const read = answer.slice(0, MAX_READ);
	const named = namesIn(read, talk.speakers);
	const [speaker] = named;
	if (speaker !== undefined && named.length === 1) return { speaker };
	const isDone = !named.length && placesOf(read, DONE).length > 0;
	if (isDone && talk.turns.length > talk.earlier) return { isDone: true };
	return inTurn(`The moderator's answer was not clear ("${answer.trim().slice(0, MAX_QUOTE)}")`);
}

/** Characters of an answer that are read: a name is shorter. */
const MAX_READ = 10_000;

/** Characters of an unclear answer that the transcript repeats. */
const MAX_QUOTE = 200;

/** The speakers that an answer names. A name inside a longer name does not count. */
function namesIn(answer: string, speakers: readonly string[]): string[] {
	const whole = speakers.find((name) => name === answer.trim());
	if (whole !== undefined) return [whole];
	let rest = answer.toLowerCase();
	const longestFirst = [...speakers].sort((one, other) => other.length - one.length);
	return longestFirst.filter((name) => {
		const lower = name.toLowerCase();
		const places = placesOf(rest, lower);
		for (const at of places)
			rest = rest.slice(0, at) + ' '.repeat(lower.length) + rest.slice(at + lower.length);
		return places.length > 0;
	});
}
