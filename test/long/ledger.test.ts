import { randomUUID } from 'node:crypto';

import type { Entry } from '../../src/ledger/entry';
import { beginDelivery, endDelivery } from '../../src/ledger/delivery';
import type { Ledger } from '../../src/ledger/ledger';
import { pollLedger } from '../../src/ledger/pollLedger';
import { where } from '../../src/tables/table';
import { until } from '../n8n/editor';
import { instanceOn, type InstanceOn } from '../n8n/instanceOn';
import { keyCase, ledgerCases } from '../n8n/ledgerCases';
import { clock, LedgerHost } from '../n8n/ledgerHost';
import { itemsOf } from '../n8n/execution';
import { workflow } from '../n8n/workflow';
import { startThroughLedger } from '../unit/ledger/startThroughLedger';

const ROUNDS = 5;

const ledgerOf = (table: Ledger['table'], executionId: string): Ledger => ({
	table,
	clock,
	uncancellableClock: clock,
	n8nTime: clock.now,
	newClaim: randomUUID,
	executionId,
});

// one job per key, on the database that hides races and on the one that does not
describe.each(['sqlite', 'postgres'] as const)('on %s', (database) => {
	let host: LedgerHost;
	let n8n: InstanceOn;
	beforeAll(async () => {
		n8n = await instanceOn(database, { tarball: process.env['AGENT_BRIDGE_TARBALL'] });
		host = await LedgerHost.start(n8n.instance.editor);
	});
	beforeEach(() => host.reset());
	afterAll(async () => {
		await n8n?.stop();
		await host?.stop();
	});

	// what needs neither kills nor many rounds is in test/n8n for SQLite
	if (database === 'postgres') ledgerCases(() => host);

	// without n8n's executions, which take their time to begin: all at the very same moment
	it(`of twenty who want the same key at once, one starts: ${ROUNDS} times in succession`, async () => {
		const ledgerTable = await host.table();
		for (let round = 0; round < ROUNDS; round++) {
			const key = randomUUID();
			let sent = 0;
			const contend = async (executionId: number) => {
				const ledger = ledgerOf(ledgerTable, String(executionId));
				const wanted = {
					uniqueKey: key,
					mediaType: 'images',
					model: 'm',
					credentialId: 'a',
					triggerGroup: '',
					lease: 600_000,
					firstCheck: 0,
				};
				const started = await startThroughLedger(ledger, wanted, {
					send: async () => `job-${key}-${++sent}`,
					toEntry: (jobId) => ({ jobId, requestId: '', record: '{}' }),
				});
				return 'earlier' in started ? started.earlier.jobId : started.result;
			};
			const jobs = await Promise.all(Array.from({ length: 20 }, async (_, i) => await contend(i)));
			expect([sent, new Set(jobs)]).toEqual([1, new Set([`job-${key}-1`])]);
			expect(await host.ofKey(key)).toHaveLength(1);
		}
	});

	it('of ten triggers that poll at once, one gets each job: also of those that were entered twice', async () => {
		const ledgerTable = await host.table();
		const triggerGroup = randomUUID();
		const jobIds = Array.from({ length: 60 }, (_, number) => `${triggerGroup}-${number}`);
		const now = Date.now();
		for (const [number, jobId] of jobIds.entries())
			for (let twice = 0; twice <= number % 2; twice++)
				await ledgerTable.add({
					state: 'pending',
					outcome: 'completed',
					jobId,
					triggerGroup,
					credentialId: 'a',
					mediaType: 'images',
					startedAt: now,
					checkAt: 1,
					record: '{}',
				});
		const handed: string[] = [];
		const poll = async () => {
			const claim = randomUUID();
			const ledger = ledgerOf(ledgerTable, claim);
			const soon = Date.now() + 60_000;
			const { jobs } = await pollLedger(
				ledger,
				{
					credentialId: 'a',
					triggerGroup,
					eventFilters: [{ outcome: 'completed' }],
					maxJobs: 25,
					lease: 600_000,
					concurrency: 5,
					asksUntil: soon,
					claimsUntil: soon,
					readStatus: async () => await Promise.reject(new Error('it is known to be done')),
					checkAlive: async () => undefined,
				},
				claim,
			);
			const delivery = { claim, lease: 600_000, isConfirmed: false };
			await beginDelivery(ledger, delivery);
			const delivered = await endDelivery(ledger, delivery);
			handed.push(...delivered.flatMap(([entry]) => (entry ? [entry.jobId] : [])));
			return jobs.length;
		};
		await until(
			'all are delivered',
			async () => {
				await Promise.all(Array.from({ length: 10 }, poll));
				// two who wanted the same job look again later: now is later
				await ledgerTable.change(
					{
						all: [
							['triggerGroup', 'eq', triggerGroup],
							['state', 'eq', 'pending'],
						],
					},
					{ checkAt: 1 },
				);
				return handed.length >= jobIds.length;
			},
			120,
		);
		await poll();
		expect([...handed].sort()).toEqual([...jobIds].sort());
	});

	it('kill -9 while a start is under way: neither a second run nor "Retry" sends it again, and a person decides', async () => {
		const { editor } = host;
		host.service.fault({
			match: { method: 'POST' },
			times: 1,
			do: { type: 'timeout', effect: true },
		});
		const file = workflow('killed', [{}], host.startNode('order-2'));
		// without it n8n has nothing to retry after a crash
		const settings = { ...file.settings, saveExecutionProgress: true };
		const saved = await host.saved({ ...file, settings });
		const id = await editor.start(saved);
		await until('the job is started', () => host.service.world.starts.length === 1);
		await n8n.instance.restart('kill');
		expect((await editor.finished(id)).status).toBe('crashed');
		const [row] = await host.ofKey('order-2');
		expect(row).toMatchObject({ state: 'sending', jobId: '', executionId: id });

		// ten minutes later
		await (await host.table()).change({ all: [['id', 'eq', row!.id]] }, { leaseUntil: 1 });
		for (const again of [await editor.run(saved), await editor.retryExecution(id)]) {
			expect(again.error?.message).toMatch(
				/^It is not known whether the job of the key "order-2" was started/,
			);
			expect(again.error?.context?.['metadata']).toMatchObject({
				outcome: 'unknown',
				ids: { uniqueKey: 'order-2', entryId: String(row!.id) },
			});
		}
		const { jobId } = host.service.world.starts[0]!;
		const decided = await host.run(
			workflow('decide', [{}], host.ledgerNode('markStarted', { uniqueKey: 'order-2', jobId })),
		);
		expect(itemsOf(decided, 'Ledger')[0]?.json).toMatchObject({ state: 'pending', jobId });
		const later = await editor.run(saved);
		expect(itemsOf(later, 'Start')[0]?.json).toMatchObject({ jobId, startedBefore: true });
		expect(host.service.received('a lighthouse')).toBe(1);
	});

	if (database === 'sqlite') return;

	keyCase(
		() => host,
		() => n8n.instance.log(),
	);

	it('a row goes to one of twenty that had all found it free already', async () => {
		expect(n8n.instance.log()).not.toMatch(/Postgres \d+ is not supported/);
		const { id } = await host.ensureTable(host.tableName);
		const table = await host.table();
		const other = await n8n.postgres!.connect(n8n.env);
		/** How many statements wait for a lock that somebody else holds. */
		const waiting = async () => {
			const { rows } = await other.query(
				'SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted',
			);
			return rows[0]!['n'] as number;
		};
		for (let round = 0; round < 20; round++) {
			const jobId = randomUUID();
			await table.add({ state: 'pending', jobId });
			await other.query('BEGIN');
			await other.query(`SELECT 1 FROM "data_table_user_${id}" WHERE "jobId" = $1 FOR UPDATE`, [
				jobId,
			]);
			const free = where<Entry>({ jobId, state: 'pending' });
			const claims = Array.from({ length: 20 }, async (_, each) =>
				table.change(free, { state: 'emitting', claim: `claimant ${each}` }),
			);
			await until('several claims have found the row pending', async () => (await waiting()) >= 5);
			await other.query('COMMIT');
			const won = (await Promise.all(claims)).flat();
			expect(won).toMatchObject([{ state: 'emitting', claim: expect.stringMatching(/^claimant/) }]);
			expect(await table.find(where<Entry>({ jobId }))).toEqual(won);
		}
	});
});
