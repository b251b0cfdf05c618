import {
	endOfSentence,
	invalidInputError,
	isUnstarted,
	joinSentences,
	mapServiceError,
	ServiceError,
	withDetails,
	withFullStop,
} from '../core/errors';
import type { ModelChoice, ModelList } from '../core/modelLists';
import { bound, type Call, type Candidate } from './call';
import { type CatalogContext, type FoundModel, judgeByCatalog, type Refused } from './catalog';

/** A model that was passed over, or that refused a request. Nothing was started, so it cost nothing. */
export interface PassedOver {
	model: string;
	reason: string;
}

/** What is left of the models of a field. */
export interface Chosen<Of extends Call> {
	/** In the order in which they are made. */
	calls: Of[];
	passedOver: PassedOver[];
	/** Undefined for a model that was chosen itself. */
	list?: ModelList | undefined;
	/** The ID of the request that has read the catalog. */
	catalogId?: string | undefined;
}

/**
 * Chooses the models that can carry out a request, in the order in which they are asked. The only function that chooses: it serves every
 * operation that takes a model, and the chat model.
 *
 * A model that was chosen by itself need not be in the catalog. One of a list is sent with the ID of the catalog.
 *
 * @param toCall Makes the call of a model. Throws ServiceError `invalid` if it cannot carry out the request.
 * @returns the refusal with the reason of each, if there is none.
 */
export async function choose<Of extends Call>(
	context: CatalogContext,
	{ models, list }: ModelChoice,
	toCall: (candidate: Candidate, isOfList: boolean) => Of,
): Promise<Chosen<Of> | Refused> {
	return await judgeByCatalog<Chosen<Of>>(context, (find) => {
		if (list) return judgeList(list, find, toCall);
		const [model = ''] = models;
		const judged = judge(() => toCall({ model, found: find(model), find }, false));
		return 'refusal' in judged ? judged : { calls: [judged], passedOver: [] };
	});
}

/** @throws what is not a refusal. */
function judge<Of extends Call>(toCall: () => Of): Of | Refused {
	try {
		return toCall();
	} catch (cause) {
		if (isRefusal(cause)) return { refusal: cause };
		throw mapServiceError(cause);
	}
}

function judgeList<Of extends Call>(
	list: ModelList,
	find: (model: string) => FoundModel,
	toCall: (candidate: Candidate, isOfList: boolean) => Of,
): Chosen<Of> | Refused {
	const passedOver: PassedOver[] = [];
	const calls: Of[] = [];
	for (const model of list.models) {
		const judged = judge(() => {
			const found = find(model);
			if (!found.entry) throw invalidInputError(endOfSentence(found.unbounded));
			return toCall({ model: found.entry.id, found, find }, true);
		});
		if ('refusal' in judged) passedOver.push({ model, reason: judged.refusal.message });
		else if (!calls.some((one) => one.model === judged.model)) calls.push(judged);
	}
	if (!calls.length) {
		const advice = `Nothing was sent. ${withFullStop(describePassedOver(passedOver))}`;
		const title = `No model of the list "${list.name}" can take this request`;
		return { refusal: invalidInputError(title, advice) };
	}
	return { calls: list.order === 'cheapestFirst' ? sortByCost(calls) : calls, passedOver, list };
}

/** By what they may cost without caps. What has no bound comes last. */
function sortByCost<Of extends Call>(calls: Of[]): Of[] {
	const priced = calls.map((call) => {
		const price = bound({ caps: {}, price: call.price });
		return { call, cost: 'unbounded' in price ? Number.MAX_VALUE : Number(price.microUsd) };
	});
	return priced.sort((one, other) => one.cost - other.cost).map(({ call }) => call);
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
	list: ModelList | undefined,
	passedOver: readonly PassedOver[],
): void {
	if (!list || !passedOver.length) return;
	addHint(
		`Of the model list "${list.name}", these were passed over: ${describePassedOver(passedOver)}`,
	);
}

/** How a call has ended that was paid for: with its answer, or with a failure that says whether it has started anything. */
export type Ended<Answer> = Answer | Failed;

interface Failed {
	failure: ServiceError;
}

/** @returns a ServiceError as a value. @throws anything else. */
export async function toEnded<Answer>(paid: Promise<Answer | Failed>): Promise<Ended<Answer>> {
	return await paid.catch((cause: unknown): Failed => {
		if (cause instanceof ServiceError) return { failure: cause };
		throw mapServiceError(cause);
	});
}

/**
 * Makes the calls of a choice, one after the other, until one is answered. What was refused and started nothing goes on to the next
 * model for free. After any other failure no model is asked: the request may have been carried out.
 *
 * @param chosen Undefined only for what was paid for before, which `payOnce` returns without this.
 * @returns also all models that were passed over or have refused the request.
 * @throws ServiceError of the last model that was asked, with those before it.
 */
export async function payInTurn<Of extends Call, Answer extends object>(
	chosen: Chosen<Of> | undefined,
	pay: (call: Of) => Promise<Ended<Answer>>,
): Promise<{ answer: Answer; passedOver: PassedOver[] }> {
	const { calls = [], passedOver: before = [] } = chosen ?? {};
	const passedOver = [...before];
	for (const [at, call] of calls.entries()) {
		const ended = await toEnded(pay(call));
		if (!('failure' in ended)) return { answer: ended, passedOver };
		const isLast = at === calls.length - 1;
		if (isLast || !mayAskNext(ended.failure)) throw withPassedOver(ended.failure, passedOver);
		passedOver.push({ model: call.model, reason: ended.failure.message });
	}
	throw new Error('There is no model');
}

/** Adds the models that were passed over before. */
function withPassedOver(error: ServiceError, passedOver: readonly PassedOver[]): ServiceError {
	if (!passedOver.length) return error;
	const words = `These models were passed over: ${withFullStop(describePassedOver(passedOver))}`;
	return withDetails(error, { advice: joinSentences(error.details.advice, words) });
}
