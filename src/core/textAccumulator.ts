/** Builds the text of one message from its pieces. */
function createMessage() {
	let text = '';
	/** Whether each piece is new text only, or all the text so far: the first piece that does not begin with the text before it decides. */
	let form: 'unknown' | 'increments' | 'cumulative' = 'unknown';
	/** How often the first piece has come again. */
	let repeats = 0;
	/** A piece that begins with all the text before it. The next one decides whether that was a coincidence. */
	let pending = '';

	const append = (piece: string) => {
		text += piece;
		return piece;
	};
	const growTo = (whole: string) => append(whole.slice(text.length));

	const settle = (settledForm: 'increments' | 'cumulative') => {
		form = settledForm;
		const added = form === 'cumulative' ? growTo(pending) : append(text.repeat(repeats) + pending);
		pending = '';
		repeats = 0;
		return added;
	};

	return {
		add(piece: string): string {
			if (form === 'increments' || text === '') return append(piece);
			if (!piece.startsWith(pending || text)) return settle('increments') + append(piece);
			if (form === 'cumulative') return growTo(piece);
			if (pending) return settle('cumulative') + growTo(piece);
			if (piece.length === text.length) repeats++;
			else pending = piece;
			return '';
		},
		/** Adds what is pending, once the message has ended or broken off. */
		flush(): string {
			return pending ? settle('cumulative') : repeats ? settle('increments') : '';
		},
		append,
		text: () => text,
	};
}

/**
 * Builds the text of an answer from its pieces. Some services send only the new text in each piece, some all the text so far, and
 * some repeat all of it when a message ends.
 *
 * Every method returns the new text, for live output. Joined, that is the text.
 *
 * @param separator Stands between two messages.
 */
export function createTextAccumulator(separator = '') {
	/** The messages that have ended, with their separators. */
	let ended = '';
	let endedCount = 0;
	/** The last message that has ended. */
	let lastMessage = '';
	let message = createMessage();

	/** Puts the separator before the first text of a message. */
	const separate = (wasEmpty: boolean, added: string) =>
		added && wasEmpty && ended ? separator + added : added;

	const addBy = (method: 'add' | 'append', piece: string) => {
		const wasEmpty = !message.text();
		return piece ? separate(wasEmpty, message[method](piece)) : '';
	};

	const text = () => ended + separate(true, message.text());

	return {
		add: (piece: string): string => addBy('add', piece),
		/** Adds a piece that is certainly new text. */
		append: (piece: string): string => addBy('append', piece),
		/**
		 * A message has ended.
		 *
		 * @param finalText What the event at its end contains: the message again, the whole answer again, or the last piece.
		 */
		finishMessage(finalText = ''): string {
			const added = message.flush();
			const current = message.text();
			const addition = findAddition(finalText, current, lastMessage, text());
			const more = separate(!current, message.append(addition));
			if (message.text()) {
				lastMessage = message.text();
				ended = text();
				endedCount++;
				message = createMessage();
			}
			return added + more;
		},
		/** Whether a piece is the message or the answer so far. */
		isKnown: (piece: string): boolean =>
			piece.trim() !== '' && repeatsAny(piece, [message.text() || lastMessage, text()]),
		flush: () => message.flush(),
		endedCount: () => endedCount,
		text,
	};
}

/** What the text at the end of a message adds: nothing if it repeats what is known, its end if it begins with that, otherwise all of it. */
function findAddition(
	finalText: string,
	current: string,
	lastMessage: string,
	answer: string,
): string {
	for (const known of [current, answer]) {
		const begins = current && finalText.length >= known.length && finalText.startsWith(known);
		if (begins) return finalText.slice(known.length);
	}
	return repeatsAny(finalText, [current || lastMessage, answer]) ? '' : finalText;
}

const repeatsAny = (text: string, known: string[]) =>
	known.some((each) => equalsButForSpace(text, each));

/** Some services trim what they repeat. A shorter text is not compared: a stream may end ten thousand messages. */
const equalsButForSpace = (finalText: string, known: string) =>
	finalText.length * 2 >= known.length && withoutSpace(finalText) === withoutSpace(known);

const withoutSpace = (text: string) => text.replace(/\s+/g, '');
