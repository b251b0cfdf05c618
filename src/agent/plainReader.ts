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
	/** Where the last text was found: the event's name and its field. */
	let lastPlace: string | undefined;
	let isOver = false;
	/** Whether JSON had a text. */
	let hasJson = false;
	/** Whether an event without a text had a name such as `done`, and no text has come since. */
	let hasEnded = false;

	/** A text that comes again in another place, because it is whole. */
	const isRepeated = (text: string, place: string): boolean => {
		if (lastPlace === undefined || place === lastPlace) return false;
		const [known, whole] = [withoutSpace(answer.text()), withoutSpace(text)];
		return known === whole || (whole.length > MIN_REPEATED_LENGTH && known.endsWith(whole));
	};

	const addText = (text: string, place: string): string => {
		if (!text || isRepeated(text, place)) return '';
		lastPlace = place;
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

	return {
		add(arrived: ArrivedEvent): string {
			const { event: line, value } = arrived;
			const names = namesOf(arrived);
			const isStep = names.some(hasNoText);
			if (!isStep && (names.some(isErrorName) || reportsError(value)))
				throw reportedError('agent', value, rawOf(arrived));
			const isEnd = isEndWord(names[0] ?? '');
			hasEnded ||= isEnd;
			if (typeof value === 'string') return addWords(value, line);
			if (path !== undefined) return addText(extractTextAt(value, path) ?? '', '');
			const found = findAnswerText(arrived, names, question);
			if (!found?.text && !isStep && isPlainObject(value) && hasErrors(value))
				throw reportedError('agent', value, rawOf(arrived));
			// what the last event says is the answer only where nothing else is
			if (!found || (isEnd && !answer.isEmpty())) return '';
			hasJson = true;
			return addText(found.text, `${names.join()} ${found.path}`);
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

/** The text of an event, unless its name or a role shows that it is none of the answer. */
function findAnswerText({ value }: ArrivedEvent, names: string[], question: string) {
	if (names.some((name) => hasNoText(name) || isOtherRole(name)) || isFromOther(value))
		return undefined;
	return findText(value, question) ?? findText(value, undefined);
}

/** Reads events once more in which their row has found no text. A text that comes again counts once. */
export function readPlainTexts(events: readonly ArrivedEvent[], question: string): string {
	const texts = events.map((event) => findAnswerText(event, namesOf(event), question)?.text ?? '');
	return [...new Set(texts.filter((text) => text.trim() && !isEndMark(text)))].join('');
}

/** Characters. A shorter text may come twice. */
const MIN_REPEATED_LENGTH = 3;

const withoutSpace = (text: string) => text.replace(/\s+/g, '');

/** The names of an event: of its line, and in its data. */
function namesOf({ event, value }: ArrivedEvent): string[] {
	const { type, event: named, kind } = isPlainObject(value) ? value : {};
	return [event, type, named, kind].filter(
		(name): name is string => typeof name === 'string' && name !== '' && name !== 'message',
	);
}

const isErrorName = (name: string) => /(^|[^a-z])(error|failed|failure|abort(ed)?)$/i.test(name);

const isFromOther = (value: unknown): boolean => {
	const places = isPlainObject(value) ? [value, value['message'], value['data']] : [];
	return places.some((place) => isPlainObject(place) && isOtherRole(place['role']));
};
