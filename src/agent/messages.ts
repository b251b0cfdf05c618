import { answersIn, isOtherPart, isOthers, textOf, unwrapped } from '../core/extractText';
import { isPlainObject, isEmptyValue, type JsonObject } from '../core/json';
import type { Meaning, Paths } from './dialect';
import { createGrowth } from './growth';
import { createParagraphs, createSideBySide, type Paragraphs } from './paragraphs';
import { entriesOf, holds, questionAt, saidAt, textAt, valueAt, type NamedEvent } from './paths';

/** Builds the messages of an answer from what events mean. */
export function createMessages() {
	const answer = createParagraphs();
	const { addNew } = answer;
	const grown = createGrowth(answer);
	const { addPiece, endOwn, isNew, release } = createSideBySide(answer);
	const findId = createIdFinder();
	/** The whole conversation, as it came last. */
	let conversation: unknown;
	/** What counts where nothing else does. */
	const spare = new Map<unknown, string>();
	/** Whether a text has come in place of an earlier one. */
	let isReplaced = false;

	const finish = (): string => {
		const messages = said(conversation);
		conversation = undefined;
		return release() + addRest(answer, messages);
	};

	const addWhole = (meaning: Meaning, value: unknown): string => {
		const { all, replaces, asks, call } = meaning;
		if (all !== undefined) return answer.isSilent() ? addNew([saidAt(value, all)]) : '';
		if (replaces !== undefined) {
			isReplaced ||= !answer.isEmpty();
			return finish() + addNew([questionAt(value, replaces)]);
		}
		if (asks !== undefined) return finish() + addQuestions(answer, entriesOf(value, call), asks);
		return answer.current() ? '' : addNew(wholeMessages(meaning, value).filter(isNew));
	};

	return {
		/** @returns the text that a meaning of an event adds. */
		add(meaning: Meaning, event: NamedEvent): string {
			const { piece, copies, from, grows, state, spare: spareAt } = meaning;
			const { value } = event;
			if (spareAt !== undefined) keepMessages(valueAt(value, spareAt), spare);
			if (meaning.forgets) isReplaced ||= answer.current() !== '';
			const { id, isOther } = findId(meaning, event);
			if (isOther) return '';
			if (meaning.repeats) return grown.repeat(meaning, event, id ?? '');
			if (state !== undefined) conversation = valueAt(value, state) ?? conversation;
			const mayBeCopy = copies && holds(event, copies);
			if (piece !== undefined)
				return addPiece(saidAt(value, piece), id, from && valueAt(value, from), mayBeCopy);
			if (grows !== undefined) return grown.grow(saidAt(value, grows), id ?? '', mayBeCopy);
			return addWhole(meaning, value);
		},
		isOfOthers,
		isOther: hasOther,
		ask: addNew,
		end: answer.endMessage,
		endOwn,
		beginRun: answer.beginRun,
		/** @returns the text of messages of the conversation that were not streamed. */
		finish: (hasEnded: boolean): string =>
			finish() + (hasEnded && answer.isEmpty() ? addNew(joinPieces([...spare.values()])) : ''),
		text: answer.text,
		isReplaced: () => isReplaced || grown.isReplaced(),
	};
}

/** Whether an event is a piece of what someone else says, as a tool between two messages of the agent. */
const isOfOthers = ({ piece }: Meaning, { value }: NamedEvent): boolean =>
	piece !== undefined && !saidAt(value, piece) && textAt(value, piece) !== '';

/** Whether an event has something else than text where pieces of a message are, as what a tool on the server does. */
const hasOther = ({ piece }: Meaning, { value }: NamedEvent): boolean =>
	[piece ?? []]
		.flat()
		.some((path) => path !== '' && [valueAt(value, path)].flat().some(isOtherPart));

/** A message of an event, or those that a step adds to a conversation. */
const wholeMessages = ({ whole, added }: Meaning, value: unknown): string[] =>
	whole === undefined ? said(added && valueAt(value, added)) : [saidAt(value, whole)];

/** Adds what follows the last message that is known. */
function addRest(answer: Paragraphs, messages: readonly string[]): string {
	const isFirst = answer.isSilent();
	answer.endMessage();
	const known = messages.findLastIndex(answer.isKnown);
	return isFirst || known >= 0 ? answer.addNew(messages.slice(known + 1)) : '';
}

/** Adds the question of each. A whole answer that follows does not repeat them. */
function addQuestions(answer: Paragraphs, asking: readonly unknown[], asks: Paths): string {
	const isFirst = answer.isSilent();
	const text = answer.addNew(asking.map((one) => questionAt(one, asks)));
	if (isFirst) answer.beginRun();
	return text;
}

/** Tells messages apart that come side by side. */
function createIdFinder() {
	/** IDs of messages of someone else. */
	const others = new Set<string>();
	/** How many events each place has had, for IDs that count them. */
	const counts = new Map<string, number>();
	let last: string | undefined;

	const countIn = (place: unknown): string => {
		const key = JSON.stringify(place);
		const number = counts.get(key) ?? 0;
		counts.set(key, number + 1);
		return JSON.stringify([place, number].flat());
	};

	return (meaning: Meaning, event: NamedEvent): { id?: string | undefined; isOther: boolean } => {
		const { id: path, numberedBelow, isOther } = meaning;
		if (path === undefined && numberedBelow === undefined) return { isOther: false };
		const found = firstAt(event.value, path ?? numberedBelow ?? '');
		if (numberedBelow !== undefined) last = countIn(found);
		else if (found !== undefined) last = JSON.stringify(found);
		const id = last ?? '';
		const isSomeoneElse = isOthers(event.value) || (isOther && holds(event, isOther)) === true;
		// without an ID, only the event itself is someone else's
		if (isSomeoneElse && found !== undefined) others.add(id);
		return { id, isOther: isSomeoneElse || others.has(id) };
	};
}

/** Of several paths, what the first has that leads to something. */
function firstAt(value: unknown, path: Paths): unknown {
	if (typeof path === 'string') return valueAt(value, path);
	return path.map((each) => valueAt(value, each)).find((found) => !isEmptyValue(found));
}

/** @param kept By ID: a state may repeat messages that events have told. */
function keepMessages(list: unknown, kept: Map<unknown, string>): void {
	for (const message of spoken(list)) {
		const text = textIn(message);
		kept.set(message['messageId'] ?? text, text);
	}
}

/** Whole messages, or the pieces of one, which show by what they begin or end with (Agent Stack: agents/chat/src/chat/agent.py). */
const joinPieces = (texts: string[]): string[] =>
	texts.some((text) => /^[\s,.!?，。！？]|\s$/.test(text)) ? [texts.join('')] : [...new Set(texts)];

/** What the assistant said last in a conversation. */
const spoken = (list: unknown) =>
	(answersIn([list].flat().map(unwrapped)) ?? []).filter(isPlainObject);

const textIn = ({ content, parts }: JsonObject): string => textOf(content ?? parts) ?? '';

const said = (list: unknown): string[] => spoken(list).map(textIn);
