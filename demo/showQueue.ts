// The demo of n8n's queue mode, on Node 24 with everything installed: `node demo/showQueue.ts <tarball> [--once]`.
// AGENT_BRIDGE_TARBALL and AGENT_BRIDGE_REDIS in the environment say what its processes are made of.
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { packageName } from '../test/n8n/bridge.ts';
import { until } from '../test/n8n/editor.ts';
import { itemsOf, type Execution } from '../test/n8n/execution.ts';
import { DataTables, type Fields } from '../test/n8n/publicApi.ts';
import { node, workflow } from '../test/n8n/workflow.ts';
import { noticeKilledWorkersSoon, startQueue, type Queue } from '../test/queue/queue.ts';
import type { Worker } from '../test/queue/worker.ts';
import {
	runDemo,
	runExamples,
	saveCredentials,
	startServices,
	tellAddresses,
	type Services,
} from './services.ts';
import { tellWhile } from '../scripts/waiting.mjs';

const flags = process.argv.slice(3);
/** n8n gives up what a killed worker had after a minute; the tests' 15 s are too short for a busy machine. */
const lostWorkersAreNoticed = { ...noticeKilledWorkersSoon, QUEUE_WORKER_LOCK_DURATION: '30000' };
const KEY = 'order-4711';
const PROMPT = 'A lighthouse in a storm, for order 4711';
const LEDGER = 'Media Jobs';

let services: Services | undefined;
/** It may still be starting when the demo is ended. */
let starting: Promise<Queue> | undefined;

async function show(): Promise<number> {
	mkdirSync(tmpdir(), { recursive: true });
	services = await startServices();
	console.log('Starting PostgreSQL, Redis, the main process of n8n and two workers …');
	const started = Date.now();
	starting = startQueue({
		port: 5678,
		env: { ...lostWorkersAreNoticed, N8N_DISABLE_UI: 'false' },
	});
	const running = await tellWhile('n8n, its workers, PostgreSQL and Redis start', starting);
	const { editor, main, workers } = running;
	console.log(`  done in ${secondsSince(started)} s: main is process ${main.pid}`);
	for (const [at, { pid }] of workers.entries())
		console.log(`  Worker ${at + 1} is process ${pid}`);

	const onRun = (execution: Execution) => console.log(`  ran on ${whoRan(running, execution)}`);
	const demo = { ...services, editor, onRun };
	await tellWhile('n8n saves the credentials', saveCredentials(demo));
	const { failures, first } = await runExamples(demo);
	for (const [at, count] of running.counts().entries())
		console.log(`${at ? '' : '\n'}Worker ${at + 1} has executed ${count} of them.`);
	const killFailures = await killInTheMiddle(running, services);
	tellAddresses(demo, first);
	for (const [at, { pid }] of workers.entries())
		console.log(`Worker ${at + 1}:          process ${pid}`);
	return failures + killFailures;
}

async function stop(): Promise<void> {
	const queue = await starting?.catch(() => undefined);
	await queue?.stop();
	await services?.stop();
}

const secondsSince = (started: number) => ((Date.now() - started) / 1000).toFixed(0);
const nameOf = ({ workers }: Queue, worker: Worker) => `Worker ${workers.indexOf(worker) + 1}`;
const whoRan = (of: Queue, { id }: Execution) =>
	of
		.workersOf(id)
		.map((worker) => nameOf(of, worker))
		.join(' and ') || 'no worker';

/**
 * A start that costs money, whose worker is killed while the answer is on its way.
 *
 * @returns how many steps did not come to what they show
 */
