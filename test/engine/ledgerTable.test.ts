import type { INodeParameters } from 'n8n-workflow';

import { columns } from '../../src/ledger/entry';
import { models, secretsOf, secretsWithLedger } from './rig/calls';
import { sketch, startLedgerRig } from './rig/ledger';
import { activated } from './rig/poll';
import { run, type RunOptions } from './rig/run';

// the Data Table of the job ledger: created when it is first used, whoever uses it first
const rig = startLedgerRig();
beforeEach(() => {
	rig.n8n.missingScopes.clear();
	rig.n8n.tables.length = 0;
});

const withTable = (ledgerTable: string): Partial<RunOptions> => ({
	secrets: secretsWithLedger(rig.service, {
		ledgerFields: { ...rig.n8n.ledgerFields, ledgerTable },
	}),
});
const startInto = async (ledgerTable: string, text = 'one', options: INodeParameters = {}) =>
	await run(rig.starting(text, options, withTable(ledgerTable)));
const tableNames = () => rig.n8n.tables.map(({ name }) => name);
const columnNames = () => rig.n8n.tables[0]!.columns.map(({ name }) => name).sort();
const asked = (method: string) =>
	rig.n8n.service.requests.filter((request) => request.method === method);

describe('the first use', () => {
	it('creates the table, and the start goes on', async () => {
		const { items, error } = await startInto('First');
		expect(error).toBeUndefined();
		expect(items[0]?.json['jobId']).toBe(rig.service.world.starts[0]?.jobId);
		expect([tableNames(), columnNames()]).toEqual([['First'], Object.keys(columns).sort()]);
		expect(rig.n8n.entries()).toMatchObject([{ state: 'pending' }]);
	});

	it('of twenty executions at once ends with one table, in which all twenty are', async () => {
		rig.n8n.holdCreations(20);
		const all = await Promise.all(
			Array.from({ length: 20 }, async (_, job) => await startInto('Twenty', `job ${job}`)),
		);
		expect(all.map(({ error }) => error?.message)).toEqual(Array(20).fill(undefined));
		expect(tableNames()).toEqual(['Twenty']);
		expect(rig.n8n.entries()).toHaveLength(20);
		expect(asked('POST').filter(({ status }) => status === 500)).toHaveLength(19);
	});

	it('may be that of a trigger, or of the resource Job Ledger', async () => {
		const secrets = withTable('By trigger').secrets!;
		expect(await activated({ parameters: {}, secrets }).poll()).toMatchObject({ error: undefined });
		expect((await rig.ledger('getMany', {}, withTable('By resource'))).items).toEqual([]);
		expect(tableNames()).toEqual(['By trigger', 'By resource']);
	});

	it('adds columns that are missing', async () => {
		await startInto('Short');
		const [table] = rig.n8n.tables;
		table!.name = 'Short too';
		table!.columns.splice(2, 3);
		expect((await startInto('Short too')).error).toBeUndefined();
		expect(columnNames()).toEqual(Object.keys(columns).sort());
	});

	it('goes on when the answer to the creation is lost', async () => {
		rig.n8n.service.fault({
			match: { method: 'POST' },
			times: 1,
			do: { type: 'reset_peer', effect: true },
		});
		expect((await startInto('Lost')).error).toBeUndefined();
		expect(tableNames()).toEqual(['Lost']);
	});

	it('looks for the table once for many executions', async () => {
		for (let time = 0; time < 3; time++) await startInto('Once');
		const looks = asked('GET').filter(({ path }) => /\/data-tables\?/.test(path));
		expect(looks).toHaveLength(1);
	});
});

