import {
	invalidInputError,
	joinSentences,
	type ServiceError,
	toMinutes,
	withDetails,
} from '../core/errors';
import { type Bound, describeBound, describeUnbounded } from '../core/reserve';
import { isPlainObject, tryParseJson } from '../core/json';
import { formatUsd, toUsd } from '../core/money';
import type { BudgetUse } from './budgetBook';
import type { BudgetSettings } from './budgetSettings';
import {
	type BudgetLimit,
	type Done,
	type Figures,
	requestPrefix,
	type Reservation,
} from './budgetState';
import { modelOfKey, shortHash } from './jobFactors';
import { type Claim, MAX_RESERVATIONS, type Refused } from './reservations';

/** What is spent and reserved, and in which period, as plain JSON. */
export const describeFigures = (
	{ length }: Pick<BudgetLimit, 'length'>,
	{ most, raised, spent, reserved, start, end }: Figures,
) => ({
	amounts: {
		budgetUsd: toUsd(most),
		raisedUsd: toUsd(raised),
		spentUsd: toUsd(spent),
		reservedUsd: toUsd(reserved),
	},
	period: { period: length, periodStart: `${start}T00:00:00Z`, periodEnd: `${end}T00:00:00Z` },
});

/** Reads the note of a paused budget. Any text that a person has written there also pauses it. */
export function readPause(note: string): Partial<Done> {
	const pause = tryParseJson(note);
	return isPlainObject(pause) ? (pause as Partial<Done>) : { reason: note };
}

/** A model calls a failed tool again unless it is told not to. */
const TOOL_ADVICE =
	'Do not call this tool again: tell the user that the budget does not allow it at the moment.';

function refuse({ asTool }: Pick<BudgetUse, 'asTool'>, message: string, what: string) {
	const error = invalidInputError(message, `Nothing was sent. ${what}`);
	const advice = asTool && `${error.details.advice} ${TOOL_ADVICE}`;
	return withDetails(error, {
		outcome: 'not_started',
		needsOperator: true,
		...(advice && { advice }),
	});
}

/** The budget is paused. @param note Of its row. */
export function pausedError(use: BudgetUse, note: string): ServiceError {
	const { reason = '', workflow, executionId, at } = readPause(note);
	const who = workflow ? `Workflow "${workflow}" paused it` : 'Somebody paused it';
	const where = executionId ? `, in execution ${executionId}` : '';
	const when = at ? ` on ${toMinutes(at)}` : '';
	const why = reason ? `: ${reason.replace(/\.$/, '')}` : '';
	return refuse(
		use,
		'The budget of this credential is paused',
		`${who}${when}${where}${why}. To resume it, use Resume of the resource Budget, if the credential has Workflows May Resume. Otherwise empty the cell "note" of the row with the state "budget" in the Data Table "${use.settings.table}".`,
	);
}

/** A request that has no bound could cost anything. */
export const unboundedError = (
	use: BudgetUse,
	bound: Extract<Bound, { unbounded: string }>,
): ServiceError =>
	refuse(
		use,
		describeUnbounded(bound),
		joinSentences(
			'The credential has a budget, and every request has to fit into it.',
			bound.remedy,
			bound.trouble !== 'fault' &&
				'For a price that nobody knows, the owner of the credential can enter Count Unknown Cost As (USD) in it.',
		),
	);

/** Tells the requests of a budget from those of others. */
export const markOf = ({ credentialId }: Pick<BudgetUse, 'credentialId'>): string =>
	`${shortHash(credentialId, 8)}-`;

/** The budget has no room for a request, or none yet. */
export function refusalError(
	use: BudgetUse,
	{ refused, figures, need, missing, holders, key }: Extract<Claim, { refused: Refused }>,
	bound: Bound,
) {
	const { spent, reserved, open, start, end, most: budget } = figures;
	const limit = `budget of ${formatUsd(budget)} for ${namePeriod(use.settings)}`;
	const holding = open === 1 ? '1 request or job' : `${open} requests or jobs`;
	const reservedAmount = open
		? `, and ${formatUsd(reserved)} is reserved for ${holding} under way`
		: '';
	const isMore = 'isLeast' in bound && bound.isLeast && need.gt(bound.microUsd);
	const estimated = isMore ? `, and jobs like it were estimated at up to ${formatUsd(need)}` : '';
	const state = `${formatUsd(spent)} is spent${reservedAmount}. ${describeBound(bound)}${estimated}.`;
	const repair = isMore && key ? ` ${adviseFactor(key, use.settings)}` : '';
	const named = nameHolders(holders);
	const most = `Most is held by ${named}. ${HOW_IT_ENDS}`;
	// two tables, since docs/troubleshooting.md is made from what is a message, and what an advice
	const messages: Record<Refused, string> = {
		spent: spent.gte(budget)
			? `The ${limit} is reached`
			: `This does not fit into what is left of the ${limit}`,
		reserved: `This does not fit into the ${limit} beside what is reserved for requests and jobs under way`,
		estimate: `The ${limit} waits for the estimate of another job`,
		full: `The budget has ${MAX_RESERVATIONS} requests and jobs under way, and starts no more jobs`,
	};
	const advice: Record<Refused, string> = {
		spent: `${state} The period ends on ${end} at 00:00 UTC. Wait until then, ask for less, or ask the owner of the credential to raise Budget (USD).${repair}`,
		reserved: `Waited for 30 s. ${state} Run this again later. ${most}${repair}`,
		estimate: `No job with these settings was started before, so nobody knows what it costs. Of such starts, one at a time is under way, and another one took more than 30 s: ${named}. Run this again later. If the process of that start was killed, the wait for it ends after ten minutes, or after twice its Idle Timeout. ${state}`,
		full: most,
	};
	const error = refuse(use, messages[refused], advice[refused]);
	// that another amount would not help
	if (refused === 'estimate' || refused === 'full') return error;
	const { amounts, period } = describeFigures(use.settings, figures);
	const request = requestPrefix(use.settings.length, start) + markOf(use) + use.newId();
	// what a branch of a workflow needs to ask somebody
	return withDetails(error, {
		budget: { ...amounts, missingUsd: toUsd(missing), ...period, request },
	});
}

/** What to do where an estimate of the service was wrong: no job of the model may fit any more, and only a job can correct it. */
const adviseFactor = (key: string, { table }: BudgetSettings) =>
	`If that estimate was wrong, it does not go away by itself: Get of the resource Budget lists the factors, and those of this model have keys that begin with ${modelOfKey(key)}. Delete the wrong one from "factors" in the cell "record" of the row with the state "budget" in the Data Table "${table}", and write any other text into its cell "claim".`;

/** The current period. */
export const namePeriod = ({ length }: Pick<BudgetLimit, 'length'>): string =>
	length === 'day' ? 'today' : `this ${length}`;

/** Holders that an error names. */
const NAMED_HOLDERS = 3;

const HOW_IT_ENDS =
	'A job counts until its cost is read, which Get Job, Wait for Job, Download File, Generate and the Model Router Trigger do. What a killed process has held stays reserved until the period ends: Get of the resource Budget lists it, and Release gives it back.';

/** Who has reserved the most, and since when. */
const nameHolders = (holders: readonly Reservation[]): string =>
	holders
		.filter(({ isReleased }) => !isReleased)
		.sort((one, other) => Number(other.most) - Number(one.most))
		.slice(0, NAMED_HOLDERS)
		.map(
			({ most, at, executionId, workflow, unknown }) =>
				`execution ${executionId} of "${workflow}" (${formatUsd(most)} since ${toMinutes(at)}${unknown ? ', outcome unknown' : ''})`,
		)
		.join(', ');
