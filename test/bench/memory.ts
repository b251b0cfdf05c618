import { until } from '../n8n/editor.ts';
import { node, type WorkflowNode } from '../n8n/workflow.ts';
import { models } from './answers.ts';
import type { Host } from './hosts.ts';
import type { Sample, Samples } from './row.ts';
import { minus } from './sample.ts';
import { heldMemory, startMemory } from './usage.ts';
import { backgroundWorkflow, bodyOf, call, inN8n } from './workflows.ts';

/** Memory can only be compared from one start: a heap that has grown for one does not grow again for the next. */
async function eachInAFreshN8n(
	host: Host,
	variants: Record<string, () => Promise<Sample>>,
): Promise<Samples> {
	const found: Samples = {};
	for (const [name, measure] of Object.entries(variants)) {
		if (Object.keys(found).length) await host.enter('fresh n8n');
		found[name] = [await measure()];
	}
	return found;
}

export async function measureManyItems(host: Host): Promise<Samples> {
	const once = async (tested: WorkflowNode, items: number, warmUps: number) =>
		await (
			await inN8n(host, { tested, items, warmUps })
		)();
	const many = async (tested: WorkflowNode) => {
		await once(tested, 20, 5);
		return await once(tested, host.sizes.manyItems, 0);
	};
	return await eachInAFreshN8n(host, {
		ours: async () => await many(host.nodes.message(models.short, 20)),
		'n8n floor': async () => await many(host.nodes.floor(models.short, 20)),
	});
}

/** Executions that have started a job, and wait for it or have ended. */
export async function measureParked(host: Host): Promise<Samples> {
	const { parked: count } = host.sizes;
	const start = () => host.nodes.startJob();
	const held = async (steps: WorkflowNode[], areDone: () => Promise<boolean>) => {
		await host.service.counts({ jobs: 0, latency: 0 });
		const path = `waiting-${steps.length}`;
		await host.editor.activate(await host.editor.importWorkflow(backgroundWorkflow(path, steps)));
		const before = startMemory(host.pid);
		for (let n = 0; n < count; n++)
			await call(`${host.url}/webhook/${path}`, bodyOf([`picture-${n}`]));
		await until(`all of ${count} executions have come so far`, areDone, 600);
		return { 'RSS + MB': minus(heldMemory(host.pid), before) };
	};
	return await eachInAFreshN8n(host, {
		parked: async () =>
			await held(
				[start(), waitForADay(), host.nodes.getJob()],
				async () => (await parkedIn(host)) >= count,
			),
		ended: async () =>
			await held([start()], async () => (await host.service.counts()).starts >= count),
	});
}

/** Parks an execution in n8n's database. */
export const waitForADay = () =>
	node(
		'Wait',
		'n8n-nodes-base.wait',
		{ resume: 'timeInterval', amount: 1, unit: 'days' },
		{ typeVersion: 1.1, webhookId: 'waiting' },
	);

/** @returns how many executions are parked */
export async function parkedIn({ editor }: Host): Promise<number> {
	const filter = encodeURIComponent(JSON.stringify({ status: ['waiting'] }));
	const path = `/rest/executions?filter=${filter}`;
	return (await editor.call<{ count: number }>('GET', path)).count;
}
