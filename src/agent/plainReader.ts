import { reportedError } from '../core/body';
import { hasErrors, reportsError } from '../core/errorResponses';
import { extractTextAt, findText, hasNoText, isOtherRole } from '../core/extractText';
import { isPlainObject } from '../core/json';
import { isEndMark, isEndWord } from '../core/sse';
import { createTextAccumulator } from '../core/textAccumulator';
import { rawOf, type ArrivedEvent } from './dialectReader';

/**
 * Reads the events of an answer that no row of the table recognizes.
 *
 * The text is in the usual fields, or at the path that the user entered, or words as they are. A name of an event shows that it has no text, or
 * reports an error. `[DONE]` and the end of the body are its ends.
 */
export function createPlainReader(question: string, path: string | undefined) {
	const answer = createTextAccumulator();
	let isOver = false;
	/** Whether JSON had a text. */
	let hasJson = false;
	/** Whether an event without a text had a name such as `done`, and no text has come since. */
	let hasEnded = false;

	const isRepeated = createRepeatFinder();

	const addText = (text: string, place: string): string => {
		if (!text || isRepeated(text, place)) return '';
		hasEnded = false;
		return answer.append(text);
	};

	const addWords = (words: string, line: string): string => {
		// after JSON, a word such as `DONE` names the end
		isOver = isEndMark(words) || (hasJson && !line && isEndWord(words));
		const isNone =
			path !== undefined || isOver || hasNoText(line) || (isEndWord(words) && isEndWord(line));
		return isNone ? '' : addText(words, line);
	};

	/** @throws ServiceError for an event that reports an error. */
	const addValue = ({ event, value }: ArrivedEvent, naming: Naming): string => {
		if (path !== undefined) return addText(extractTextAt(value, path) ?? '', '');
		const found = findAnswerText(value, naming, question);
		if (!found?.text && !naming.isStep && isPlainObject(value) && hasErrors(value))
			throw reportedError('agent', value, rawOf({ event, value }));
		// what the last event says is the answer only where nothing else is
		if (!found || (naming.isEnd && !answer.isEmpty())) return '';
		hasJson = true;
		return addText(found.text, `${naming.names} ${found.path}`);
	};

	return {
		add(arrived: ArrivedEvent): string {
			const { event, value } = arrived;
			const naming = namingOf(arrived);
			if (!naming.isStep && (naming.isError || reportsError(value)))
				throw reportedError('agent', value, rawOf(arrived));
			hasEnded ||= naming.isEnd;
			return typeof value === 'string' ? addWords(value, event) : addValue(arrived, naming);
		},
		/** Adds a piece of plain text. */
		append: answer.append,
		text: answer.text,
		isOver: () => isOver,
		hasEnded: () => isOver || hasEnded,
		/** Whether the answer may have ended, so that only a few seconds are waited for more. */
		isWhole: () => hasEnded && !answer.isEmpty(),
	};
}

/** Finds a text that comes again in another place, because it is whole. A place is the names of an event, and a field. */
function createRepeatFinder() {
	let lastPlace: string | undefined;
	/** All texts without white space: some services trim what they repeat. */
	let compact = '';
	return (text: string, place: string): boolean => {
		const added = text.replace(/\s+/g, '');
		if (lastPlace !== undefined && place !== lastPlace && added) {
			const isLong = added.length > MIN_REPEATED_LENGTH;
			if (added === compact || (isLong && compact.endsWith(added))) return true;
		}
		lastPlace = place;
		compact += added;
		return false;
	};
}

/** The text of an event, unless its name or a role shows that it is none of the answer. */
function findAnswerText(value: unknown, { isStep, isOther }: Naming, question: string) {
	if (isStep || isOther || isFromOther(value)) return undefined;
	return findText(value, question) ?? findText(value, undefined);
}

/** Reads events once more in which their row has found no text. A text that comes again counts once. */
export function readPlainTexts(events: readonly ArrivedEvent[], question: string): string {
	const texts = events.map(
		(event) => findAnswerText(event.value, namingOf(event), question)?.text ?? '',
	);
	return [...new Set(texts.filter((text) => text.trim() && !isEndMark(text)))].join('');
}

/** Characters. A shorter text may come twice. */
const MIN_REPEATED_LENGTH = 3;

/** What the names of an event say: that of its line, and those in its data. */
interface Naming {
	names: string;
	/** It has no text for the reader, and its failure fails nothing. */
	isStep: boolean;
	isError: boolean;
	/** It ends something. */
	isEnd: boolean;
	/** It is someone else's. */
	isOther: boolean;
}

/** A stream has few names, but may have ten thousand events. */
const namings = new Map<string, Naming>();
const MAX_NAMINGS = 200;

function namingOf({ event, value }: ArrivedEvent): Naming {
	const { type, event: named, kind } = (value ?? {}) as Fields;
	const names =
		event +
		(typeof type === 'string' ? `\n${type}` : '') +
		(typeof named === 'string' ? `\n${named}` : '') +
		(typeof kind === 'string' ? `\n${kind}` : '');
	const known = namings.get(names);
	if (known) return known;
	const given = names.split('\n').filter((name) => name && name !== 'message');
	const naming = {
		names,
		isStep: given.some(hasNoText),
		isError: given.some((name) => ERROR_NAME.test(name)),
		isEnd: isEndWord(given[0] ?? ''),
		isOther: given.some(isOtherRole),
	};
	if (namings.size >= MAX_NAMINGS) namings.clear();
	namings.set(names, naming);
	return naming;
}

const ERROR_NAME = /(^|[^a-z])(error|failed|failure|abort(ed)?)$/i;

/** Fields that a value may have. */
type Fields = Partial<Record<'type' | 'event' | 'kind' | 'role', unknown>> &
	Partial<Record<'message' | 'data', { role?: unknown } | null>>;

function isFromOther(value: unknown): boolean {
	const { role, message, data } = (value ?? {}) as Fields;
	const given = role ?? message?.role ?? data?.role;
	return given !== undefined && isOtherRole(given);
}
