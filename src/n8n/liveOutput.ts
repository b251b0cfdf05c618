import { type IExecuteFunctions, sleep } from 'n8n-workflow';

import { findCaller, hasVisitor } from './caller';
import { withDeadline } from './deadline';
import { sendChunk } from './platform';
import type { RedactedStream } from './redact';

/** Milliseconds in which text that comes fast is gathered into one chunk: each chunk makes n8n flush its compressor. */
const FLUSH_INTERVAL = 20;

/**
 * Milliseconds. A piece that comes this long after the previous one is not gathered, but sent at once. Below 10, since the pieces of a
 * service that writes one every 10 ms arrive some milliseconds early or late.
 */
const MIN_PAUSE = 5;

/** Milliseconds that a reader may take for one chunk. A slower one counts as gone. */
const MAX_READER_DELAY = 30_000;

/** Writes the text of one item to its reader: n8n's chat, or the caller of a streaming webhook. */
export type LiveOutput = ReturnType<typeof createLiveOutput>;

/**
 * The first piece is sent at once, and so is a piece that comes after a pause. Pieces that come faster are sent together, one chunk an
 * interval. What comes while a chunk is being sent is gathered.
 *
 * @param stop Ends the wait for a reader who does not accept a chunk: in queue mode n8n may have lost the connection to them.
 * @param stream Redacts keys. Needed for a service's text.
 * @param heading Written before the first words.
 */
export function createLiveOutput(
	n8n: IExecuteFunctions,
	itemIndex: number,
	{ stop, stream = UNREDACTED_STREAM, heading = '' }: LiveOutputOptions = {},
) {
	const chunks = createChunkSender(n8n, itemIndex, stop);
	/** Text that has not been sent. */
	let gathered = '';
	/** When the last write ended. A piece that had to wait for a slow reader does not come after a pause. */
	let lastWriteAt = -Infinity;
	let hasWritten = false;
	/** The chunk that is being sent: chunks follow one another. */
	let sending: Promise<void> | undefined;
	/** The interval in which text is gathered. Another follows while there is text. */
	let window: Promise<void> | undefined;

	const flush = async () => {
		while (sending) await sending;
		if (!gathered) return;
		sending = chunks.send(gathered).finally(() => (sending = undefined));
		gathered = '';
		await sending;
	};

	const gather = async () => {
		while (gathered) {
			await sleep(FLUSH_INTERVAL);
			await flush();
		}
		window = undefined;
	};

	const endWrite = () => void (lastWriteAt = Date.now());

	return {
		/** @returns undefined if more text may be written at once: a wait for each piece takes longer than the rest of it. */
		write(piece: string): Promise<void> | undefined {
			if (!piece) return undefined;
			const text = stream.push(hasWritten ? piece : heading + piece);
			hasWritten = true;
			if (!text) return undefined;
			gathered += text;
			const isAfterPause = Date.now() - lastWriteAt >= MIN_PAUSE;
			if (isAfterPause && !sending) return flush().then(endWrite);
			window ??= gather();
			if (sending) return sending.then(endWrite);
			return endWrite();
		},
		/** Sends the remaining text, and the end of the stream. @param after For what n8n writes next, such as an error. */
		async end(after = '') {
			gathered += stream.end();
			if (hasWritten) gathered += after;
			await flush();
			await chunks.end();
		},
		/** Whether there was anything to write. */
		hasWritten: () => hasWritten,
	};
}

interface LiveOutputOptions {
	stop?: AbortSignal | undefined;
	stream?: RedactedStream;
	heading?: string;
}

/** Sends chunks until the reader has left. A chunk that is not delivered does not affect the answer. */
function createChunkSender(
	n8n: IExecuteFunctions,
	itemIndex: number,
	stop: AbortSignal | undefined,
) {
	/** Whether `begin` has been sent, and `end` has not. */
	let isOpen = false;
	/** Whether the reader took too long, or the execution was stopped. */
	let hasLeft = false;

	const send = async (type: 'begin' | 'item' | 'end', content?: string) => {
		if (hasLeft) return;
		const delivered = sendChunk(n8n, type, itemIndex, content)
			.catch((cause: unknown) =>
				n8n.logger.debug('A piece of live output was not delivered', { cause }),
			)
			.then(() => true);
		hasLeft = !(await withDeadline(delivered, MAX_READER_DELAY, stop));
	};

	return {
		async send(content: string): Promise<void> {
			if (!isOpen) await send('begin');
			isOpen = true;
			await send('item', content);
		},
		async end(): Promise<void> {
			if (!isOpen) return;
			isOpen = false;
			await send('end');
		},
	};
}

const UNREDACTED_STREAM: RedactedStream = { push: (piece) => piece, end: () => '' };

/** How a speaker in a conversation is named in a chat, before its words. */
export const speakerHeading = (name: string) => `**${name}:**\n\n`;

/**
 * Writes a line into the chat that has started the execution, if it streams. Nothing for a tool, and for a program that reads the stream
 * of a webhook.
 */
export async function showProgress(
	n8n: IExecuteFunctions,
	itemIndex: number,
	output: LiveOutput,
	line: string,
): Promise<void> {
	if (findCaller(n8n) !== 'workflow' || !hasVisitor(n8n)) return;
	const which = n8n.getInputData().length > 1 ? `Item ${itemIndex + 1}: ` : '';
	await output.write(`${which}${line}\n\n`);
}

/** For an item without a reader. */
export const NO_LIVE_OUTPUT: LiveOutput = {
	write: () => undefined,
	end: async () => {},
	hasWritten: () => false,
};
