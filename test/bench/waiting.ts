import { until } from '../n8n/editor.ts';
import type { Instance } from '../n8n/instance.ts';
import { node, type WorkflowFile, type WorkflowNode } from '../n8n/workflow.ts';
import type { Figure } from './goals.ts';
import type { Nodes } from './nodesUnderTest.ts';
import { call } from './row.ts';
import type { LeanService } from './service.ts';
import { minus } from './numbers.ts';
import { aligned } from './table.ts';
import { cpuOf, heldMemory, mostMemory, startMemory } from './usage.ts';
import { bodyWith } from './workflows.ts';

/** What executions take that wait for a media job. */
export interface Waiting {
	name: string;
	/** MB more than before, while all of them wait. */
	held: number | undefined;
	/** MB more than before at most, their start and their end included. */
	most: number | undefined;
	/** CPU seconds in all. */
	cpu: number | undefined;
	/** Requests for the state of a job. */
	reads: number;
}

/** The first does not wait at all: what an n8n just started takes for so many executions. */
const [ended, blocked, parked] = [
	'ended after Start',
	'blocked in Media: Generate',
	"parked in n8n's database",
];

export const waitingNames = [ended, blocked, parked];

/** Workflows that wait at the same time, each with one job that ends when all of them wait. */
export async function measureWaiting(
	instance: Instance,
	service: LeanService,
	nodes: Nodes,
	{ name, count }: { name: string; count: number },
): Promise<Waiting> {
	const path = name.replace(/\W+/g, '-');
	const start = nodes.oursJob('Start', 'start');
	const get = [nodes.oursJob('Get', 'get'), nodes.oursJob('Download', 'download')];
	const steps =
		name === blocked
			? [nodes.oursJob('Generate', 'generate')]
			: [start, ...(name === parked ? [wait(), ...get] : [])];
	const { editor } = instance;
	await editor.activate(await editor.importWorkflow(waitingWorkflow(path, steps)));
	await service.heldJobs('hold');
	const pid = instance.pid ?? 0;
	const [before, used] = [startMemory(pid), cpuOf(pid)];
	for (let n = 0; n < count; n++)
		await call(`${instance.url}/webhook/${path}`, bodyWith([`picture-${n}`]));
	const jobs = async () => await service.heldJobs();
	if (name === ended)
		await until('all jobs are started', async () => (await jobs()).starts === count, 600);
	if (name === blocked)
		await until('all jobs are waited for', async () => (await jobs()).read === count, 600);
	if (name === parked)
		await until('all are parked', async () => (await waitingIn(instance)) === count, 600);
	const held = heldMemory(pid);
	await service.heldJobs('release');
	if (name !== ended)
		await until('all have their file', async () => (await jobs()).files === count, 600);
	return {
		name,
		held: minus(held, before),
		most: minus(mostMemory(pid), before),
		cpu: minus(cpuOf(pid), used),
		reads: (await jobs()).reads,
	};
}

/** @returns how many executions are parked */
export async function waitingIn({ editor }: Pick<Instance, 'editor'>): Promise<number> {
	const filter = encodeURIComponent(JSON.stringify({ status: ['waiting'] }));
	const { count } = await editor.call<{ count: number }>(
		'GET',
		`/rest/executions?filter=${filter}`,
	);
	return count;
}

/** Start a job, wait for so many seconds, get it. */
export const parkingWorkflow = (path: string, nodes: Nodes, seconds: number): WorkflowFile =>
	waitingWorkflow(path, [
		nodes.oursJob('Start', 'start'),
		wait(seconds),
		nodes.oursJob('Get', 'get'),
	]);

const wait = (seconds = 120) =>
	node(
		'Wait',
		'n8n-nodes-base.wait',
		{ resume: 'timeInterval', amount: seconds, unit: 'seconds' },
		{ typeVersion: 1.1, webhookId: 'waiting' },
	);

/** Answers at once, and goes on by itself. */
function waitingWorkflow(path: string, steps: WorkflowNode[]): WorkflowFile {
	const webhook = node(
		'Webhook',
		'n8n-nodes-base.webhook',
		{ path, httpMethod: 'POST', responseMode: 'onReceived', options: {} },
		{ typeVersion: 2.1, webhookId: path },
	);
	const items = node('Items', 'n8n-nodes-base.splitOut', {
		fieldToSplitOut: 'body.items',
		options: {},
	});
	const all = [webhook, items, ...steps];
	return {
		name: path,
		nodes: all,
		connections: Object.fromEntries(
			all
				.slice(1)
				.map(({ name }, index) => [
					all[index]?.name,
					{ main: [[{ node: name, type: 'main', index: 0 }]] },
				]),
		),
		settings: { executionOrder: 'v1' },
	};
}

export function waitingTable(waiting: Waiting[], count: number): string {
	const whole = (value: number | undefined) =>
		value === undefined ? '-' : String(Math.round(value));
	return `${count} workflows that wait for a media job each (in an n8n just started)\n${aligned([
		['', 'RSS + MB while all wait', 'at most', 'CPU s', 'state requests'],
		...waiting.map(({ name, held, most, cpu, reads }) => [
			name,
			whole(held),
			whole(most),
			whole(cpu),
			String(reads),
		]),
	])}`;
}

export const waitingGoals = (waiting: Waiting[]): Figure[] => {
	const heldBy = (wanted: string) => waiting.find(({ name }) => name === wanted)?.held;
	const more = minus(heldBy(parked), heldBy(ended));
	return [['W', 'parked, RSS more than if all had ended, MB', more, 50]];
};
