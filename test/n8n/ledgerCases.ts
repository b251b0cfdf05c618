import { randomUUID } from 'node:crypto';

import type { Ledger } from '../../src/ledger/ledger';
import { until } from './editor';
import { itemsOf } from './execution';
import type { Instance } from './instance';
import { clock, type LedgerHost } from './ledgerHost';
import { workflow } from './workflow';
import { startThroughLedger } from '../unit/ledger/startThroughLedger';

/** Without n8n's executions, which take their time to begin: all at the very same moment. */
export function rivalCases(host: () => LedgerHost, rounds: number): void {
	it(`of twenty who want the same key at once, one starts: ${rounds} times in succession`, async () => {
		const ledgerTable = await host().table();
		for (let round = 0; round < rounds; round++) {
			const key = randomUUID();
			let sent = 0;
			const contend = async (execution: number) => {
				const ledger: Ledger = {
					...{ table: ledgerTable, clock, uncancellableClock: clock },
					newClaim: randomUUID,
					execution: String(execution),
				};
				const wanted = {
					...{ startKey: key, segment: 'images', model: 'm', account: 'a', label: '' },
					...{ lease: 600_000, firstCheck: 0 },
				};
				const started = await startThroughLedger(ledger, wanted, {
					send: async () => `job-${key}-${++sent}`,
					toEntry: (jobId) => ({ jobId, requestId: '', record: '{}' }),
				});
				return 'earlier' in started ? started.earlier.jobId : started.result;
			};
			const jobs = await Promise.all(Array.from({ length: 20 }, async (_, i) => await contend(i)));
			expect([sent, new Set(jobs)]).toEqual([1, new Set([`job-${key}-1`])]);
			expect(await host().ofKey(key)).toHaveLength(1);
		}
	});
}

/** What the job ledger does on any n8n. */
export function ledgerCases(host: () => LedgerHost): void {
	it('says what to do before there is a table; Set Up makes it, and a second time does no harm', async () => {
		const before = await host().run(workflow('too early', [{}], host().startNode('early')));
		expect(before.error?.message).toContain(`n8n has no Data Table "${host().tableName}"`);
		expect(before.error?.message).toContain('Set Up');
		expect(host().service.world.starts).toEqual([]);

		const first = await host().setUp();
		expect(first.error?.message).toBeUndefined();
		expect(itemsOf(first, 'Ledger')[0]?.json).toMatchObject({
			created: true,
			name: host().tableName,
		});
		const second = await host().setUp();
		expect(itemsOf(second, 'Ledger')[0]?.json).toMatchObject({ created: false, addedColumns: [] });
		expect(itemsOf(second, 'Ledger')[0]?.json['tableId']).toBe(
			itemsOf(first, 'Ledger')[0]?.json['tableId'],
		);
	});

	it('the credential is tested with a request that costs nothing', async () => {
		expect(await host().editor.testCredential(host().account)).toMatchObject({ status: 'OK' });
		const wrong = { ...host().account, data: { ...host().account.data, n8nApiKey: 'wrong' } };
		expect(await host().editor.testCredential(wrong)).toMatchObject({ status: 'Error' });
	});

	it('twenty executions at once start one job, and all have its id', async () => {
		const path = `once-${randomUUID()}`;
		const file = workflow(path, [], host().startNode('={{ $json.body.key }}'));
		Object.assign(file.nodes[0]!, {
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2.1,
			webhookId: path,
			parameters: { path, httpMethod: 'POST', responseMode: 'lastNode', options: {} },
		});
		const { editor } = host();
		const saved = await host().saved({ ...file, pinData: {} });
		await editor.activate(saved);
		await editor.webhook(path, { key: 'warm-up' });
		host().reset();
		const answers = await Promise.all(
			Array.from({ length: 20 }, async () => await editor.webhook(path, { key: 'order-1' })),
		);
		expect(host().service.world.starts).toHaveLength(1);
		const { jobId } = host().service.world.starts[0]!;
		expect(answers.map(({ body }) => (body as { jobId: string }).jobId)).toEqual(
			Array(20).fill(jobId),
		);
		await editor.deactivate(saved.id);
	});

	it('Stop while a start is under way: the ledger knows', async () => {
		const { editor } = host();
		host().service.fault({
			match: { method: 'POST' },
			times: 1,
			do: { type: 'timeout', effect: true },
		});
		const saved = await host().saved(workflow('stopped', [{}], host().startNode('order-3')));
		const id = await editor.start(saved);
		await until('the job is started', () => host().service.world.starts.length === 1);
		await editor.stopExecution(id);
		await until(
			'the outcome is written down',
			async () => (await host().ofKey('order-3'))[0]?.state === 'unknown',
		);
		expect((await editor.run(saved)).error?.message).toMatch(/^It is not known whether/);
		expect(host().service.received('a lighthouse')).toBe(1);
	});
}

/** To be called last. */
export function keyCase(host: () => LedgerHost, log: () => string): void {
	it('neither key is in an execution, nor in the log', async () => {
		const { editor } = host();
		const texts = await Promise.all(
			(await host().executions()).map(async (id) =>
				JSON.stringify(await editor.call('GET', `/rest/executions/${id}`)),
			),
		);
		expect(texts.length).toBeGreaterThan(20);
		for (const text of [...texts, log()]) {
			expect(text.includes(host().apiKey)).toBe(false);
			expect(text.includes(host().service.router.keys.main)).toBe(false);
		}
	});
}

/** For an n8n of its own. */
export function killCase(host: () => LedgerHost, instance: () => Instance): void {
	it('kill -9 while a start is under way: neither a second run nor "Retry" sends it again, and a person decides', async () => {
		const { editor } = host();
		host().service.fault({
			match: { method: 'POST' },
			times: 1,
			do: { type: 'timeout', effect: true },
		});
		const file = workflow('killed', [{}], host().startNode('order-2'));
		// without it n8n has nothing to retry after a crash
		const settings = { ...file.settings, saveExecutionProgress: true };
		const saved = await host().saved({ ...file, settings });
		const id = await editor.start(saved);
		await until('the job is started', () => host().service.world.starts.length === 1);
		await instance().restart('kill');
		expect((await editor.finished(id)).status).toBe('crashed');
		const [row] = await host().ofKey('order-2');
		expect(row).toMatchObject({ state: 'sending', jobId: '', execution: id });

		// ten minutes later
		await (await host().table()).change({ all: [['id', 'eq', row!.id]] }, { leaseUntil: 1 });
		for (const again of [await editor.run(saved), await editor.retryExecution(id)]) {
			expect(again.error?.message).toMatch(
				/^It is not known whether the job of the key "order-2" was started/,
			);
			expect(again.error?.context?.['metadata']).toMatchObject({
				outcome: 'unknown',
				ids: { idempotencyKey: 'order-2', entryId: String(row!.id) },
			});
		}
		const { jobId } = host().service.world.starts[0]!;
		const decided = await host().run(
			workflow(
				'decide',
				[{}],
				host().ledgerNode('markStarted', { idempotencyKey: 'order-2', jobId }),
			),
		);
		expect(itemsOf(decided, 'Ledger')[0]?.json).toMatchObject({ state: 'pending', jobId });
		const later = await editor.run(saved);
		expect(itemsOf(later, 'Start')[0]?.json).toMatchObject({ jobId, startedBefore: true });
		expect(host().service.received('a lighthouse')).toBe(1);
	});
}
