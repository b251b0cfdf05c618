import { shortenText } from '../core/errors';
import { withoutThinking } from '../core/extractText';
import type { Conversation, Turn } from './conversation';
import { cutParts, join, MAX_CHARACTERS, type Part, toNamed } from './parts';

/** Who speaks next. */
interface Choice {
	speaker: string;
	/** A remark about the choice, for the transcript. */
	note?: string;
}

/** The speaker after the one who was asked last, in the order in which they were connected. */
export function nextInTurn({ speakers, turns }: Conversation): string {
	const last = turns.findLast(({ speaker }) => speakers.includes(speaker));
	const at = last ? speakers.indexOf(last.speaker) + 1 : 0;
	return speakers[at % speakers.length] ?? '';
}

/**
 * The next speaker of a round in which all get the same message; a round begins with the first speaker. A round that an earlier
 * conversation began is continued, unless there is a new opening.
 */
export function nextInRound(conversation: Conversation): string {
	const { speakers } = conversation;
	const asked = listRound(conversation).map(({ speaker }) => speaker);
	return speakers.find((name) => !asked.includes(name)) ?? '';
}

/** The turns after the opening: of a conversation that goes on without one, all of them. */
const sinceOpening = ({ turns, rules, earlier }: Conversation) =>
	rules.opening.trim() ? turns.slice(earlier) : turns;

/** The turns of the round that is under way. */
function listRound(conversation: Conversation): Conversation['turns'] {
	const { speakers } = conversation;
	const own = sinceOpening(conversation);
	const first = own.findLastIndex(({ speaker }) => speaker === speakers[0]);
	const round = first < 0 ? [] : own.slice(first);
	const isWhole = speakers.every((name) => round.some(({ speaker }) => speaker === name));
	return isWhole ? [] : round;
}

/** The speaker whom the last one, or the opening, addresses by "@name"; otherwise the next in turn. */
export function addressedSpeaker(conversation: Conversation): Choice {
	const { speakers, rules } = conversation;
	const said = sinceOpening(conversation);
	const last = said.at(-1);
	const before = said.at(-2);
	// a person who replaces a turn speaks in its place
	const { text } = (!last?.text && before?.replacedBy ? before : last) ?? { text: rules.opening };
	const others = speakers.filter((name) => name !== last?.speaker);
	const found = findAddressed(text, others);
	if (found) return { speaker: found };
	const unknown = /(?<![\p{L}\p{N}._-])@([\p{L}\p{N}_-]+)/u.exec(text)?.[1];
	const speaker = nextInTurn(conversation);
	if (!unknown) return { speaker };
	const note = `"@${unknown}" is not one of the other speakers, so the next one in turn was asked.`;
	return { speaker, note };
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

/** The places of a name where it is a separate word. */
function placesOf(text: string, name: string): number[] {
	const places: number[] = [];
	for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
		const isWordBefore = WORD_CHARACTER.test(text.slice(0, at).at(-1) ?? '');
		const isWordAfter = WORD_CHARACTER.test(text[at + name.length] ?? '');
		if (!isWordBefore && !isWordAfter) places.push(at);
	}
	return places;
}

/** Not a letter of a script that puts no space between words, or between a word and its endings. */
const WORD_CHARACTER =
	/(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}])[\p{L}\p{N}_]/u;

/** The word with which the moderator ends the conversation. */
const DONE = 'DONE';
/** A reason may follow, with names. */
const BEGINS_WITH_DONE = /^[^\p{L}\p{N}]*DONE[^\p{L}\p{N}]/u;
/** The same in other letters, if it is the only word. */
const ONLY_DONE = /^[^\p{L}\p{N}]*done[^\p{L}\p{N}]*$/iu;

/** What the moderator decided. */
export type Moderation = Choice | { isDone: true };

/**
 * The prompt for the moderator.
 *
 * @param instructions From the user; may be empty.
 * @param speakers By name.
 */
