/**
 * Characters from which a chunk that repeats all the text before it is no coincidence. A shorter one may be a token that occurs
 * twice.
 */
const MIN_REPEAT_LENGTH = 12;
/** The same for the second chunk, when it equals the first. */
const MIN_IMMEDIATE_REPEAT_LENGTH = 40;
/** Letters in a row that no word begins with twice. */
const FOUR_LETTERS = /\p{L}{4}/u;
/** A chunk without any may well occur twice: white space, or a mark such as `#`. */
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** What a chunk contains: the new text only, or all the text so far. */
type ChunkForm = 'unknown' | 'increments' | 'cumulative';

/** Builds the text of one message from its chunks. */
function createMessageAccumulator(initialForm: 'unknown' | 'cumulative' = 'unknown') {
	let text = '';
	let chunkCount = 0;
	let form: ChunkForm = initialForm;
	/** A second chunk that begins with the first one. The next chunk decides whether it is all the text so far. */
	let pending: string | undefined;

	const append = (chunk: string) => {
		text += chunk;
		return chunk;
	};
	const growTo = (fullText: string) => append(fullText.slice(text.length));

	const releasePending = (isCumulative: boolean) => {
		if (pending === undefined) return '';
		const chunk = pending;
		pending = undefined;
		form = isCumulative ? 'cumulative' : 'increments';
		return isCumulative ? growTo(chunk) : append(chunk);
	};

	const addCumulative = (chunk: string) => {
		if (chunk.startsWith(text)) return growTo(chunk);
		if (isEarlierState(chunk, text)) return '';
		const sameLength = commonPrefixLength(chunk, text);
		if (sameLength < MIN_REPEAT_LENGTH || sameLength <= text.length / 2) return undefined;
		text = chunk;
		return chunk.slice(sameLength);
	};

	/** @returns undefined for a chunk that begins another message. */
	const add = (chunk: string): string | undefined => {
		if (form === 'cumulative') return addCumulative(chunk);
		if (pending !== undefined) {
			// all the text so far may also come again, as it is
			const isMore = chunk.length > pending.length || pending.length >= MIN_REPEAT_LENGTH;
			const isCumulative = (isMore || FOUR_LETTERS.test(text)) && chunk.startsWith(pending);
			return releasePending(isCumulative) + (add(chunk) ?? '');
		}
		if (isRepeat(chunk, text, chunkCount)) return '';
		chunkCount++;
		if (chunkCount === 1 || !extendsText(chunk, text)) {
			if (chunkCount > 1) form = 'increments';
			return append(chunk);
		}
		if (text.length >= MIN_REPEAT_LENGTH) {
			if (form === 'unknown') form = 'cumulative';
			return growTo(chunk);
		}
		if (form === 'increments') return append(chunk);
		pending = chunk;
		return '';
	};

	return {
		add,
		append,
		/** Adds the pending chunk: as all the text so far, unless it may as well be a syllable. */
		flush: () => releasePending(FOUR_LETTERS.test(text)),
		text: () => text,
	};
}

/** Whether a chunk may be all the text so far with an addition. */
const extendsText = (chunk: string, text: string) =>
	chunk.length > text.length && chunk.startsWith(text) && LETTER_OR_DIGIT.test(text);

/** Whether a cumulative chunk arrives late, after a longer one. */
const isEarlierState = (chunk: string, text: string) =>
	text.startsWith(chunk) && chunk.length > text.length / 2;

/** Whether a chunk repeats the whole message so far. */
const isRepeat = (chunk: string, text: string, chunkCount: number) =>
	chunk.length >= MIN_REPEAT_LENGTH &&
	chunk.length === text.length &&
	chunk === text &&
	(chunkCount > 1 || chunk.length >= MIN_IMMEDIATE_REPEAT_LENGTH);

/**
 * Builds the text of an answer from its chunks. Some services send only the new text in each chunk, some all the text so far,
 * and some repeat all of it at the end, in a chunk that looks like any other.
 *
 * Every method returns the new text, for live output. Joined, that is the text, unless a service corrects what it has sent
 * before.
 */
export function createTextAccumulator() {
	/** The messages that have ended. */
	let endedText = '';
	/** The last message that has ended. */
	let lastMessage = '';
	let message = createMessageAccumulator();

	const endMessage = () => {
		const text = message.text();
		if (!text) return;
		lastMessage = text;
		endedText += text;
		message = createMessageAccumulator();
	};

	/** Whether a new message only repeats what came before. */
	const repeatsEarlierText = (chunk: string) =>
		!message.text() &&
		chunk.length >= MIN_REPEAT_LENGTH &&
		(chunk === lastMessage || (chunk.length === endedText.length && chunk === endedText));

	const findAdditionAtEnd = (finalText: string) => {
		const current = message.text();
		const length = endedText.length + current.length;
		// a much shorter text is not compared with the whole answer: a stream may end ten thousand messages
		const fullText = finalText.length * 2 > length ? [endedText + current] : [];
		for (const known of [...fullText, current || lastMessage]) {
			const addition = known ? findNewText(finalText, known) : finalText;
			if (addition !== finalText) return addition;
		}
		return finalText;
	};

	return {
		add(chunk: string): string {
			if (!chunk || repeatsEarlierText(chunk)) return '';
			const added = message.add(chunk);
			if (added !== undefined) return added;
			endMessage();
			endedText += '\n\n';
			message = createMessageAccumulator('cumulative');
			return `\n\n${message.add(chunk) ?? ''}`;
		},
		/**
		 * A message has ended.
		 *
		 * @param finalText What the event at its end contains: the message again, the whole answer again, or the last chunk.
		 */
		finishMessage(finalText = ''): string {
			const added = message.flush() + message.append(findAdditionAtEnd(finalText));
			endMessage();
			return added;
		},
		/** Adds what is pending, once the answer has ended or broken off. */
		flush: () => message.flush(),
		text: () => endedText + message.text(),
	};
}

/** What the text at the end of a message adds to what is known. */
function findNewText(finalText: string, known: string): string {
	if (equalsIgnoringWhitespace(finalText, known)) return '';
	const isLongEnough = known.length >= MIN_REPEAT_LENGTH;
	if (finalText.startsWith(known) && (isLongEnough || /\S\S/.test(known)))
		return finalText.slice(known.length);
	if (!isLongEnough || finalText.length < MIN_REPEAT_LENGTH) return finalText;
	const shorter = Math.min(finalText.length, known.length);
	const isSimilar =
		commonPrefixLength(finalText, known) >= Math.max(MIN_REPEAT_LENGTH, shorter / 2);
	return isSimilar || known.includes(finalText) || finalText.includes(known) ? '' : finalText;
}

function commonPrefixLength(one: string, other: string): number {
	const limit = Math.min(one.length, other.length);
	let length = 0;
	while (length < limit && one.charCodeAt(length) === other.charCodeAt(length)) length++;
	return length;
}

/** Whether two texts differ in white space at most. Texts of very different lengths are not compared. */
function equalsIgnoringWhitespace(one: string, other: string): boolean {
	if (one === other) return true;
	const difference = Math.abs(one.length - other.length);
	if (difference > 64 + one.length / 8) return false;
	return one.replace(/\s+/g, '') === other.replace(/\s+/g, '');
}
