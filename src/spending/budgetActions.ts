import { invalidInputError } from '../core/errors';
import { formatUsd, toUsd, ZERO } from '../core/money';
import type { Fields, SharedBudget } from '../core/accounts';
import { describeFigures, namePeriod, readPause } from './budgetErrors';
import type { BudgetUse, Change } from './budgetBook';
import { doneBy, raiseBudget } from './budgetRaises';
import { type BudgetLimit, type BudgetState, figuresOf, type Reservation } from './budgetState';
import { modelOfKey } from './jobFactors';
import type { Entry } from '../ledger/entry';
import { applyUpdate } from '../ledger/ledger';

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

function describeBudget(settings: BudgetLimit, state: BudgetState, row: Entry): Fields {
	const figures = figuresOf(state, settings);
	const { amounts, period } = describeFigures(settings, figures);
	return {
		...amounts,
		remainingUsd: toUsd(figures.left),
		...period,
		...toPauseFields(row),
		raises: Object.entries(state.raises ?? {}).map(([request, { amount, ...made }]) => ({
			request,
			amountUsd: toUsd(amount),
			...made,
		})),
		reservations: Object.entries(state.reservations).map(([reservationId, reservation]) => ({
			reservationId,
			reservedUsd: reservation.isReleased ? 0 : toUsd(reservation.most),
			since: reservation.at,
			executionId: reservation.executionId,
			workflow: reservation.workflow,
			...(reservation.unknown && { outcomeUnknown: true }),
		})),
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
