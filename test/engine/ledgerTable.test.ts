import { columns } from '../../src/ledger/entry';
import { failPosts, LOST, models, PICTURE, secretsOf } from './rig/calls';
import { startLedgerRig } from './rig/ledger';
import { activated } from './rig/poll';
import { run } from './rig/run';

// the Data Table of the job ledger: created when it is first used, whoever uses it first
const rig = startLedgerRig();
beforeEach(() => (rig.n8n.tables.length = 0));

const withTable = (ledgerTable: string) => ({ secrets: rig.secrets({ ledgerTable }) });
const startInto = async (ledgerTable: string, text = 'one') =>
	await run(rig.starting(text, {}, withTable(ledgerTable)));
const startManyInto = async (ledgerTable: string, count: number) => {
	const texts = Array.from({ length: count }, (_, job) => `job ${job}`);
	const all = await Promise.all(texts.map(async (text) => await startInto(ledgerTable, text)));
	expect(all.map(({ error }) => error?.message)).toEqual(Array(count).fill(undefined));
	expect([tableNames(), rig.n8n.entries().length]).toEqual([[ledgerTable], count]);
};
const tableNames = () => rig.n8n.tables.map(({ name }) => name);
const expectWholeTable = () =>
	expect(rig.n8n.tables[0]!.columns.map(({ name }) => name).sort()).toEqual(
		Object.keys(columns).sort(),
	);
const asked = (method: string) =>
	rig.n8n.service.requests.filter((request) => request.method === method);

describe('the first use', () => {
	it('creates the table, and the start goes on', async () => {
		const { items, error } = await startInto('First');
		expect(error).toBeUndefined();
		expect(items[0]?.json['jobId']).toBe(rig.service.world.starts[0]?.jobId);
		expect([tableNames(), rig.states()]).toEqual([['First'], ['pending']]);
		expectWholeTable();
	});

	it('of twenty executions at once ends with one table, in which all twenty are', async () => {
		rig.n8n.holdCreations(20);
		await startManyInto('Twenty', 20);
		expect(asked('POST').filter(({ status }) => status === 500)).toHaveLength(19);
	});

	it('may be that of a trigger, or of the resource Job Ledger', async () => {
		const { secrets } = withTable('By trigger');
		expect(await activated({ parameters: {}, secrets }).poll()).toMatchObject({ error: undefined });
		expect((await rig.ledger('getEntries', {}, withTable('By resource'))).items).toEqual([]);
		expect(tableNames()).toEqual(['By trigger', 'By resource']);
	});

	it('adds columns that are missing', async () => {
		await startInto('Short');
		Object.assign(rig.n8n.tables[0]!, { name: 'Short too' }).columns.splice(2, 3);
		expect((await startInto('Short too')).error).toBeUndefined();
		expectWholeTable();
	});

	it('goes on when the answer to the creation is lost', async () => {
		failPosts(rig.n8n.service, LOST, 1);
		expect((await startInto('Lost')).error).toBeUndefined();
		expect(tableNames()).toEqual(['Lost']);
	});

	it('looks for the table once for many executions', async () => {
		for (let time = 0; time < 3; time++) await startInto('Once (of *all*)!');
		expect(asked('GET').filter(({ path }) => /\/data-tables\?/.test(path))).toHaveLength(1);
	});
});

