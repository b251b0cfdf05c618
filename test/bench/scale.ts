// Texts with one budget and its record on three workers in queue mode, beside what test/explore simulates of the same load.
import type { Load } from '../explore/scale.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { createWithLedger, messages, model, nodesFor, secretsOf } from '../n8n/bridge.ts';
import type { SavedCredential } from '../n8n/editor.ts';
import { itemsOf } from '../n8n/execution.ts';
import { startHeldProxy, type HeldProxy } from '../n8n/heldProxy.ts';
import { beginAt, node, webhook, workflow, type WorkflowNode } from '../n8n/workflow.ts';
import { startQueue, type Queue } from '../queue/queue.ts';
import { startService, type Service } from '../service/service.ts';
import { measureInTest } from './measureInTest.ts';
import type { Sample, Samples } from './row.ts';
import { minus } from './sample.ts';
import { call } from './workflows.ts';

/** What three workers do on a machine with two cores, with a few processor milliseconds of n8n's own for each execution. */
const load = {
	workers: 3,
	slots: 10,
	duration: 5000,
	time: 60_000,
	rows: 1000,
	bound: 6000,
	seed: 1,
} satisfies Partial<Load>;
const BUDGET = 90;
/** Milliseconds after which nobody waits for an answer: n8n loses some with several workers. */
const PATIENCE = 120_000;

/** The workers, the service behind a proxy that takes its time, and n8n's API behind one that counts. */
interface Rig {
	queue: Queue;
	service: Service;
	toService: HeldProxy;
	toN8n: HeldProxy;
	/** A model router without budget and record, and one with them. */
	plain: SavedCredential;
	account: SavedCredential;
}

/** A run of the load. Times are in milliseconds. */
interface Ran {
	sample: Sample;
	/** Of an execution, besides the service's. */
	besides: number;
	/** Of a request to n8n. */
	latency: number;
}

export async function measureScale(): Promise<Samples> {
	const rig = await startRig();
	try {
		const control = await runLoad(rig, rig.plain);
		const before = rig.service.balance();
		const { sample: real, latency } = await runLoad(rig, rig.account);
		await rig.service.settled();
		await checkAccounts(rig, before - rig.service.balance());
		// what n8n takes between two executions, and for a request, is none of ours
		const ofN8n = { between: control.besides, latency };
		process.env['AGENT_BRIDGE_LOAD'] = JSON.stringify({ ...load, ...ofN8n });
		const simulated = await measureInTest('scale.test.ts');
		const waits = (['added ms', 'added 95 % ms'] as const).map((measure) => [
			measure,
			minus(real[measure], control.sample[measure]),
		]);
		return {
			'three workers': [{ ...real, ...Object.fromEntries(waits) }],
			...simulated,
			'without budget': [control.sample],
		};
	} finally {
		await rig.queue.stop();
		await Promise.all([rig.toN8n.stop(), rig.toService.stop()]);
		await rig.service.stop();
	}
}

