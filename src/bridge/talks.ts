import { begin, hear, type Conversation, type Rules, type Turn } from './conversation';
import { toReply, type Reply } from './reply';
import { toTask } from './task';

/** One item: a conversation to be held, or what is said of an item that cannot begin one. */
export type Opening<Origin, Refusal> =
	| { origin: Origin; rules: Rules; earlier: Turn[] }
	| { origin: Origin; refusal: Refusal };

type Ended<Origin, Refusal> =
	| { origin: Origin; conversation: Conversation }
	| { origin: Origin; refusal: Refusal };

/** Conversations that are held one after the other, in the order of their items. Plain data; nothing in it is changed. */
export interface Talks<Origin, Refusal> {
	ended: ReadonlyArray<Ended<Origin, Refusal>>;
	current?: { origin: Origin; conversation: Conversation };
	waiting: ReadonlyArray<Opening<Origin, Refusal>>;
}

export interface Surroundings {
	/** Milliseconds since 1970. */
	now: number;
	/** Makes a UUID. */
	newId: () => string;
}

/** Adds items; the first conversation begins when none is under way. */
export function open<Origin, Refusal>(
	talks: Talks<Origin, Refusal>,
	openings: ReadonlyArray<Opening<Origin, Refusal>>,
	around: Surroundings,
): Talks<Origin, Refusal> {
	return advanced({ ...talks, waiting: [...talks.waiting, ...openings] }, around);
}

/**
 * Takes what the speaker's node gave.
 *
 * @returns the reply beside what follows from it; neither when no turn is under way.
 */
export function answer<Origin, Refusal>(
	talks: Talks<Origin, Refusal>,
	items: ReadonlyArray<Record<string, unknown>>,
	around: Surroundings,
): { talks: Talks<Origin, Refusal>; reply: Reply } | undefined {
	const { current, ended, waiting } = talks;
	const sent = current && toTask(current.conversation, ended.length + 1);
	if (!current || !sent) return undefined;
	const { origin, conversation } = current;
	const reply = toReply(items, { ...sent.task }, conversation.rules.answerField);
	const heard = { origin, conversation: hear(conversation, reply, around.now) };
	if (heard.conversation.pending) return { reply, talks: { ...talks, current: heard } };
	return { reply, talks: advanced({ ended: [...ended, heard], waiting }, around) };
}

function advanced<Origin, Refusal>(
	{ ended, current, waiting }: Talks<Origin, Refusal>,
	around: Surroundings,
): Talks<Origin, Refusal> {
	if (current) return { ended, current, waiting };
	const at = waiting.findIndex((opening) => !('refusal' in opening));
	const refused = (at < 0 ? waiting : waiting.slice(0, at)).filter((one) => 'refusal' in one);
	const next = waiting[at];
	if (!next || 'refusal' in next) return { ended: [...ended, ...refused], waiting: [] };
	const { origin, rules, earlier } = next;
	const conversation = begin(rules, earlier, around.now, around.newId);
	return {
		ended: [...ended, ...refused],
		current: { origin, conversation },
		waiting: waiting.slice(at + 1),
	};
}
