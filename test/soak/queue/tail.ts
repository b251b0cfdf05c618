import { setTimeout as pause } from 'node:timers/promises';

import type { Editor } from '../../n8n/editor';
import { areUnderWay } from './executions';
import { insist, type Row, type Rows } from './ledgerRows';

/** States of a row that a lease belongs to. */
const LEASED = ['intent', 'sending', 'emitting', 'delivering', 'unconfirmed'];
/** States of a job that a trigger still has to do with. */
const ON_THE_WAY = ['pending', 'emitting', 'delivering', 'unconfirmed'];
/** Milliseconds between two looks. */
const LOOK = 5000;
/** Milliseconds after which what a poll has claimed is an execution for certain. */
const SETTLED = 10_000;
/** Milliseconds without any change after which the next check is made to come: after failures it is an hour off. */
const QUIET = 2 * 60_000;
/** How often that is done before nothing more is expected. */
const MOST_HOURS = 10;

/** What was made to happen at once that time would have brought. */
export interface TimePassed {
	leasesEnded: number;
	/** Times at which all checks were made due. */
	hours: number;
}

/** Waits until no execution is under way, as far as n8n knows. */
export async function untilAllEnded(editor: Editor, seconds: number): Promise<boolean> {
	for (const until = Date.now() + seconds * 1000; Date.now() < until; await pause(LOOK))
		if (!(await insist(async () => await areUnderWay(editor)))) return true;
	return false;
}

/** Lets all leases end whose executions n8n says are over: that of the ledger would last for ten minutes. @returns how many */
export async function endLeases(editor: Editor, rows: Rows): Promise<number> {
	const before = await rows.read();
	if (await areUnderWay(editor)) return 0;
	await pause(SETTLED);
	// a lease that was taken or renewed meanwhile is another one, which stays
	if (await areUnderWay(editor)) return 0;
	const leased = before.filter(({ state, leaseUntil }) => LEASED.includes(state) && leaseUntil > 1);
	let ended = 0;
	for (const row of leased) if (await rows.letPass(row, 'leaseUntil')) ended++;
	return ended;
}

/** Lets the trigger bring what is left: nobody does anything but let time pass, for leases and for checks that are far off. */
export async function bringTheRest(
	editor: Editor,
	rows: Rows,
	say: (open: number) => void,
): Promise<TimePassed> {
	const passed: TimePassed = { leasesEnded: 0, hours: 0 };
	let last = '';
	let changed = Date.now();
	for (;;) {
		const open = (await insist(async () => await rows.read())).filter(({ state }) =>
			ON_THE_WAY.includes(state),
		);
		if (!open.length) return passed;
		const now = summaryOf(open);
		if (now !== last) {
			say(open.length);
			last = now;
			changed = Date.now();
		}
		if (Date.now() - changed > QUIET) {
			if (passed.hours === MOST_HOURS) return passed;
			passed.hours++;
			changed = Date.now();
			const waiting = open.filter(({ state }) => state === 'pending');
			for (const row of waiting) await insist(async () => await rows.letPass(row, 'checkAt'));
		}
		passed.leasesEnded += await insist(async () => await endLeases(editor, rows));
		await pause(LOOK);
	}
}

const summaryOf = (rows: Row[]) => JSON.stringify(rows.map(({ id, state }) => [id, state]));