async function startRig(): Promise<Rig> {
	const service = await startService();
	const env = { NODE_ENV: 'production', EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none' };
	const queue = await startQueue({ workers: load.workers, concurrency: load.slots, env });
	const toN8n = await startHeldProxy(queue.main.url);
	const toService = await startHeldProxy(service.url, (method) =>
		method === 'POST' ? load.duration * (0.5 + Math.random()) : 0,
	);
	const { router } = secretsOf(service);
	const secret = { ...router, data: { ...router.data, baseUrl: toService.url } };
	const plain = await queue.editor.createCredential({ ...secret, name: 'plain' });
	const account = await createWithLedger(queue.editor, secret, {
		n8nUrl: toN8n.url,
		budgetUsd: String(BUDGET),
		recordSpending: true,
		spendingTable: 'Spending',
	});
	return { queue, service, toService, toN8n, plain, account };
}

const nodesOf = (account: SavedCredential) =>
	nodesFor({ agent: account, secondAgent: account, assistant: account, router: account }).router;

/** A node that tells the time. */
const clock = (name: string, fields: string): WorkflowNode =>
	node(
		name,
		'n8n-nodes-base.set',
		{ mode: 'raw', jsonOutput: `={{ { ${fields} } }}`, options: {} },
		{ typeVersion: 3.4 },
	);

/** A webhook that answers with the milliseconds that the node took. */
async function publish({ queue }: Rig, account: SavedCredential): Promise<string> {
	const path = `scale-${account.id}`;
	const write = nodesOf(account)('Write', ['text', 'message'], {
		model: model('aurora-labs/omni-2'),
		...messages('={{ $json.text }}'),
		options: { maxTokens: '={{ $json.maxTokens }}' },
	});
	const before = 'from: Date.now(), ...$json.body';
	const after =
		"name: $('Before').first().json.name, took: Date.now() - $('Before').first().json.from";
	const file = workflow(path, [{}], clock('Before', before), write, clock('After', after));
	const saved = await queue.editor.importWorkflow({
		...beginAt(file, webhook(path, 'lastNode')),
		settings: { executionOrder: 'v1', saveDataSuccessExecution: 'none' },
	});
	await queue.editor.activate(saved);
	return `${queue.main.url}/webhook/${path}`;
}

/** Executions that each send one text, so many at once on each worker. */
async function runLoad(rig: Rig, account: SavedCredential): Promise<Ran> {
	const { toService, toN8n } = rig;
	const address = await publish(rig, account);
	const waits: number[] = [];
	const besides: number[] = [];
	let [texts, unanswered] = [0, 0];
	const send = async (name: string): Promise<void> => {
		const maxTokens = (600 * load.bound) / 6000;
		const words = Math.floor(maxTokens * (0.2 + 0.3 * Math.random()));
		const body = JSON.stringify({ name, maxTokens, text: `[[words:${words}]] ${name};` });
		const signal = AbortSignal.timeout(PATIENCE);
		const from = performance.now();
		try {
			const answer = JSON.parse((await call(address, body, signal)).toString()) as { took: number };
			const held = timeOf(toService, `${name};`);
			waits.push(answer.took - held);
			besides.push(performance.now() - from - held);
			texts++;
		} catch (error) {
			if (!signal.aborted) throw error;
			unanswered++;
		}
	};
	// the first ones compile
	await Promise.all(Array.from({ length: load.workers * load.slots }, (_, n) => send(`warm-${n}`)));
	[waits.length, besides.length, texts, unanswered] = [0, 0, 0, 0];
	const [requests, begun] = [toN8n.answers.length, performance.now()];
	const runSlot = async (slot: number): Promise<void> => {
		await pause(Math.random() * load.duration);
		for (let run = 0; performance.now() - begun < load.time; run++) await send(`${slot}.${run}`);
	};
	const slots = Promise.all(
		Array.from({ length: load.workers * load.slots }, (_, n) => runSlot(n)),
	);
	await pause(load.time);
	const inTime = { texts, requests: toN8n.answers.length - requests };
	await slots;
	return {
		besides: at(besides, 0.5),
		latency: at(
			toN8n.answers.slice(requests).map(({ took }) => took),
			0.5,
		),
		sample: {
			unanswered,
			'to n8n': inTime.requests,
			'per second': (1000 * inTime.texts) / load.time,
			'to n8n, 100 texts': (100 * inTime.requests) / inTime.texts,
			'added ms': at(waits, 0.5),
			'added 95 % ms': at(waits, 0.95),
		},
	};
}

/** Milliseconds that the answer took to the request whose body contains the text. */
const timeOf = ({ answers }: HeldProxy, included: string): number =>
	answers.find(({ body }) => body.includes(included))?.took ?? 0;

const at = (values: readonly number[], part: number): number => {
	const sorted = values.toSorted((one, other) => one - other);
	return sorted[Math.floor(part * (sorted.length - 1))] ?? 0;
};

/** @throws if the budget or the record is not what was paid. @param paid Micro-dollars. */
async function checkAccounts({ queue, account }: Rig, paid: number): Promise<void> {
	const router = nodesOf(account);
	const run = async (name: string, choice: readonly [string, string]) => {
		const ran = await queue.editor.runOnce(workflow(name, [{}], router(name, choice)));
		return itemsOf(ran, name)[0]?.json ?? {};
	};
	const budget = await run('Budget', ['budget', 'getBudget']);
	const record = await run('Record', ['spending', 'getSpending']);
	const told = [budget['spentUsd'], record['costUsd'], budget['reservedUsd']];
	if (told.join() !== [paid / 1e6, paid / 1e6, 0].join())
		throw new Error(`${paid / 1e6} USD were paid: ${JSON.stringify([budget, record])}`);
	process.stdout.write(`  ${paid / 1e6} USD paid, in the budget, and in the record\n`);
}
