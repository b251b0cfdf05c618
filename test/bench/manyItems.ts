import type { WorkflowNode } from '../n8n/workflow.ts';
import { models } from './answers.ts';
import type { Host } from './hosts.ts';
import { FLOOR, HTTP, type Sample, type Samples } from './row.ts';
import { inN8n } from './workflows.ts';

/** Memory can only be compared from one start: a heap that has grown for one does not grow again for the next. */
export async function measureManyItems(host: Host): Promise<Samples> {
	const many = async (tested: WorkflowNode): Promise<Sample[]> => {
		await inN8n(host, { tested, items: 20, warmUps: 5 });
		return [await (await inN8n(host, { tested, items: host.sizes.manyItems, warmUps: 0 }))()];
	};
	const ours = await many(host.nodes.message(models.short, 20));
	await host.enter('fresh n8n');
	const floor = await many(host.nodes.floor(models.short, 20));
	await host.enter('fresh n8n');
	return { ours, [FLOOR]: floor, [HTTP]: await many(host.nodes.httpMessage(models.short)) };
}
