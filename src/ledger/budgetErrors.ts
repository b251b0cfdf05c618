import { type Bound, describeBound, endOfSentence } from '../core/budget';
import { ServiceError } from '../core/errors';
import { isPlainObject, tryParseJson } from '../core/json';
import { formatUsd } from '../core/money';
import type { BudgetUse } from './budgetBook';
import { type Claim, MAX_LUMPS, type Refused } from './budgetState';

/** Who has paused a budget, why, and when: in ISO 8601, by the clock of n8n. */
type Pause = Record<'reason' | 'workflow' | 'workflowId' | 'execution' | 'at', string>;

/** Reads the note of a paused budget. Any text that a person has written there also pauses it. */
export function readPause(note: string): Partial<Pause> {
	const pause = tryParseJson(note);
	return isPlainObject(pause) ? (pause as Partial<Pause>) : { reason: note };
}

/** A model calls a failed tool again unless it is told not to. */
const TOOL_ADVICE =
	'Do not call this tool again: tell the user that no money may be spent at the moment.';

const refuse = ({ asTool }: Pick<BudgetUse, 'asTool'>, message: string, advice: string) =>
	new ServiceError('invalid', message, {
		outcome: 'not_started',
		advice: ['Nothing was sent.', advice, asTool && TOOL_ADVICE].filter(Boolean).join(' '),
	});

/** The budget is paused. @param note Of its row. */
export function pausedError(use: BudgetUse, note: string): ServiceError {
	const { reason = '', workflow, execution, at } = readPause(note);
	const who = workflow ? `Workflow "${workflow}" paused it` : 'Somebody paused it';
	const where = execution ? `, in execution ${execution}` : '';
	const when = at ? ` on ${at.slice(0, 16).replace('T', ' ')} UTC` : '';
	const why = reason ? `: ${reason.replace(/\.$/, '')}` : '';
	return refuse(
		use,
		'The budget of this credential is paused',
		`${who}${when}${where}${why}. To resume it, empty the cell "note" of the budget in the Data Table of the job ledger. If the credential has Workflows May Resume, the operation Resume of the resource Budget does that.`,
	);
}

/** A request that has no bound could cost anything. */
export const unboundedError = (use: BudgetUse, reason: string): ServiceError =>
	refuse(
		use,
		`The cost cannot be calculated: ${endOfSentence(reason)}`,
		'The credential has a budget, and every request has to fit into it. Choose a model whose price is in the catalog, or enter Count Unknown Cost As (USD) in the credential.',
	);

/** The budget has no room for a request, or none yet. */
export function refusalError(use: BudgetUse, claim: Claim & { refused: Refused }, bound: Bound) {
	const { amount, length } = use.settings;
	const { spent, reserved, open, end } = claim.figures;
	const period = length === 'day' ? 'today' : `this ${length}`;
	const limit = `budget of ${formatUsd(amount)} for ${period}`;
	const parts = open === 1 ? '1 request or job' : `${open} requests or jobs`;
	const reservedPart = open
		? `, and ${formatUsd(reserved)} is reserved for ${parts} under way`
		: '';
	const figures = `${formatUsd(spent)} is spent${reservedPart}. ${describeBound(bound)}.`;
	const releaseAdvice =
		'Run this again later. What a killed process has held stays reserved until the period ends: Get of the resource Budget lists it, and Release gives it back.';
	const messages: Record<Refused, string> = {
		spent: `The ${limit} is reached`,
		reserved: `The rest of the ${limit} is reserved for requests and jobs under way`,
		estimate: `The ${limit} waits for the estimate of another job`,
		full: `The budget has ${MAX_LUMPS} requests and jobs under way, and takes no more`,
	};
	const advice: Record<Refused, string> = {
		spent: `${figures} The period ends on ${end} at 00:00 UTC. Wait until then, ask for less, or ask the owner of the credential to raise Budget (USD).`,
		reserved: `Waited for 30 s. ${figures} ${releaseAdvice}`,
		estimate: `What a job of this model costs is not known yet, and another start that has no estimate is under way. ${figures} ${releaseAdvice}`,
		full: 'Wait until some of them have ended. Get of the resource Budget lists them. Release gives back what a killed process has held.',
	};
	return refuse(use, messages[claim.refused], advice[claim.refused]);
}
