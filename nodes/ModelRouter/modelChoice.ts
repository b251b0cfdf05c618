import {
	invalidInputError,
	isUnstarted,
	mapServiceError,
	ServiceError,
	withDetails,
} from '../../src/core/errors';
import { type Decimal, toUsd, ZERO, readDecimal } from '../../src/core/money';
import { omitMissing } from '../../src/core/missing';
import type { PreflightContext } from '../../src/n8n/operation';
import type { ModelChoice } from '../../src/router/modelLists';
import { checkAgainstCatalog, type FoundModel } from './catalog';

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
export interface Chosen<One extends Candidate> {
	/** In the order in which they are asked. */
	candidates: One[];
	passedOver: PassedOver[];
}

/** How one model is judged. */
interface Judging<One extends Candidate> {
	/** @throws ServiceError `invalid` if it cannot. */
	check(candidate: Candidate, isOfList: boolean): One;
	/** Micro-dollars by which models are ordered; undefined if they are not known. */
	boundOf(candidate: One): number | Decimal | undefined;
}

/**
 * Chooses the models that can carry out a request, in the order in which they are asked. The only function that chooses: it serves every
 * operation that takes a model.
 *
 * A model that was chosen by itself need not be in the catalog. One of a list is sent with the ID of the catalog.
 *
 * @param choices One, or more where a node has fallbacks.
 * @throws ServiceError `invalid` with the reason of each, if there is none; as `checkAgainstCatalog`.
 */
export async function chooseModels<One extends Candidate>(
	context: Pick<PreflightContext<unknown>, 'lookUp'>,
	choices: readonly ModelChoice[],
	judging: Judging<One>,
): Promise<Chosen<One>> {
	const [only, second] = choices;
	return await checkAgainstCatalog(context, (find) => {
		if (only && !second && !only.list) {
			const [model = ''] = only.models;
			const candidate = judging.check({ model, found: find(model) }, false);
			return { candidates: [candidate], passedOver: [] };
		}
		const passedOver: PassedOver[] = [];
		const able = choices.flatMap((choice) => judgeChoice(choice, find, judging, passedOver));
		const candidates = able.filter(
			({ model }, at) => able.findIndex((one) => one.model === model) === at,
		);
		if (candidates.length) return { candidates, passedOver };
		throw noModelError(only?.list?.name, passedOver);
	});
}

