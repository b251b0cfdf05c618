import {
	endOfSentence,
	joinSentences,
	ServiceError,
	shortenText,
	toMinutes,
	withDetails,
	withFullStop,
} from '../core/errors';
import type { Http } from '../core/http';
import type { Lookup, LookUp, Missing } from '../core/lookup';
import { type OwnPrices, ZERO_COUNTS, keyOfLine, type OwnPrice } from '../core/ownPrices';
import { CORRECT_MODEL, listModels } from '../router/catalog';
import { formOf, withPricing } from '../router/catalogPrices';
import { createModelFinder, describeMissingModel, type Model } from '../router/model';
import type { NoCostBound } from '../router/pricing';
import { serviceOf } from '../router/services';
import { readTokenPrices } from '../router/tokenPrices';

type CachedCatalog = Awaited<ReturnType<typeof readCatalog>>;

/** @returns also why entries are missing, if the catalog is not complete. */
async function readCatalog(http: Http) {
	const { models, ...more } = await listModels(http);
	let missing: { id: string; sentence: string } | undefined;
	const find = createModelFinder(models);
	const hasVariants = models.some((model) => formOf(model)?.name === 'OpenRouter');
	return {
		/** Finds an entry by its id, in any spelling. A variant that only chooses the provider has the prices of its model. */
		find(id: string): Model | undefined {
			const entry = find(id);
			const model = hasVariants && !entry ? find(id.replace(ROUTING, '')) : undefined;
			return entry ?? (model && { ...model, id });
		},
		/** Whether an ID that is not found asks for more than a model: for a search, for what is stored under a name. */
		isVariant: (id: string) => hasVariants && /[:@]/.test(id),
		/** Says that there is none. Many items ask for the same model. */
		describeMissing(id: string): string {
			if (missing?.id !== id) missing = { id, sentence: describeMissingModel(models, id) };
			return missing.sentence;
		},
		...more,
	};
}

/**
 * What the ID of a model may end with that changes nothing but which of its providers is asked first. `:online` searches the web.
 *
 * @see https://openrouter.ai/docs/guides/routing/model-variants/overview (routing variants)
 */
const ROUTING = /:(nitro|floor|exacto)$/;

/** What a check needs to see the catalog. */
export interface CatalogContext {
	lookUp: LookUp;
	/** Shows the user a sentence next to the output. */
	addHint(sentence: string): void;
	/** Prices of text models that the owner of the credential has entered. Absent for media. */
	ownPrices?: OwnPrices | undefined;
}

/** The catalog entry of a model, or why there is none. Without it, the cost of a request has no bound. */
export type FoundModel = PricedEntry | MissingEntry;
type MissingEntry = NoCostBound & { unreadable?: ServiceError } & {
	[name in keyof PricedEntry]?: undefined;
};

/** Why a request cannot be carried out. Nothing was sent. */
export interface Refused {
	refusal: ServiceError;
}

/**
 * Judges a request by the catalog as this process last read it, and once more by a newer one if it does not allow the request.
 *
 * @param judge Finds the catalog entries of models, or why there is none.
 * @returns what `judge` returned, and the ID of the request that has read the catalog.
 */
export async function judgeByCatalog<Verdict extends object>(
	{ lookUp, addHint, ownPrices = NO_PRICES }: CatalogContext,
	judge: (find: (model: string) => FoundModel) => Verdict | Refused,
): Promise<(Verdict & { catalogId?: string | undefined }) | Refused> {
	let catalog = await lookUp('catalog', readCatalog);
	const judgeNow = () => judge(createFinder(catalog, ownPrices));
	let verdict = judgeNow();
	if ('refusal' in verdict) {
		const before = catalog;
		catalog = await lookUp('catalog', readCatalog, before);
		if (catalog !== before) verdict = judgeNow();
	}
	const age = describeAge(catalog);
	if ('refusal' in verdict) return { refusal: explainRefusal(verdict.refusal, catalog, age) };
	if (age) addHint(age);
	return { ...verdict, catalogId: 'value' in catalog ? catalog.value.requestId : undefined };
}

function explainRefusal(
	refusal: ServiceError,
	catalog: Lookup<CachedCatalog>,
	age: string | undefined,
): ServiceError {
	// a cap that allows nothing refuses it whatever the catalog says
	const isOfCap = refusal.details.computed?.['reachedCap'] !== undefined;
	if ('missing' in catalog && !isOfCap) return unreadableError(catalog);
	if (age === undefined) return refusal;
	const advice = joinSentences(refusal.details.advice, withFullStop(age));
	return withDetails(refusal, { advice });
}

