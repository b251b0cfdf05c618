import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
	claimantsOf,
	expectOneWinner,
	expectOneWinnerEach,
	makeTable,
	type Table,
} from '../n8n/claims.ts';
import { until } from '../n8n/editor.ts';
import { instanceOn, type InstanceOn } from '../n8n/instanceOn.ts';
import type { SqlClient } from '../n8n/postgres.ts';

const rivals = 20;
const rounds = 20;
const claimants = claimantsOf(rivals);
const inRounds = Array.from({ length: rounds }, (_, round) => `job ${round}`);

describe.each(['sqlite', 'postgres'] as const)('a Data Table of an n8n on %s', (database) => {
	let on: InstanceOn;
	let table: Table;
	beforeAll(async () => {
		on = await instanceOn(database);
		table = await makeTable(on.api);
	});
	afterAll(async () => await on?.stop());

	it(`gives a row to exactly one of ${rivals} that claim it at once`, async () => {
		await expectOneWinnerEach(table, claimants, inRounds);
	});

	if (database === 'sqlite') {
		it('is kept in a file', () => {
			expect(existsSync(join(on.instance.folder, '.n8n', 'database.sqlite'))).toBe(true);
		});
		return;
	}

	let other: SqlClient;
	beforeAll(async () => {
		other = await on.postgres!.connect(on.env);
	});

	/** How many statements wait for a lock that somebody else holds. */
	const waiting = async () => {
		const { rows } = await other.query('SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted');
		return rows[0]!['n'] as number;
	};

	it('is kept in the server, whose version n8n supports', async () => {
		const { rows } = await other.query(`SELECT count(*)::int AS n FROM "${table.name}"`);
		expect(rows).toEqual([{ n: rounds }]);
		expect(existsSync(join(on.instance.folder, '.n8n', 'database.sqlite'))).toBe(false);
		expect(on.instance.log()).not.toMatch(/Postgres \d+ is not supported/);
	});

	it('gives a row to one of those that had all found it free already', async () => {
		const jobs = inRounds.map((job) => `met at ${job}`);
		await table.insert(jobs.map((jobId) => ({ jobId, status: 'pending' })));
		for (const jobId of jobs) {
			await other.query('BEGIN');
			await other.query(`SELECT 1 FROM "${table.name}" WHERE "jobId" = $1 FOR UPDATE`, [jobId]);
			const claims = claimants.map((claim) => table.claim(jobId, claim));
			await until('several claims have found the row pending', async () => (await waiting()) >= 5);
			await other.query('COMMIT');
			await expectOneWinner(table, jobId, claims);
		}
	});

	it('gives each of several upserts a row of its own: an upsert is no claim', async () => {
		// an insert waits at a gate, which the test opens when several have found no row to update
		await other.query(
			'CREATE FUNCTION gate() RETURNS trigger LANGUAGE plpgsql AS ' +
				"'BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NEW; END'",
		);
		await other.query(
			`CREATE TRIGGER gate BEFORE INSERT ON "${table.name}" FOR EACH ROW EXECUTE FUNCTION gate()`,
		);
		await other.query('SELECT pg_advisory_lock(1)');
		const upserts = claimants.map(async () => await table.upsert('upserted'));
		await until('several upserts have found no row', async () => (await waiting()) >= 5);
		await other.query('SELECT pg_advisory_unlock(1)');
		await Promise.all(upserts);
		expect((await table.list('upserted')).length).toBeGreaterThanOrEqual(5);
	});
});
