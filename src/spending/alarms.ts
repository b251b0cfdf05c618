import type { BudgetUse } from './budgetBook';
import { describeFigures } from './budgetErrors';
import type { BudgetSettings } from './budgetSettings';
import { type BudgetState, figuresOf } from './budgetState';
import { toDay, toMonth } from './periods';
import { MAKE_ROOM, NEARLY_FULL } from './recordBook';
import { ALARM, type Entry, jobKey, ownedBy, type Owner } from '../ledger/entry';
import { expireStaleRows, isoTime } from '../ledger/keyClaim';
import { enterRow, findRowsOfJobs, type Ledger } from '../ledger/ledger';
import { below, findAllRows, where } from '../tables/table';

/*
 * Alarms are rows of the job ledger. A trigger delivers them as it delivers jobs, which is what makes each come once.
 */

/** An alarm as a row. Its job ID is always the same, so that it is entered once. `record` has the fields of the trigger's item. */
export type Alarm = Pick<Entry, 'jobId' | 'outcome' | 'note' | 'model' | 'record'>;

/** Enters those that are not there yet. Two processes may enter the same at once: a delivery takes the rows of one ID as one. */
async function enterAlarms(ledger: Ledger, owner: Owner, alarms: readonly Alarm[]) {
	const { table, executionId } = ledger;
	const ids = alarms.map(({ jobId }) => jobId);
	const known = new Set((await findRowsOfJobs(table, ids)).map(jobKey));
	for (const alarm of alarms) {
		const now = ledger.n8nTime();
		const row = { ...owner, ...alarm, mediaType: ALARM, startedAt: now, checkAt: now, executionId };
		if (!known.has(jobKey(row))) await enterRow(table, 'enterAlarm', row);
	}
}

/** Each group of triggers gets its own alarm. */
const ofGroup = (name: string, group: string) => (group ? `${name}:${group}` : name);

/** An alarm for each threshold that is reached and has none yet. @param group Of the trigger that is to deliver it. */
export function dueAlarms(state: BudgetState, settings: BudgetSettings, group: string): Alarm[] {
	const { length, alarmPercents } = settings;
	const figures = figuresOf(state, settings);
	const name = length === 'month' ? figures.start.slice(0, 7) : figures.start;
	return alarmPercents.flatMap((percent) => {
		const jobId = ofGroup(`budget:${name}:${percent.toFixed()}`, group);
		const { spent, most } = figures;
		const isReached = most.gt(0) && spent.times(100).gte(most.times(percent));
		if (!isReached || state.announced?.[jobId] !== undefined) return [];
		const { amounts, period } = describeFigures(settings, figures);
		const note = `${percent.toFixed()}% of the budget is spent.`;
		const record = JSON.stringify({ percent: Number(percent), ...amounts, ...period });
		return [{ jobId, model: '', outcome: 'threshold', note, record }];
	});
}

/**
 * Enters the alarms of thresholds that the budget has reached. What is entered is marked in the budget after that: after a crash in
 * between it is entered again, and found.
 *
 * @throws ServiceError. The next change of the budget, or the next poll, then enters them.
 */
export async function enterBudgetAlarms(use: BudgetUse, group: string, alarms: readonly Alarm[]) {
	if (!alarms.length) return;
	const owner = { credentialId: use.credentialId, triggerGroup: group };
	await enterAlarms(await use.open(), owner, alarms);
	await use.book.change(use, (state) => {
		for (const { jobId } of alarms) (state.announced ??= {})[jobId] = state.day;
	});
}

/**
 * Enters an alarm for every start in the ledger whose outcome is unknown, including those whose process was killed.
 *
 * @param owner With an empty group, for all starts of the credential.
 */
export async function enterUnknownAlarms(ledger: Ledger, owner: Owner): Promise<void> {
	const { table, n8nTime } = ledger;
	const ofOwner = ownedBy(owner);
	const isInterrupted = where({ ...ofOwner, state: 'sending', leaseUntil: below(n8nTime()) });
	await expireStaleRows(ledger, await table.find(isInterrupted));
	const starts = await findAllRows<Entry>(table, { ...ofOwner, state: 'unknown' });
	const alarms = starts.map(
		({ id, mediaType, model, executionId, note, uniqueKey, startedAt }) => ({
			jobId: ofGroup(`unknown:${id}`, owner.triggerGroup),
			model,
			outcome: 'outcomeUnknown',
			note: `The outcome of the start in entry ${id} is unknown.`,
			record: JSON.stringify({
				entryId: id,
				mediaType,
				model,
				executionId,
				note,
				...(uniqueKey && { uniqueKey }),
				startedAt: isoTime(startedAt),
			}),
		}),
	);
	await enterAlarms(ledger, owner, alarms);
}

/**
 * Enters the alarm that the record of spending is nearly full. It comes again in the next month, if nobody has made room.
 *
 * @param spendingTable As the credential says.
 */
export async function enterNearlyFullAlarm(
	ledger: Ledger,
	owner: Owner,
	spendingTable: string,
): Promise<void> {
	const month = toMonth(toDay(ledger.n8nTime()));
	const note = `${NEARLY_FULL}.`;
	const alarm: Alarm = {
		jobId: ofGroup(`spending:${month}:${spendingTable}`, owner.triggerGroup),
		model: '',
		outcome: 'nearlyFull',
		note,
		record: JSON.stringify({ spendingTable, note, advice: MAKE_ROOM }),
	};
	await enterAlarms(ledger, owner, [alarm]);
}
