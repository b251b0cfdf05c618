// The demo of n8n's queue mode, on Node 24 with everything installed: `node scripts/showQueueDemo.mjs <tarball> [--once]`.
// AGENT_BRIDGE_TARBALL and AGENT_BRIDGE_REDIS in the environment say what its processes are made of.
import { mkdirSync } from 'node:fs';
import { packageName } from '../test/n8n/bridge.ts';
import { until } from '../test/n8n/editor.ts';
import { itemsOf } from '../test/n8n/execution.ts';
import { node, workflow } from '../test/n8n/workflow.ts';
import { noticeKilledWorkersSoon, startQueue } from '../test/queue/queue.ts';
import {
	createEnd,
	runExamples,
	saveCredentials,
	startServices,
	tellAddresses,
} from './demoServices.mjs';

const flags = process.argv.slice(3);
/** n8n gives up what a killed worker had after a minute; the tests' 15 s are too short for a busy machine. */
const lostWorkersAreNoticed = { ...noticeKilledWorkersSoon, QUEUE_WORKER_LOCK_DURATION: '30000' };
const KEY = 'order-4711';
const PROMPT = 'A lighthouse in a storm, for order 4711';

let services;
let queue;
const run = createEnd(async () => {
	await queue?.stop();
	await services?.service.stop();
	await services?.mails.stop();
});
async function show() {
	mkdirSync(process.env.TMPDIR, { recursive: true });
	services = await startServices();
	console.log('Starting PostgreSQL, Redis, the main process of n8n and two workers …');
	const started = Date.now();
	queue = await startQueue({
		port: 5678,
		env: { ...lostWorkersAreNoticed, N8N_DISABLE_UI: 'false' },
	});
	console.log(`  done in ${secondsSince(started)} s: main is process ${queue.main.pid}`);
	for (const worker of queue.workers) console.log(`  ${nameOf(worker)} is process ${worker.pid}`);

	const demo = { ...services, editor: queue.editor, onRun };
	await saveCredentials(demo, queue.apiKey);
	const failures = await runExamples(demo);
	for (const [at, count] of queue.counts().entries())
		console.log(`${at ? '' : '\n'}Worker ${at + 1} has executed ${count} of them.`);
	const isOnce = await killInTheMiddle();
	tellAddresses(demo);
	for (const worker of queue.workers)
		console.log(`${nameOf(worker)}:          process ${worker.pid}`);
	return failures + (isOnce ? 0 : 1);
}

const secondsSince = (started) => ((Date.now() - started) / 1000).toFixed(0);
const nameOf = (worker) => `Worker ${queue.workers.indexOf(worker) + 1}`;
const whoRan = ({ id }) => queue.workersOf(id).map(nameOf).join(' and ') || 'no worker';

function onRun(execution) {
	console.log(`  ran on ${whoRan(execution)}`);
}

/** A start that costs money, whose worker is killed while the answer is on its way. @returns whether it was sent once */
async function killInTheMiddle() {
	const { service } = services;
	const { editor } = queue;
	const sent = () => service.received(PROMPT);
	const tellSent = () => console.log(`  The service has received the start ${times(sent())}.`);
	console.log(`\nNow a start that costs money, with the job ledger and the unique key "${KEY}".`);
	service.fault({ match: { method: 'POST', bodyIncludes: PROMPT }, do: { type: 'hold' } });
	const saved = await editor.importWorkflow(workflow('Start a Picture Once', [{}], startNode()));
	const id = await editor.start(saved);
	await until('the start is received', () => sent() === 1);
	const [killed] = queue.workersOf(id);
	const { jobId } = service.world.starts.at(-1);
	console.log(
		`  ${nameOf(killed)} has sent it, and the service has started ${jobId}; its answer is held.`,
	);
	console.log(`  kill -9 ${killed.pid}: ${nameOf(killed)} is gone.`);
	const killedAt = Date.now();
	await killed.kill();

	const lost = await editor.finished(id, 150);
	console.log(`  n8n, ${secondsSince(killedAt)} s later: ${told(lost)}`);
	console.log(`    It has kept the data of ${Object.keys(lost.runData).length} nodes.`);
	tellSent();
	const retried = await editor.retryExecution(id);
	console.log(`  Retry, on ${whoRan(retried)}: ${told(retried)}`);
	tellSent();
	const [row] = await entriesOfKey();
	console.log(`  The job ledger: the start is in the state "${row?.state}", of execution ${id}.`);
	const rival = await editor.run(saved);
	console.log(`  The workflow is executed again, on ${whoRan(rival)}: ${told(rival)}`);
	tellSent();

	await changeEntries({ leaseUntil: 1 });
	console.log(
		`  Ten minutes later (the demo ends the lease of the start in the ledger by itself):`,
	);
	const later = await editor.run(saved);
	console.log(`  Executed again, on ${whoRan(later)}: ${told(later)}`);
	tellSent();
	const decided = await editor.runOnce(workflow('Resolve', [{}], resolveNode(jobId)));
	console.log(`  A person looks at the service, and resolves it as started: ${told(decided)}`);
	const last = await editor.run(saved);
	const [item] = itemsOf(last, 'Start');
	console.log(
		`  Executed again, on ${whoRan(last)}: ${told(last)}, with ${item?.json.jobId}, startedBefore: ${item?.json.startedBefore}`,
	);
	tellSent();
	await killed.boot();
	console.log(`  ${nameOf(killed)} is back, as process ${killed.pid}.`);
	tellSent();
	return sent() === 1 && item?.json.jobId === jobId;
}

const times = (count) => (count === 1 ? 'once' : `${count} times`);
const told = ({ status, error }) => (error ? `${status}: ${error.message}` : status);

const routerNode = (name, parameters) =>
	node(name, `${packageName}.modelRouter`, parameters, {
		credentials: { modelRouterApi: { name: 'Model Router account' } },
	});
const startNode = () =>
	routerNode('Start', {
		...{ resource: 'media', operation: 'start', mediaType: 'images' },
		...{ model: { __rl: true, mode: 'id', value: 'canvas/sketch-1' }, prompt: PROMPT },
		...{ useLedger: true, idempotencyKey: KEY },
	});
const resolveNode = (jobId) =>
	routerNode('Resolve', {
		...{ resource: 'ledger', operation: 'markStarted', idempotencyKey: KEY, jobId },
	});

const ofKey = {
	type: 'and',
	filters: [{ columnName: 'startKey', condition: 'eq', value: KEY }],
};

async function ledgerRows() {
	const { data } = await queue.api.call('GET', '/data-tables?limit=250');
	const table = data.find(({ name }) => name === 'Media Jobs');
	return `/data-tables/${table.id}/rows`;
}

async function entriesOfKey() {
	const filter = encodeURIComponent(JSON.stringify(ofKey));
	const { data } = await queue.api.call('GET', `${await ledgerRows()}?filter=${filter}`);
	return data;
}

async function changeEntries(data) {
	await queue.api.call('PATCH', `${await ledgerRows()}/update`, { filter: ofKey, data });
}

await run(show, {
	once: flags.includes('--once'),
	goodbye: 'Nothing of it stays, but the files in .demo/downloads.',
});