function judgeChoice<One extends Candidate>(
	{ models, list }: ModelChoice,
	find: (model: string) => FoundModel,
	{ check, boundOf }: Judging<One>,
	passedOver: PassedOver[],
): One[] {
	const able = models.flatMap((model) => {
		try {
			const found = find(model);
			if (list && 'unbounded' in found) throw invalidInputError(found.unbounded);
			const id = list && 'entry' in found ? found.entry.id : model;
			return [check({ model: id, found }, list !== undefined)];
		} catch (cause) {
			if (!isRefusal(cause)) throw mapServiceError(cause);
			passedOver.push({ model, reason: cause.message });
			return [];
		}
	});
	if (list?.order !== 'cheapestFirst') return able;
	// what has no bound comes last
	const bounds = new Map(able.map((one) => [one, boundOf(one)]));
	return able.sort((one, other) => compareBounds(bounds.get(one), bounds.get(other)));
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
const mayAskNext = (cause: unknown): cause is ServiceError =>
	isRefusal(cause) || isRefusedUnstarted(cause);

function isRefusedUnstarted(cause: unknown): cause is ServiceError {
	if (!(cause instanceof ServiceError) || cause.kind !== 'refused') return false;
	const { status = 0 } = cause.details;
	return isUnstarted(cause) && status >= 400 && status !== 401;
}

const noModelError = (list: string | undefined, passedOver: readonly PassedOver[]) =>
	invalidInputError(
		list === undefined
			? 'None of the models can take this request'
			: `No model of the list "${list}" can take this request`,
		`Nothing was sent. ${describePassedOver(passedOver)}.`,
	);

export const describePassedOver = (passedOver: readonly PassedOver[]): string =>
	passedOver.map(({ model, reason }) => `${model}: ${reason}`).join('; ');

/** Tells the user which models of a list were passed over, and why. */
export function hintPassedOver(
	addHint: (sentence: string) => void,
	choices: readonly ModelChoice[],
	passedOver: readonly PassedOver[],
): void {
	const [first] = choices;
	if (!passedOver.length) return;
	const where = first?.list ? `Of the model list "${first.list.name}", these` : 'These models';
	addHint(`${where} were passed over: ${describePassedOver(passedOver)}`);
}

/** A model that was asked, and paid for. */
export interface Attempt {
	model: string;
	/** Why its answer does not do. Absent if it does. */
	reason?: string;
	/** USD. Absent if it is not known. */
	costUsd?: number;
	durationMs?: number;
}

/** What an answer says of its cost. */
interface Priced {
	costUsd?: number;
	durationMs?: number;
}

interface Asking<One, Answer extends object> {
	/** The models that were passed over before any was asked. */
	passedOver?: readonly PassedOver[] | undefined;
	/** @throws ServiceError with an outcome. */
	ask(candidate: One): Promise<Answer>;
	/** Why an answer does not do, so that the next model is asked, which is paid, too. */
	findFault?: ((answer: Answer) => string | undefined) | undefined;
	/** The same for an answer that is a failure, such as an empty one. It is complete, and paid. */
	findFailureFault?: ((failure: ServiceError) => string | undefined) | undefined;
}

/**
 * Asks the models of a choice, one after the other, until one has given an answer that does. What was refused and started nothing goes on
 * to the next model for free. After any other failure no model is asked: the request may have been carried out.
 *
 * @returns the last answer, all models that were passed over or refused the request, and all that were paid.
 * @throws ServiceError of the last model that was asked, with those before it.
 */
export async function askInTurn<One extends { model: string }, Answer extends object>(
	candidates: readonly One[],
	{ passedOver = [], ask, findFault, findFailureFault }: Asking<One, Answer>,
): Promise<{ answer: Answer; refusals: PassedOver[]; attempts: Attempt[] }> {
	const refusals = [...passedOver];
	const attempts: Attempt[] = [];
	let last: { answer: Answer } | { failure: ServiceError; before: PassedOver[] } | undefined;
	const add = (model: string, { costUsd, durationMs }: Priced, reason: string | undefined) =>
		void attempts.push({ model, ...omitMissing({ reason, costUsd, durationMs }) });
	for (const candidate of candidates) {
		const { model } = candidate;
		try {
			const answer = await ask(candidate);
			last = { answer };
			const reason = findFault?.(answer);
			add(model, answer, reason);
			if (reason === undefined) break;
		} catch (cause) {
			const failure = mapServiceError(cause);
			if (!(failure instanceof ServiceError)) throw failure;
			const reason = findFailureFault?.(failure);
			if (reason !== undefined) {
				add(model, failure.details.partial ?? {}, reason);
				last = { failure, before: refusals };
			} else if (mayAskNext(failure)) {
				if (!attempts.length) last = { failure, before: [...refusals] };
				refusals.push({ model, reason: failure.message });
			} else throw withEarlier(failure, refusals, attempts);
		}
	}
	if (!last) throw new Error('There is no model');
	if ('answer' in last) return { ...last, refusals, attempts };
	throw withEarlier(last.failure, last.before, attempts);
}

/** Adds the attempts to the failure of an answer that does not do. */
export function withAttempts<Result>(attempts: readonly Attempt[], read: () => Result): Result {
	try {
		return read();
	} catch (cause) {
		throw mapServiceError(cause, (error) => withEarlier(error, [], attempts));
	}
}

/** Adds the models that were asked before. */
function withEarlier(
	error: ServiceError,
	refusals: readonly PassedOver[],
	attempts: readonly Attempt[],
): ServiceError {
	const words = refusals.length
		? `These models were passed over: ${describePassedOver(refusals)}.`
		: '';
	const advice = [error.details.advice, words].filter(Boolean).join(' ');
	const paid = attempts.length && { computed: { ...error.details.computed, attempts } };
	return withDetails(error, { ...(advice && { advice }), ...paid });
}

/** USD of all attempts; undefined if that of one is not known. */
export function sumAttempts(attempts: readonly Attempt[]): number | undefined {
	const costs = attempts.map(({ costUsd }) => readDecimal(costUsd));
	if (costs.some((cost) => cost === undefined)) return undefined;
	return toUsd(costs.reduce<Decimal>((sum, cost) => sum.plus(cost ?? 0), ZERO).times(1e6));
}
