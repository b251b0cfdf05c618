import type { IExecuteFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { findCaller, readSpeakerTurn } from './caller';
import { abortableSleep } from './n8nVersions';
import { sendChunk } from './platform';
import type { RedactedStream } from './redact';

/** Milliseconds in which text that comes fast is gathered into one chunk: each chunk makes n8n flush its compressor. */
const FLUSH_INTERVAL = 20;

/**
 * Milliseconds. A piece that comes so long after the piece before is not gathered, but sent at once. Below 10, since the pieces of a
 * service that writes one every 10 ms arrive some milliseconds early or late.
 */
const MIN_PAUSE = 5;

/** Milliseconds that a reader may take for one chunk. A slower one counts as gone. */
const MAX_READER_DELAY = 30_000;

/** Writes the text of one item to its reader: n8n's chat, or the caller of a streaming webhook. */
export interface LiveOutput {
	/** Resolves when more text may be written. */
	write(text: string): Promise<void>;
	/** Sends the remaining text, and the end of the stream. */
	end(): Promise<void>;
}

/**
 * Whether the output has a reader. Never for an AI agent's tool: there the stream is the agent's, although n8n says for both that
 * they stream (n8n-core 2.41.1, base-execute-context.js:160). For a speaker in a conversation, if the conversation says so.
 */
export function isLive(n8n: IExecuteFunctions): boolean {
	if (!n8n.isStreaming()) return false;
	return findCaller(n8n) === 'workflow' || (readSpeakerTurn(n8n)?.showLive ?? false);
}

/**
 * The first piece is sent at once, and so is a piece that comes after a pause. Pieces that come faster are sent together, one chunk an
 * interval. What comes while a chunk is being sent is gathered.
 *
 * @param stop Ends the wait for a reader who does not accept a chunk: in queue mode n8n may have lost the connection to them.
 * @param stream Redacts keys. Needed for a service's text.
 */
export function createLiveOutput(
	n8n: IExecuteFunctions,
	itemIndex: number,
	{
		stop,
		stream = UNREDACTED_STREAM,
	}: { stop?: AbortSignal | undefined; stream?: RedactedStream } = {},
): LiveOutput {
	const send = createChunkSender(n8n, itemIndex, stop);
	/** Text that has not been sent. */
	let gathered = '';
	/** When the writer of the last piece could go on: what a slow reader makes wait comes without a pause. */
	let lastWriteAt = -Infinity;
	/** Whether `begin` has been sent, and `end` has not. */
	let isOpen = false;
	let isSending = false;
	/** The last chunk: chunks follow one another. */
	let sent = Promise.resolve();
	/** The interval in which text is gathered. Another follows while there is text. */
	let window: Promise<void> | undefined;

	const flush = () => {
		const content = gathered;
		gathered = '';
		isSending = true;
		sent = sent.then(async () => {
			if (!isOpen) await send('begin');
			isOpen = true;
			await send('item', content);
			isSending = false;
		});
	};

	const gather = async () => {
		while (gathered) {
			await sleep(FLUSH_INTERVAL);
			await sent;
			// a piece after a pause, or the end, may have sent all
			if (gathered) flush();
			await sent;
		}
		window = undefined;
	};

	return {
		async write(piece) {
			const text = stream.push(piece);
			if (!text) return;
			gathered += text;
			const isAfterPause = Date.now() - lastWriteAt >= MIN_PAUSE;
			if (isAfterPause && !isSending) flush();
			else window ??= gather();
			await sent;
			lastWriteAt = Date.now();
		},
		async end() {
			gathered += stream.end();
			await sent;
			if (gathered) flush();
			sent = sent.then(async () => {
				if (isOpen) await send('end');
				isOpen = false;
			});
			await sent;
		},
	};
}

/** The live output of a speaker in a conversation, of whom the reader has to know the name. */
interface SpeakerOutput extends LiveOutput {
	/** Whether there was anything to write. */
	hasWritten(): boolean;
}

/** Writes the speaker's name before the first words, and nothing if there are none. */
export function withSpeakerName({ write, end }: LiveOutput, name: string): SpeakerOutput {
	let hasWritten = false;
	return {
		async write(piece) {
			if (!piece) return;
			const heading = hasWritten ? '' : `**${name}:**\n\n`;
			hasWritten = true;
			await write(heading + piece);
		},
		end,
		hasWritten: () => hasWritten,
	};
}

/** Sends chunks until the reader has left. A chunk that is not delivered costs the answer nothing. */
function createChunkSender(
	n8n: IExecuteFunctions,
	itemIndex: number,
	stop: AbortSignal | undefined,
) {
	/** Whether the reader took too long, or the execution was stopped. */
	let hasLeft = false;

	const deliver = async (type: ChunkType, content?: string) => {
		try {
			await sendChunk(n8n, type, itemIndex, content);
		} catch (cause) {
			n8n.logger.debug('A piece of live output was not delivered', { cause });
		}
	};

	return async (type: ChunkType, content?: string) => {
		if (hasLeft) return;
		const timer = new AbortController();
		const abort = () => timer.abort();
		stop?.addEventListener('abort', abort);
		const late = abortableSleep(MAX_READER_DELAY, timer.signal).catch(() => undefined);
		const delivered = deliver(type, content).then(() => true);
		hasLeft = !(await Promise.race([delivered, late]));
		stop?.removeEventListener('abort', abort);
		timer.abort();
	};
}

type ChunkType = 'begin' | 'item' | 'end';

const UNREDACTED_STREAM: RedactedStream = { push: (piece) => piece, end: () => '' };

/** For an item without a reader. */
export const NO_LIVE_OUTPUT: LiveOutput = { write: async () => {}, end: async () => {} };
