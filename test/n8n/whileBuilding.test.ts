import { randomUUID } from 'node:crypto';

import { model } from '../engine/rig/calls.ts';
import {
	bridgeOfFile,
	createWithLedger,
	nodesFor,
	originalFile,
	secretsOf,
	type Accounts,
} from './bridge.ts';
import { until, type SavedWorkflow } from './editor.ts';
import { type Execution, itemsOf } from './execution.ts';
import { startInstance, withoutPages, type Instance } from './instance.ts';
import { dataTableScopes, DataTables, PublicApi } from './publicApi.ts';
import { tarball } from './shared.ts';
import { beginAt, node, start, webhook, workflow, type WorkflowFile } from './workflow.ts';

// in a real n8n, which is restarted: what is built by hand is paid once, and what runs in production each time
let instance: Instance;
beforeAll(async () => void (instance = await startInstance({ tarball, env: withoutPages })));
afterAll(async () => await instance?.remove());
const bridge = bridgeOfFile({}, () => instance.editor);
beforeEach(() => void (bridge.service.forms.jobSteps = 0));

/** The credential as it is, or with a job ledger. */
const places: Array<[string, () => Promise<Accounts>]> = [
	['without a job ledger', async () => bridge.accounts],
	[
		'with a job ledger',
		async () => ({
			...bridge.accounts,
			router: await createWithLedger(bridge.editor, secretsOf(bridge.service).router),
		}),
	],
];

const generating = (
	accounts: Accounts,
	prompt: string,
	parameters = {},
	after = node('After', 'n8n-nodes-base.noOp', {}),
): WorkflowFile =>
	workflow(
		'Poster',
		[{}],
		nodesFor(accounts).router('Generate', ['media', 'generate'], {
			mediaType: 'images',
			model: model('canvas/sketch-1'),
			prompt,
			...parameters,
		}),
		after,
	);
const run = async (saved: SavedWorkflow) => await bridge.editor.run(saved);
const generated = (execution: Execution) => {
	expect(execution.error?.message).toBeUndefined();
	return itemsOf(execution, 'Generate')[0]!;
};
/** "Execute step" after a reload: the editor has no data of the nodes before, so n8n runs all of them. */
async function executeStep({ id }: SavedWorkflow): Promise<Execution> {
	const { executionId } = await bridge.editor.call<{ executionId: string }>(
		'POST',
		`/rest/workflows/${id}/run`,
		{
			triggerToStartFrom: { name: start },
			destinationNode: { nodeName: 'After', mode: 'inclusive' },
		},
	);
	return await bridge.editor.finished(executionId);
}

describe.each(places)('%s', (place, accountsOf) => {
	let accounts: Accounts;
	beforeEach(async () => void (accounts = await accountsOf()));
	const saved = async (prompt: string) =>
		await bridge.editor.importWorkflow(generating(accounts, prompt));

	it('a picture that is built five times is one job, one payment and five equal files, over a restart, too', async () => {
		const { editor, service } = bridge;
		const poster = await saved('a poster');
		const runs: Execution[] = [];
		const { paid } = await service.paidFor(async () => {
			for (let time = 0; time < 3; time++) runs.push(await run(poster));
			for (let time = 0; time < 2; time++) runs.push(await executeStep(poster));
		});
		expect([service.starts('a poster'), paid]).toEqual([1, 40_000]);
		const original = await originalFile(service, generated(runs[0]!).json);
		for (const [at, one] of runs.entries()) {
			const { json, binary } = generated(one);
			expect((await editor.bytesOf(binary?.['data'])).equals(original)).toBe(true);
			expect(json['reusedFrom']).toEqual(
				at ? { time: expect.any(String), executionId: runs[0]!.id } : undefined,
			);
			expect(json['costUsd']).toBe(at ? 0 : 0.04);
		}
		expect(runs[1]!.runData['Generate']?.[0]?.hints).toMatchObject([
			{ message: expect.stringMatching(/^From .* UTC, nothing was paid/) },
		]);
		expect(runs.map(({ customData }) => customData?.['costUsd'])).toEqual([
			'0.04',
			...Array(4).fill(undefined),
		]);

		await instance.restart();
		const { json } = generated(await run(poster));
		expect(service.starts('a poster')).toBe(place.startsWith('with a') ? 1 : 2);
		expect('reusedFrom' in json).toBe(place.startsWith('with a'));
	});

	it('what is stopped while it is made is joined', async () => {
		const { editor, service } = bridge;
		service.forms.jobSteps = 1000;
		const poster = await saved('a slow poster');
		const id = await editor.start(poster);
		await until('it is being made', () => service.requests.some(({ path }) => /jobs\//.test(path)));
		await editor.stopExecution(id);
		await editor.finished(id);
		service.forms.jobSteps = 0;
		const { json } = generated(await run(poster));
		expect(json).toMatchObject({ costUsd: 0, reusedFrom: { executionId: id } });
		expect(service.starts('a slow poster')).toBe(1);
	});

	it('a copied workflow and production are new jobs', async () => {
		const { editor, service } = bridge;
		for (let time = 0; time < 2; time++) await run(await saved('one'));
		expect(service.starts('"one"')).toBe(2);
		const path = randomUUID();
		const { id } = await editor.publish(
			beginAt(generating(accounts, 'one'), webhook(path, 'lastNode')),
		);
		for (let time = 0; time < 2; time++) await editor.webhook(path);
		expect(service.starts('"one"')).toBe(4);
		await editor.deactivate(id);
	});
});

it('an evaluation of seven rows that is run twice pays seven times where the node says so', async () => {
	const { editor, service } = bridge;
	const key = await editor.createApiKey(dataTableScopes);
	const name = 'Prompts';
	await new PublicApi(editor.url, key).call('POST', '/data-tables', {
		name,
		columns: [{ name: 'prompt', type: 'string' }],
	});
	const tables = await DataTables.of(editor);
	const rows = Array.from({ length: 7 }, (_, at) => ({ prompt: `picture ${at}` }));
	await tables.insert(name, rows);
	const dataTableId = { __rl: true, mode: 'id', value: await tables.idOf(name) };
	const options = { whileBuilding: 'reuse' };
	// without a metric, n8n runs no evaluation
	const metrics = node(
		'Set the Metrics',
		'n8n-nodes-base.evaluation',
		{
			operation: 'setMetrics',
			metric: 'customMetrics',
			metrics: {
				assignments: [{ id: 'cost', name: 'Cost', value: '={{ $json.costUsd }}', type: 'number' }],
			},
		},
		{ typeVersion: 4.8 },
	);
	const file = beginAt(generating(bridge.accounts, '={{ $json.prompt }}', { options }, metrics), {
		type: 'n8n-nodes-base.evaluationTrigger',
		typeVersion: 4.7,
		parameters: { source: 'dataTable', dataTableId },
	});
	const { id } = await editor.importWorkflow(file);
	const costs: unknown[] = [];
	for (let time = 0; time < 2; time++) costs.push((await editor.evaluate(id))?.['Cost']);
	expect(service.starts('picture')).toBe(7);
	expect(costs).toEqual([0.04, 0]);
});
