import { END_MARK, END_WORD } from '../core/sse';
import { reportedError } from '../core/body';
import { hasErrors, reportsError } from '../core/errorResponses';
import { extractTextAt, findText, hasNoText, inWords, OTHER_ROLE } from '../core/extractText';
import { createTextAccumulator, withoutSpace } from '../core/textAccumulator';
import { newState, rawOf, type ArrivedEvent, type EventReader } from './eventReader';

/**
 * Reads the events of an answer that no row of the table recognizes.
 *
 * The text is in the usual fields, or at the path that the user entered, or words as they are. A name of an event shows that it has no text, or
 * reports an error. `[DONE]` and the end of the body are its ends.
 */
export function createPlainReader(question: string, path: string | undefined) {
	const answer = createTextAccumulator();
	const state = newState();
	const isRepeated = createRepeatFinder();
	/** Whether JSON had a text. */
	let hasJson = false;
	const finder = createTextFinder(question, answer.isEmpty);

	const addText = (text: string, place: string): string => {
		if (!text || isRepeated(text, place)) return '';
		state.hasEnded = false;
		return answer.append(text);
	};

	const addWords = (words: string, line: string): string => {
		if (isPrinted(words)) return '';
		// after JSON, a word such as `DONE` names the end
		state.isOver = END_MARK.test(words) || (hasJson && !line && END_WORD.test(words));
		const isNone = state.isOver || hasNoText(line) || (END_WORD.test(words) && END_WORD.test(line));
		return isNone || path !== undefined ? '' : addText(words, line);
	};

	const addFound = (found: FoundText, isEnd: boolean): string => {
		// what the last event says is the answer only where nothing else is
		if (isEnd && !answer.isEmpty()) return '';
		hasJson = true;
		return addText(finder.withEcho(found), found.place);
	};

	return {
		add(arrived: ArrivedEvent): string {
			const { event, value } = arrived;
			const names = namesOf(arrived);
			const isStep = hasNoText(names);
			const isEnd = END_WORD.test(names.split('\n', 1)[0] ?? '');
			const found = isStep || path !== undefined ? undefined : finder.find(value, names);
			state.hasEnded ||= isEnd;
			if (!isStep && isFailure(value, names, path === undefined && !found?.text)) {
				state.failure = reportedError('agent', value, rawOf(arrived));
				return '';
			}
			if (typeof value === 'string') return addWords(value, event);
			if (path !== undefined) return addText(extractTextAt(value, path) ?? '', '');
			return found ? addFound(found, isEnd) : '';
		},
		finish: (isWhole) => (isWhole && answer.isEmpty() ? answer.append(finder.echo()) : ''),
		/** Adds a piece of plain text. */
		append: answer.append,
		text: answer.text,
		waits: () => [],
		state,
	} satisfies EventReader & Record<string, unknown>;
}

/** What the fields of an event say. */
interface FoundText {
	text: string;
	/** The names of the event, and the field. */
	place: string;
	/** Who says it, where a field names that. */
	source: string;
}

/**
 * Finds texts in the usual fields. The first is put aside if it repeats the question: it is the answer where nothing else is, and its beginning
 * where that goes on in the same place.
 */
function createTextFinder(question: string, isFirst: () => boolean) {
	let echo: FoundText | undefined;
	return {
		find(value: unknown, names: string): FoundText | undefined {
			if (typeof value === 'string' || OTHER_ROLE.test(`${names}\n${roleOf(value)}`))
				return undefined;
			const other = findText(value, question);
			const found = other?.text ? other : findText(value);
			if (!found) return undefined;
			// AutoGen names the speaker so
			const { source } = value as Record<string, unknown>;
			const from = typeof source === 'string' ? source : '';
			const said = { text: found.text, place: `${names} ${found.path}`, source: from };
			if (other?.text || !said.text || echo || !isFirst()) return said;
			echo = said;
			return undefined;
		},
		/** @returns a text, after the one put aside if it goes on with that. */
		withEcho({ text, place, source }: FoundText): string {
			if (!echo || !isFirst() || echo.text.length > MAX_PIECE) return text;
			return echo.place === place && echo.source === source ? echo.text + text : text;
		},
		echo: () => echo?.text ?? '',
	};
}

/** Characters. A stream begins with a few words: what is longer is the question, told before the answer. */
const MAX_PIECE = 20;

/** @param isWithoutText Whether a list of errors is no part of an answer. */
const isFailure = (value: unknown, names: string, isWithoutText: boolean): boolean =>
	ERROR_NAME.test(inWords(names)) || reportsError(value) || (isWithoutText && hasErrors(value));

/** Finds a text that comes again in another place, because it is whole. A place is the names of an event, and a field. */
function createRepeatFinder() {
	let lastPlace: string | undefined;
	/** All texts up to the last change of the place, without white space. */
	const texts: string[] = [];
	/** Those since then. Most answers have all of their text in one place, and nothing is compared. */
	const since: string[] = [];

	/** From the end, text by text: to join them again and again would take longer with each. */
	const isAtEnd = (text: string): boolean => {
		let rest = text;
		for (let at = texts.length - 1; at >= 0 && rest; at--) {
			const last = texts[at] ?? '';
			if (last.length > rest.length)
				return rest.length > MIN_REPEATED_LENGTH && last.endsWith(rest);
			if (!rest.endsWith(last)) return false;
			rest = rest.slice(0, rest.length - last.length);
		}
		return rest === '';
	};
	return (text: string, place: string): boolean => {
		const hasWords = /\S/.test(text);
		if (hasWords && place !== lastPlace && lastPlace !== undefined) {
			for (const each of since.splice(0)) texts.push(withoutSpace(each));
			if (isAtEnd(withoutSpace(text))) return true;
		}
		lastPlace = place;
		if (hasWords) since.push(text);
		return false;
	};
}

/** The names of an event, one a line: that of its line, and those in its data. `message` says nothing. */
function namesOf({ event: line, value }: ArrivedEvent): string {
	const { type, event, kind } = (value ?? {}) as Record<string, unknown>;
	let names = '';
	for (const name of [line, type, event, kind])
		if (typeof name === 'string' && name && name !== 'message') names += names ? `\n${name}` : name;
	return names;
}

/** Whose message an event is; empty if it does not say. */
function roleOf(value: unknown): string {
	const { role, message, data } = (value ?? {}) as Record<string, { role?: unknown } | null>;
	const given: unknown = role ?? message?.role ?? data?.role;
	return typeof given === 'string' ? given : '';
}

/** Whether it is an event of Strands that is no JSON: its server sends what Python prints (bedrock-agentcore, `_safe_serialize_to_json_string`). */
const isPrinted = (words: string): boolean =>
	/^\{'\w+': /.test(words) && words.endsWith('}') && /<strands\.|event_loop/.test(words);

/** Characters. A shorter text may come twice. */
const MIN_REPEATED_LENGTH = 3;

const ERROR_NAME = /(^|[^a-z])(error|failed|failure|abort(ed)?)$/m;
