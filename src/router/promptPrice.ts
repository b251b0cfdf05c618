import { isPlainObject, type JsonObject } from '../core/json';
import { largest, readTokenPrices } from './tokenPrices';

/**
 * What a token costs that goes into a cache, in tokens of the prompt: for five minutes, and for an hour. Catalogs of the specification have no price for it.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/prompt-caching#pricing
 */
export const WRITE_FACTORS = { minutes: 1.25, hour: 2 };

/** What a token of the prompt costs at most, in micro-dollars. @param isText Whether the prompt has no file, and so no sound. */
export function dearestPromptToken(pricing: unknown, body: JsonObject, isText: boolean) {
	const prices = readTokenPrices(pricing);
	const each = isText ? prices.dearestInput : prices.dearestWithSound;
	const factor = findWriteFactor(body);
	if (factor === 1 || !each) return each;
	const forHour = factor === WRITE_FACTORS.hour ? prices.writtenForHour : undefined;
	return largest(each.times(factor), forHour);
}

/**
 * What a token of the prompt costs at most, in tokens that are in no cache: those up to a mark may go into one.
 *
 * @param body Of a request.
 */
function findWriteFactor(body: unknown): number {
	if (Array.isArray(body))
		return body.reduce<number>((most, each) => Math.max(most, findWriteFactor(each)), 1);
	if (!isPlainObject(body)) return 1;
	const { cache_control: mark, ...others } = body;
	if (!mark) return findWriteFactor(Object.values(others));
	const { ttl = '5m' } = Object(mark) as JsonObject;
	return ttl === '5m' ? WRITE_FACTORS.minutes : WRITE_FACTORS.hour;
}
