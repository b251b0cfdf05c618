import { randomUUID } from 'node:crypto';

import { until } from './editor';
import { itemsOf } from './execution';
import type { LedgerHost } from './ledgerHost';
import { DataTables, PublicApi } from './publicApi';
import { beginAt, webhook, workflow } from './workflow';

/** What the job ledger does on any n8n. */
export function ledgerCases(host: () => LedgerHost) {
	it('saving the credential tests both parts, names a scope that is missing, and changes nothing', async () => {
		const { editor, account, apiKey, tableName } = host();
		const api = new PublicApi(editor.url, apiKey);
		// other tests make tables of their own meanwhile
		const tables = async () =>
			(await api.call<{ data: Array<{ name: string }> }>('GET', '/data-tables?limit=250')).data
				.map(({ name }) => name)
				.filter((name) => name === tableName || !name.trim());
		const before = await tables();
		const tested = async (n8nApiKey: string) =>
			await editor.testCredential({ ...account, data: { ...account.data, n8nApiKey } });

		expect(await tested(apiKey)).toEqual({
			status: 'OK',
			message: `The model router accepted the key. The job ledger: n8n accepted the key, and the table "${tableName}" is created when it is first used.`,
		});
		expect(await tested('wrong')).toEqual({
			status: 'Error',
			message: expect.stringMatching(
				/^The model router accepted .* n8n refused the API key \(401\)/,
			),
		});
		const needed = [
			'dataTable:list',
			'dataTableRow:read',
			'dataTableRow:create',
			'dataTableRow:update',
		];
		for (const missing of needed) {
			const given = needed.filter((scope) => scope !== missing);
			const { status, message } = await tested(await editor.createApiKey(given));
			expect([status, message.match(/dataTable\w*:\w+/g)]).toEqual(['Error', [missing]]);
		}
		expect(await tested(await editor.createApiKey(needed))).toMatchObject({ status: 'OK' });
		expect(await tables()).toEqual(before);
	});

	it('the table is created at its first use: by one of twenty at once', async () => {
		const all = await Promise.all(
			Array.from({ length: 20 }, async () => await host().ensureTable(host().tableName)),
		);
		expect(new Set(all.map(({ id }) => id)).size).toBe(1);
		const { editor, tableName } = host();
		expect(await (await DataTables.of(editor)).idOf(tableName)).toBe(all[0]?.id);
		expect(itemsOf(await host().useLedger(), 'Ledger')).toEqual([]);
	});

	it('a start creates the table again after a person has deleted it', async () => {
		const { editor, apiKey, tableName } = host();
		const start = async (key: string) =>
			await host().run(workflow(key, [{}], host().startNode(key)));
		expect((await start('before')).error?.message).toBeUndefined();
		const { id } = await host().ensureTable(tableName);
		await new PublicApi(editor.url, apiKey).call('DELETE', `/data-tables/${id}`);
		// n8n takes none of these signs as they are
		const after = "it's (the *second*)!";
		expect((await start(after)).error?.message).toBeUndefined();
		expect(await host().ofKey(after)).toMatchObject([{ state: 'pending' }]);
		expect((await host().ensureTable(tableName)).id).not.toBe(id);
		host().reset();
	});

	it('twenty executions at once start one job, and all have its id', async () => {
		const path = `once-${randomUUID()}`;
		const file = workflow(path, [], host().startNode('={{ $json.body.key }}'));
		const { editor } = host();
		const saved = await host().saved(beginAt(file, webhook(path, 'lastNode')));
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
export function keyCase(host: () => LedgerHost, log: () => string) {
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
