import type { Fields, SharedBudget } from '../core/accounts';
import {
	invalidInputError,
	cutText,
	joinSentences,
	mapServiceError,
	toMinutes,
	withDetails,
} from '../core/errors';
import { formatUsd, toUsd, ZERO } from '../core/money';
import type { Entry } from '../ledger/entry';
import { applyUpdate } from '../ledger/ledger';
import type { BudgetSettings } from './budgetSettings';
import type { BudgetUse, Change } from './budgetBook';
import { describeFigures, namePeriod, readPause, markOf } from './budgetErrors';
import {
	type BudgetState,
	figuresOf,
	type Reservation,
	type Done,
	requestPrefix,
} from './budgetState';
import { modelOfKey } from './jobFactors';

/** What people do with a budget. They see the row as it is now, and the results are plain JSON. */
export function createBudgetActions(use: BudgetUse): SharedBudget['actions'] {
	const { book, settings } = use;
	const describe: Change<Fields> = (state, _now, row) => describeBudget(settings, state, row);
	return {
		async get() {
			await book.readAgain(use);
			return await book.change(use, describe);
		},

		/** The first pause keeps its reason. */
		async pause(reason) {
			const { id, note: earlierNote } = await book.readAgain(use);
			const ledger = await use.open();
			const note = JSON.stringify(doneBy(use, reason, ledger.n8nTime()));
			// the cell is not compared: if a person has emptied it, it may be null, which n8n does not take for ''
			if (!earlierNote) await applyUpdate(ledger.table, 'changePause', { id }, { note });
			return { ...toPauseFields(await book.readAgain(use)), alreadyPaused: Boolean(earlierNote) };
		},

		async resume() {
			const { id, note } = await book.readAgain(use);
			requirePermission(use, id, 'empty its cell "note".');
			const { table } = await use.open();
			await applyUpdate(table, 'changePause', { id }, { note: '' });
			return { ...toPauseFields(await book.readAgain(use)), alreadyRunning: !note };
		},

		async release(which) {
			const meant = 'id' in which ? `"${which.id}"` : 'each old one';
			const row = await book.readAgain(use);
			// nobody is asked for a permission to release what is not there
			if ('id' in which && !book.lastState?.reservations[which.id]) throw noReservation(which.id);
			requirePermission(use, row.id, releaseByHand(meant));
			const released = await book.change(use, ({ reservations }, now) => {
				const isMeant = ([id, { at, isReleased }]: [string, Reservation]) =>
					'id' in which ? id === which.id : !isReleased && Date.parse(at) <= now - which.age;
				const found = Object.entries(reservations).filter(isMeant);
				for (const [, reservation] of found) reservation.isReleased = true;
				return found.map(([reservationId, { most, executionId, workflow }]) => ({
					reservationId,
					releasedUsd: toUsd(most),
					executionId,
					workflow,
				}));
			});
			if ('age' in which) return { released: released.length, reservations: released };
			if (released[0]) return released[0];
			throw noReservation(which.id);
		},

		raise: async (wanted) => await raiseBudget(use, wanted, describe),
		describeLeft() {
			const { lastState } = book;
			if (!lastState) return undefined;
			const { left } = figuresOf(lastState, settings);
			return `${formatUsd(left.lt(0) ? ZERO : left)} left ${namePeriod(settings)}`;
		},
	};
}

const noReservation = (id: string) =>
	invalidInputError(
		`The budget has no reservation "${id}"`,
		'Get of the resource Budget lists the reservations with their IDs.',
	);

/** What the operation Release does. */
const releaseByHand = (meant: string) =>
	`under "reservations" in its cell "record", add "isReleased": true to ${meant}, and write any other text into its cell "claim". Do not delete a reservation: what it costs would not be counted.`;

function describeBudget(settings: BudgetSettings, state: BudgetState, row: Entry): Fields {
	const { mayResume, mayRaiseBy = ZERO } = settings;
	const figures = figuresOf(state, settings);
	const { amounts, period } = describeFigures(settings, figures);
	return {
		...amounts,
		remainingUsd: toUsd(figures.left),
		...period,
		...toPauseFields(row),
		workflowsMayResume: mayResume,
		workflowsMayRaiseByUsd: toUsd(mayRaiseBy),
		raises: Object.entries(state.raises ?? {}).map(([request, { amount, ...made }]) => ({
			request,
			amountUsd: toUsd(amount),
			...made,
		})),
		reservations: Object.entries(state.reservations).map(
			([reservationId, { most, at: since, executionId, workflow, isReleased, unknown }]) => ({
				reservationId,
				reservedUsd: isReleased ? 0 : toUsd(most),
				since,
				executionId,
				workflow,
				...(unknown && { outcomeUnknown: true }),
			}),
		),
		factors: Object.entries(state.factors).map(([key, factor]) => ({
			model: state.models?.[modelOfKey(key)] ?? '',
			key,
			timesMinimum: Number(factor),
		})),
	};
}

/** @throws ServiceError `invalid` if the credential does not allow it. */
function requirePermission({ settings }: BudgetUse, id: number, manualSteps: string): void {
	if (settings.mayResume) return;
	throw invalidInputError(
		'The credential does not let workflows resume its budget or release reservations',
		`Nothing was changed. Its owner can turn on Workflows May Resume in the credential, or change row ${id} of the Data Table "${settings.table}" by hand: ${manualSteps}`,
	);
}

const toPauseFields = ({ note }: Entry): Fields =>
	note ? { paused: true, pause: readPause(note) } : { paused: false };

/*
 * What workflows add to the current period of a budget, once for each request that it has refused.
 */

/** Raises of a period, and those that are kept: the row must not grow. */
const MAX_RAISES = 50;
/** Characters of a reason, and of the ID of a request. */
const [MAX_REASON_LENGTH, MAX_ID_LENGTH] = [300, 100];

/** @param now Milliseconds since 1970, by the clock of n8n. */
const doneBy = (
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
async function raiseBudget<Said>(
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
