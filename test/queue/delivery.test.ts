import { until, type SavedWorkflow } from '../n8n/editor.ts';
import { itemsOf } from '../n8n/execution.ts';
import { idsOf, TriggerHost } from '../n8n/triggers.ts';
import { node, workflow } from '../n8n/workflow.ts';
import { noticeKilledWorkersSoon, startQueue, type Queue } from './queue.ts';

let queue: Queue;
let host: TriggerHost;
beforeAll(async () => {
	queue = await startQueue({ env: noticeKilledWorkersSoon });
	host = await TriggerHost.startIn(queue.editor);
});
afterAll(async () => {
	await host?.stop();
	await queue?.stop();
});

/** The trigger, a node that takes so many seconds, and Confirm Delivery. */
async function workflowFor(deliveredWhen: string, seconds: number): Promise<SavedWorkflow> {
	const wait = node(
		'Work',
		'n8n-nodes-base.wait',
		{ resume: 'timeInterval', amount: seconds, unit: 'seconds' },
		{ typeVersion: 1.1, webhookId: `${deliveredWhen}-${seconds}` },
	);
	const confirm = { ...host.ledgerNode('confirmDelivery'), id: 'After', name: 'After' };
	return await host.triggered(deliveredWhen, { deliveredWhen }, [wait, confirm]);
}

const MODES = ['handedOver', 'confirmed'] as const;

it('jobs of a killed worker come again by Deliver Again, or by themselves if they are confirmed', async () => {
	const ids: Record<string, string[]> = {};
	for (const mode of MODES) ids[mode] = await host.startJobs(mode, ['one', 'two']);
	const slow = await Promise.all(MODES.map(async (mode) => await workflowFor(mode, 60)));
	for (const saved of slow) await queue.editor.activate(saved);
	const states = { handedOver: 'delivered', confirmed: 'unconfirmed' };
	for (const mode of MODES)
		await until(`the jobs of ${mode} are handed over`, async () =>
			(await host.states(mode)).every((state) => state === states[mode]),
		);
	const [killed] = await queue.editor.executions(slow[0]!.id);
	expect(killed?.status).toBe('running');
	await Promise.all(queue.workers.map(async (worker) => await worker.kill()));
	for (const { id } of slow) await queue.editor.deactivate(id);
	await Promise.all(queue.workers.map(async (worker) => await worker.boot()));

	// nothing has changed: the one is lost for its workflow, the other has a lease
	expect(await host.states('handedOver')).toEqual(['delivered', 'delivered']);
	expect(await host.states('confirmed')).toEqual(['unconfirmed', 'unconfirmed']);

	const found = { findBy: 'executionId', executionId: killed!.id };
	const again = host.ledgerNode('deliverAgain', found);
	const brought = await queue.editor.runOnce(workflow('again', [{}], again));
	expect(brought.error?.message).toBeUndefined();
	expect(idsOf(itemsOf(brought, 'Ledger')).sort()).toEqual([...ids['handedOver']!].sort());
	// in place of waiting for the end of the lease
	await host.change('confirmed', { leaseUntil: 1 });

	for (const mode of MODES) {
		const quick = await workflowFor(mode, 0);
		await queue.editor.activate(quick);
		const items = await host.delivered(quick.id, 2);
		expect(idsOf(items).sort()).toEqual([...ids[mode]!].sort());
		expect(items.map(({ json }) => json['alreadyDelivered'])).toEqual(
			Array(2).fill(mode === 'handedOver'),
		);
		expect(await host.states(mode)).toEqual(['delivered', 'delivered']);
	}
	expect((await host.rows('confirmed')).map(({ deliveries }) => deliveries)).toEqual([2, 2]);
});
