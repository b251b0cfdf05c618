import { randomUUID } from 'node:crypto';

import { itemsOf, type Item } from './execution.ts';
import { DataTables, type Fields } from './publicApi.ts';
import { sharedEditor } from './shared.ts';
import { TriggerHost } from './triggers.ts';
import { workflow } from './workflow.ts';
import { nodesFor } from './bridge.ts';

/** What n8n's own Data Tables do with the record of spending; test/n8n/budget.test.ts has all ways to spend. */
export function spendingCases(): void {
	const spendingTable = `Agent Spending ${randomUUID()}`;
	let host: TriggerHost;
	beforeAll(async () => {
		const fields = { recordSpending: true, spendingTable };
		host = await TriggerHost.startIn(await sharedEditor(), undefined, fields);
	});
	afterAll(async () => await host?.stop());

	const run = async (
		choice: [string, string],
		parameters: Fields,
		items = [{}],
	): Promise<Item[]> => {
		const node = nodesFor({ router: host.account } as never).router('Node', choice, parameters);
		const ran = await host.run(workflow(choice.join(' '), items, node));
		expect(ran.error?.message).toBeUndefined();
		return itemsOf(ran, 'Node');
	};
	const report = async (groupBy: string[], more = {}) => {
		const items = await run(['spending', 'getSpending'], { groupBy, ...more });
		return items.map(({ json }) => json);
	};

	it('a job that another workflow sees end counts once, for the workflow that started it', async () => {
		host.service.forms.jobSteps = 1;
		const { paid } = await host.service.paidFor(async () => {
			const [jobId] = await host.startJobs('', ['a [cat]?*%']);
			expect(await report([])).toMatchObject([{ requests: 1, costUsd: 0, unknownCosts: 1 }]);
			for (const operation of ['wait', 'getJob'])
				await run(['media', operation], { mediaType: 'images', jobId });
		});
		expect(await report(['workflow', 'model'])).toMatchObject([
			{ workflow: 'start', requests: 1, costUsd: paid / 1e6, unknownCosts: 0 },
		]);
	});

	it('old days are summed up, and no sum changes', async () => {
		const tables = await DataTables.of(host.editor);
		const row = {
			workflowId: 'w',
			workflow: 'W',
			nodeId: 'n',
			node: 'N',
			model: 'm',
			requests: 1,
			inputTokens: 1,
			outputTokens: 1,
			costUsd: 0.1,
			unknownCosts: 0,
			lastExecutionId: '1',
		};
		const days = ['2026-01-05', '2026-01-20', '2026-02-01'];
		await tables.insert(
			spendingTable,
			days.map((day) => ({ ...row, day, record: `{"writes":["${day}"]}` })),
		);
		const all = { from: '2026-01-01' };
		const before = await report([], all);
		expect(await run(['spending', 'combineRows'], {})).toMatchObject([
			{ json: { deletedRows: 1, skippedRows: 0 } },
		]);
		expect(await report([], all)).toEqual(before);
		expect(await report(['month'], all)).toMatchObject([
			{ month: '2026-01', requests: 2, costUsd: 0.2 },
			{ month: '2026-02', requests: 1 },
			{ requests: 1 },
		]);
	});
}
