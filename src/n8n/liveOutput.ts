import type { IExecuteFunctions } from 'n8n-workflow';
import { isToolType, sleep } from 'n8n-workflow';

/** Milliseconds in which pieces are gathered: no eye sees them, and each chunk costs n8n a flush of its compressor. */
const WINDOW = 20;

/** Milliseconds that a reader may take for one piece; whoever takes longer has left. */
const PATIENCE = 30_000;

/** Writes the text of one item to whoever waits for it: n8n's chat, or the caller of a streaming webhook. */
export interface LiveOutput {
	/** Resolves when the text may be followed by more. */
	write(text: string): Promise<void>;
	/** Sends what is left, and says that no more comes. */
	end(): Promise<void>;
}

/**
 * Whether somebody reads along. Never for a node that an AI agent uses as a tool: there the stream is the agent's, and n8n
 * says in both cases that it streams (n8n-core 2.41.1, base-execute-context.js:160).
 */
export function isLive(n8n: IExecuteFunctions): boolean {
	return n8n.isStreaming() && !isToolType(n8n.getNode().type);
}

/**
 * The first piece goes out at once; those that arrive within a window of it travel as one.
 *
 * @param stop Ends the wait for a reader who does not take a piece: in queue mode n8n's way to them may be gone.
 */
export function liveOutput(
	n8n: IExecuteFunctions,
	itemIndex: number,
	stop?: AbortSignal,
): LiveOutput {
	let gathered = '';
	let [begun, gone] = [false, false];
	let window: Promise<void> | undefined;
	let sent = Promise.resolve();

	const deliver = async (type: 'begin' | 'item' | 'end', content?: string) => {
		try {
			await n8n.sendChunk(type, itemIndex, content);
		} catch (cause) {
			// a reader who left costs the answer nothing
			n8n.logger.debug('A piece of live output was not delivered', { cause });
		}
	};

	const send = async (type: 'begin' | 'item' | 'end', content?: string) => {
		if (gone) return;
		const over = new AbortController();
		const leave = () => over.abort();
		stop?.addEventListener('abort', leave);
		const late = sleep(PATIENCE, over.signal).catch(() => undefined);
		const delivered = deliver(type, content).then(() => true);
		gone = !(await Promise.race([delivered, late]));
		stop?.removeEventListener('abort', leave);
		over.abort();
	};

	const flush = () => {
		const content = gathered;
		gathered = '';
		sent = sent.then(async () => {
			if (!begun) await send('begin');
			begun = true;
			await send('item', content);
		});
	};

	const gather = async () => {
		while (gathered) {
			flush();
			await sent;
			await sleep(WINDOW);
		}
		window = undefined;
	};

	return {
		async write(text) {
			if (!text) return;
			gathered += text;
			window ??= gather();
			await sent;
		},
		async end() {
			if (gathered) flush();
			sent = sent.then(async () => {
				if (begun) await send('end');
				begun = false;
			});
			await sent;
		},
	};
}

/** For an item that nobody reads along. */
export const NOT_LIVE: LiveOutput = { write: async () => {}, end: async () => {} };
