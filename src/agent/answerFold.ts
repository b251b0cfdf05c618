import type { AnswerFold, AnswerForm, AnswerPiece } from '../core/answerReader';
import { ServiceError, shortenText, truncatedAnswerError, withDetails } from '../core/errors';
import { hasContent } from '../core/extractText';
import { isPlainObject } from '../core/json';
import type { Dialect } from './dialect';
import { createDialectReader, rawOf, type ArrivedEvent, type DialectReader } from './dialectReader';
import { endsOf, hasOpening, recognizeDialect } from './recognize';
import { createPlainReader, readPlainTexts } from './plainReader';

/** Events kept of an answer without text, so that the user can see what arrived instead. */
const MAX_EVENTS_WITHOUT_TEXT = 50;
/** Events after which an answer is recognized no more. */
const MAX_UNRECOGNIZED = 1000;

export interface AgentAnswer {
	text: string;
	/** The format in which the answer arrived; the specification does not define it. */
	format: AnswerForm;
	/** The name of the row that recognized it. */
	dialect?: string;
	/** The raw events; kept if requested, or if no text was found. */
	events: unknown[];
	/** What is not certain about it. */
	notice?: string;
}

/** What had arrived of an answer that broke off. */
export type PartialAnswer = Omit<AgentAnswer, 'events'> & Partial<AgentAnswer>;

interface FoldOptions {
	/** The message that was sent. */
	question: string;
	includeRawEvents: boolean;
	answerPath?: string | undefined;
}

/**
 * Builds the text of an agent's answer: by the row of the table that recognizes one of its events, or by the plain rule.
 *
 * Until an event is recognized, the plain rule reads, and what it finds is told live at once. The row then reads the earlier events, too.
 */
export function createAnswerFold({ question, includeRawEvents, answerPath }: FoldOptions) {
	const reading = createReading(question, answerPath);
	const kept: ArrivedEvent[] = [];
	let format: AnswerForm = 'text';
	let hasText = false;
	let notice: string | undefined;

	const read = (event: ArrivedEvent): string => {
		if (includeRawEvents || (!hasText && kept.length < MAX_EVENTS_WITHOUT_TEXT)) kept.push(event);
		const added = reading.add(event);
		hasText ||= added !== '';
		return added;
	};

	/** The answer has no text. @returns what the plain rule finds in the events that a row has read. */
	const findOtherText = (): string => {
		const reader = reading.row();
		const found = reader && mayHaveOtherText(reader, format) ? readPlainTexts(kept, question) : '';
		if (reader && found) notice = otherTextNotice(reader.dialect);
		if (found || reader?.hasEnded()) return reading.addOther(found);
		if (answerPath === undefined || !kept.length) throw noTextError(kept);
		return '';
	};

	const answer = (): AgentAnswer => ({
		text: reading.text(),
		format,
		...(reading.row() && { dialect: reading.row()!.dialect.name }),
		events: kept.map(rawOf),
		...(notice && { notice }),
	});

	return {
		add(piece: AnswerPiece): string {
			format = piece.form;
			if (format === 'text') return reading.addWords(piece.data);
			if (format !== 'json') return read(piece);
			return splitEvents(piece.value)
				.map((value) => read({ event: '', value }))
				.join('');
		},
		isOver: reading.isOver,
		isWhole: reading.isWhole,
		end(_received: () => string, isQuiet = false): string {
			const rest = reading.finish();
			if (format === 'sse' || format === 'ndjson') notice = checkEnd(reading.row());
			if (isQuiet) notice = QUIET_NOTICE;
			if (reading.row()?.isReplaced()) notice = REPLACED_NOTICE;
			return reading.text().trim() ? rest : findOtherText();
		},
		partial(): PartialAnswer {
			reading.finish();
			const { events, ...rest } = answer();
			return { ...rest, ...(includeRawEvents && { events }) };
		},
		answer,
		/** Whether the answer has ended, although more may follow. */
		hasEnded: () => reading.hasEnded() && reading.text() !== '',
	} satisfies AnswerFold & Record<string, unknown>;
}

