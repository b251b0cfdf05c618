import { invalidInputError } from '../core/errors';
import { toUsd } from '../core/money';
import type { Change } from './budgetBook';
import { readPause } from './budgetErrors';
import type { BudgetUse } from './budgetSettings';
import { type BudgetLimit, type Figures, figuresOf } from './budgetState';
import type { Entry } from './entry';
import { applyUpdate, n8nTimeOf } from './ledger';

/*
 * What people do with a budget. The results are plain JSON.
 */

/** Characters of a reason. */
const MAX_REASON_LENGTH = 300;

/** Reads the row again. @param change As of `BudgetBook.change`. */
async function readAgain<Outcome>(
	{ book, open, settings }: BudgetUse,
	change: Change<Outcome>,
): Promise<Outcome> {
	book.forget();
	return await book.change(open, settings, change);
}

const readRow = async (use: BudgetUse): Promise<Entry> =>
	await readAgain(use, (_state, _now, row) => row);

/** What is spent and reserved, and in which period. */
export const describeFigures = (
	{ amount, length }: BudgetLimit,
	{ spent, reserved, start, end }: Figures,
) => ({
	amounts: { budgetUsd: toUsd(amount), spentUsd: toUsd(spent), reservedUsd: toUsd(reserved) },
	period: {
		period: length,
		periodStart: `${start}T00:00:00Z`,
		periodEnd: `${end}T00:00:00Z`,
	},
});

/** What is spent and reserved in this period, by whom, and whether the budget is paused. */
export async function getBudget(use: BudgetUse): Promise<object> {
	const { settings } = use;
	return await readAgain(use, (state, _now, row) => {
		const figures = figuresOf(state, settings.length);
		const { spent, reserved } = figures;
		const { amounts, period } = describeFigures(settings, figures);
		return {
			...amounts,
			remainingUsd: toUsd(settings.amount.minus(spent).minus(reserved)),
			...period,
			...toPauseFields(row),
			lumps: Object.entries(state.lumps).map(([lumpId, lump]) => ({
				lumpId,
				reservedUsd: lump.isReleased ? 0 : toUsd(lump.most),
				since: lump.at,
				execution: lump.execution,
				workflow: lump.workflow,
			})),
		};
	});
}

/** Sends nothing more that costs. The first pause keeps its reason. */
export async function pauseBudget(use: BudgetUse, given: string): Promise<object> {
	const { workflow, workflowId, execution } = use;
	const { id } = await readRow(use);
	const ledger = await use.open();
	const at = new Date(n8nTimeOf(ledger)).toISOString();
	const reason = given.trim().slice(0, MAX_REASON_LENGTH);
	const note = JSON.stringify({ reason, workflow, workflowId, execution, at });
	const [row] = await applyUpdate(ledger.table, 'pauseBudget', { id, note: '' }, { note });
	return { ...toPauseFields(await readRow(use)), alreadyPaused: !row };
}

/** @throws ServiceError `invalid` if the credential does not allow it. */
export async function resumeBudget(use: BudgetUse): Promise<object> {
	const row = await readRow(use);
	requirePermission(use, row, 'empty its cell "note".');
	const { table } = await use.open();
	await applyUpdate(table, 'resumeBudget', { id: row.id }, { note: '' });
	return { ...toPauseFields(await readRow(use)), alreadyRunning: !row.note };
}

/**
 * Gives back what a killed process has reserved.
 *
 * @throws ServiceError `invalid` if the credential does not allow it, or nothing has this ID.
 */
export async function releaseLump(use: BudgetUse, lumpId: string): Promise<object> {
	const words = `delete the part "${lumpId}" in its cell "record", and write any other text into its cell "claim".`;
	requirePermission(use, await readRow(use), words);
	const lump = await use.book.change(use.open, use.settings, ({ lumps }) => {
		const found = lumps[lumpId];
		if (found) found.isReleased = true;
		return found;
	});
	if (!lump)
		throw invalidInputError(
			`The budget has no reserved part "${lumpId}"`,
			'Get of the resource Budget lists the parts that are reserved, with their IDs.',
		);
	const { execution, workflow, most } = lump;
	return { lumpId, releasedUsd: toUsd(most), execution, workflow };
}

function requirePermission({ settings }: BudgetUse, { id }: Entry, words: string): void {
	if (settings.mayResume) return;
	throw invalidInputError(
		'The credential does not let workflows resume its budget or release parts of it',
		`Nothing was changed. Its owner can turn on Workflows May Resume in the credential, or change row ${id} of the job ledger by hand: ${words}`,
	);
}

function toPauseFields({ note }: Entry): object {
	if (!note) return { paused: false };
	const { reason, workflow, workflowId, execution, at } = readPause(note);
	return { paused: true, pause: { reason, workflow, workflowId, execution, at } };
}