describe('a table that changes while it is used', () => {
	it('is created again after it was deleted', async () => {
		await startInto('Deleted');
		rig.n8n.tables.length = 0;
		const all = await Promise.all([1, 2, 3].map(async () => await startInto('Deleted')));
		expect(all.map(({ error }) => error?.message)).toEqual(Array(3).fill(undefined));
		expect(tableNames()).toEqual(['Deleted']);
		expect(rig.n8n.entries()).toHaveLength(3);
	});

	it('gets a deleted column again', async () => {
		await startInto('Column');
		rig.n8n.tables[0]!.columns.splice(1, 1);
		expect((await startInto('Column')).error).toBeUndefined();
		expect(columnNames()).toEqual(Object.keys(columns).sort());
	});

	it('another refusal is not tried again', async () => {
		await startInto('Refused');
		rig.n8n.service.reset();
		rig.n8n.service.fault({
			match: { method: 'POST' },
			do: { type: 'status', status: 400, body: { message: 'no' } },
		});
		expect((await startInto('Refused')).error?.message).toMatch(
			/^The job ledger could not be used/,
		);
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
		expect(columnNames()).toEqual(Object.keys(columns).sort());
	});
});

describe('a missing scope is named', () => {
	const failing = async (ledgerTable: string) => await startInto(ledgerTable);
	it.each([
		['dataTable:list', async () => await failing('No list')],
		['dataTable:create', async () => await failing('No create')],
		[
			'dataTableColumn:create',
			async () => {
				await startInto('No column');
				Object.assign(rig.n8n.tables[0]!, { name: 'One column less' }).columns.pop();
				rig.n8n.missingScopes.add('dataTableColumn:create');
				return await failing('One column less');
			},
		],
		['dataTableRow:create', async () => await failing('No row')],
		['dataTableRow:read', async () => await rig.ledger('getMany', {}, withTable('No read'))],
		[
			'dataTableRow:delete',
			async () => {
				await startInto('No delete');
				Object.assign(rig.n8n.rows[0]!, { state: 'delivered', startedAt: 1 });
				return await rig.ledger('deleteMany', {}, withTable('No delete'));
			},
		],
	])('%s', async (scope, use) => {
		rig.n8n.missingScopes.add(scope);
		const { error } = await use();
		expect(error?.message).toMatch(/^The job ledger could not be used: .*403/);
		expect(error?.description).toContain(
			`The n8n API key in the Model Router API credential needs the scope ${scope},`,
		);
	});
});

describe('while "Use a Job Ledger" is turned off', () => {
	const secrets = () => secretsOf(rig.service);
	const saysSo = (error: { message: string; description?: unknown } | undefined) =>
		expect(`${error?.message} ${String(error?.description)}`).toMatch(
			/^The job ledger is turned off.*Turn on "Use a Job Ledger" in the Model Router API credential\./,
		);
	it.each([
		['getMany', {}],
		['deleteMany', {}],
		['markStarted', { idempotencyKey: 'k', jobId: 'j' }],
		['markNotStarted', { idempotencyKey: 'k' }],
	])('Job Ledger, %s says so', async (operation, parameters) => {
		const { error } = await rig.ledger(operation, parameters, { secrets: secrets() });
		saysSo(error);
	});

	it('a start that is to be tracked is not sent', async () => {
		const parameters = { segment: 'images', model: sketch, prompt: 'one' };
		for (const operation of ['start', 'generate']) {
			const { error } = await run(rig.ledgered(operation, parameters, { secrets: secrets() }));
			saysSo(error);
		}
		expect(rig.service.world.starts).toEqual([]);
	});

	it('a trigger says so at its activation', async () => {
		const { error } = await activated({ parameters: {}, secrets: secrets() }).poll();
		saysSo(error);
	});

	it('everything else works', async () => {
		expect((await run({ ...models('getMany', {}), secrets: secrets() })).error).toBeUndefined();
		expect(rig.n8n.service.requests).toEqual([]);
	});
});

it.each(['getMany', 'deleteMany', 'markStarted', 'markNotStarted'])(
	'no model of an AI agent gets at the job ledger: %s',
	async (operation) => {
		const parameters = { idempotencyKey: 'k', jobId: 'j' };
		const { items } = await rig.ledger(operation, parameters, { asTool: true });
		const { error } = await rig.ledger(operation, parameters, {
			...{ asTool: true, settings: { onError: 'stopWorkflow' } },
		});
		expect(items).toEqual([]);
		expect(error?.message).toMatch(/^An AI agent cannot use the resource Job Ledger/);
		expect(rig.n8n.service.requests).toEqual([]);
	},
);