describe('a table that changes while it is used', () => {
	it('is created again after it was deleted', async () => {
		await startInto('Deleted');
		rig.n8n.tables.length = 0;
		await startManyInto('Deleted', 3);
	});

	it('gets a deleted column again', async () => {
		await startInto('Column');
		rig.n8n.tables[0]!.columns.splice(1, 1);
		expect((await startInto('Column')).error).toBeUndefined();
		expectWholeTable();
	});

	it('with a renamed column in place of the keys starts nothing', async () => {
		const startOne = async () =>
			await run(rig.starting('one', { uniqueKey: 'order *1*' }, withTable('Renamed')));
		await startOne();
		rig.n8n.tables[0]!.columns[0]!.name = 'order';
		for (const row of rig.n8n.rows) row['order'] = row['uniqueKey'];
		for (const row of rig.n8n.rows) delete row['uniqueKey'];
		const { error } = await startOne();
		expect(error?.message).toMatch(/^The Data Table "Renamed" has no column "uniqueKey"/);
		expect(rig.service.world.starts).toHaveLength(1);
	});

	it('another refusal is not tried again', async () => {
		await startInto('Refused');
		rig.n8n.service.reset();
		failPosts(rig.n8n.service, { type: 'status', status: 400, body: { message: 'no' } });
		const { error } = await startInto('Refused');
		expect(error?.message).toMatch(/^The job ledger could not be used/);
		expect(asked('POST')).toHaveLength(1);
	});
});

describe('an ID in place of a name', () => {
	it('works without the scope to list tables', async () => {
		await startInto('By ID');
		const { id } = rig.n8n.tables[0]!;
		rig.n8n.missingScopes.add('dataTable:list').add('dataTable:create');
		expect((await startInto(id)).error).toBeUndefined();
		expect(rig.n8n.entries()).toHaveLength(2);
	});

	it('creates no table for what looks like an ID, but takes one of that name', async () => {
		const name = 'ProductionLedger';
		const { error } = await startInto(name);
		expect(error?.message).toMatch(/^n8n has no Data Table with the name or ID "ProductionLedger"/);
		expect(error?.description).toMatch(/16 letters and digits .* or choose another name\.$/);
		expect([tableNames(), rig.service.world.starts]).toEqual([[], []]);
		// a person creates it, without columns
		await startInto('Another');
		Object.assign(rig.n8n.tables[0]!, { name, columns: [] });
		expect((await startInto(name)).error).toBeUndefined();
		expectWholeTable();
	});
});

/** What an operation, or a start into the table, makes of a missing scope; before it, a table is there with one column less. */
it.each([
	['dataTable:list'],
	['dataTable:create'],
	['dataTableColumn:create', 'add a column'],
	['dataTableRow:create'],
	['dataTableRow:read', 'getEntries'],
	['dataTableRow:delete', 'deleteMany'],
])('a missing scope is named: %s', async (scope, use = 'start') => {
	const name = `Without ${scope}`;
	if (use === 'add a column') {
		await startInto('Before');
		Object.assign(rig.n8n.tables[0]!, { name }).columns.pop();
	}
	if (use === 'deleteMany') {
		await startInto(name);
		Object.assign(rig.n8n.rows[0]!, { state: 'delivered', startedAt: 1 });
	}
	rig.n8n.missingScopes.add(scope);
	const { error } = await (use === 'deleteMany' || use === 'getEntries'
		? rig.ledger(use, {}, withTable(name))
		: startInto(name));
	expect(error?.message).toMatch(/^The job ledger could not be used: .*403/);
	expect(error?.description).toContain(
		`The n8n API key in the "modelRouterApi" credential needs the scope ${scope},`,
	);
});

it('while "Use a Job Ledger" is turned off, everything that needs it says so, and all else works', async () => {
	const more = { secrets: secretsOf(rig.service) };
	const entry = { uniqueKey: 'k', jobId: 'j' };
	const outcomes = [
		...['getEntries', 'deleteMany', 'markStarted', 'markNotStarted'].map((operation) =>
			rig.ledger(operation, entry, more),
		),
		...['start', 'generate'].map((operation) => run(rig.ledgered(operation, PICTURE, more))),
		activated({ parameters: {}, ...more }).poll(),
	];
	for (const { error } of await Promise.all(outcomes))
		expect(`${error?.message} ${String(error?.description)}`).toMatch(
			/^The job ledger is turned off.*Turn on "Use a Job Ledger" in the "modelRouterApi" credential\./,
		);
	expect(rig.service.world.starts).toEqual([]);
	expect((await run({ ...models('getModels', {}), ...more })).error).toBeUndefined();
	expect(rig.n8n.service.requests).toEqual([]);
});
