import { parseJson } from '../../../src/core/json';
import { CallFailure, type ModelFetch } from '../../../src/n8n/languageModel';
import {
	dropRepeatedSteps,
	toChatCompletion,
	toChunk,
	toLastChunks,
	toTextChunk,
} from '../../../src/router/chatReply';
import type { TextAnswer } from '../../../src/router/textAnswer';

/**
 * Asks the model.
 *
 * @param onText Receives every piece of the answer's text as it arrives.
 * @param signal Aborts when the client gives up.
 */
export type AskModel = (
	body: Record<string, unknown>,
	onText: (text: string) => void,
	signal?: AbortSignal,
) => Promise<TextAnswer>;

/**
 * Answers the chat-completions requests of a client with the model's answers: in one piece or as a stream, as requested.
 *
 * @param ask Throws the error that the user sees.
 */
export function createModelFetch(ask: AskModel): ModelFetch {
	return async (_address, init) => {
		const request = parseJson(String(init?.body)) as Record<string, unknown>;
		const { stream, ...body } = request;
		// the service sets it itself
		delete body['stream_options'];
		body['messages'] = dropRepeatedSteps(body['messages']);
		const signal = init?.signal ?? undefined;
		try {
			if (stream === true) return await streamReply(ask, body, signal);
			const answer = await ask(body, () => {}, signal);
			return reply('application/json', JSON.stringify(toChatCompletion(answer)));
		} catch (cause) {
			throw toCallFailure(cause);
		}
	};
}

/** A function, since n8n's linter forbids to throw another error than its own. */
const toCallFailure = (cause: unknown) =>
	new CallFailure(cause instanceof Error ? cause : new Error(String(cause)));

const reply = (type: string, body: string | ReadableStream<Uint8Array>) =>
	new Response(body, { headers: { 'content-type': type } });

/** Resolves with the first text, so that a failure before it fails the whole call. */
async function streamReply(
	ask: AskModel,
	body: Record<string, unknown>,
	signal: AbortSignal | undefined,
): Promise<Response> {
	const texts = createTextChannel();
	const answered = ask(body, texts.write, signal).finally(texts.end);
	// a failure is thrown where the answer is awaited, unless its reader has left
	answered.catch(() => undefined);
	const first = await texts.read();
	if (!first) await answered;

	const encoder = new TextEncoder();
	const toEvents = (chunks: object[], end = '') =>
		encoder.encode(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('') + end);
	const stream = new ReadableStream<Uint8Array>(
		{
			start(controller) {
				if (first)
					controller.enqueue(toEvents([toChunk('', { role: 'assistant', content: first })]));
			},
			async pull(controller) {
				const text = await texts.read();
				if (text) return controller.enqueue(toEvents([toTextChunk(text)]));
				const last = toLastChunks(await answered, first !== '');
				controller.enqueue(toEvents(last, 'data: [DONE]\n\n'));
				controller.close();
			},
			cancel: texts.leave,
		},
		// nothing is read ahead: what arrives in the meantime becomes one piece
		{ highWaterMark: 0 },
	);
	return reply('text/event-stream', stream);
}

/**
 * A buffer between the model and the reader of its text. A reader that is slower than the model gets fewer, longer pieces, and none of
 * them late.
 */
function createTextChannel() {
	let arrived = '';
	let isOver = false;
	let hasReader = true;
	/** Wakes the waiting reader. */
	let wake = () => {};
	return {
		/** @throws if the reader has left: the rest of the answer is then not read. */
		write(text: string): void {
			if (!hasReader) throw new Error('The answer no longer has a reader');
			arrived += text;
			if (text) wake();
		},
		end(): void {
			isOver = true;
			wake();
		},
		leave: () => void (hasReader = false),
		/** @returns all text that has arrived, as soon as there is any; an empty text at the end. */
		async read(): Promise<string> {
			if (!arrived && !isOver) await new Promise<void>((resolve) => (wake = resolve));
			const text = arrived;
			arrived = '';
			return text;
		},
	};
}
