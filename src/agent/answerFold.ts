import { type AnswerFold, isKeepAlive } from '../core/answerReader';
import { ServiceError, shortenText, truncatedAnswerError, withDetails } from '../core/errors';
import { isPlainObject, omitMissing } from '../core/json';
import { type AnswerForm, type AnswerPiece, END_MARK } from '../core/sse';
import type { Dialect } from './dialect';
import { createDialectReader } from './dialectReader';
import { rawOf, type ArrivedEvent, type EventReader } from './eventReader';
import { createPlainReader } from './plainReader';
import { endsOf, hasOpening, recognizeDialect } from './recognize';
import { toWaiting, type Waiting } from './waiting';

/** Events within which an answer is recognized. They are kept, to be read by the row, too, or to be shown where there is no text. */
const MAX_KEPT = 100;

export interface AgentAnswer {
	text: string;
	/** The format in which the answer arrived; the specification does not define it. */
	format: AnswerForm;
	/** The name of the row that recognized it. */
	dialect?: string;
	/** The raw events; all if requested, the first ones if there is no text, otherwise none. */
	events: unknown[];
	/** What is not certain about it. */
	notice?: string;
	/** What the agent waits for. */
	waitsFor?: Waiting;
}

/** What had arrived of an answer that broke off. */
export type PartialAnswer = Omit<AgentAnswer, 'events'> & Partial<AgentAnswer>;

interface FoldOptions {
	/** The message that was sent. */
	question: string;
	includeRawEvents: boolean;
	answerPath?: string | undefined;
	/** The content type, in lower case. */
	type: string;
}

/** Builds the text of an agent's answer: by the row of the table that recognizes one of its events, or by the plain rule. */
export function createAnswerFold(options: FoldOptions) {
	const { includeRawEvents, answerPath, type } = options;
	const { kept, ...reading } = createReading(options);
	let format: AnswerForm = 'text';
	let notice: string | undefined;

	/** @returns what the plain rule finds in events in which the row has found no text. */
	const findOtherText = (): string => {
		const dialect = reading.dialect();
		if (!reading.isSilent() || !dialect) return '';
		const found = mayHaveOtherText(dialect, reading.state(), format) ? reading.readPlainly() : '';
		if (found) notice = otherTextNotice(dialect);
		return found;
	};

	const answer = (): AgentAnswer => {
		const text = reading.text();
		const dialect = reading.dialect()?.name;
		return {
			text,
			format,
			events: includeRawEvents || !text ? kept.map(rawOf) : [],
			...omitMissing({ dialect, notice, waitsFor: toWaiting(reading.waits()) }),
		};
	};

	return {
		add({ form, event, value, data }: AnswerPiece): string {
			format = form;
			if (form === 'text') return reading.addWords(data);
			let text = '';
			const isPlain = form === 'sse' && type.startsWith('text/plain');
			for (const each of form === 'json' && isEventList(value) ? value : [value])
				text += reading.add({ event, value: each, isPlain });
			return text;
		},
		isOver(): boolean {
			const { failure, isOver } = reading.state();
			if (failure) throw failure;
			return isOver;
		},
		isWhole: reading.isWhole,
		end(_received: () => string, isQuiet = false): string {
			const rest = reading.finish(true);
			notice = noticeOf(reading, format, isQuiet);
			const mayBeNone = reading.dialect()
				? reading.state().hasEnded
				: answerPath !== undefined && kept.length > 0;
			const found = rest + findOtherText();
			if (!mayBeNone && !reading.text().trim()) throw noTextError(kept);
			return found;
		},
		partial(): PartialAnswer {
			reading.finish(false);
			findOtherText();
			const { events, ...rest } = answer();
			// more may have come
			delete rest.waitsFor;
			return { ...rest, ...(includeRawEvents && { events }) };
		},
		answer,
	} satisfies AnswerFold & Record<string, unknown>;
}

const isStream = (format: AnswerForm) => format === 'sse' || format === 'ndjson';

/**
 * Until a row recognizes an event, the plain rule reads, and what it finds is told live at once. The row then reads the earlier events, too.
 * As long as it finds no text, the plain rule reads along.
 */
