import { claimantsOf, expectOneWinner, makeTable, type Table } from '../n8n/claims.ts';
import { until } from '../n8n/editor.ts';
import { instanceOn, type InstanceOn } from '../n8n/instanceOn.ts';
import type { SqlClient } from '../postgres/postgres.ts';

// what the job ledger relies on, on the database that does several things at once; test/n8n has it on SQLite
let on: InstanceOn;
let table: Table;
let other: SqlClient;
beforeAll(async () => {
	on = await instanceOn('postgres');
	table = await makeTable(on.api);
	other = await on.postgres!.connect(on.env);
});
afterAll(async () => await on?.stop());

/** How many statements wait for a lock that somebody else holds. */
const waiting = async () => {
	const { rows } = await other.query('SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted');
	return rows[0]!['n'] as number;
};

it('a row of a Data Table goes to one of twenty that had all found it free already', async () => {
	expect(on.instance.log()).not.toMatch(/Postgres \d+ is not supported/);
	const jobs = Array.from({ length: 20 }, (_, round) => `met at job ${round}`);
	await table.insert(jobs.map((jobId) => ({ jobId, status: 'pending' })));
	for (const jobId of jobs) {
		await other.query('BEGIN');
		await other.query(`SELECT 1 FROM "${table.name}" WHERE "jobId" = $1 FOR UPDATE`, [jobId]);
		const claims = claimantsOf(20).map((claim) => table.claim(jobId, claim));
		await until('several claims have found the row pending', async () => (await waiting()) >= 5);
		await other.query('COMMIT');
		await expectOneWinner(table, jobId, claims);
	}
});