async function killInTheMiddle(running: Queue, { service }: Services): Promise<number> {
	const { editor } = running;
	let failures = 0;
	const tell = (line: string, isRight: boolean) => {
		console.log(`  ${line}`);
		if (isRight) return;
		failures++;
		console.error('  That is wrong.');
	};
	const sent = () => service.received(PROMPT);
	/** Every one but the first refuses to send it again. */
	const tellRun = (how: string, ended: Execution, status: string) => {
		tell(`${how}: ${told(ended)}`, ended.status === status);
		tell(`The service has received the start ${times(sent())}.`, sent() === 1);
	};
	const { tables, row } = await ledgerOf(running);

	console.log(`\nNow a start that costs money, with the job ledger and the unique key "${KEY}".`);
	// a second one would be answered, and told
	const match = { method: 'POST', bodyIncludes: PROMPT };
	service.fault({ match, times: 1, do: { type: 'hold' } });
	const saved = await editor.importWorkflow(workflow('Start a Picture Once', [{}], startNode()));
	const id = await editor.start(saved);
	const received = until('the start is received', () => sent() === 1);
	await tellWhile('a worker sends the start', received);
	const [killed] = running.workersOf(id);
	const jobId = service.world.starts.at(-1)?.jobId;
	if (!killed || !jobId) throw new Error('No worker has sent the start.');
	const name = nameOf(running, killed);
	console.log(`  ${name} has sent it, and the service has started ${jobId}; its answer is held.`);
	console.log(`  kill -9 ${killed.pid}: ${name} is gone.`);
	const killedAt = Date.now();
	await killed.kill();

	const lost = await tellWhile('n8n notices that the worker is gone', editor.finished(id));
	tellRun(`n8n, ${secondsSince(killedAt)} s later`, lost, 'error');
	console.log(`    It has kept the data of ${Object.keys(lost.runData).length} nodes.`);
	const retried = await tellWhile('n8n retries the execution', editor.retryExecution(id));
	tellRun(`Retry, on ${whoRan(running, retried)}`, retried, 'error');
	const state = (await row())?.['state'];
	tell(
		`The job ledger: the start is in the state "${String(state)}", of execution ${id}.`,
		state === 'sending',
	);
	const runAgain = async () => await tellWhile('n8n executes it again', editor.run(saved));
	const rival = await runAgain();
	tellRun(`The workflow is executed again, on ${whoRan(running, rival)}`, rival, 'error');

	await tables.update(LEDGER, 'uniqueKey', KEY, { leaseUntil: 1 });
	console.log(
		`  Ten minutes later (the demo ends the lease of the start in the ledger by itself):`,
	);
	const later = await runAgain();
	tellRun(`Executed again, on ${whoRan(running, later)}`, later, 'error');
	const resolving = editor.runOnce(workflow('Resolve', [{}], resolveNode(jobId)));
	const decided = await tellWhile('n8n resolves it', resolving);
	tellRun('A person looks at the service, and resolves it as started', decided, 'success');
	const last = await runAgain();
	tellRun(`Executed again, on ${whoRan(running, last)}`, last, 'success');
	const { jobId: found, startedBefore } = itemsOf(last, 'Start')[0]?.json ?? {};
	tell(
		`It gives ${String(found)}, startedBefore: ${String(startedBefore)}.`,
		found === jobId && startedBefore === true,
	);
	await tellWhile(`${name} starts again`, killed.boot());
	tell(`${name} is back, as process ${killed.pid}.`, sent() === 1);
	return failures;
}

const times = (count: number) => (count === 1 ? 'once' : `${count} times`);
const told = ({ status, error }: Execution) => (error ? `${status}: ${error.message}` : status);

const routerNode = (name: string, parameters: Record<string, unknown>) =>
	node(name, `${packageName}.modelRouter`, parameters, {
		credentials: { modelRouterApi: { name: 'Model Router account' } },
	});
const startNode = () =>
	routerNode('Start', {
		resource: 'media',
		operation: 'start',
		mediaType: 'images',
		model: { __rl: true, mode: 'id', value: 'canvas/sketch-1' },
		prompt: PROMPT,
		useLedger: true,
		uniqueKey: KEY,
	});
const resolveNode = (jobId: string) =>
	routerNode('Resolve', {
		resource: 'ledger',
		operation: 'markStarted',
		uniqueKey: KEY,
		jobId,
	});

/** The Data Table of the ledger, and what it has of the start. */
async function ledgerOf({ editor }: Queue) {
	const tables = await DataTables.of(editor);
	const row = async (): Promise<Fields | undefined> =>
		(await tables.rows(LEDGER)).find(({ uniqueKey }) => uniqueKey === KEY);
	return { tables, row };
}

await runDemo(show, stop, {
	once: flags.includes('--once'),
	goodbye: 'Nothing of it stays, but the files in .demo/downloads.',
});