export function toModeratorPrompt(
	conversation: Conversation,
	instructions: string,
	speakers: Readonly<Record<string, { description?: string }>>,
): string {
	const list = conversation.speakers.map((name) =>
		[`- ${name}`, speakers[name]?.description].filter(Boolean).join(': '),
	);
	const hasBegun = conversation.turns.length > conversation.earlier;
	return [
		'You moderate a conversation. Decide who speaks next.',
		`The speakers:\n${list.join('\n')}`,
		instructions.trim(),
		`The conversation so far:\n\n${formatTranscript(conversation)}`,
		`Answer with the name of exactly one speaker${hasBegun ? `, or with ${DONE} if the conversation has reached its goal` : ''}. Write nothing else.`,
	]
		.filter(Boolean)
		.join('\n\n');
}

/** What was said, with names. */
export const formatTurns = ({ turns, speakers }: Conversation): string =>
	join(nameTurns(turns, speakers));

const nameTurns = (entries: readonly Entry[], speakers: readonly string[]) =>
	entries.flatMap(({ speaker, text }) => (text.trim() ? toNamed(speaker, text, speakers) : []));

/** The whole conversation, with its opening after the turns of an earlier one. Of one that is too long, the end, which says so. */
export function formatTranscript({ rules, speakers, turns, earlier }: Conversation): string {
	const entries = [...turns.slice(0, earlier), { text: rules.opening }, ...turns.slice(earlier)];
	return limitLength(nameTurns(entries, speakers)).text;
}

/**
 * Reads the moderator's answer. If it is unclear, the next speaker in turn is asked, and the transcript says so.
 *
 * @param answer undefined if the moderator failed.
 */
export function readModeration(conversation: Conversation, answer: string | undefined): Moderation {
	const inTurn = (why: string): Moderation => ({
		speaker: nextInTurn(conversation),
		note: `${why}, so the next speaker in turn was asked.`,
	});
	if (answer === undefined) return inTurn('The moderator could not be asked');
	const start = withoutThinking(answer).slice(0, MAX_READ);
	const named = namesIn(start, conversation.speakers);
	const [speaker] = named;
	const saysDone = placesOf(start, DONE).length > 0 || ONLY_DONE.test(start);
	const isDone = BEGINS_WITH_DONE.test(start) || (!named.length && saysDone);
	if (isDone && conversation.turns.length > conversation.earlier) return { isDone: true };
	if (speaker !== undefined && named.length === 1) return { speaker };
	return inTurn(`The moderator's answer was not clear ("${shortenText(answer.trim(), QUOTE)}")`);
}

/** Characters of an answer that are read: a name is shorter. */
const MAX_READ = 10_000;

/** Characters of an unclear answer that the transcript quotes. */
const QUOTE = 200;

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

/** A turn or the opening, which has no speaker. */
type Entry = Pick<Turn, 'text'> &
	Partial<Pick<Turn, 'speaker' | 'replacedBy' | 'failed' | 'isForApproval'>>;

/** With this many speakers or more, a message says who said what. */
const MANY_SPEAKERS = 3;

/**
 * The message to a speaker in its turn, and a remark for the transcript. If the message is too long, its beginning is left out, which the
 * message says. The instruction is never left out.
 */
export function composeMessage(conversation: Conversation, speaker: string) {
	const entries = listEntries(conversation, speaker);
	const { text, isShortened } = toMessage(conversation, speaker, entries);
	// a speaker that gets everything may have no memory
	const knowsInstruction =
		conversation.rules.hearing !== 'all' && entries.some((entry) => hasSpoken(entry, speaker));
	const note = `Only the last ${MAX_CHARACTERS} characters were passed on.`;
	return {
		message: knowsInstruction ? text : instruct(conversation, speaker, text),
		...(isShortened && { note }),
	};
}

/**
 * The earlier conversation for a model, which has no memory: the messages it was sent are the user's, its answers are the assistant's.
 *
 * If it is too long, the oldest messages are left out, but never the latest answer or the instruction.
 *
 * @param most Characters.
 */
