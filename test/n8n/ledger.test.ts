import { randomUUID } from 'node:crypto';

import type { Entry } from '../../src/ledger/entry';
import { beginDelivery, endDelivery } from '../../src/ledger/delivery';
import type { Ledger } from '../../src/ledger/ledger';
import { findTable } from '../../src/ledger/ledgerTable';
import { startOncePerKey } from '../../src/ledger/startOnce';
import { tableOver } from '../../src/ledger/table';
import { watchJobs } from '../../src/ledger/watch';
import type { Http } from '../../src/service/http';
import { startService, type Service } from '../service/service';
import { model, packageName, secretsOf } from './bridge';
import { until, type SavedCredential } from './editor';
import { itemsOf } from './execution';
import { instanceOn, type InstanceOn } from './instanceOn';
import { node, workflow, type WorkflowFile } from './workflow';

// one job per key, on the database that hides races and on the one that does not
describe.each(['sqlite', 'postgres'] as const)('on %s', (database) => {
	let service: Service;
	let n8n: InstanceOn;
	let credentials: Record<string, { id: string; name: string }>;
	let ledgerAccount: SavedCredential;

	beforeAll(async () => {
		service = await startService();
		const tarball = process.env['AGENT_BRIDGE_TARBALL'];
		n8n = await instanceOn(database, { tarball });
		const { editor } = n8n.instance;
		const router = await editor.createCredential(secretsOf(service).router);
		ledgerAccount = await editor.createCredential({
			name: 'Media Job Ledger account',
			type: 'mediaJobLedgerApi',
			data: { baseUrl: n8n.instance.url, apiKey: n8n.apiKey, table: 'Media Jobs' },
		});
		credentials = Object.fromEntries(
			[router, ledgerAccount].map(({ type, id, name }) => [type, { id, name }]),
		);
	});
	beforeEach(() => {
		service.reset();
		service.forms.jobSteps = 0;
	});
	afterAll(async () => {
		await n8n?.stop();
		await service?.stop();
	});

	const run = async (file: WorkflowFile) => await n8n.instance.editor.runOnce(file);

	const ledgerNode = (resource: string, operation: string, parameters = {}) =>
		node(
			'Ledger',
			`${packageName}.mediaJobLedger`,
			{ resource, operation, ...parameters },
			{ credentials },
		);

	const startNode = (key: string, more = {}) =>
		node(
			'Start',
			`${packageName}.modelRouter`,
			{
				...{ resource: 'job', operation: 'start', segment: 'images' },
				...{ model: model('canvas/sketch-1'), prompt: 'a lighthouse', useLedger: true },
				options: { startKey: key },
				...more,
			},
			{ credentials },
		);

	/** Our way to n8n's API without n8n's nodes. */
	const http: Http = {
		async send({ method, path, body }) {
			const response = await fetch(n8n.instance.url + path, {
				method,
				headers: { 'x-n8n-api-key': n8n.apiKey, 'content-type': 'application/json' },
				...(body && { body: JSON.stringify(body) }),
			});
			return {
				status: response.status,
				headers: Object.fromEntries(response.headers),
				body: response.body as AsyncIterable<Uint8Array>,
				silenceLimit: 60_000,
			};
		},
	};
	const clock = {
		now: Date.now,
		random: Math.random,
		sleep: async (ms: number) => void (await new Promise((resolve) => setTimeout(resolve, ms))),
	};
	const table = async () => tableOver(http, await findTable(http, 'Media Jobs'));
	const ofKey = async (key: string): Promise<Entry[]> =>
		await (
			await table()
		).find({
			all: [
				['startKey', 'eq', key],
				['state', 'neq', 'withdrawn'],
			],
		});

	it('says what to do before there is a table; Set Up makes it, and a second time does no harm', async () => {
		const before = await run(workflow('too early', [{}], startNode('early')));
		expect(before.error?.message).toMatch(/n8n has no Data Table "Media Jobs"/);
		expect(before.error?.message).toContain('Set Up');
		expect(service.world.starts).toEqual([]);

		const first = await run(workflow('set up', [{}], ledgerNode('table', 'setUp')));
		expect(first.error?.message).toBeUndefined();
		expect(itemsOf(first, 'Ledger')[0]?.json).toMatchObject({ created: true, name: 'Media Jobs' });
		const second = await run(workflow('set up', [{}], ledgerNode('table', 'setUp')));
		expect(itemsOf(second, 'Ledger')[0]?.json).toMatchObject({ created: false, addedColumns: [] });
		expect(itemsOf(second, 'Ledger')[0]?.json['tableId']).toBe(
			itemsOf(first, 'Ledger')[0]?.json['tableId'],
		);
	});

	it('the credential is tested with a request that costs nothing', async () => {
		expect(await n8n.instance.editor.testCredential(ledgerAccount)).toMatchObject({ status: 'OK' });
		const wrong = { ...ledgerAccount, data: { ...ledgerAccount.data, apiKey: 'wrong' } };
		expect(await n8n.instance.editor.testCredential(wrong)).toMatchObject({ status: 'Error' });
	});

	it('of twenty who want the same key at once, one starts: in every one of five rounds', async () => {
		const ledgerTable = await table();
		for (let round = 0; round < 5; round++) {
			const key = randomUUID();
			let sent = 0;
			const contend = async (execution: number) => {
				const ledger: Ledger = {
					...{ table: ledgerTable, clock, steadyClock: clock },
					newClaim: randomUUID,
					execution: String(execution),
				};
				const wanted = {
					...{ startKey: key, segment: 'images', model: 'm', account: 'a', label: '' },
					...{ lease: 600_000, firstCheck: 0 },
				};
				const started = await startOncePerKey(ledger, wanted, {
					send: async () => `job-${key}-${++sent}`,
					toEntry: (jobId) => ({ jobId, requestId: '', record: '{}' }),
				});
				return 'earlier' in started ? started.earlier.jobId : started.result;
			};
			const jobs = await Promise.all(Array.from({ length: 20 }, async (_, i) => await contend(i)));
			expect([sent, new Set(jobs)]).toEqual([1, new Set([`job-${key}-1`])]);
			expect(await ofKey(key)).toHaveLength(1);
		}
	});

	it('twenty executions at once start one job, and all have its id', async () => {
		const path = `once-${randomUUID()}`;
		const file = workflow(path, [], startNode('={{ $json.body.key }}'));
		Object.assign(file.nodes[0]!, {
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2.1,
			webhookId: path,
			parameters: { path, httpMethod: 'POST', responseMode: 'lastNode', options: {} },
		});
		const { editor } = n8n.instance;
		const saved = await editor.importWorkflow({ ...file, pinData: {} });
		await editor.activate(saved);
		await editor.webhook(path, { key: 'warm-up' });
		service.reset();
		const answers = await Promise.all(
			Array.from({ length: 20 }, async () => await editor.webhook(path, { key: 'order-1' })),
		);
		expect(service.world.starts).toHaveLength(1);
		const { jobId } = service.world.starts[0]!;
		expect(answers.map(({ body }) => (body as { jobId: string }).jobId)).toEqual(
			Array(20).fill(jobId),
		);
		await editor.deleteWorkflow(saved.id);
	});

	it('of ten triggers that poll at once, one gets each job: also of those that were entered twice', async () => {
		const ledgerTable = await table();
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
				...{ table: ledgerTable, clock, steadyClock: clock },
				...{ newClaim: randomUUID, execution: claim },
			};
			const soon = Date.now() + 60_000;
			const { jobs } = await watchJobs(
				ledger,
				{
					...{ account: 'a', label, wishes: [{ outcome: 'completed', minimumAge: 0 }] },
					...{ mostJobs: 25, lease: 600_000, concurrency: 5, asksUntil: soon, claimsUntil: soon },
					ask: async () => await Promise.reject(new Error('it is known to be done')),
					checkAlive: async () => undefined,
				},
				claim,
			);
			const delivery = { claim, lease: 600_000 };
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

	it('kill -9 while a start is under way: neither a second run nor "Retry" sends it again, and a person decides', async () => {
		const { editor } = n8n.instance;
		service.fault({ match: { method: 'POST' }, times: 1, do: { type: 'timeout', effect: true } });
		const file = workflow('killed', [{}], startNode('order-2'));
		// without it n8n has nothing to retry after a crash
		const settings = { ...file.settings, saveExecutionProgress: true };
		const saved = await editor.importWorkflow({ ...file, settings });
		const id = await editor.start(saved);
		await until('the job is started', () => service.world.starts.length === 1);
		await n8n.instance.restart('kill');
		expect((await editor.finished(id)).status).toBe('crashed');
		const [row] = await ofKey('order-2');
		expect(row).toMatchObject({ state: 'sending', jobId: '', execution: id });

		// ten minutes later
		await (await table()).change({ all: [['id', 'eq', row!.id]] }, { leaseUntil: 1 });
		for (const again of [await editor.run(saved), await editor.retryExecution(id)]) {
			expect(again.error?.message).toMatch(
				/^It is not known whether the job of the key "order-2" was started/,
			);
			expect(again.error?.context?.['metadata']).toMatchObject({
				outcome: 'unknown',
				ids: { startKey: 'order-2', ledgerEntry: String(row!.id) },
			});
		}
		const { jobId } = service.world.starts[0]!;
		const decided = await run(
			workflow(
				'decide',
				[{}],
				ledgerNode('entry', 'resolveStarted', { startKey: 'order-2', jobId }),
			),
		);
		expect(itemsOf(decided, 'Ledger')[0]?.json).toMatchObject({ state: 'pending', jobId });
		const later = await editor.run(saved);
		expect(itemsOf(later, 'Start')[0]?.json).toMatchObject({ jobId, startedBefore: true });
		expect(service.received('a lighthouse')).toBe(1);
	});

	it('Stop while a start is under way: the ledger knows', async () => {
		const { editor } = n8n.instance;
		service.fault({ match: { method: 'POST' }, times: 1, do: { type: 'timeout', effect: true } });
		const saved = await editor.importWorkflow(workflow('stopped', [{}], startNode('order-3')));
		const id = await editor.start(saved);
		await until('the job is started', () => service.world.starts.length === 1);
		await editor.stopExecution(id);
		await until(
			'the outcome is written down',
			async () => (await ofKey('order-3'))[0]?.state === 'unknown',
		);
		expect((await editor.run(saved)).error?.message).toMatch(/^It is not known whether/);
		expect(service.received('a lighthouse')).toBe(1);
	});

	it('neither key is in an execution, nor in the log', async () => {
		const { editor } = n8n.instance;
		const executions = await editor.call<{ results: Array<{ id: string }> }>(
			'GET',
			'/rest/executions',
		);
		const texts = await Promise.all(
			executions.results.map(async ({ id }) =>
				JSON.stringify(await editor.call('GET', `/rest/executions/${id}`)),
			),
		);
		expect(texts.length).toBeGreaterThan(5);
		for (const text of [...texts, n8n.instance.log()]) {
			expect(text.includes(n8n.apiKey)).toBe(false);
			expect(text.includes(service.router.keys.main)).toBe(false);
		}
	});
});
