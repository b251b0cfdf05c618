import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { type Entry, emptyCells, ledgerFormat } from '../../src/ledger/entry';
import type { Ledger } from '../../src/ledger/ledger';
import { pollLedger } from '../../src/ledger/pollLedger';
import { MAX_ROWS, type Table } from '../../src/tables/table';

const JOBS = 100_000;
const NOW = 1_800_000_000_000;
const HOUR = 3_600_000;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Jobs of two hours that are all due, in a table that finds them as n8n does. */
function createDueJobs() {
	const empty = emptyCells(Object.keys(ledgerFormat.columns) as Array<keyof Entry>);
	const rows = Array.from({ length: JOBS }, (_, index) => ({
		...empty,
		id: index + 1,
		jobId: `job-${index}`,
		mediaType: 'videos',
		credentialId: 'c',
		state: 'pending',
		startedAt: NOW - 2 * HOUR,
		checkAt: NOW - 1,
		record: 'x'.repeat(300),
	})) as unknown as Entry[];
	const table: Pick<Table<Entry>, 'find' | 'change'> = {
		async find(where) {
			const all = 'all' in where ? where.all : [];
			const isForDue = all.some(
				([column, condition]) => column === 'outcome' && condition === 'neq',
			);
			const found: Entry[] = [];
			for (const row of isForDue ? rows : [])
				if (row.checkAt <= NOW && found.push({ ...row }) === MAX_ROWS) break;
			return await Promise.resolve(found);
		},
		async change(where, changes) {
			const ids = ('any' in where ? where.any : []).map(([, , value]) => Number(value));
			for (const id of ids) Object.assign(rows[id - 1]!, changes);
			return await Promise.resolve([]);
		},
	};
	return { rows, table };
}

it('a poll of 100,000 due jobs keeps 150 MB at most, and each has its next time', async () => {
	const { rows, table } = createDueJobs();
	const clock = { now: () => NOW, random: () => 0, sleep: async () => await Promise.resolve() };
	const more = { clock, uncancellableClock: clock, newClaim: () => 'c', executionId: '1' };
	const ledger = { table, ...more } as unknown as Ledger;
	collectGarbage();
	const before = process.memoryUsage().heapUsed;
	let [asked, kept] = [0, 0];
	const result = await pollLedger(
		ledger,
		{
			credentialId: 'c',
			triggerGroup: '',
			maxJobs: 50,
			lease: HOUR,
			concurrency: 8,
			asksUntil: Infinity,
			claimsUntil: Infinity,
			eventFilters: [{ outcome: 'completed' }],
			async readStatus() {
				if (++asked % 10_000 === 0) {
					collectGarbage();
					kept = Math.max(kept, process.memoryUsage().heapUsed - before);
				}
				return await Promise.resolve({ outcome: 'unfinished', record: '' });
			},
			checkAlive: async () => await Promise.resolve(undefined),
		},
		'claim',
	);
	process.stdout.write(`a poll of ${JOBS} jobs keeps ${Math.round(kept / 1e6)} MB\n`);
	expect([result.answered, asked, kept < 150e6]).toEqual([JOBS, JOBS, true]);
	// every ten minutes, less what a poll may be early
	expect(new Set(rows.map(({ checkAt }) => checkAt - NOW))).toEqual(new Set([585_000]));
});
