import { keyOfLine, type OwnPrice, type OwnPrices } from '../core/ownPrices';
import { withPricing } from '../router/catalogPrices';
import type { Model } from '../router/model';
import { readTokenPrices } from '../router/tokenPrices';

/** An entry with its prices, and where they are from, if not from the catalog. */
export interface PricedEntry {
	entry: Model;
	priceSource?: 'credential';
	/** Whether its price is that of the line for any other model. */
	isAnyOther?: boolean;
	/** Whether the catalog has a price, too, and none above it. */
	isConfirmed?: boolean;
	/** For the reader of the output. */
	priceNotice?: string;
}

/**
 * The entry of a text model with the prices of its line in the credential, if it has one.
 *
 * @param entry Of the catalog.
 * @param isRead Whether it is known what the catalog has: the line for any other model counts only where it has no price.
 * @returns undefined where neither has the model.
 */
export function priceByOwner(
	model: string,
	entry: Model | undefined,
	ownPrices: OwnPrices,
	isRead: boolean,
): PricedEntry | undefined {
	if (entry?.kind && entry.kind !== 'text') return { entry };
	const prices = readTokenPrices(entry?.pricing);
	const isPriced = prices.input !== undefined && prices.output !== undefined;
	const line = findLine(ownPrices, entry?.id ?? model, isRead && !isPriced);
	if (!line) return entry && { entry };
	const isTooLow = isBelow(line, prices);
	const pricing = { input_per_mtok: line.input, output_per_mtok: line.output };
	return {
		entry: withPricing<Model>(entry ?? { id: model }, pricing),
		priceSource: 'credential',
		isAnyOther: line === ownPrices.get('*'),
		isConfirmed: isPriced && !isTooLow,
		...(isTooLow && {
			priceNotice: `The price of ${model} in the credential is below that of the catalog: the cost may be higher than shown, and caps allow more.`,
		}),
	};
}

/** @param mayBeAny Whether the line for any other model counts. */
const findLine = (ownPrices: OwnPrices, id: string, mayBeAny: boolean) =>
	ownPrices.get(keyOfLine(id)) ?? (mayBeAny ? ownPrices.get('*') : undefined);

/** Whether a token of the prompt, in whatever form, or of the answer costs more in the catalog. */
const isBelow = (
	line: OwnPrice,
	{ dearestWithSound, output }: ReturnType<typeof readTokenPrices>,
) => dearestWithSound?.gt(line.input) === true || output?.gt(line.output) === true;