/** Reads events by the plain rule until a row recognizes one, and from then on by that row. */
function createReading(question: string, answerPath: string | undefined) {
	const plain = createPlainReader(question, answerPath);
	const unrecognized: ArrivedEvent[] = [];
	let reader: DialectReader | undefined;
	/** What the plain rule told live, if the row does not begin with it. */
	let told = '';
	/** Whether a text of the row stands behind what had been told. */
	let isBehind = false;
	/** What only the second reading by the plain rule has found. */
	let other = '';

	const behindTold = (text: string): string => {
		if (!told || !text || isBehind) return text;
		isBehind = true;
		return `\n\n${text}`;
	};

	const adopt = (dialect: Dialect, event: ArrivedEvent): string => {
		reader = createDialectReader(dialect);
		const before = plain.text();
		try {
			for (const each of [...unrecognized.splice(0), event]) reader.add(each);
		} finally {
			if (!reader.text().startsWith(before)) told = before;
		}
		const now = reader.text();
		return told ? behindTold(now) : now.slice(before.length);
	};

	return {
		add(event: ArrivedEvent): string {
			if (reader) return behindTold(reader.add(event));
			if (answerPath !== undefined || unrecognized.length >= MAX_UNRECOGNIZED)
				return plain.add(event);
			const dialect = recognizeDialect(event);
			if (dialect) return adopt(dialect, event);
			unrecognized.push(event);
			return plain.add(event);
		},
		addWords: (words: string) => (answerPath === undefined ? plain.append(words) : ''),
		/** @returns the text that this adds. */
		addOther(text: string): string {
			other = text;
			return behindTold(text);
		},
		/** The row that reads. */
		row: () => reader,
		finish: () => behindTold(reader?.finish() ?? ''),
		text: () =>
			reader ? [told, reader.text() || other].filter(Boolean).join('\n\n') : plain.text(),
		isOver: () => (reader ?? plain).isOver(),
		isWhole: () => (reader ?? plain).isWhole(),
		hasEnded: () => (reader ?? plain).hasEnded(),
	};
}

/** Whether all of an answer has arrived, as far as its form shows that, and it did not end with the call of a tool. */
const mayHaveOtherText = (reader: DialectReader, format: AnswerForm) =>
	!reader.dialect.mayHaveNoText &&
	!reader.isToolOpen() &&
	(format === 'json' || reader.hasEnded() || !reader.isOpen());

/** @returns a notice if it is not known whether the end is missing. @throws ServiceError if it is. */
function checkEnd(reader: DialectReader | undefined): string | undefined {
	if (!reader || reader.hasEnded()) return undefined;
	const { dialect } = reader;
	if (reader.isOpen())
		throw withDetails(
			truncatedAnswerError(
				`A stream of ${dialect.name} ends with ${endsOf(dialect)}, which did not arrive.`,
			),
			{ advice: END_ADVICE },
		);
	return hasOpening(dialect) ? noOpeningNotice(dialect) : undefined;
}

const END_ADVICE =
	'With the option "On Incomplete Answer", the node returns what arrived. If this agent never sends such an end, enter the path to its text in "Answer Field Path": then none is expected.';

const noOpeningNotice = ({ name }: Dialect) =>
	`The answer has the form of ${name}, but not its beginning. So it is not known whether its end is missing.`;

const otherTextNotice = ({ name }: Dialect) =>
	`The answer has the form of ${name}, but no text where that has it. This text was found in other fields.`;

const REPLACED_NOTICE =
	'The agent has replaced its text by the last paragraph. The text before it had already been shown.';

const QUIET_NOTICE =
	'The message had ended, and nothing followed for 10 seconds. The connection was closed.';

/** The entries of a list of events; any other body counts as one event. */
function splitEvents(value: unknown): unknown[] {
	const isEvent = (entry: unknown) =>
		isPlainObject(entry) &&
		!('role' in entry) &&
		!isRole(entry['type']) &&
		([entry['type'], entry['event'], entry['kind']].some((name) => typeof name === 'string') ||
			recognizeDialect({ event: '', value: entry }) !== undefined);
	return Array.isArray(value) && value.length > 0 && value.every(isEvent) ? value : [value];
}

const isRole = (type: unknown) => type === 'human' || type === 'ai';

/** @param kept The first events. */
function noTextError(kept: readonly ArrivedEvent[]): ServiceError {
	const first = kept.find(({ value }) => hasContent(value));
	if (!first) return truncatedAnswerError('It ended without any content.');
	return new ServiceError('malformed', 'No text was found in the answer', {
		outcome: 'started',
		reason: `Its first event: ${shortenText(JSON.stringify(rawOf(first)), 500)}`,
		advice:
			'Look for the text in the events that arrived, and enter the path to it in the option "Answer Field Path".',
	});
}
