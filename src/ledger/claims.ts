import type { Entry } from './entry';
import { insist } from './insist';
import { byJob, changeRows, grouped, jobOf, rowsOfJobs } from './jobRows';
import type { Ledger } from './ledger';
import { ATTEMPTS } from './round';
import { MOST_ROWS, type Table } from './table';

/** Milliseconds after which a job is looked at again that two wanted at the same moment: not the same for both. */
const [LOOK_AGAIN, SPREAD] = [5000, 40_000];

/**
 * Takes jobs for one execution. Of several who want the same at the same time, one gets each row.
 *
 * Two may still get a row each of one job that was entered twice. Everybody reads all rows of a job after claiming, so at least
 * one of the two sees the other, and gives way. A job that was handed over before is not handed over again.
 *
 * @param claim Random text for this time.
 * @param rows Of jobs that are done.
 * @returns the jobs that are to be handed over, with the rows that were claimed.
 */
export async function claimJobs(
	ledger: Ledger,
	claim: string,
	rows: readonly Entry[],
	lease: number,
): Promise<Entry[][]> {
	if (!rows.length) return [];
	const { table, clock } = ledger;
	await insist(clock, ATTEMPTS, async () => await changeRows(table, rows, { proposal: claim }));
	const claimed = byJob(await claimProposed(ledger, claim, lease));
	const ids = claimed.flat().map(({ jobId }) => jobId);
	const all = await insist(clock, ATTEMPTS, async () => await rowsOfJobs(table, ids));
	const others = grouped(
		all.filter((row) => row.claim !== claim),
		jobOf,
	);
	const free: Entry[][] = [];
	for (const job of claimed) {
		const states = job[0] ? others.get(jobOf(job[0]))?.map(({ state }) => state) : undefined;
		if (states?.includes('delivered')) {
			await release(table, claim, job, { state: 'delivered', claim: '', note: ALREADY });
		} else if (states?.some((state) => state === 'emitting' || state === 'delivering')) {
			const checkAt = clock.now() + LOOK_AGAIN + clock.random() * SPREAD;
			await release(table, claim, job, { state: 'pending', claim: '', checkAt });
		} else free.push(job);
	}
	return free;
}

/** All rows that somebody holds, or has held last. */
export async function rowsOfClaim(table: Table, claim: string): Promise<Entry[]> {
	const found: Entry[] = [];
	for (let last = 0; ; last = found.at(-1)?.id ?? last) {
		const rows = await table.find({
			all: [
				['claim', 'eq', claim],
				['id', 'gt', last],
			],
		});
		found.push(...rows);
		if (rows.length < MOST_ROWS) return found;
	}
}

/** Changes what one holds, and only as long as one holds it. */
export async function release(
	table: Table,
	claim: string,
	rows: readonly Entry[],
	changes: Partial<Entry>,
): Promise<void> {
	for (const { id } of rows)
		await table.change(
			{
				all: [
					['id', 'eq', id],
					['claim', 'eq', claim],
				],
			},
			{ leaseUntil: 0, ...changes },
		);
}

async function claimProposed(
	{ table, clock }: Ledger,
	claim: string,
	lease: number,
): Promise<Entry[]> {
	let tried = false;
	return await insist(clock, ATTEMPTS, async () => {
		// the change may have been made, and its answer lost
		const claimed = tried ? await rowsOfClaim(table, claim) : [];
		tried = true;
		if (claimed.length) return claimed;
		return await table.change(
			{
				all: [
					['state', 'eq', 'pending'],
					['proposal', 'eq', claim],
				],
			},
			{ state: 'emitting', claim, leaseUntil: clock.now() + lease },
		);
	});
}

const ALREADY = 'Another entry of the same job was delivered.';
