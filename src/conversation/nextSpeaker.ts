import type { Conversation } from './conversation';
import { MAX_CHARACTERS } from './heardText';

/** Who is asked next. */
interface Choice {
	speaker: string;
	/** What the transcript says about the choice. */
	note?: string;
}

type SoFar = Pick<Conversation, 'speakers' | 'turns' | 'rules' | 'earlier'>;

/** The speaker after the one who was asked last, in the order in which they were connected. */
export function nextInTurn({ speakers, turns }: SoFar): string {
	const last = turns.findLast(({ speaker }) => speakers.includes(speaker));
	const at = last ? speakers.indexOf(last.speaker) + 1 : 0;
	return speakers[at % speakers.length] ?? '';
}

/** The speaker whom the last one, or the opening, addresses by "@name"; otherwise the next in turn. */
export function addressedSpeaker(conversation: SoFar): Choice {
	const { speakers, turns, rules, earlier } = conversation;
	const last = turns.slice(earlier).at(-1);
	const text = last?.text ?? rules.opening;
	const others = speakers.filter((name) => name !== last?.speaker);
	const found = findAddressed(text, others);
	if (found) return { speaker: found };
	const unknown = /(?<![\p{L}\p{N}._-])@([\p{L}\p{N}_-]+)/u.exec(text)?.[1];
	const speaker = nextInTurn(conversation);
	return unknown
		? {
				speaker,
				note: `"@${unknown}" is not one of the other speakers, so the next one in turn was asked.`,
			}
		: { speaker };
}

/** The speaker who is addressed first. Of two names that fit, the longer one counts. */
function findAddressed(text: string, names: readonly string[]): string | undefined {
	const lower = text.toLowerCase();
	const found = names.flatMap((name) => {
		const at = placesOf(lower, `@${name.toLowerCase()}`)[0];
		return at === undefined ? [] : [{ name, at }];
	});
	found.sort((one, other) => one.at - other.at || other.name.length - one.name.length);
	return found[0]?.name;
}

/** Where a name stands as a word of its own. */
function placesOf(text: string, name: string): number[] {
	const places: number[] = [];
	for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
		const isWordBefore = WORD_CHARACTER.test(text.slice(0, at).at(-1) ?? '');
		const isWordAfter = WORD_CHARACTER.test(text[at + name.length] ?? '');
		if (!isWordBefore && !isWordAfter) places.push(at);
	}
	return places;
}

const WORD_CHARACTER = /[\p{L}\p{N}_]/u;

/** The word by which the moderator ends the conversation. */
const DONE = 'DONE';

/** What the moderator decided. */
export type Moderation = Choice | { isDone: true };

/**
 * The question to the moderator.
 *
 * @param instructions What the user wants of the moderator; may be empty.
 * @param descriptions Of the speakers, where there are any.
 */
export function toModeratorPrompt(
	{ speakers, turns, rules }: SoFar,
	instructions: string,
	descriptions: Readonly<Record<string, string>>,
): string {
	const list = speakers.map((name) =>
		descriptions[name] ? `- ${name}: ${descriptions[name]}` : `- ${name}`,
	);
	const said = turns
		.filter(({ text }) => text.trim())
		.map(({ speaker, text }) => `${speaker}: ${text}`);
	const conversation = [rules.opening, ...said].filter((text) => text.trim()).join('\n\n');
	const begun = said.length > 0;
	return [
		'You moderate a conversation. Decide who speaks next.',
		`The speakers:\n${list.join('\n')}`,
		instructions.trim(),
		`The conversation so far:\n\n${conversation.slice(-MAX_CHARACTERS).toWellFormed()}`,
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
export function readModeration(conversation: SoFar, answer: string | undefined): Moderation {
	const inTurn = (why: string): Moderation => ({
		speaker: nextInTurn(conversation),
		note: `${why}, so the next speaker in turn was asked.`,
	});
	if (answer === undefined) return inTurn('The moderator could not be asked');
	const read = answer.slice(0, MAX_READ);
	const named = namesIn(read, conversation.speakers);
	const [speaker] = named;
	if (speaker !== undefined && named.length === 1) return { speaker };
	const isDone = !named.length && placesOf(read, DONE).length > 0;
	if (isDone && conversation.turns.length > conversation.earlier) return { isDone: true };
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