function createReading({ question, includeRawEvents, answerPath }: FoldOptions) {
	const plain = createPlainReader(question, answerPath);
	const kept: ArrivedEvent[] = [];
	let reader: EventReader = plain;
	let dialect: Dialect | undefined;
	/** What the plain rule told live, if the row does not begin with it. */
	let told = '';

	/** Whether the row has found no text. */
	let isSilent = true;

	const note = (added: string): string => {
		isSilent &&= !added.trim();
		return added;
	};
	const text = () => (told ? [told, reader.text()].filter(Boolean).join('\n\n') : reader.text());

	/** @returns what another reader adds to the text that was told live. */
	const readBy = (other: EventReader): string => {
		const before = text();
		reader = other;
		told = reader.text().startsWith(before) ? '' : before;
		return text().slice(before.length);
	};
	const addBy = (event: ArrivedEvent): string => {
		const separator = told && !reader.text() ? '\n\n' : '';
		const added = note(reader.add(event));
		return added && separator + added;
	};
	const readByRow = (row: Dialect): string => {
		const other = createDialectReader(row);
		isSilent = true;
		for (const event of kept) note(other.add(event));
		return readBy(other);
	};

	return {
		kept,
		text,
		isSilent: () => isSilent,
		told: () => told,
		dialect: () => dialect,
		state: () => reader.state,
		waits: () => reader.waits(),
		/** It is asked after every piece, so nothing is joined for it. */
		isWhole: () => {
			const { hasEnded, hasEndMark, isToolOpen } = reader.state;
			if (!hasEnded || isToolOpen) return false;
			return hasEndMark || told !== '' || reader.text() !== '' || reader.waits().length > 0;
		},
		/** @returns the text that an event adds; none once the answer is over. */
		add(event: ArrivedEvent): string {
			if (reader.state.isOver || reader.state.failure) return '';
			const mayBeFirst = !dialect && answerPath === undefined && kept.length < MAX_KEPT;
			if (includeRawEvents || kept.length < MAX_KEPT) kept.push(event);
			if (mayBeFirst) dialect = recognizeDialect(event);
			const added = mayBeFirst && dialect ? readByRow(dialect) : addBy(event);
			if (dialect && isSilent) plain.add(event);
			return added;
		},
		/** Adds a piece of plain text. */
		addWords(words: string): string {
			kept[0] = { event: '', value: `${String(kept[0]?.value ?? '')}${words}` };
			return answerPath === undefined ? plain.append(words) : '';
		},
		/** Takes what the plain rule has found. What waits stays. @returns the text that this adds. */
		readPlainly(): string {
			plain.finish(true);
			return readBy({ ...plain, waits: reader.waits });
		},
		/** Nothing more comes. @returns the text that this adds. */
		finish(isWhole: boolean): string {
			const before = text();
			note(reader.finish(isWhole));
			return text().slice(before.length);
		},
	};
}

/** A list of events, as opposed to one of messages. */
const isEventList = (value: unknown): value is unknown[] =>
	Array.isArray(value) &&
	value.every((each) => isPlainObject(each) && !('role' in each)) &&
	value.some((each) => recognizeDialect({ event: '', value: each }) !== undefined);

/** Whether all of an answer has arrived, as far as its form shows that, and it did not end with the call of a tool. */
const mayHaveOtherText = (
	{ mayHaveNoText }: Dialect,
	{ failure, isOpen, isToolOpen, hasEnded }: EventReader['state'],
	format: AnswerForm,
) => !failure && !mayHaveNoText && !isToolOpen && (format === 'json' || hasEnded || !isOpen);

/** What is not certain about an answer that has ended. */
function noticeOf(
	{ dialect, state, told }: Pick<ReturnType<typeof createReading>, 'dialect' | 'state' | 'told'>,
	format: AnswerForm,
	isQuiet: boolean,
): string | undefined {
	const { hasEndMark, isReplaced } = state();
	let notice = isStream(format) ? checkEnd(dialect(), state()) : undefined;
	if (isQuiet && !hasEndMark) notice = QUIET_NOTICE;
	if (isReplaced) notice = REPLACED_NOTICE;
	return told().trim() ? [TOLD_NOTICE, notice].filter(Boolean).join(' ') : notice;
}

/** @returns a notice if it is not known whether the end is missing. @throws ServiceError if it is. */
function checkEnd(dialect: Dialect | undefined, { hasEnded, isOpen }: EventReader['state']) {
	if (!dialect || hasEnded || (!isOpen && !hasOpening(dialect))) return undefined;
	if (!isOpen)
		return `The answer has the form of ${dialect.name}, but not its beginning. So it is not known whether its end is missing.`;
	const reason = `A stream of ${dialect.name} ends with ${endsOf(dialect)}, which did not arrive.`;
	throw withDetails(truncatedAnswerError(reason), { advice: END_ADVICE });
}

const END_ADVICE =
	'With the option "On Incomplete Answer", the node returns what arrived. If this agent never sends such an end, enter the path to its text in "Answer Field Path": then none is expected.';

const otherTextNotice = ({ name }: Dialect) =>
	`The answer has the form of ${name}, but no text where that has it. This text was found in other fields.`;

const REPLACED_NOTICE =
	'The agent has replaced its text by the last paragraph. The text before it had already been shown.';

const TOLD_NOTICE =
	'The first paragraph had already been shown when the form of the answer was recognized. It may be none of the answer.';

const QUIET_NOTICE =
	'The message had ended, and nothing followed for 10 seconds. The connection was closed.';

/** @param kept The first events. */
function noTextError(kept: readonly ArrivedEvent[]): ServiceError {
	const isContent = ({ event, value }: ArrivedEvent) =>
		!isKeepAlive({ event, value }) &&
		value !== '' &&
		!(typeof value === 'string' && END_MARK.test(value));
	const first = kept.find(isContent);
	if (!first) return truncatedAnswerError('It ended without any content.');
	return new ServiceError('malformed', 'No text was found in the answer', {
		outcome: 'started',
		reason: `Its first event: ${shortenText(JSON.stringify(rawOf(first)), 500)}`,
		advice:
			'Look for the text in the events that arrived, and enter the path to it in the option "Answer Field Path".',
	});
}
