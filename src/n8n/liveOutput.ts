import type { IExecuteFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { abortableSleep, isStreaming, isToolType } from './n8nVersions';
import { sendChunk } from './platform';
import type { RedactedStream } from './redact';

/** Milliseconds in which text is gathered into one chunk. The delay is too short to notice, and each chunk makes n8n flush its compressor. */
const FLUSH_INTERVAL = 20;

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
 * they stream (n8n-core 2.41.1, base-execute-context.js:160).
 */
export function isLive(n8n: IExecuteFunctions): boolean {
	return isStreaming(n8n) && !isToolType(n8n.getNode().type);
}

/**
 * The first text is sent at once. What is written within one interval after it is sent as one chunk.
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
	/** Text that waits for the current window to end. */
	let gathered = '';
	/** Whether `begin` has been sent, and `end` has not. */
	let isOpen = false;
	/** Ends once nothing is left to gather. */
	let window: Promise<void> | undefined;
	/** The last chunk: chunks follow one another. */
	let sent = Promise.resolve();

	const flush = () => {
		const content = gathered;
		gathered = '';
		sent = sent.then(async () => {
			if (!isOpen) await send('begin');
			isOpen = true;
			await send('item', content);
		});
	};

	const gather = async () => {
		while (gathered) {
			flush();
			await sent;
			await sleep(FLUSH_INTERVAL);
		}
		window = undefined;
	};

	return {
		async write(piece) {
			const text = stream.push(piece);
			if (!text) return;
			gathered += text;
			window ??= gather();
			await sent;
		},
		async end() {
			gathered += stream.end();
			if (gathered) flush();
			sent = sent.then(async () => {
				if (isOpen) await send('end');
				isOpen = false;
			});
			await sent;
		},
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
