// Rows of an n8n in queue mode.
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../n8n/editor.ts';
import { beginAt, node, workflow } from '../n8n/workflow.ts';
import { interleave } from './figures.ts';
import type { Host } from './hosts.ts';
import { ledgerOf } from './polls.ts';
import { HTTP, type Sample, type Samples } from './row.ts';
import { minus } from './sample.ts';
import { cpuOf, heldMemory, mostMemory, startMemory } from './usage.ts';
import { backgroundWorkflow, bodyOf, call, publish } from './workflows.ts';
import { workThrough } from './workThrough.ts';

const CALLERS = 10;
/** Milliseconds after which nobody waits for an answer: n8n loses some with several workers. */
const PATIENCE = 20_000;

/** Webhooks that main answers and workers execute: the variants in turns on one worker, then ours on all of them. */
export async function measureExecutions(host: Host): Promise<Samples> {
	const { nodes, queue } = host;
	const [first, ...others] = queue.workers;
	const burstOf = async (tested: ReturnType<typeof nodes.promptMessage>) => {
		const { address } = await publish(host, { tested, warmUps: 10 });
		return async () => await burst(host, address, first?.pid ?? 0);
	};
	const ours = await burstOf(nodes.promptMessage());
	const variants = {
		ours,
		[HTTP]: await burstOf(nodes.httpPrompt()),
		'empty workflow': await burstOf(nodes.noOperation()),
	};
	for (const worker of others) await worker.stop();
	const found = await interleave(host.rounds(3), variants);
	for (const worker of others) await worker.boot();
	// they compile
	await ours();
	return { ...found, 'ours, all workers': [{ ...(await ours()), 'worker CPU ms': undefined }] };
}

async function burst({ sizes }: Host, address: string, worker: number): Promise<Sample> {
	const count = sizes.queueExecutions;
	const before = cpuOf(worker);
	const started = performance.now();
	let [answered, lastAnswer] = [0, started];
	await workThrough(count, CALLERS, async () => {
		const signal = AbortSignal.timeout(PATIENCE);
		try {
			await call(address, bodyOf(['message']), signal);
		} catch (error) {
			if (!signal.aborted) throw error;
			return;
		}
		answered++;
		lastAnswer = performance.now();
	});
	const cpu = minus(cpuOf(worker), before);
	return {
		'per second': (1000 * answered) / (lastAnswer - started),
		'worker CPU ms': cpu === undefined ? undefined : (1000 * cpu) / count,
		unanswered: count - answered,
	};
}

/** Parks an execution in n8n's database. */
const waitForADay = () =>
	node(
		'Wait',
		'n8n-nodes-base.wait',
		{ resume: 'timeInterval', amount: 1, unit: 'days' },
		{ typeVersion: 1.1, webhookId: 'waiting' },
	);

/** @returns how many executions are parked */
async function parkedIn({ editor }: Host) {
	const filter = encodeURIComponent(JSON.stringify({ status: ['waiting'] }));
	const path = `/rest/executions?filter=${filter}`;
	return (await editor.call<{ count: number }>('GET', path)).count;
}

/** Executions that are parked before memory is read: what a process takes for its first ones is not theirs. */
const WARM_UP = 200;

export async function measureParked(host: Host): Promise<Samples> {
	const { editor, nodes, queue, service, sizes, url } = host;
	const count = sizes.queueParked;
	await service.counts({ jobs: 0 });
	const steps = [nodes.startJob(), waitForADay(), nodes.getJob()];
	await editor.activate(await editor.importWorkflow(backgroundWorkflow('parked', steps)));
	const park = async (more: number) => {
		const wanted = (await parkedIn(host)) + more;
		await workThrough(more, CALLERS, async (one) => {
			await call(`${url}/webhook/parked`, bodyOf([`picture-${one}`]));
		});
		await until('all are parked', async () => (await parkedIn(host)) >= wanted, 1800);
	};
	const held = () => ({
		main: heldMemory(host.pid),
		workers: queue.workers.reduce((sum, { pid }) => sum + (heldMemory(pid ?? 0) ?? 0), 0),
	});
	await park(Math.min(WARM_UP, count));
	const before = held();
	const started = performance.now();
	await park(count);
	const seconds = (performance.now() - started) / 1000;
	const after = held();
	return {
		main: [{ 'RSS + MB': minus(after.main, before.main), seconds }],
		workers: [{ 'RSS + MB': minus(after.workers, before.workers), seconds }],
	};
}

/** n8n refuses an expression that polls more often than every minute, but not several of them. */
const everyTenSeconds = [0, 10, 20, 30, 40, 50].map((second) => ({
	mode: 'custom',
	cronExpression: `${second} * * * * *`,
}));

/** Memory is that of main, which polls. The first time it takes what it is given before it collects garbage. */
export async function measureWatched(host: Host): Promise<Samples> {
	const { editor, nodes, pid, service } = host;
	const jobs = host.sizes.queueWatched;
	const account = { name: 'watching', type: 'modelRouterApi' };
	const data = { baseUrl: service.url, apiKey: 'a-key-of-the-benchmark' };
	// an entry has the ID of the credential, which has the ledger's address
	const saved = await editor.createCredential({ ...account, data });
	const ledger = await ledgerOf(host, jobs, saved.id);
	await editor.updateCredential({ ...saved, data: { ...data, ...ledger } });
	await service.counts({ jobs });
	const after = node('After', 'n8n-nodes-base.noOp', {});
	const trigger = nodes.trigger(saved, {
		pollTimes: { item: everyTenSeconds },
		options: { maxJobs: 250 },
	});
	const watching = await editor.importWorkflow({
		...beginAt(workflow('watching', [], after), trigger),
		settings: { executionOrder: 'v1', saveDataSuccessExecution: 'none' },
	});
	const phase = async (
		what: string,
		isOver: () => Promise<boolean>,
		begin?: () => Promise<unknown>,
	): Promise<Sample> => {
		const before = startMemory(pid);
		const started = performance.now();
		await begin?.();
		await until(what, isOver, 1800);
		const seconds = (performance.now() - started) / 1000;
		return { 'RSS + MB': minus(mostMemory(pid), before), seconds };
	};
	const asked = (times: number) => async () => (await service.counts()).reads >= times * jobs;
	const first = await phase('all jobs are asked for', asked(1), () => editor.activate(watching));
	const again = await phase('all jobs are asked for again', asked(2));
	const isDelivered = async () => (await service.counts()).delivered === jobs;
	const end = () => service.counts('end');
	const delivering = await phase('all jobs are delivered', isDelivered, end);
	// a file that is fetched once more would come soon
	await pause(2000);
	await editor.deactivate(watching.id);
	const { delivered, twice } = await service.counts();
	return {
		delivering: [{ ...delivering, undelivered: jobs - delivered, 'fetched twice': twice }],
		'asked first': [first],
		'asked again': [again],
	};
}
