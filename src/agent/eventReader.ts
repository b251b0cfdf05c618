import type { ServiceError } from '../core/errors';
import type { Wait } from './waits';

/** An event as it arrived: the name on its line, and its value. */
export interface ArrivedEvent {
	event: string;
	value: unknown;
	/** Whether it came in a stream of events whose content type is plain text. */
	isPlain?: boolean;
}

export const rawOf = ({ event, value }: ArrivedEvent) => (event ? { event, data: value } : value);

/** Reads the events of an answer: by a row of the table, or by the plain rule. */
export interface EventReader {
	/** @returns the text that an event adds. */
	add(event: ArrivedEvent): string;
	/**
	 * Nothing more comes.
	 *
	 * @param isWhole Whether the body has ended regularly.
	 * @returns the text of messages that counted only if nothing else came, and what the agent waits for.
	 */
	finish(isWhole: boolean): string;
	text(): string;
	/** What the agent waits for, as far as is known. */
	waits(): Wait[];
	readonly state: Readonly<ReadingState>;
}

export interface ReadingState {
	/** What the agent has reported. */
	failure?: ServiceError;
	/** Whether nothing more is read. */
	isOver: boolean;
	/** Whether an end has come, and since then neither a text nor another run. */
	hasEnded: boolean;
	/** Whether it was that of a run: then a text is not waited for. */
	hasEndMark: boolean;
	/** Whether more may follow an end, after any silence. */
	mayGoOn: boolean;
	/** Whether a tool was called, and no text has come since. */
	isToolOpen: boolean;
	/** Whether a limit of tokens has cut the answer. */
	isCut: boolean;
	/** Whether a text has come in place of an earlier one. */
	isReplaced: boolean;
	/** Whether the stream has opened, so that an end has to come. */
	isOpen: boolean;
}

export const newState = (): ReadingState => ({
	isOver: false,
	hasEnded: false,
	hasEndMark: false,
	mayGoOn: false,
	isToolOpen: false,
	isCut: false,
	isReplaced: false,
	isOpen: false,
});
