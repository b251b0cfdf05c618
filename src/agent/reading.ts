import type { Dialect } from './dialect';
import { createDialectReader } from './dialectReader';
import type { ArrivedEvent, EventReader } from './eventReader';
import { createPlainReader } from './plainReader';
import { recognizeDialect } from './recognize';

/** Events within which an answer is recognized. They are kept, to be read by the row, too, or to be shown where there is no text. */
const MAX_KEPT = 100;

export interface ReadingOptions {
	/** The message that was sent. */
	question: string;
	includeRawEvents: boolean;
	answerPath?: string | undefined;
}

/**
 * Until a row recognizes an event, the plain rule reads, and what it finds is told live at once. The row then reads the earlier events, too.
 * As long as it finds no text, the plain rule reads along.
 */
export function createReading({ question, includeRawEvents, answerPath }: ReadingOptions) {
	const plain = createPlainReader(question, answerPath);
	const { readBy, ...live } = createLiveText(plain);
	const kept: ArrivedEvent[] = [];
	let dialect: Dialect | undefined;

	return {
		...live,
		kept,
		dialect: () => dialect,
		/** @throws ServiceError what the agent has reported. */
		isOver(): boolean {
			const { failure, isOver } = live.state();
			if (failure) throw failure;
			return isOver;
		},
		/** @returns the text that an event adds; none once the answer is over. */
		add(event: ArrivedEvent): string {
			const { failure, isOver } = live.state();
			if (isOver || failure) return '';
			const mayBeFirst = !dialect && answerPath === undefined && kept.length < MAX_KEPT;
			if (includeRawEvents || kept.length < MAX_KEPT) kept.push(event);
			if (mayBeFirst) dialect = recognizeDialect(event);
			const added =
				mayBeFirst && dialect ? readBy(createDialectReader(dialect), kept) : live.add(event);
			if (dialect && live.isSilent()) plain.add(event);
			return added;
		},
		/** Adds a piece of plain text. */
		addWords(words: string): string {
			kept[0] = { event: '', value: `${String(kept[0]?.value ?? '')}${words}` };
			return answerPath === undefined ? plain.append(words) : '';
		},
		/** Takes what the plain rule has found. What waits stays. @returns the text that this adds. */
		readPlainly(): string {
			const waits = live.waits();
			return readBy({ ...plain, waits: () => waits }, []);
		},
	};
}

/** The text of a reader, and of another that takes its place. What was told live stays before that. */
function createLiveText(first: EventReader) {
	let reader = first;
	/** What the first told live, if the other does not begin with it. */
	let told = '';
	/** Whether the reader has found no text. */
	let isSilent = true;

	const note = (added: string): string => {
		isSilent &&= !added.trim();
		return added;
	};
	const text = () => (told ? [told, reader.text()].filter(Boolean).join('\n\n') : reader.text());

	return {
		text,
		told: () => told,
		isSilent: () => isSilent,
		state: () => reader.state,
		waits: () => reader.waits(),
		/** It is asked after every piece, so nothing is joined for it. */
		isWhole: (): boolean => {
			const { hasEnded, hasEndMark, mayGoOn, isToolOpen } = reader.state;
			if (!hasEnded || mayGoOn || isToolOpen) return false;
			return hasEndMark || told !== '' || reader.text() !== '' || reader.waits().length > 0;
		},
		add(event: ArrivedEvent): string {
			const separator = told && !reader.text() ? '\n\n' : '';
			const added = note(reader.add(event));
			return added && separator + added;
		},
		/** Goes on with another reader, once it has read the earlier events. @returns what it adds to the text. */
		readBy(other: EventReader, earlier: readonly ArrivedEvent[]): string {
			isSilent = true;
			for (const event of earlier) note(other.add(event));
			const before = text();
			reader = other;
			told = reader.text().startsWith(before) ? '' : before;
			return text().slice(before.length);
		},
		/** Nothing more comes. @returns the text that this adds. */
		finish(isWhole: boolean): string {
			const before = text();
			note(reader.finish(isWhole));
			return text().slice(before.length);
		},
	};
}
