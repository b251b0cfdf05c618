import type { Conversation } from './conversation';

/** Who is asked next. */
export interface Choice {
	speaker: string;
	/** What the transcript says about the choice. */
	note?: string;
}

type Talk = Pick<Conversation, 'speakers' | 'turns' | 'rules' | 'earlier'>;

/** The speaker after the one who was asked last, in the order in which they were connected. */
export function nextInTurn({ speakers, turns }: Talk): string {
	const last = turns.findLast(({ speaker }) => speakers.includes(speaker));
	const at = last ? speakers.indexOf(last.speaker) + 1 : 0;
	return speakers[at % speakers.length] ?? '';
}

/** The speaker whom the last one, or the opening, addresses by "@name"; otherwise the next in turn. */
export function addressedSpeaker(talk: Talk): Choice {
	const { speakers, turns, rules, earlier } = talk;
	const last = turns.slice(earlier).at(-1);
	const text = last?.text ?? rules.opening;
	const others = speakers.filter((name) => name !== last?.speaker);
	const found = findAddressed(text, others);
	if (found) return { speaker: found };
	const unknown = /(?<![\p{L}\p{N}._-])@([\p{L}\p{N}_-]+)/u.exec(text)?.[1];
	const speaker = nextInTurn(talk);
	return unknown
		? {
				speaker,
				note: `"@${unknown}" is none of the other speakers, so the next one in turn was asked.`,
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
export function placesOf(text: string, name: string): number[] {
	const places: number[] = [];
	for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
		const isWordBefore = WORD_CHARACTER.test(text.slice(0, at).at(-1) ?? '');
		const isWordAfter = WORD_CHARACTER.test(text[at + name.length] ?? '');
		if (!isWordBefore && !isWordAfter) places.push(at);
	}
	return places;
}

const WORD_CHARACTER = /[\p{L}\p{N}_]/u;
