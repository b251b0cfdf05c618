import {
	endOfSentence,
	invalidInputError,
	isUnstarted,
	mapServiceError,
	ServiceError,
	withDetails,
	withFullStop,
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
 * @param choices One, or more where a node has fallbacks.
 * @throws ServiceError `invalid` with the reason of each, if there is none; as `checkAgainstCatalog`.
 */
export async function chooseModels(
	context: Pick<PreflightContext<unknown>, 'lookUp'>,
	choices: readonly ModelChoice[],
	judging: Judging,
): Promise<Chosen> {
	const [only, second] = choices;
	return await checkAgainstCatalog(context, (find) => {
		if (only && !second && !only.list) {
			const [model = ''] = only.models;
			const candidate = { model, found: find(model) };
			judging.check(candidate, false);
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

function judgeChoice(
	{ models, list }: ModelChoice,
	find: (model: string) => FoundModel,
	{ check, boundOf }: Judging,
	passedOver: PassedOver[],
): Candidate[] {
	const able = models.flatMap((model) => {
		try {
			const found = find(model);
			if (list && 'unbounded' in found) throw invalidInputError(endOfSentence(found.unbounded));
			const candidate = { model: list && 'entry' in found ? found.entry.id : model, found };
			check(candidate, list !== undefined);
			return [candidate];
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
function mayAskNext(cause: ServiceError): boolean {
	const { status = 0 } = cause.details;
	const isRefused = cause.kind === 'refused' && isUnstarted(cause);
	return isRefusal(cause) || (isRefused && status >= 400 && status !== 401);
}

const noModelError = (list: string | undefined, passedOver: readonly PassedOver[]) =>
	invalidInputError(
		list === undefined
			? 'None of the models can take this request'
			: `No model of the list "${list}" can take this request`,
		`Nothing was sent. ${withFullStop(describePassedOver(passedOver))}`,
	);

const describePassedOver = (passedOver: readonly PassedOver[]): string =>
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
	/** USD, if the cost is not known: the most that it can be. */
	reservedUsd?: number;
	durationMs?: number;
}

/** What an answer says of its cost. */
type Priced = Pick<Attempt, 'costUsd' | 'reservedUsd' | 'durationMs'>;

export const costsOf = ({ costUsd, reservedUsd, durationMs }: Priced): Priced =>
	omitMissing({ costUsd, reservedUsd, durationMs });

/** Whether there is a list, so that each attempt is remembered by itself. */
export const isOfList = (choices: readonly ModelChoice[]): boolean =>
	choices.some(({ list }) => list !== undefined);

/** Models that were asked before n8n ran the node again come first: what they gave is paid. @param asked In that order. */
export const askedFirst = <One extends { model: string }>(
	candidates: readonly One[],
	asked: readonly string[],
): One[] => {
	const earlier = asked.flatMap((id) => candidates.filter(({ model }) => model === id));
	return [...new Set([...earlier, ...candidates])];
};

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
 * @returns the last answer, all models that were passed over or refused the request, and all that were paid, if an answer did not do.
 * @throws ServiceError of the last model that was asked, with those before it.
 */
export async function askInTurn<One extends { model: string }, Answer extends object>(
	candidates: readonly One[],
	{ passedOver = [], ask, findFault, findFailureFault }: Asking<One, Answer>,
): Promise<{ answer: Answer; refusals: PassedOver[]; attempts: Attempt[] }> {
	const refusals = [...passedOver];
	const attempts: Attempt[] = [];
	let last: { answer: Answer } | { failure: ServiceError; before: PassedOver[] } | undefined;
	const add = (model: string, costs: Priced, reason: string | undefined) =>
		void attempts.push({ model, ...omitMissing({ reason }), ...costsOf(costs) });
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
				add(model, findCosts(failure), reason);
				last = { failure, before: refusals };
			} else if (mayAskNext(failure)) {
				if (!attempts.length) last = { failure, before: [...refusals] };
				refusals.push({ model, reason: failure.message });
			} else {
				if (attempts.length && !isUnstarted(failure))
					add(model, findCosts(failure), failure.message);
				throw withEarlier(failure, refusals, attempts);
			}
		}
	}
	if (!last) throw new Error('There is no model');
	if ('answer' in last) return { ...last, refusals, attempts: listInVain(attempts) };
	throw withEarlier(last.failure, last.before, attempts);
}

/** The attempts, if an answer did not do. */
const listInVain = (attempts: Attempt[]): Attempt[] =>
	attempts.some(({ reason }) => reason) ? attempts : [];

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
		? `These models were passed over: ${withFullStop(describePassedOver(refusals))}`
		: '';
	const advice = [error.details.advice, words].filter(Boolean).join(' ');
	if (!attempts.length) return withDetails(error, { ...(advice && { advice }) });
	const { partial, computed } = error.details;
	const paid = partial
		? { partial: sumAttempts(attempts, partial), computed: { ...computed, attempts } }
		: { computed: { ...sumAttempts(attempts, computed ?? {}), attempts } };
	return withDetails(error, { ...(advice && { advice }), ...paid });
}

/** What is known of the cost of a failure. */
const findCosts = ({ details: { partial, computed } }: ServiceError): Priced =>
	partial ?? computed ?? {};

/** An answer with the cost of all attempts: if that of one is not known, the most that they can have cost. */
export function sumAttempts<Answer extends Priced & { costComputed?: boolean }>(
	attempts: readonly Attempt[],
	answer: Answer,
): Answer {
	const amounts = attempts.map(({ costUsd, reservedUsd }) => readDecimal(costUsd ?? reservedUsd));
	const sum = toUsd(amounts.reduce<Decimal>((all, one) => all.plus(one ?? 0), ZERO).times(1e6));
	const isKnown = attempts.every(({ costUsd }) => costUsd !== undefined);
	return omitMissing({
		...answer,
		costUsd: isKnown ? sum : undefined,
		reservedUsd: isKnown ? undefined : sum,
		costComputed: isKnown ? answer.costComputed : undefined,
	}) as Answer;
}
