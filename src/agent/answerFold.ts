import { type AnswerFold, isKeepAlive } from '../core/answerReader';
import {
	joinSentences,
	ServiceError,
	shortenText,
	truncatedAnswerError,
	withDetails,
} from '../core/errors';
import { isPlainObject, omitMissing } from '../core/json';
import { type AnswerForm, type AnswerPiece, END_MARK } from '../core/sse';
import type { Dialect } from './dialect';
import { rawOf, type ArrivedEvent, type EventReader } from './eventReader';
import { createReading, type ReadingOptions } from './reading';
import { endsOf, hasOpening, recognizeDialect } from './recognize';
import { toWaiting, type Waiting } from './waiting';

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

interface FoldOptions extends ReadingOptions {
	/** The content type, in lower case. */
	type: string;
}

/** Builds the text of an agent's answer: by the row of the table that recognizes one of its events, or by the plain rule. */
export function createAnswerFold(options: FoldOptions) {
	const { includeRawEvents, answerPath, type } = options;
	const reading = createReading(options);
	const { kept } = reading;
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
		add(piece: AnswerPiece): string {
			format = piece.form;
			if (format === 'text') return reading.addWords(piece.data);
			let text = '';
			for (const event of eventsIn(piece, type)) text += reading.add(event);
			return text;
		},
		isOver: reading.isOver,
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

function eventsIn({ form, event, value }: AnswerPiece, type: string): ArrivedEvent[] {
	const isPlain = form === 'sse' && type.startsWith('text/plain');
	const values = form === 'json' && isEventList(value) ? value : [value];
	return values.map((each) => ({ event, value: each, isPlain }));
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
	{ dialect, state, told }: ReturnType<typeof createReading>,
	format: AnswerForm,
	isQuiet: boolean,
): string | undefined {
	const { hasEndMark, isReplaced, isCut } = state();
	const isStream = format === 'sse' || format === 'ndjson';
	let notice = isStream ? checkEnd(dialect(), state()) : undefined;
	if (isQuiet && !hasEndMark) notice = QUIET_NOTICE;
	if (isReplaced) notice = REPLACED_NOTICE;
	return (
		joinSentences(told().trim() !== '' && TOLD_NOTICE, notice, isCut && CUT_NOTICE) || undefined
	);
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

const CUT_NOTICE =
	'The model of the agent has reached its limit of tokens, so the answer may lack its end.';

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
