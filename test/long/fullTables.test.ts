import { deleteOldEntries } from '../../src/ledger/manualChanges';
import { toRow } from '../../src/ledger/entry';
import { until } from '../n8n/editor';
import { instanceOn, type InstanceOn } from '../n8n/instanceOn';
import { clock, LedgerHost } from '../n8n/ledgerHost';

// what the error of a full table says, and docs/known-limits.md: deleted entries help on one database only
describe.each([
	['sqlite', true],
	['postgres', false],
] as const)('once the Data Tables are full on %s', (database, isSpaceGivenBack) => {
	let n8n: InstanceOn;
	let host: LedgerHost;
	beforeAll(async () => {
		n8n = await instanceOn(database, {
			tarball: process.env['AGENT_BRIDGE_TARBALL'],
			env: { N8N_DATA_TABLES_MAX_SIZE_BYTES: '2000000' },
		});
		host = await LedgerHost.start(n8n.instance.editor);
	});
	afterAll(async () => {
		await n8n?.stop();
		await host?.stop();
	});

	it(`n8n refuses writes, and ${isSpaceGivenBack ? 'none' : 'still all'} after entries were deleted`, async () => {
		const { id } = await host.ensureTable(host.tableName);
		const table = await host.table();
		const entry = { state: 'notStarted', startedAt: 1, record: 'x'.repeat(1000) } as const;
		const data = Array.from({ length: 100 }, () => toRow(entry));
		const fill = async () =>
			await n8n.api.send('POST', `/data-tables/${id}/rows`, { data, returnType: 'count' });
		await until('n8n refuses', async () => (await fill()).status === 400, 60);
		const refused = {
			details: {
				advice: expect.stringMatching(/Raise N8N_DATA_TABLES_MAX_SIZE_BYTES.+On PostgreSQL/),
			},
		};
		await expect(table.add(entry)).rejects.toMatchObject(refused);

		const ledger = {
			table,
			clock,
			uncancellableClock: clock,
			n8nTime: clock.now,
			newClaim: () => '',
			executionId: '',
		};
		const deleted = await deleteOldEntries(ledger, { age: 0, withKeys: true });
		expect(deleted).toBeGreaterThan(1000);
		if (isSpaceGivenBack) return await table.add(entry);

		await expect(table.add(entry)).rejects.toMatchObject(refused);
		const sql = await n8n.postgres!.connect(n8n.env);
		await sql.query(`VACUUM FULL "data_table_user_${id}"`);
		// n8n remembers the size for some seconds
		await until('n8n accepts', async () => (await fill()).status === 200, 60);
	});
});
