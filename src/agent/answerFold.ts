import { END_MARK } from '../core/answerPieces';
import type { AnswerFold, AnswerForm, AnswerPiece } from '../core/answerReader';
import { ServiceError, shortenText, truncatedAnswerError, withDetails } from '../core/errors';
import { isPlainObject } from '../core/json';
import { isKeepAlive } from '../core/silence';
import type { Dialect } from './dialect';
import { createDialectReader } from './dialectReader';
import { rawOf, type ArrivedEvent, type EventReader } from './eventReader';
import { createPlainReader } from './plainReader';
import { endsOf, hasOpening, recognizeDialect } from './recognize';

/** Events within which an answer is recognized. They are kept, to be read by the row, or to be shown where there is no text. */
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
	const plain = createPlainReader(question, answerPath);
	const kept: ArrivedEvent[] = [];
	let reader: EventReader = plain;
	let dialect: Dialect | undefined;
	/** What the plain rule told live, if the row does not begin with it. */
	let told = '';
	let format: AnswerForm = 'text';
	let notice: string | undefined;

	const text = () => [told, reader.text()].filter(Boolean).join('\n\n');

	/** @returns what another reader adds to the text that was told live. */
	const readBy = (other: EventReader): string => {
		const before = text();
		reader = other;
		for (const event of kept) reader.add(event);
		if (!reader.text().startsWith(before)) told = before;
		return text().slice(before.length);
	};

	const read = (event: ArrivedEvent): string => {
		const mayBeFirst = !dialect && answerPath === undefined && kept.length < MAX_KEPT;
		if (includeRawEvents || kept.length < MAX_KEPT) kept.push(event);
		if (mayBeFirst) dialect = recognizeDialect(event);
		if (mayBeFirst && dialect) return readBy(createDialectReader(dialect));
		const separator = told && !reader.text() ? '\n\n' : '';
		const added = reader.add(event);
		return added && separator + added;
	};

	/** @returns what the plain rule finds in the events of a whole answer in which the row has found no text. */
	const findOtherText = (): string => {
		const hasEnded = dialect && reader.state.hasEnded;
		const { isOpen, isToolOpen } = reader.state;
		const isWhole = format === 'json' || hasEnded || !isOpen;
		const mayBeElsewhere = dialect && isWhole && !isToolOpen && !dialect.mayHaveNoText;
		const found = mayBeElsewhere ? readBy(createPlainReader(question, undefined)) : '';
		if (dialect && found) notice = otherTextNotice(dialect);
		if (!found && !hasEnded && (answerPath === undefined || !kept.length)) throw noTextError(kept);
		return found;
	};

	const answer = (): AgentAnswer => ({
		...{ text: text(), format, events: includeRawEvents || !text() ? kept.map(rawOf) : [] },
		...(dialect && { dialect: dialect.name }),
		...(notice && { notice }),
	});

	return {
		add({ form, event, value, data }: AnswerPiece): string {
			format = form;
			if (form === 'text') {
				kept[0] = { event: '', value: `${String(kept[0]?.value ?? '')}${data}` };
				return answerPath === undefined ? plain.append(data) : '';
			}
			if (form !== 'json' || !isEventList(value)) return read({ event, value });
			let added = '';
			for (const each of value)
				if (!reader.state.isOver && !reader.state.failure) added += read({ event, value: each });
			return added;
		},
		isOver(): boolean {
			if (reader.state.failure) throw reader.state.failure;
			return reader.state.isOver;
		},
		isWhole: () => reader.state.hasEnded && !reader.state.isToolOpen && text() !== '',
		end(_received: () => string, isQuiet = false): string {
			const rest = reader.finish();
			if (dialect && (format === 'sse' || format === 'ndjson'))
				notice = checkEnd(dialect, reader.state);
			if (isQuiet) notice = QUIET_NOTICE;
			if (reader.state.isReplaced) notice = REPLACED_NOTICE;
			return text().trim() ? rest : findOtherText();
		},
		partial(): PartialAnswer {
			reader.finish();
			const { events, ...rest } = answer();
			return { ...rest, ...(includeRawEvents && { events }) };
		},
		answer,
	} satisfies AnswerFold & Record<string, unknown>;
}

/** A list of events, as opposed to one of messages. */
const isEventList = (value: unknown): value is unknown[] =>
	Array.isArray(value) &&
	value.every((each) => isPlainObject(each) && !('role' in each)) &&
	value.some((each) => recognizeDialect({ event: '', value: each }) !== undefined);

/** @returns a notice if it is not known whether the end is missing. @throws ServiceError if it is. */
function checkEnd(dialect: Dialect, { hasEnded, isOpen }: EventReader['state']) {
	if (hasEnded || (!isOpen && !hasOpening(dialect))) return undefined;
	if (!isOpen)
		return `The answer has the form of ${dialect.name}, but not its beginning. So it is not known whether its end is missing.`;
	throw withDetails(
		truncatedAnswerError(
			`A stream of ${dialect.name} ends with ${endsOf(dialect)}, which did not arrive.`,
		),
		{ advice: END_ADVICE },
	);
}

const END_ADVICE =
	'With the option "On Incomplete Answer", the node returns what arrived. If this agent never sends such an end, enter the path to its text in "Answer Field Path": then none is expected.';

const otherTextNotice = ({ name }: Dialect) =>
	`The answer has the form of ${name}, but no text where that has it. This text was found in other fields.`;

const REPLACED_NOTICE =
	'The agent has replaced its text by the last paragraph. The text before it had already been shown.';

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
