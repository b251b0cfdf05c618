import { type Decimal, toUsd } from '../core/money';
import type { BudgetUse } from './budgetSettings';
import { type BudgetLimit, type BudgetState, figuresOf } from './budgetState';
import { ALARM, type Entry } from './entry';
import {
	applyTransition,
	below,
	enterRow,
	findRowsOfJobs,
	type Ledger,
	MAX_ROWS,
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

/** Two processes may enter the same at once: a delivery takes the rows of one ID as one. */
async function enterAlarm(ledger: Ledger, { fields, ...alarm }: Alarm): Promise<void> {
	const { jobId, account } = alarm;
	const [known] = await ledger.table.find(where({ jobId, account, segment: ALARM }), { limit: 1 });
	if (known) return;
	const now = n8nTimeOf(ledger);
	const times = { startedAt: now, checkAt: now };
	const row = { ...alarm, ...times, segment: ALARM, execution: ledger.execution };
	await enterRow(ledger.table, 'enterAlarm', { ...row, record: JSON.stringify(fields) });
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
	const { spent, reserved, start, end } = figures;
	const fields = {
		budgetUsd: toUsd(settings.amount),
		spentUsd: toUsd(spent),
		reservedUsd: toUsd(reserved),
		period: settings.length,
		periodStart: `${start}T00:00:00Z`,
		periodEnd: `${end}T00:00:00Z`,
	};
	for (const { percent, jobId } of reached) {
		const said = `${percent.toFixed()} % of the budget is spent.`;
		await enterAlarm(ledger, {
			...{ jobId, label, account, model: '', outcome: 'threshold', note: said },
			fields: { percent: Number(percent), ...fields },
		});
	}
	await book.change(open, settings, (state) => {
		for (const { jobId } of reached) (state.told ??= {})[jobId] = state.day;
	});
}

/** Most alarms of unknown outcomes that one poll enters. */
const MAX_UNKNOWN = MAX_ROWS;

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
	const options = { limit: MAX_UNKNOWN, last: true };
	const starts = await table.find(where({ ...ofTrigger, state: 'unknown' }), options);
	const jobIdOf = ({ id }: Entry) => labeled(`unknown:${id}`, label);
	const known = await findRowsOfJobs(table, starts.map(jobIdOf));
	const told = new Set(known.filter(({ segment }) => segment === ALARM).map(({ jobId }) => jobId));
	for (const start of starts) {
		const jobId = jobIdOf(start);
		if (told.has(jobId)) continue;
		const { id, startKey, segment, model, startedAt, execution, note } = start;
		const fields = {
			...{ entryId: id, mediaType: segment, model, execution, note },
			...(startKey && { idempotencyKey: startKey }),
			startedAt: new Date(startedAt).toISOString(),
		};
		const said = `The outcome of the start in entry ${id} is unknown.`;
		const row = { jobId, label, account, model, note: said };
		await enterAlarm(ledger, { ...row, outcome: 'outcomeUnknown', fields });
	}
}
