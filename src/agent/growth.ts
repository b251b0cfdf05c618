import type { Meaning } from './dialect';
import type { Paragraphs } from './paragraphs';
import { holds, saidAt, type NamedEvent } from './paths';

/** Characters at the beginning of two texts, which no new piece has by chance. */
const SAME_BEGINNING = 16;

/** What has come of each message, by its ID. */
function createTexts() {
	const texts = new Map<string, string>();
	/** How each begins: to cut it off the text, all its pieces would be joined. */
	const beginnings = new Map<string, string>();
	return {
		texts,
		keep(id: string, text: string, before = ''): void {
			texts.set(id, text);
			if (before.length < SAME_BEGINNING) beginnings.set(id, text.slice(0, SAME_BEGINNING));
		},
		haveSameBeginning(text: string, id: string): boolean {
			const beginning = beginnings.get(id) ?? '';
			return beginning.length === SAME_BEGINNING && text.startsWith(beginning);
		},
	};
}

/** Reads messages of which an event may have all that they have said so far. */
export function createGrowth({ adopt, addPiece, addNew, endMessage }: Paragraphs) {
	const { texts, keep, haveSameBeginning } = createTexts();
	let isReplaced = false;

	/** A message that begins with its pieces, or stands in their place. */
	const addWhole = (text: string, id: string): string => {
		const before = texts.get(id) ?? '';
		texts.delete(id);
		if (text.startsWith(before)) return addPiece(text.slice(before.length), id);
		// that only white space differs is no change
		endMessage();
		const added = addNew([text]);
		isReplaced ||= added !== '';
		return added;
	};
	/** A piece that is new, or has all that came before. */
	const addMore = (meaning: Meaning, event: NamedEvent, id: string): string => {
		const { piece = '', repeats = {}, isDraft } = meaning;
		const text = saidAt(event.value, piece);
		const mayRepeat = holds(event, repeats);
		if (mayRepeat && !isDraft) {
			if (!text) return '';
			const added = addWhole(text, id);
			keep(id, text);
			return added;
		}
		const before = texts.get(id) ?? '';
		// the length first: to compare, all pieces so far are joined
		const isAgain = mayRepeat && text.length >= before.length && text.startsWith(before);
		if (mayRepeat && !isAgain && haveSameBeginning(text, id)) return '';
		keep(id, isAgain ? text : before + text, before);
		return addPiece(isAgain ? text.slice(before.length) : text, id);
	};

	return {
		/** @returns what a piece adds, or a whole message. */
		repeat(meaning: Meaning, event: NamedEvent, id: string): string {
			// the first piece may have come before its ID was known
			if (id && adopt(id)) {
				keep(id, texts.get('') ?? '');
				texts.delete('');
			}
			if (meaning.whole === undefined) return addMore(meaning, event, id);
			return addWhole(saidAt(event.value, meaning.whole), id);
		},
		/** @returns what a message that comes again adds. */
		grow(text: string, id: string, mayBeCopy = false): string {
			const before = texts.get(id) ?? '';
			if (!text.startsWith(before)) return '';
			texts.set(id, text);
			return addPiece(text.slice(before.length), id, mayBeCopy);
		},
		/** Whether a text has come in place of an earlier one. */
		isReplaced: () => isReplaced,
	};
}