export function toHistory(conversation: Conversation, speaker: string, most = MAX_CHARACTERS) {
	// the message contains everything
	if (conversation.rules.hearing === 'all') return [];
	const entries = listEntries(conversation, speaker);
	const all = entries.flatMap((entry, index) => {
		if (!hasSpoken(entry, speaker)) return [];
		const { text: sent } = toMessage(conversation, speaker, entries.slice(0, index));
		return [{ sent, answer: limitLength([{ text: entry.text }]).text }];
	});
	let characters = 0;
	const first = all.findLastIndex(({ sent, answer }, index) => {
		characters += sent.length + answer.length;
		return characters > most && index < all.length - 1;
	});
	return all.slice(first + 1).flatMap(({ sent, answer }, index) => [
		{ role: 'user' as const, content: index ? sent : instruct(conversation, speaker, sent) },
		{ role: 'assistant' as const, content: answer },
	]);
}

/**
 * The turns so far, in the order in which a speaker learns of them. The opening comes after earlier turns, from the last of which the stop
 * phrase is taken: it has ended their conversation, and who only repeats it would end this one.
 */
function listEntries(conversation: Conversation, speaker: string): readonly Entry[] {
	const { rules, turns, earlier } = conversation;
	const opening = rules.opening.trim() ? [{ text: rules.opening }] : [];
	const before: Entry[] = turns.slice(0, earlier);
	const last = before.findLastIndex(({ text }) => text.trim());
	const said = before[last]?.text ?? '';
	if (rules.stopPhrase && said.includes(rules.stopPhrase))
		before[last] = { ...before[last], text: said.replaceAll(rules.stopPhrase, '') };
	const entries = [...before, ...opening, ...turns.slice(earlier)];
	if (rules.turnOrder !== 'sameMessage') return entries;
	const rounds = entries.slice(0, entries.length - listRound(conversation).length);
	return rules.hearing === 'all' ? rounds : withOwnFirst(conversation, rounds, speaker);
}

/** Puts a speaker's own answer first in each round, because it did not know the answers of the others. */
function withOwnFirst({ speakers }: Conversation, entries: readonly Entry[], own: string) {
	let round = 0;
	const numbered = entries.map((entry) => {
		if (!entry.speaker || entry.speaker === speakers[0]) round++;
		return { entry, place: 2 * round + (entry.speaker === own ? 0 : 1) };
	});
	return numbered.sort((one, other) => one.place - other.place).map(({ entry }) => entry);
}

/** What was said since a speaker's last turn, or the part of it that the rules let it hear. */
function toMessage({ rules, speakers }: Conversation, speaker: string, entries: readonly Entry[]) {
	const { hearing } = rules;
	const hasMany = speakers.length >= MANY_SPEAKERS;
	const ownLast = entries.findLastIndex((entry) => hasHeard(entry, speaker));
	const news = entries.slice(hearing === 'all' ? 0 : ownLast + 1).filter(({ text }) => text.trim());
	const isLastOnly = hearing === 'lastMessage' || (hearing === 'auto' && !hasMany);
	// the opening of a conversation that goes on does not take the place of what the other one has said
	const last = isLastOnly ? news.findLastIndex((entry) => entry.speaker !== undefined) : 0;
	const parts = news
		.slice(last)
		.map(
			({ speaker: by, text }): Part =>
				hasMany || hearing === 'all' ? toNamed(by, text, speakers) : { text },
		);
	const { replacedBy, text = '' } = (hearing !== 'all' && entries[ownLast]) || {};
	if (replacedBy)
		parts.unshift({
			text: `${replacedBy} has replaced your last message for everyone with:\n\n${text}`,
		});
	return limitLength(parts.length ? parts : [{ text: NOTHING_NEW }]);
}

/** Whether a speaker has got a message: a person who decides for an agent was told only for what that waits. */
const hasHeard = (entry: Entry, speaker: string) =>
	entry.speaker === speaker && !entry.failed && !entry.isForApproval;

/** Whether a speaker has said something, so that it has a turn in its history. */
const hasSpoken = (entry: Entry, speaker: string) =>
	hasHeard(entry, speaker) && entry.text.trim() !== '';

const instruct = ({ rules }: Conversation, speaker: string, text: string) =>
	[rules.instructions[speaker]?.trim(), text].filter(Boolean).join('\n\n');

const NOTHING_NEW = '(Nobody has said anything since your last message.)';

function limitLength(parts: readonly Part[]) {
	const { text, omitted } = cutParts(parts);
	if (!omitted) return { text, isShortened: false };
	return { text: `[The first ${omitted} characters were left out.]\n\n${text}`, isShortened: true };
}
