import type { Conversation } from './conversation';

/** What is said to a speaker, and what the transcript tells of it. */
interface Message {
	message: string;
	note?: string;
}

/** A text in the order in which it was said. The opening has no speaker. */
interface Said {
	speaker?: string;
	text: string;
	failed?: true;
}

type SoFar = Pick<Conversation, 'rules' | 'speakers' | 'turns' | 'earlier'>;

/** Of the longest message that a speaker gets, without its instruction. */
export const MAX_CHARACTERS = 100_000;

/** From this number of speakers on, a message says who said what. */
const MANY_SPEAKERS = 3;

/** What a speaker is told in its turn. If it is too long its beginning is left out, which the message says, but never the instruction. */
export function composeMessage(conversation: SoFar, speaker: string): Message {
	const said = listSaid(conversation);
	const { text, isShortened } = selectHeard(conversation, speaker, said);
	// who hears everything may remember nothing
	const isTold =
		conversation.rules.hearing !== 'all' && said.some((entry) => hasSpoken(entry, speaker));
	const note = `Only the last ${MAX_CHARACTERS} characters were passed on.`;
	return {
		message: isTold ? text : instruct(conversation, speaker, text),
		...(isShortened && { note }),
	};
}

interface HistoryMessage {
	role: 'user' | 'assistant';
	content: string;
}

/**
 * What was said before, as a model sees it that remembers nothing itself: what it was told is the user's, what it said is its own.
 *
 * The oldest messages are left out if all together are too long. What it said last stays, and so does its instruction.
 */
export function toHistory(conversation: SoFar, speaker: string): HistoryMessage[] {
	// then the message contains everything
	if (conversation.rules.hearing === 'all') return [];
	const said = listSaid(conversation);
	const all = said.flatMap((entry, index) =>
		hasSpoken(entry, speaker)
			? [
					{
						told: selectHeard(conversation, speaker, said.slice(0, index)).text,
						answer: limitLength(entry.text).text,
					},
				]
			: [],
	);
	let characters = 0;
	const first = all.findLastIndex(({ told, answer }, index) => {
		characters += told.length + answer.length;
		return characters > MAX_CHARACTERS && index < all.length - 1;
	});
	return all.slice(first + 1).flatMap(({ told, answer }, index): HistoryMessage[] => [
		{ role: 'user', content: index ? told : instruct(conversation, speaker, told) },
		{ role: 'assistant', content: answer },
	]);
}

/** Everything that was said. With earlier turns, the opening comes after them. */
function listSaid({ rules, turns, earlier }: SoFar): Said[] {
	const opening = rules.opening.trim() ? [{ text: rules.opening }] : [];
	return [...turns.slice(0, earlier), ...opening, ...turns.slice(earlier)];
}

function selectHeard({ rules, speakers }: SoFar, speaker: string, said: readonly Said[]) {
	const ownLast = said.findLastIndex((entry) => entry.speaker === speaker && !entry.failed);
	const texts = select(rules.hearing, speakers.length, said, ownLast).filter(({ text }) =>
		text.trim(),
	);
	const withNames = speakers.length >= MANY_SPEAKERS || rules.hearing === 'all';
	const lines = texts.map((entry) =>
		withNames && entry.speaker ? `${entry.speaker}: ${entry.text}` : entry.text,
	);
	return limitLength(lines.join('\n\n') || NOTHING_NEW);
}

/** Whether a speaker has said something, so that it has a turn in its history. */
const hasSpoken = (entry: Said, speaker: string) =>
	entry.speaker === speaker && !entry.failed && entry.text.trim() !== '';

const instruct = ({ rules }: SoFar, speaker: string, text: string) =>
	[rules.instructions[speaker]?.trim(), text].filter(Boolean).join('\n\n');

const NOTHING_NEW = '(Nobody has said anything since your last message.)';

function select(
	hearing: Conversation['rules']['hearing'],
	count: number,
	said: readonly Said[],
	ownLast: number,
): readonly Said[] {
	if (hearing === 'all') return said;
	const unheard = said.slice(ownLast + 1);
	const lastOnly = hearing === 'lastMessage' || (hearing === 'auto' && count < MANY_SPEAKERS);
	return lastOnly ? unheard.filter(({ text }) => text.trim()).slice(-1) : unheard;
}

function limitLength(text: string) {
	if (text.length <= MAX_CHARACTERS) return { text, isShortened: false };
	const end = text.slice(-MAX_CHARACTERS).toWellFormed();
	const omitted = text.length - MAX_CHARACTERS;
	return { text: `[The first ${omitted} characters are left out.]\n\n${end}`, isShortened: true };
}
