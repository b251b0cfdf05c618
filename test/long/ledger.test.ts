import { randomUUID } from 'node:crypto';

import { beginDelivery, endDelivery } from '../../src/ledger/delivery';
import type { Ledger } from '../../src/ledger/ledger';
import { pollLedger } from '../../src/ledger/pollLedger';
import { until } from '../n8n/editor';
import { instanceOn, type InstanceOn } from '../n8n/instanceOn';
import { keyCase, killCase, ledgerCases, rivalCases } from '../n8n/ledgerCases';
import { clock, LedgerHost } from '../n8n/ledgerHost';

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

	ledgerCases(() => host);
	rivalCases(() => host, 5);

	it('of ten triggers that poll at once, one gets each job: also of those that were entered twice', async () => {
		const ledgerTable = await host.table();
		const label = randomUUID();
		const jobIds = Array.from({ length: 60 }, (_, number) => `${label}-${number}`);
		const now = Date.now();
		for (const [number, jobId] of jobIds.entries())
			for (let twice = 0; twice <= number % 2; twice++)
				await ledgerTable.add({
					...{ state: 'pending', outcome: 'completed', jobId, label, account: 'a' },
					...{ segment: 'images', startedAt: now, checkAt: 1, record: '{}' },
				});
		const handed: string[] = [];
		const poll = async () => {
			const claim = randomUUID();
			const ledger: Ledger = {
				...{ table: ledgerTable, clock, uncancellableClock: clock },
				...{ newClaim: randomUUID, execution: claim },
			};
			const soon = Date.now() + 60_000;
			const { jobs } = await pollLedger(
				ledger,
				{
					...{ account: 'a', label, eventFilters: [{ outcome: 'completed', minimumAge: 0 }] },
					...{ maxJobs: 25, lease: 600_000, concurrency: 5, asksUntil: soon, claimsUntil: soon },
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
							['label', 'eq', label],
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

	killCase(
		() => host,
		() => n8n.instance,
	);

	keyCase(
		() => host,
		() => n8n.instance.log(),
	);
});