/** From when the prices are, if they could not be read again. */
function describeAge(catalog: Lookup<CachedCatalog>): string | undefined {
	if ('missing' in catalog || !catalog.old) return undefined;
	const { readAt, reason } = catalog.old;
	const time = toMinutes(new Date(readAt).toISOString());
	return `The catalog could not be read (${reason}), so its prices of ${time} count`;
}

const NO_PRICES: OwnPrices = new Map();

/** Made outside of what judges the calls: they keep it, and with it all that it could see there. */
const createFinder =
	(catalog: Lookup<CachedCatalog>, own: OwnPrices) =>
	(model: string): FoundModel => {
		const inCatalog = 'value' in catalog ? catalog.value.find(model) : undefined;
		if ('value' in catalog && !inCatalog && catalog.value.isVariant(model))
			return {
				unbounded: `The catalog does not have the variant ${shortenText(model, 200)}, which may do more than its model, such as search the web.`,
				remedy: 'Choose the model without what is added to its ID.',
			};
		const priced = priceByOwner(model, inCatalog, own, isRead(catalog));
		if (priced) return priced;
		if ('missing' in catalog) {
			const unreadable = unreadableError(catalog);
			const { message, details } = unreadable;
			return { unbounded: message, remedy: details.advice, trouble: 'fault', unreadable };
		}
		const { incompleteReason } = catalog.value;
		const missing = catalog.value.describeMissing(model);
		const isMisspelled = missing.includes('Did you mean');
		return {
			unbounded: incompleteReason ? `${missing} (${endOfSentence(incompleteReason)})` : missing,
			remedy: isMisspelled ? CORRECT_MODEL : `${CORRECT_MODEL} ${enterMissing(model)}`,
			trouble: isMisspelled ? 'fault' : 'model',
		};
	};

const enterMissing = (model: string) =>
	`For one that the list lacks, enter a line such as "${model} 0.25 2" in Prices of the credential. ${ZERO_COUNTS}`;

/** Whether it is known what the catalog has. Some services have none. */
const isRead = (catalog: Lookup<CachedCatalog>) =>
	'value' in catalog || [404, 405].includes(catalog.error?.details.status ?? 0);

/** Why the catalog cannot be read, and what to do about that. */
function unreadableError({ missing, error }: Missing): ServiceError {
	const outcome = 'not_started';
	const title = `The catalog could not be read: ${endOfSentence(missing)}`;
	if (!error) return new ServiceError('unreachable', title, { outcome, advice: LATER });
	const details = { ...error.details };
	delete details.partial;
	const { status = 0 } = details;
	// half a catalog is nothing that was charged
	const kind = error.kind === 'truncated' ? 'unreachable' : error.kind;
	// it says by itself what is wrong, and what to do
	if (['cancelled', 'unreachable'].includes(error.kind) || [401, 403].includes(status))
		return withDetails(error, { outcome });
	const isDown = status >= 500 || status === 429 || kind === 'unreachable';
	const advice = joinSentences(isDown ? LATER : CHECK_URL, details.advice);
	return new ServiceError(kind, title, { ...details, outcome, advice });
}

const LATER = 'Run it again later: without its prices, nobody knows what this costs.';
const CHECK_URL = `Check the base URL of the credential: its list of models is at /models below the version. For a service without one, enter its models in Prices of the credential. ${ZERO_COUNTS}`;

/** An entry with its prices, and where they are from, if not from the catalog. */
interface PricedEntry {
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

/**
 * Whether an answer may cost more than the most that was calculated for its request, because nobody vouches for the price.
 *
 * At a host that is known, its row says whether it keeps to its prices. If its catalog has prices, a line of the credential is a guess unless
 * the catalog confirms it: a model that has none there may be paid by the request. At another host, only a catalog in the form of the
 * specification is sure: other forms are copied by services that charge what they like, and a line is what its author believes.
 *
 * @param hostname Of the service.
 */
export function isGuess(found: FoundModel, hostname = ''): boolean {
	const { entry, priceSource, isConfirmed, priceNotice } = found;
	if (!entry) return false;
	const service = serviceOf(hostname);
	if (!service) return priceSource !== undefined || formOf(entry) !== undefined;
	const isUnconfirmed = priceSource !== undefined && !isConfirmed;
	const isDoubtful = service.prices ? isUnconfirmed : priceNotice !== undefined;
	return isDoubtful || service.mayCostMore !== undefined;
}
