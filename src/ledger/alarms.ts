import type { Decimal } from '../core/money';
import { describeFigures } from './budgetActions';
import type { BudgetUse } from './budgetSettings';
import { type BudgetLimit, type BudgetState, figuresOf } from './budgetState';
import { ALARM, type Entry } from './entry';
import {
	applyTransition,
	below,
	enterRow,
	findRowsOfJobs,
	type Ledger,
	n8nTimeOf,
	where,
} from './ledger';

/*
 * Alarms are rows of the job ledger. A trigger delivers them as it delivers jobs, which is what makes each come once.
 */

/** An alarm as a row. Its job ID is always the same, so that it is entered once. */
type Alarm = Pick<Entry, 'jobId' | 'outcome' | 'label' | 'account' | 'note' | 'model'> & {
	/** What the item of the trigger says. */
	fields: object;
};

/** Enters those that are not there yet. Two processes may enter the same at once: a delivery takes the rows of one ID as one. */
async function enterAlarms(ledger: Ledger, alarms: readonly Alarm[]): Promise<void> {
	const ids = alarms.map(({ jobId }) => jobId);
	const known = await findRowsOfJobs(ledger.table, ids);
	const isKnown = ({ jobId, account }: Alarm) =>
		known.some((row) => row.segment === ALARM && row.jobId === jobId && row.account === account);
	for (const alarm of alarms) {
		if (isKnown(alarm)) continue;
		const { fields, ...cells } = alarm;
		const now = n8nTimeOf(ledger);
		const times = { startedAt: now, checkAt: now };
		const row = { ...cells, ...times, segment: ALARM, execution: ledger.execution };
		await enterRow(ledger.table, 'enterAlarm', { ...row, record: JSON.stringify(fields) });
	}
}

/** Each trigger with a label of its own is told. */
const labeled = (name: string, label: string) => (label ? `${name}:${label}` : name);

/** A threshold of a budget that is reached, and that nobody was told of. */
interface Threshold {
	percent: Decimal;
	jobId: string;
}

/** @param label Of the trigger that is told. */
export function reachedThresholds(
	state: BudgetState,
	{ amount, length, alarmPercents }: BudgetLimit & { alarmPercents: readonly Decimal[] },
	label: string,
): Threshold[] {
	const { spent, start } = figuresOf(state, length);
	const period = length === 'month' ? start.slice(0, 7) : start;
	return alarmPercents
		.filter((percent) => amount.gt(0) && spent.times(100).gte(amount.times(percent)))
		.map((percent) => {
			const name = `budget:${period}:${percent.toFixed()}`;
			return { percent, jobId: labeled(name, label) };
		})
		.filter(({ jobId }) => state.told?.[jobId] === undefined);
}

/**
 * Enters the alarms of thresholds that the budget has reached. What is entered is marked in the budget after that: after a crash in
 * between it is entered again, and found.
 *
 * @throws ServiceError. The next change of the budget, or the next poll, then enters them.
 */
export async function enterBudgetAlarms(use: BudgetUse, label: string): Promise<void> {
	const { book, open, settings, account } = use;
	const { reached, figures } = await book.change(open, settings, (state) => ({
		reached: reachedThresholds(state, settings, label),
		figures: figuresOf(state, settings.length),
	}));
	if (!reached.length) return;
	const ledger = await open();
	const { amounts, period } = describeFigures(settings, figures);
	const alarms = reached.map(({ percent, jobId }) => ({
		...{ jobId, label, account, model: '', outcome: 'threshold' },
		note: `${percent.toFixed()} % of the budget is spent.`,
		fields: { percent: Number(percent), ...amounts, ...period },
	}));
	await enterAlarms(ledger, alarms);
	await book.change(open, settings, (state) => {
		for (const { jobId } of reached) (state.told ??= {})[jobId] = state.day;
	});
}

/**
 * Enters an alarm for every start in the ledger whose outcome is unknown: also for one whose process was killed.
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
	for (const { id, leaseUntil } of await table.find(isInterrupted))
		await applyTransition(table, 'expireStart', { id, leaseUntil });
	const starts = await table.find(where({ ...ofTrigger, state: 'unknown' }), { last: true });
	const alarms = starts.map((start) => {
		const { id, startKey, segment, model, startedAt, execution, note } = start;
		return {
			...{ jobId: labeled(`unknown:${id}`, label), label, account, model },
			outcome: 'outcomeUnknown',
			note: `The outcome of the start in entry ${id} is unknown.`,
			fields: {
				...{ entryId: id, mediaType: segment, model, execution, note },
				...(startKey && { idempotencyKey: startKey }),
				startedAt: new Date(startedAt).toISOString(),
			},
		};
	});
	await enterAlarms(ledger, alarms);
}
