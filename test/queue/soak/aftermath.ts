import { setTimeout as pause } from 'node:timers/promises';

import type { Entry } from '../../../src/ledger/entry';
import { above, equal, MAX_ROWS, where } from '../../../src/tables/table';
import { insist, type Host } from './host';

/** States of a row that a lease belongs to. */
const LEASED = /^(intent|sending|emitting|delivering|unconfirmed)$/;
/** States of a job that a trigger still has to do with. */
const ON_THE_WAY = /^(pending|emitting|delivering|unconfirmed)$/;
/** Milliseconds between two looks. */
const LOOK = 5000;
/** Milliseconds after which what a poll has claimed is an execution for certain. */
const SETTLED = 10_000;
/** Milliseconds without any change after which the next check is made to come: after failures it is an hour off. */
const QUIET = 2 * 60_000;
/** How often that is done before nothing more is expected. */
const MOST_HOURS = 10;

/** All rows of the job ledger. */
export const readRows = async ({ ledger }: Host): Promise<Entry[]> =>
	await insist(async () => {
		const table = await ledger.table();
		const found: Entry[] = [];
		for (let next = [{}]; next.length; ) {
			const rows = await table.find(where({ id: above(found.at(-1)?.id ?? 0) }), {
				limit: MAX_ROWS,
			});
			found.push(...rows);
			next = rows;
		}
		return found;
	});

/** Lets a time of a row be over, if the row is still the same. @returns whether it was */
const letPass = async (
	{ ledger }: Host,
	{ id, state, ...row }: Entry,
	time: 'leaseUntil' | 'checkAt',
) =>
	await insist(async () => {
		const same = { condition: 'eq', value: row[time] } as const;
		const found = where({ id, state: equal(state), [time]: same });
		return (await (await ledger.table()).change(found, { [time]: 1 })).length > 0;
	});

async function areUnderWay({ queue: { editor } }: Host) {
	const statuses = ['new', 'running', 'waiting'];
	const filter = encodeURIComponent(JSON.stringify({ status: statuses }));
	const path = `/rest/executions?filter=${filter}`;
	const { results } = await insist(
		async () => await editor.call<{ results: Array<{ status: string }> }>('GET', path),
	);
	return results.some(({ status }) => statuses.includes(status));
}

/** Waits until no execution is under way, as far as n8n knows. */
export async function untilAllEnded(host: Host, seconds: number) {
	for (const until = Date.now() + seconds * 1000; Date.now() < until; await pause(LOOK))
		if (!(await areUnderWay(host))) return;
}

/** Lets all leases end whose executions n8n says are over: that of the ledger would last for ten minutes. */
export async function endLeases(host: Host) {
	const before = await readRows(host);
	if (await areUnderWay(host)) return;
	await pause(SETTLED);
	// a lease that was taken or renewed meanwhile is another one, which stays
	if (await areUnderWay(host)) return;
	for (const row of before)
		if (LEASED.test(row.state) && row.leaseUntil > 1) await letPass(host, row, 'leaseUntil');
}

/** Lets the trigger bring what is left: nobody does anything but let time pass, for leases and for checks that are far off. */
export async function bringTheRest(host: Host, say: (text: string) => void) {
	let [last, changed, hours] = ['', Date.now(), 0];
	for (; ; await pause(LOOK)) {
		const open = (await readRows(host)).filter(({ state }) => ON_THE_WAY.test(state));
		if (!open.length) return;
		const now = JSON.stringify(open.map(({ id, state }) => [id, state]));
		if (now !== last) {
			say(`  ${open.length} on the way`);
			[last, changed] = [now, Date.now()];
		}
		if (Date.now() - changed > QUIET) {
			if (++hours > MOST_HOURS) return;
			changed = Date.now();
			for (const row of open) if (row.state === 'pending') await letPass(host, row, 'checkAt');
		}
		await endLeases(host);
	}
}
