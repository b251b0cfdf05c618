import {
	endOfSentence,
	joinSentences,
	mapServiceError,
	ServiceError,
	withDetails,
	withFullStop,
} from '../../src/core/errors';
import type { Http } from '../../src/core/http';
import type { PreflightContext } from '../../src/n8n/operation';
import type { Lookup, Missing } from '../../src/n8n/memory/sharedCache';
import { CORRECT_MODEL, listModels } from '../../src/router/catalog';
import { createModelFinder, describeMissingModel, type Model } from '../../src/router/model';
import type { NoCostBound } from '../../src/router/pricing';

type CachedCatalog = Awaited<ReturnType<typeof readCatalog>>;

/** @returns also why entries are missing, if the catalog is not complete. */
async function readCatalog(http: Http) {
	const { models, ...more } = await listModels(http);
	let missing: { id: string; sentence: string } | undefined;
	return {
		/** Finds an entry by its id, in any spelling. */
		find: createModelFinder(models),
		/** Says that there is none. Many items ask for the same model. */
		describeMissing(id: string): string {
			if (missing?.id !== id) missing = { id, sentence: describeMissingModel(models, id) };
			return missing.sentence;
		},
		...more,
	};
}

/** What a check needs to see the catalog. */
export type CatalogContext = Pick<PreflightContext<unknown>, 'lookUp' | 'addHint'>;

/**
 * The catalog as this process last read it. It is needed before every request, so it is cached.
 *
 * @param insufficient What was given, and does not allow the request. It is read again once before the request is rejected.
 */
export async function getCachedCatalog(
	{ lookUp }: Pick<CatalogContext, 'lookUp'>,
	insufficient?: Lookup<CachedCatalog>,
): Promise<Lookup<CachedCatalog>> {
	return await lookUp('catalog', readCatalog, insufficient);
}

/** The catalog entry of a model, or why there is none. Without it, the cost of a request has no bound. */
export type FoundModel = { entry: Model } | NoCostBound;

/**
 * Rejects a request that does not fit the catalog. It is judged once by each catalog that was read.
 *
 * @param judge Finds the catalog entries of models, or why there is none. Throws ServiceError `invalid`.
 * @returns what `judge` returned.
 * @throws ServiceError from `judge`, or from reading the catalog if the execution was stopped, the API key is refused or nothing answers.
 */
export async function checkAgainstCatalog<Verdict>(
	context: CatalogContext,
	judge: (find: (model: string) => FoundModel) => Verdict,
): Promise<Verdict> {
	const judgeBy = (catalog: Lookup<CachedCatalog>) => {
		try {
			return { catalog, verdict: judge((model) => findIn(catalog, model)) };
		} catch (refusal) {
			return { catalog, refusal };
		}
	};
	let judged = judgeBy(await getCachedCatalog(context));
	if ('refusal' in judged) {
		const newer = await getCachedCatalog(context, judged.catalog);
		if (newer !== judged.catalog) judged = judgeBy(newer);
	}
	const age = describeAge(judged.catalog);
	if ('refusal' in judged) {
		const { catalog } = judged;
		throw mapServiceError(judged.refusal, (refusal) => {
			// a cap that allows nothing refuses it whatever the catalog says
			const isOfCap = refusal.details.computed?.['reachedCap'] !== undefined;
			return 'missing' in catalog && !isOfCap ? unreadableError(catalog) : withAge(refusal, age);
		});
	}
	if (age) context.addHint(age);
	return judged.verdict;
}

/** From when the prices are, if they could not be read again. */
function describeAge(catalog: Lookup<CachedCatalog>): string | undefined {
	if ('missing' in catalog || !catalog.old) return undefined;
	const { readAt, reason } = catalog.old;
	const time = new Date(readAt).toISOString().slice(0, 16).replace('T', ' ');
	return `The catalog could not be read (${reason}), so its prices of ${time} UTC count`;
}

const withAge = (refusal: ServiceError, age: string | undefined): ServiceError =>
	age === undefined
		? refusal
		: withDetails(refusal, { advice: joinSentences(refusal.details.advice, withFullStop(age)) });

function findIn(catalog: Lookup<CachedCatalog>, model: string): FoundModel {
	if ('missing' in catalog) {
		const { message, details } = unreadableError(catalog);
		return { unbounded: message, remedy: details.advice, trouble: 'fault' };
	}
	const entry = catalog.value.find(model);
	if (entry) return { entry };
	const { incompleteReason } = catalog.value;
	const missing = catalog.value.describeMissing(model);
	const isMisspelled = missing.includes('Did you mean');
	return {
		unbounded: incompleteReason ? `${missing} (${endOfSentence(incompleteReason)})` : missing,
		remedy: CORRECT_MODEL,
		trouble: isMisspelled ? 'fault' : 'model',
	};
}

/** Why the catalog cannot be read, and what to do about that. */
export function unreadableError({ missing, error }: Missing): ServiceError {
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
const CHECK_URL = 'Check the base URL of the credential: the catalog is at /v1/models below it.';
