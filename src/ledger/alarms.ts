import type { Decimal } from '../core/money';
import { describeFigures } from './budgetActions';
import type { BudgetUse } from './budgetBook';
import type { BudgetSettings } from './budgetSettings';
import { type BudgetState, figuresOf } from './budgetState';
import { ALARM, type Entry } from './entry';
import { expireStaleRows } from './keyClaim';
import { below, enterRow, findRowsOfJobs, type Ledger, n8nTimeOf, where } from './ledger';

/*
 * Alarms are rows of the job ledger. A trigger delivers them as it delivers jobs, which is what makes each come once.
 */

/** An alarm as a row. Its job ID is always the same, so that it is entered once. `record` has the fields of the trigger's item. */
type Alarm = Pick<Entry, 'jobId' | 'outcome' | 'note' | 'model' | 'record'>;

/** Enters those that are not there yet. Two processes may enter the same at once: a delivery takes the rows of one ID as one. */
async function enterAlarms(
	ledger: Ledger,
	owner: Pick<Entry, 'account' | 'label'>,
	alarms: readonly Alarm[],
): Promise<void> {
	const ids = alarms.map(({ jobId }) => jobId);
	const rows = await findRowsOfJobs(ledger.table, ids);
	const known = rows.filter(
		({ segment, account }) => segment === ALARM && account === owner.account,
	);
	for (const alarm of alarms) {
		if (known.some(({ jobId }) => jobId === alarm.jobId)) continue;
		const now = n8nTimeOf(ledger);
		const row = { ...owner, ...alarm, startedAt: now, checkAt: now, segment: ALARM };
		await enterRow(ledger.table, 'enterAlarm', { ...row, execution: ledger.execution });
	}
}

/** Each trigger with a label gets its own alarm. */
const labeled = (name: string, label: string) => (label ? `${name}:${label}` : name);

/** The thresholds that are reached and have no alarm yet. @param label Of the trigger that is to deliver it. */
export function reachedThresholds(
	state: BudgetState,
	{ amount, length, alarmPercents }: BudgetSettings,
	label: string,
) {
	const { spent, start } = figuresOf(state, length);
	const period = length === 'month' ? start.slice(0, 7) : start;
	const isReached = (percent: Decimal) => spent.times(100).gte(amount.times(percent));
	return alarmPercents
		.filter((percent) => amount.gt(0) && isReached(percent))
		.map((percent) => ({
			percent,
			jobId: labeled(`budget:${period}:${percent.toFixed()}`, label),
		}))
		.filter(({ jobId }) => state.told?.[jobId] === undefined);
}

/**
 * Enters the alarms of thresholds that the budget has reached. What is entered is marked in the budget after that: after a crash in
 * between it is entered again, and found.
 *
 * @throws ServiceError. The next change of the budget, or the next poll, then enters them.
 */
export async function enterBudgetAlarms(use: BudgetUse, label: string): Promise<void> {
	const { book, settings, account } = use;
	const { reached, figures } = await book.change(use, (state) => ({
		reached: reachedThresholds(state, settings, label),
		figures: figuresOf(state, settings.length),
	}));
	if (!reached.length) return;
	const { amounts, period } = describeFigures(settings, figures);
	const alarms = reached.map(({ percent, jobId }) => ({
		...{ jobId, model: '', outcome: 'threshold' },
		note: `${percent.toFixed()}% of the budget is spent.`,
		record: JSON.stringify({ percent: Number(percent), ...amounts, ...period }),
	}));
	await enterAlarms(await use.open(), { account, label }, alarms);
	await book.change(use, (state) => {
		for (const { jobId } of reached) (state.told ??= {})[jobId] = state.day;
	});
}

/**
 * Enters an alarm for every start in the ledger whose outcome is unknown, including those whose process was killed.
 *
 * @param label Of the trigger; empty for all starts of the account.
 */
export async function enterUnknownAlarms(
	ledger: Ledger,
	account: string,
	label: string,
): Promise<void> {
	const { table, clock } = ledger;
	const ofTrigger = { account, label: label || undefined };
	const isInterrupted = where({ ...ofTrigger, state: 'sending', leaseUntil: below(clock.now()) });
	await expireStaleRows(ledger, await table.find(isInterrupted));
	const starts = await table.find(where({ ...ofTrigger, state: 'unknown' }), { last: true });
	const alarms = starts.map((start) => {
		const { id, startKey, segment, model, startedAt, execution, note } = start;
		return {
			...{ jobId: labeled(`unknown:${id}`, label), model, outcome: 'outcomeUnknown' },
			note: `The outcome of the start in entry ${id} is unknown.`,
			record: JSON.stringify({
				...{ entryId: id, mediaType: segment, model, execution, note },
				...(startKey && { idempotencyKey: startKey }),
				startedAt: new Date(startedAt).toISOString(),
			}),
		};
	});
	await enterAlarms(ledger, { account, label }, alarms);
}
