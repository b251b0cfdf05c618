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

type Talk = Pick<Conversation, 'rules' | 'speakers' | 'turns' | 'earlier'>;

/** From this number of speakers on, a message says who said what. */
const MANY_SPEAKERS = 3;

/** What a speaker is told in its turn. Too long a text loses its beginning, and says so. */
export function toMessage(talk: Talk, speaker: string): Message {
	const { message, isShortened } = limitLength(hear(talk, speaker, saidIn(talk)), talk);
	const note = `Only the last ${talk.rules.maxCharacters} characters were passed on.`;
	return { message, ...(isShortened && { note }) };
}

export interface HistoryMessage {
	role: 'user' | 'assistant';
	content: string;
}

/**
 * What was said before, as a model sees it that remembers nothing itself: what it was told is the user's, what it said is its own.
 *
 * The oldest messages are left out if all together are too long.
 */
export function toHistory(talk: Talk, speaker: string): HistoryMessage[] {
	// then the message contains everything
	if (talk.rules.hearing === 'all') return [];
	const said = saidIn(talk);
	const all = said.flatMap((entry, index): HistoryMessage[] => {
		if (entry.speaker !== speaker || entry.failed || !entry.text.trim()) return [];
		const { message } = limitLength(hear(talk, speaker, said.slice(0, index)), talk);
		return [
			{ role: 'user', content: message },
			{ role: 'assistant', content: entry.text },
		];
	});
	let characters = 0;
	const first = all.findLastIndex(
		({ content }) => (characters += content.length) > talk.rules.maxCharacters,
	);
	// a question and its answer stay together
	return all.slice(first + 1 + ((first + 1) % 2));
}

/** Everything that was said. With earlier turns, the opening comes after them. */
function saidIn({ rules, turns, earlier }: Talk): Said[] {
	const opening = rules.opening.trim() ? [{ text: rules.opening }] : [];
	return [...turns.slice(0, earlier), ...opening, ...turns.slice(earlier)];
}

function hear({ rules, speakers }: Talk, speaker: string, said: readonly Said[]): string {
	const ownLast = said.findLastIndex((entry) => entry.speaker === speaker && !entry.failed);
	const texts = select(rules.hearing, speakers.length, said, ownLast).filter(({ text }) =>
		text.trim(),
	);
	const withNames = speakers.length >= MANY_SPEAKERS || rules.hearing === 'all';
	const lines = texts.map((entry) =>
		withNames && entry.speaker ? `${entry.speaker}: ${entry.text}` : entry.text,
	);
	const instruction = ownLast < 0 ? rules.instructions[speaker]?.trim() : undefined;
	return [instruction, ...(lines.length ? lines : [NOTHING_NEW])].filter(Boolean).join('\n\n');
}

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

function limitLength(text: string, { rules: { maxCharacters } }: Talk) {
	if (text.length <= maxCharacters) return { message: text, isShortened: false };
	const end = text.slice(-maxCharacters).toWellFormed();
	const omitted = text.length - maxCharacters;
	return {
		message: `[The first ${omitted} characters are left out.]\n\n${end}`,
		isShortened: true,
	};
}
