import {
	cutText,
	invalidInputError,
	joinSentences,
	mapServiceError,
	withDetails,
} from '../core/errors';
import type { SharedBudget } from '../core/accounts';
import { formatUsd, ZERO } from '../core/money';
import type { BudgetUse, Change } from './budgetBook';
import { markOf, toMinutes } from './budgetErrors';
import { type BudgetState, type Done, figuresOf, requestPrefix } from './budgetState';

/*
 * What workflows add to the current period of a budget, once for each request that it has refused.
 */

/** Raises of a period, and those that are kept: the row must not grow. */
const MAX_RAISES = 50;
/** Characters of a reason, and of the ID of a request. */
const [MAX_REASON_LENGTH, MAX_ID_LENGTH] = [300, 100];

/** @param now Milliseconds since 1970, by the clock of n8n. */
export const doneBy = (
	{ workflow, workflowId, executionId }: BudgetUse,
	reason: string,
	now: number,
): Done => ({
	reason: cutText(reason.trim(), MAX_REASON_LENGTH),
	workflow,
	workflowId,
	executionId,
	at: new Date(now).toISOString(),
});

type Wanted = Parameters<SharedBudget['actions']['raise']>[0];

/**
 * Adds an amount to the current period. A second time in the same execution adds nothing: n8n may run the node again.
 *
 * @returns what is described of the state after that.
 * @throws ServiceError `invalid` if the request was refused in another period or has raised it, or the credential does not allow so much.
 */
export async function raiseBudget<Said>(
	use: BudgetUse,
	wanted: Wanted,
	describe: Change<Said>,
): Promise<Said> {
	let mayBeWritten = false;
	const change: Change<{ refused: Error } | { said: Said }> = (state, now, row) => {
		const refused = addRaise(use, state, wanted, now);
		if (refused) return { refused };
		mayBeWritten = true;
		return { said: describe(state, now, row) };
	};
	const changed = await use.book.change(use, change).catch((cause: unknown) => {
		throw mayBeWritten ? mapServiceError(cause, asUnknown) : mapServiceError(cause);
	});
	if ('refused' in changed) throw changed.refused;
	return changed.said;
}

const asUnknown: Parameters<typeof mapServiceError>[1] = (error) =>
	withDetails(error, {
		outcome: 'unknown',
		advice: joinSentences(
			error.details.advice,
			'It is not known whether the budget was raised: Get of the resource Budget lists the raises. A request raises it only once, so you can run this again.',
		),
	});

/** @returns why nothing was added. */
function addRaise(use: BudgetUse, state: BudgetState, wanted: Wanted, now: number) {
	const { request, amount, reason } = wanted;
	const { length, mayRaiseBy = ZERO } = use.settings;
	const { raised, raises, start } = figuresOf(state, use.settings);
	const known = state.raises?.[request];
	if (known?.executionId === use.executionId) return undefined;
	const prefix = requestPrefix(length, start);
	if (!request.startsWith(prefix) || request.length > MAX_ID_LENGTH)
		return refusal(
			'This request was not refused in the current period of the budget',
			`The current period began on ${start} at 00:00 UTC. Send the request again: it counts in this period now.`,
		);
	if (!request.startsWith(prefix + markOf(use)))
		return refusal(
			'This request was refused by the budget of another credential',
			'Choose the credential of the node that was refused.',
		);
	if (known)
		return refusal(
			'This request has already raised the budget',
			`Workflow "${known.workflow}" raised it by ${formatUsd(known.amount)} on ${toMinutes(known.at)}, in execution ${known.executionId}.`,
		);
	if (raised.plus(amount).gt(mayRaiseBy) || raises >= MAX_RAISES)
		return refusal(
			`The credential lets workflows raise its budget by ${formatUsd(mayRaiseBy)} in a period, ${MAX_RAISES} times at most`,
			`In this period, ${formatUsd(raised)} was added in ${raises} raises. Its owner can raise Workflows May Raise By (USD) or Budget (USD) of the credential.`,
		);
	const raise = { amount: amount.toFixed(), ...doneBy(use, reason, now) };
	const kept = Object.entries(state.raises ?? {}).slice(1 - MAX_RAISES);
	state.raises = { ...Object.fromEntries(kept), [request]: raise };
	return undefined;
}

const refusal = (message: string, what: string) =>
	invalidInputError(message, `Nothing was raised. ${what}`);
