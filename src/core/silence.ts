import { truncatedAnswerError, withDetails } from './errors';
import { isPlainObject } from './json';
import { isEmptyValue } from './missing';
import type { AnswerPiece } from './sse';

export const keepAliveError = (idleTimeout: number) =>
	withDetails(truncatedAnswerError(`Only keep-alive messages came for ${idleTimeout / 1000} s.`), {
		advice: 'If the agent needs longer before it answers, raise Idle Timeout in Request Settings.',
	});

/** Names of events that only keep a connection open. */
const PING = /^(ping|heart-?_?beat|keep-?_?alive)$/i;

/** Fields that have the text of an event. An event with nothing in it carries nothing. */
const TEXTS = ['delta', 'content', 'text', 't', 'token'];

/**
 * Whether a piece carries nothing: a ping, an empty delta, choices without anything in them. Reasoning, tool calls, progress, status and
 * events of the service's own do carry something.
 */
export function isKeepAlive({ event, value }: Pick<AnswerPiece, 'event' | 'value'>): boolean {
	if (PING.test(event)) return true;
	if (typeof value === 'string' && !value.trim()) return event === '';
	if (!isPlainObject(value)) return value === null;
	const { type, event: named, choices, usage } = value;
	if ([type, named].some((name) => typeof name === 'string' && PING.test(name))) return true;
	if (Array.isArray(choices)) return !usage && choices.every(isEmptyChoice);
	const isText = TEXTS.some((field) => value[field] === '');
	return isText && !TEXTS.some((field) => value[field]) && !Object.values(value).some(isFilled);
}

const isFilled = (value: unknown) => typeof value === 'object' && !isEmptyValue(value);

function isEmptyChoice(choice: unknown): boolean {
	const { delta, ...fields } = isPlainObject(choice) ? choice : {};
	const more = isPlainObject(delta) ? delta : {};
	return Object.values({ ...fields, index: 0, ...more, role: '' }).every(isEmptyValue);
}
