import { isObject, tryParseJson } from '../service/json';

/** An event without a name of its own may say it in its data: then the payload is beside it, or inside. */
export function namedEvent(called = '', data: string) {
	const event = called.trim().toLowerCase();
	const parsed = tryParseJson(data);
	const payload = parsed === undefined && data ? data : parsed;
	if ((event && event !== 'message') || !isObject(payload)) return { event, data, payload };
	const name = [payload['event'], payload['type'], payload['name']].find(
		(value) => typeof value === 'string' && value !== '',
	);
	if (typeof name !== 'string') return { event, data, payload };
	const inner = ['data', 'payload'].find((field) => Object.hasOwn(payload, field));
	return {
		event: name.trim().toLowerCase(),
		data,
		payload: inner === undefined ? payload : (payload[inner] ?? undefined),
	};
}

/** The whole stream's, not that of a tool, after which the assistant may answer all the same. */
export function reportsError(event: string, payload: unknown): boolean {
	if (/tool/.test(event)) return false;
	if (/error/.test(event)) return true;
	return isObject(payload) && Boolean(payload['error'] || (!event && payload['detail']));
}

/** Whether a body is a stream of events, whatever its type says. */
export const looksLikeEvents = (text: string) => /^\s*((event|data|id|retry):|:)/.test(text);
