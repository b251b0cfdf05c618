import {
	endOfSentence,
	joinSentences,
	mapServiceError,
	type ServiceError,
	withDetails,
	withFullStop,
} from '../../src/core/errors';
import type { Http } from '../../src/core/http';
import type { PreflightContext } from '../../src/n8n/operation';
import type { Lookup } from '../../src/n8n/memory/sharedCache';
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
		const error = toCatalogError(judged.catalog);
		throw mapServiceError(judged.refusal, (refusal) => error ?? withAge(refusal, age));
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

const UNREADABLE =
	'Run it again later. If it stays so, check the base URL in the credential: the catalog is at /v1/models below it. Only if the service has no catalog, turn on "Allow Unknown Cost" in Options.';

function findIn(catalog: Lookup<CachedCatalog>, model: string): FoundModel {
	if ('missing' in catalog)
		return {
			unbounded: `The catalog could not be read (${catalog.missing})`,
			remedy: UNREADABLE,
		};
	const entry = catalog.value.find(model);
	if (entry) return { entry };
	const { incompleteReason } = catalog.value;
	const missing = catalog.value.describeMissing(model);
	return {
		unbounded: incompleteReason ? `${missing} (${endOfSentence(incompleteReason)})` : missing,
		remedy: `${CORRECT_MODEL} Only if you are sure that the service has it, turn on "Allow Unknown Cost" in Options.`,
	};
}

/** The error of reading the catalog, if it says more than that the catalog could not be read. */
function toCatalogError(catalog: Lookup<CachedCatalog>): ServiceError | undefined {
	const error = 'missing' in catalog ? catalog.error : undefined;
	if (!error) return undefined;
	const { status = 0 } = error.details;
	const saysMore = ['cancelled', 'unreachable'].includes(error.kind) || [401, 403].includes(status);
	return saysMore ? withDetails(error, { outcome: 'not_started' }) : undefined;
}
