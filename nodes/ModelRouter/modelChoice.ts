import {
	endOfSentence,
	invalidInputError,
	isUnstarted,
	joinSentences,
	mapServiceError,
	ServiceError,
	withDetails,
	withFullStop,
} from '../../src/core/errors';
import type { ModelList } from '../../src/core/modelList';
import { type Decimal, ZERO } from '../../src/core/money';
import type { ModelChoice } from '../../src/router/modelLists';
import { type CatalogContext, checkAgainstCatalog, type FoundModel } from './catalog';

/** A model that was passed over, or that refused a request. Nothing was started, so it cost nothing. */
export interface PassedOver {
	model: string;
	reason: string;
}

/** A model to which a request may be sent. */
export interface Candidate {
	/** As it is sent. */
	model: string;
	found: FoundModel;
}

/** What the check of a request leaves of the models of its field. */
export interface Chosen {
	/** In the order in which they are asked. */
	candidates: Candidate[];
	passedOver: PassedOver[];
}

/** How one model is judged. */
interface Judging {
	/** @throws ServiceError `invalid` if it cannot. */
	check(candidate: Candidate, isOfList: boolean): void;
	/** Micro-dollars by which models are ordered; undefined if they are not known. */
	boundOf(candidate: Candidate): number | Decimal | undefined;
}

/**
 * Chooses the models that can carry out a request, in the order in which they are asked. The only function that chooses: it serves every
 * operation that takes a model.
 *
 * A model that was chosen by itself need not be in the catalog. One of a list is sent with the ID of the catalog.
 *
 * @throws ServiceError `invalid` with the reason of each, if there is none; as `checkAgainstCatalog`.
 */
export async function chooseModels(
	context: CatalogContext,
	{ models, list }: ModelChoice,
	judging: Judging,
): Promise<Chosen> {
	return await checkAgainstCatalog(context, (find) => {
		if (list) return judgeList(list, find, judging);
		const [model = ''] = models;
		const candidate = { model, found: find(model) };
		judging.check(candidate, false);
		return { candidates: [candidate], passedOver: [] };
	});
}

function judgeList(
	{ name, models, order }: ModelList,
	find: (model: string) => FoundModel,
	{ check, boundOf }: Judging,
): Chosen {
	const passedOver: PassedOver[] = [];
	const able: Candidate[] = [];
	for (const model of models) {
		try {
			const found = find(model);
			if ('unbounded' in found) throw invalidInputError(endOfSentence(found.unbounded));
			const candidate = { model: found.entry.id, found };
			check(candidate, true);
			if (!able.some((one) => one.model === candidate.model)) able.push(candidate);
		} catch (cause) {
			if (!isRefusal(cause)) throw mapServiceError(cause);
			passedOver.push({ model, reason: cause.message });
		}
	}
	if (!able.length)
		throw invalidInputError(
			`No model of the list "${name}" can take this request`,
			`Nothing was sent. ${withFullStop(describePassedOver(passedOver))}`,
		);
	if (order !== 'cheapestFirst') return { candidates: able, passedOver };
	// what has no bound comes last
	const bounds = new Map(able.map((one) => [one, boundOf(one)]));
	able.sort((one, other) => compareBounds(bounds.get(one), bounds.get(other)));
	return { candidates: able, passedOver };
}

function compareBounds(one: number | Decimal | undefined, other: number | Decimal | undefined) {
	if (one === undefined || other === undefined)
		return Number(one === undefined) - Number(other === undefined);
	return ZERO.plus(one).cmp(other);
}

/** Whether a request does not fit the catalog, a cap or the budget, so that nothing was sent. */
const isRefusal = (cause: unknown): cause is ServiceError =>
	cause instanceof ServiceError && cause.kind === 'invalid' && isUnstarted(cause);

/** Whether another model may be asked for free. It would not help if the key was refused or the network failed. */
function mayAskNext(cause: ServiceError): boolean {
	const { status = 0, partial } = cause.details;
	// what has arrived may have been shown
	if (partial) return false;
	const isRefused = cause.kind === 'refused' && isUnstarted(cause);
	return isRefusal(cause) || (isRefused && status >= 400 && status !== 401);
}

/** Each with its ID, once: most reasons name it, too. */
const describePassedOver = (passedOver: readonly PassedOver[]): string =>
	passedOver
		.map(
			({ model, reason }) =>
				`${model}: ${reason.replace(`The model ${model}`, 'it').replace(`the model ${model}`, 'it')}`,
		)
		.join('; ');

/** Tells the user which models of a list were passed over, and why. */
export function hintPassedOver(
	addHint: (sentence: string) => void,
	{ list }: ModelChoice,
	passedOver: readonly PassedOver[],
): void {
	if (!list || !passedOver.length) return;
	addHint(
		`Of the model list "${list.name}", these were passed over: ${describePassedOver(passedOver)}`,
	);
}

/**
 * Asks the models of a choice, one after the other, until one has answered. What was refused and started nothing goes on to the next
 * model for free. After any other failure no model is asked: the request may have been carried out.
 *
 * @param ask Throws ServiceError with an outcome.
 * @returns also all models that were passed over or have refused the request.
 * @throws ServiceError of the last model that was asked, with those before it.
 */
export async function askInTurn<Answer extends object>(
	{ candidates, passedOver }: Chosen,
	ask: (candidate: Candidate) => Promise<Answer>,
): Promise<{ answer: Answer; passedOver: PassedOver[] }> {
	const before = [...passedOver];
	for (const [at, candidate] of candidates.entries()) {
		try {
			return { answer: await ask(candidate), passedOver: before };
		} catch (cause) {
			const isLast = at === candidates.length - 1;
			if (!(cause instanceof ServiceError) || isLast || !mayAskNext(cause))
				throw mapServiceError(cause, (error) => withPassedOver(error, before));
			before.push({ model: candidate.model, reason: cause.message });
		}
	}
	throw new Error('There is no model');
}

/** Adds the models that were passed over before. */
function withPassedOver(error: ServiceError, passedOver: readonly PassedOver[]): ServiceError {
	if (!passedOver.length) return error;
	const words = `These models were passed over: ${withFullStop(describePassedOver(passedOver))}`;
	return withDetails(error, { advice: joinSentences(error.details.advice, words) });
}
