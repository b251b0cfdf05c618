import { hasContent } from './extractText';
import { truncatedAnswerError, withDetails } from './errors';
import type { HttpResponse } from './http';
import { isPlainObject } from './json';
import type { AnswerPiece } from './answerPieces';

/** How long nothing has come that carries anything. */
export type Silence = ReturnType<typeof createSilence>;

/** Milliseconds for which the end mark of an answer is waited for that has ended. */
const MAX_WAIT_FOR_END = 10_000;

/** Measures for how long a stream has said nothing: bytes alone, such as comments and pings, do not count. */
export function createSilence(response: Pick<HttpResponse, 'idleTimeout' | 'clock' | 'hear'>) {
	const { idleTimeout, clock } = response;
	const now = clock ? () => clock.now() : () => Date.now();
	let since = now();
	response.hear?.();
	return {
		/** Something came that carries content. */
		end(): void {
			since = now();
			response.hear?.();
		},
		/** @throws ServiceError `truncated` when only keep-alive messages came for the whole idle timeout. */
		check(): void {
			if (now() - since > idleTimeout) throw keepAliveError(idleTimeout);
		},
		/** @returns undefined if ten seconds of silence end before the promise is kept. */
		async endsBefore<Next>(next: Promise<Next>): Promise<Next | undefined> {
			const left = since + MAX_WAIT_FOR_END - now();
			if (!clock) return await next;
			// a person who stops the execution ends the reading, not the wait
			const wait = async () => await clock.sleep(left).catch(async () => void (await next));
			return left > 0 ? await Promise.race([next, wait().then(() => undefined)]) : undefined;
		},
	};
}

export const keepAliveError = (idleTimeout: number) =>
	withDetails(truncatedAnswerError(`Only keep-alive messages came for ${idleTimeout / 1000} s.`), {
		advice: 'If the agent needs longer before it answers, raise Idle Timeout in Request Settings.',
	});

/** Names of events that only keep a connection open. */
const PING = /^(ping|heart-?_?beat|keep-?_?alive)$/i;

/** Fields that have the text of an event. An event with nothing in it carries nothing. */
const TEXTS = ['delta', 'content', 'text', 't', 'token'];

/**
 * Whether an event carries nothing: a ping, an empty delta, choices without anything in them. Reasoning, tool calls, progress, status and
 * events of the service's own do carry something.
 */
export function isKeepAlive({ event, value, data }: AnswerPiece): boolean {
	if (data === '') return event === '' || PING.test(event);
	if (PING.test(event)) return true;
	if (!isPlainObject(value)) return value === null;
	const { type, event: name, choices } = value;
	if (typeof type === 'string' && PING.test(type)) return true;
	if (typeof name === 'string' && PING.test(name)) return true;
	if (Array.isArray(choices))
		return !choices.some((choice) => hasContent(choice)) && !value['usage'];
	for (const field of TEXTS) {
		if (!Object.hasOwn(value, field)) continue;
		const text = value[field];
		return !(typeof text === 'string' && text !== '') && !hasContent(value);
	}
	return false;
}
