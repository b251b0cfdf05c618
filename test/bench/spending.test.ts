import { writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { createMemoryTable } from '../../src/tables/memoryTable';
import { reportSpending } from '../../src/spending/report';
import {
	type SpendingRow,
	type SpendingTable,
	spendingFormat,
} from '../../src/spending/recordBook';
import type { Samples } from './row';

/** Milliseconds that n8n takes for a page of 250 rows. */
const N8N_TAKES = 25;
const ROWS = 10_000;

/** Rows of 100 workflows, 5 models and 20 days, as JSON that is read again: nothing is shared with the table. */
function createTable(): SpendingTable {
	const rows = Array.from({ length: ROWS }, (_, index): SpendingRow => {
		const workflow = index % 100;
		const day = `2026-11-${String(1 + (Math.floor(index / 500) % 20)).padStart(2, '0')}`;
		return {
			id: index + 1,
			day,
			workflowId: `workflow-${workflow}`,
			workflow: `Workflow ${workflow}`,
			nodeId: `6f1c2b1e-8d3a-4c0e-9a55-${workflow}`,
			node: 'Message a Model',
			model: `vendor/model-${Math.floor(index / 100) % 5}`,
			label: '',
			requests: 10,
			inputTokens: 1000,
			outputTokens: 2000,
			costUsd: 0.001234,
			unknownCosts: 0,
			lastExecutionId: String(index),
			record: JSON.stringify({ writes: ['a1b2c3d4'] }),
		};
	});
	const memory = createMemoryTable(rows, spendingFormat);
	return {
		...memory,
		async find(...given) {
			const page = JSON.stringify(await memory.find(...given));
			await new Promise((resolve) => setTimeout(resolve, N8N_TAKES));
			return JSON.parse(page) as SpendingRow[];
		},
	};
}

it('10,000 rows are grouped', async () => {
	setFlagsFromString('--expose-gc');
	const collect = runInNewContext('gc') as () => void;
	const table = createTable();
	collect();
	const held = process.memoryUsage().heapUsed;
	const start = performance.now();
	let most = 0;
	const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().heapUsed)), 20);
	const query = { from: '2026-11-01', to: '2026-11-30' };
	const { sums: groups } = await reportSpending(
		table,
		{ ...query, groupBy: ['workflow', 'model'] },
		'2026-11-30',
	);
	clearInterval(watch);
	const wall = performance.now() - start;
	expect(groups).toHaveLength(500);
	expect(groups[0]).toMatchObject({ requests: 200, costUsd: 0.02468 });
	const sample = { 'wall ms': wall, 'heap + MB': (most - held) / 1024 / 1024 };
	const samples: Samples = { '10,000 rows': [sample] };
	const file = process.env['AGENT_BRIDGE_SAMPLES'];
	if (file) writeFileSync(file, JSON.stringify(samples));
});
