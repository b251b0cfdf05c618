import { createTextAccumulator } from '../core/textAccumulator';

export type Paragraphs = ReturnType<typeof createParagraphs>;

/** Characters. What is shorter may begin another message: in JavaScript, LangGraph's pieces look like its whole messages. */
const MIN_COPY = 8;

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
