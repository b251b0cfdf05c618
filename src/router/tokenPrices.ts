import { isPlainObject, type JsonObject } from '../core/json';
import { type Decimal, readDecimal } from '../core/money';

type TokenPrices = ReturnType<typeof parseTokenPrices>;

/** Of the catalog, whose entries many requests share. */
const knownPrices = new WeakMap<object, TokenPrices>();

/**
 * The prices of a catalog entry for tokens: USD per million, which is micro-dollars per token.
 *
 * @param pricing Of the catalog entry.
 */
export function readTokenPrices(pricing: unknown): TokenPrices {
	if (!isPlainObject(pricing)) return parseTokenPrices({});
	const prices = knownPrices.get(pricing) ?? parseTokenPrices(pricing);
	knownPrices.set(pricing, prices);
	return prices;
}

function parseTokenPrices(prices: JsonObject) {
	const input = readDecimal(prices['input_per_mtok']);
	const cached = readDecimal(prices['cached_input_per_mtok']);
	/**
	 * What a token costs that goes into a cache. A price below that of other tokens is only that of the storage, and comes on top.
	 *
	 * @see https://openrouter.ai/docs/features/prompt-caching (Gemini: $0.30 for input, and $1.00 for an hour of storage, are listed as 0.3 and 0.0833)
	 */
	const readWritten = (name: string) => {
		const listed = readDecimal(prices[name]);
		return input && listed?.lt(input) ? input.plus(listed) : listed;
	};
	const written = readWritten('cache_write_per_mtok');
	const sound = readDecimal(prices['audio_input_per_mtok']);
	const dearestInput = input && [cached, written].reduce<Decimal>(largest, input);
	return {
		input,
		cached,
		sound,
		output: readDecimal(prices['output_per_mtok']),
		/** Of a token that goes into a cache for five minutes, where the catalog has it. */
		written,
		/** The same for an hour. */
		writtenForHour: readWritten('cache_write_1h_per_mtok'),
		/** A token of a cache may cost more than another one. Undefined without a price for those that are not cached. */
		dearestInput,
		/** The same for a prompt that may have sound. */
		dearestWithSound: dearestInput && largest(dearestInput, sound),
	};
}

const largest = (most: Decimal, price: Decimal | undefined) => (price?.gt(most) ? price : most);

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
	if (typeof body !== 'object' || body === null) return 1;
	const { cache_control: mark } = body as JsonObject;
	if (mark) {
		const { ttl = '5m' } = Object(mark) as JsonObject;
		return ttl === '5m' ? WRITE_FACTORS.minutes : WRITE_FACTORS.hour;
	}
	let most = 1;
	for (const part of Object.values(body)) most = Math.max(most, findWriteFactor(part));
	return most;
}
