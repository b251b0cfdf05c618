import { createTextAccumulator, withoutSpace } from '../core/textAccumulator';

export type Paragraphs = ReturnType<typeof createParagraphs>;

/** Characters. What is shorter may begin another message: in JavaScript, LangGraph's pieces look like its whole messages. */
const MIN_COPY = 8;

/** With more messages side by side, none is compared with the others: thousands would take minutes. */
const MAX_COMPARED = 100;

const BREAK = '\n\n';

/** Adds pieces and whole messages to a text. */
export function createParagraphs() {
	const answer = createTextAccumulator();
	/** ID of the message whose pieces came last. */
	let sender: string | undefined;
	/** Whether the run has said nothing yet. */
	let isSilent = true;

	const append = (text: string): string => {
		isSilent &&= !text;
		return answer.append(text);
	};

	return {
		...answer,
		/** @param mayBeCopy Whether it may be the whole last message again, with another ID. */
		addPiece(text: string, id: string | undefined, mayBeCopy = false): string {
			if (!text) return '';
			if (id !== undefined && id !== sender) {
				answer.endMessage();
				if (mayBeCopy && text.length >= MIN_COPY && answer.isLast(text)) return '';
			}
			sender = id ?? sender;
			return append(text);
		},
		addNew(messages: readonly string[]): string {
			let text = '';
			for (const message of messages) {
				if (!message || answer.isKnown(message)) continue;
				answer.endMessage();
				text += append(message);
			}
			return text;
		},
		/** @returns whether this is the ID of a message whose pieces came without one. */
		adopt(id: string): boolean {
			const isNew = sender === '';
			if (isNew) sender = id;
			return isNew;
		},
		isSilent: () => isSilent,
		beginRun(): void {
			isSilent = true;
		},
	};
}

/** Adds pieces of messages that may come side by side. Those of the first are told live, and the others once one comes from elsewhere. */
export function createSideBySide({ addPiece, current, endMessage }: Paragraphs) {
	/** By ID. */
	const kept = new Map<string | undefined, string>();
	/** Whose next piece begins a paragraph. */
	const broken = new Set<string | undefined>();
	let first: string | undefined;
	let own: string | undefined;
	let place: unknown;
	let isBeside = false;

	const release = (): string => {
		let text = '';
		for (const [id, message] of kept) {
			endMessage();
			text += addPiece(message, id);
		}
		kept.clear();
		broken.clear();
		return text;
	};
	// the length first: many pieces are compared
	const isSaid = (text: string, said: string): boolean =>
		text.length * 2 > said.length && !!text.trim() && withoutSpace(text) === withoutSpace(said);
	/** Whether it is one of those that are kept; undefined if they are too many to be compared. */
	const isKept = (text: string): boolean | undefined =>
		kept.size > MAX_COMPARED
			? undefined
			: [...kept.values()].some((message) => isSaid(text, message));
	const isCopy = (text: string): boolean =>
		text.length >= MIN_COPY && (isSaid(text, current()) || isKept(text) === true);

	return {
		release,
		/** Whether it is certainly none of those that are kept. */
		isNew: (text: string): boolean => isKept(text) === false,
		/** Ends the message, or its paragraph, that the last piece is of, which may be no text. */
		endOwn(): void {
			if (!isBeside) endMessage();
			else if (kept.has(own)) broken.add(own);
		},
		/** @param from Absent where none come side by side. */
		addPiece(text: string, id: string | undefined, from: unknown, mayBeCopy = false): string {
			const isSame = from !== undefined && from === place;
			isBeside = isSame && id !== first && (current() !== '' || kept.has(id));
			own = id;
			if (!text) return '';
			if (isBeside) {
				if (mayBeCopy && isCopy(text)) return '';
				kept.set(id, `${kept.get(id) ?? ''}${broken.delete(id) ? BREAK : ''}${text}`);
				return '';
			}
			const before = isSame ? '' : release();
			place = from;
			first = id;
			return before + addPiece(text, id, mayBeCopy);
		},
	};
}
