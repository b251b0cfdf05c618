import { invalidInputError, shortenText } from './errors';
import { normalizeModelId } from './modelLists';
import { type Decimal, readDecimal } from './money';
import { isOwnHost } from './urls';

/** Prices of text models that the owner of a credential has entered, by `keyOfLine`; `*` is any other model. */
export type OwnPrices = ReadonlyMap<string, OwnPrice>;

/** USD per million tokens. */
export interface OwnPrice {
	/** As it was entered. */
	model: string;
	input: string;
	output: string;
}

/** By what the line of a model is found, in any spelling. */
export const keyOfLine = (model: string) => normalizeModelId(model) || model;

/** USD per million tokens. What is outside is in another unit. */
const LEAST = '0.001';
const MOST = 1000;

/** Whether a price of a million tokens can be true. A service on the own machine may cost nothing. */
export const isPlausiblePrice = (price: Decimal): boolean =>
	price.eq(0) || (price.gte(LEAST) && price.lte(MOST));

/**
 * Reads the prices of a credential: on each line a model, and what a million tokens cost in and out, e.g. `gpt-5-mini 0.25 2`.
 *
 * A line with a price of 0 is left out unless the service is in the own network: elsewhere, only the catalog can say that. What asks for a
 * line says so. Another line for the same model, in any spelling, is refused: a request might find either.
 *
 * @param hostname Of the service.
 * @throws ServiceError `invalid` that names the line: a price that is overlooked would let a cap count too little.
 */
export function readOwnPrices(text: unknown, hostname: string): OwnPrices {
	const prices = new Map<string, OwnPrice>();
	const seen = new Map<string, number>();
	for (const [at, line] of String(text ?? '')
		.replace(INVISIBLE, '')
		.split('\n')
		.entries()) {
		const [model, input, output, ...more] = line.trim().split(/\s+/);
		if (!model) continue;
		const refuse = (why: string) =>
			invalidInputError(
				`Line ${at + 1} of Prices cannot be read: ${why}`,
				`It reads "${shortenText(line.trim(), 100)}". Enter a model and two numbers in the credential, such as "gpt-5-mini 0.25 2": USD per million tokens in and out.`,
			);
		if (input === undefined || output === undefined || more.length)
			throw refuse('it has not exactly three parts');
		for (const price of [input, output]) {
			const fault = faultOf(price);
			if (fault) throw refuse(fault);
		}
		if (model !== '*' && model.includes('*'))
			throw refuse('"*" is all other models, and only alone');
		if (model === '__proto__') throw refuse('"__proto__" is not the ID of a model');
		const key = keyOfLine(model);
		const other = seen.get(key);
		if (other) throw refuse(`line ${other} is for the same model`);
		seen.set(key, at + 1);
		const isFree = [input, output].some((price) => Number(price) === 0);
		if (!isFree || isOwnHost(hostname)) prices.set(key, { model, input, output });
	}
	return prices;
}

/** Why a text cannot be what a million tokens cost; undefined if it can. */
function faultOf(price: string): string | undefined {
	const amount = PLAIN_NUMBER.test(price) ? readDecimal(price) : undefined;
	if (!amount) return `"${shortenText(price, 30)}" is not a plain number`;
	if (isPlausiblePrice(amount)) return undefined;
	return `a million tokens cost $${LEAST} to $${MOST}, or nothing`;
}

/** For the user, where a model has no price although it may have a line. */
export const ZERO_COUNTS = 'Zero counts only in your own network.';

/** What a copied text may have between its letters, and nobody sees. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
const PLAIN_NUMBER = /^\d+(\.\d+)?$/;
