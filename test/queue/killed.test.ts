import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../n8n/editor.ts';
import type { Execution } from '../n8n/execution.ts';
import { textOf, type Chunk } from '../n8n/liveCaller.ts';
import { publishAgent, withModel } from '../n8n/agent.ts';
import { retryOnFail } from '../n8n/conversationWorkflow.ts';
import { workflow } from '../n8n/workflow.ts';
import { messages, nodesFor, secretsOf } from '../n8n/bridge.ts';
import {
	checkContinued,
	checkLost,
	LOST,
	startLost,
	type Lost as LostPart,
	type LostConversation,
} from './lostConversation.ts';
import {
	GENERATE_ONCE,
	newText,
	openPaidBridge,
	paidWork,
	START_ONCE,
	type PaidBridge,
} from './paidWork.ts';
import { noticeKilledWorkersSoon, startQueue, type Queue } from './queue.ts';
import type { Worker } from './worker.ts';

// Every worker is lost with everything that may cost under way, and n8n gives all of it up. That takes it 45 s, whatever it
// is: so it is done once, and the tests look at what became of it.

/** One execution of which a worker was lost, and the text in its request. */
interface Lost {
	name: string;
	text: string;
	id: string;
}

const settingsOf = { 'without Retry On Fail': {}, 'with Retry On Fail': retryOnFail };
const cases = Object.entries(settingsOf).flatMap(([how, settings]) =>
	paidWork.map((work) => ({ name: `${work.name}, ${how}`, work, settings })),
);

let queue: Queue;
let bridge: PaidBridge;
const lost = new Map<string, Lost>();
/** Halted while the first of its execution's three nodes waited for its answer. */
let frozen: Worker;
let frozenExecution: string;
const frozenTexts = [newText(), newText(), newText()];
/** Both were killed. */
let killed: Worker[];
/** Started afterwards. */
let survivor: Worker;
const lostParts = Object.keys(LOST) as LostPart[];
const conversations = new Map<LostPart, LostConversation>();
/** What the caller of a streaming agent read, and the agent's execution. */
let read: Promise<Chunk[]>;
const streamed = newText();
/** The first model of a list had refused the request, and the second was asked. */
let listed: string;
const listedText = newText();

beforeAll(async () => {
	// all of the executions are under way at the same time
	// they hold their executions for a minute before they are killed
	const env = { ...noticeKilledWorkersSoon, QUEUE_WORKER_LOCK_DURATION: '30000' };
	queue = await startQueue({ workers: 0, concurrency: 20, env });
	bridge = await openPaidBridgeOn(queue);
	const first = { method: 'POST', bodyIncludes: '"northwind/quill-mini"' };
	bridge.service.fault({ match: first, do: { type: 'status', status: 404 } });
	bridge.service.fault({ match: { method: 'POST' }, do: { type: 'hold' } });

	frozenExecution = await startThreeNodes();
	await until('the first node has sent', () => bridge.service.received(frozenTexts[0]!) === 1);
	await freezeBetweenTransactions();

	killed = await Promise.all([queue.addWorker(), queue.addWorker()]);
	for (const { name, work, settings } of cases) {
		const text = newText();
		const saved = await bridge.editor.importWorkflow(work.nodes(bridge, text, settings));
		lost.set(name, { name, text, id: await bridge.editor.start(saved) });
		// all at once, they keep a worker so busy that n8n may take it for dead
		await until(`${name}, is sent`, () => bridge.service.received(text) === 1);
	}
	await startStreamingAgent();
	listed = await startOverList();
	await until('both models were asked', () => bridge.service.received(listedText) === 2);
	for (const part of lostParts) conversations.set(part, await startLost(queue, part));
	const texts = [...[...lost.values()].map(({ text }) => text), streamed];
	await until('everything is sent', () =>
		texts.every((text) => bridge.service.received(text) === 1),
	);
	await Promise.all(killed.map((worker) => worker.kill()));
	survivor = await queue.addWorker();
	for (const { id } of lost.values()) await bridge.editor.finished(id, 300);
	await bridge.editor.finished(listed, 300);
	await bridge.editor.finished(frozenExecution, 300);
});
afterAll(async () => {
	await queue?.stop();
	await bridge?.service.stop();
	for (const each of conversations.values()) await each.bridge.service.stop();
});

/** Credentials and a ledger need a worker: the one that is frozen then, and which holds one execution at a time. */
async function openPaidBridgeOn(started: Queue) {
	frozen = await started.addWorker({ N8N_CONCURRENCY_PRODUCTION_LIMIT: '1' });
	return await openPaidBridge(started);
}

const OPEN_TRANSACTIONS =
	"SELECT pid FROM pg_stat_activity WHERE state LIKE 'idle in transaction%' AND state_change < now() - interval '1 second'";

/** All other processes would wait for what a transaction that it left open has locked: n8n then has no database. */
async function freezeBetweenTransactions() {
	const sql = await queue.postgres!.connect({ DB_POSTGRESDB_DATABASE: 'postgres' });
	await until('the halted worker has no transaction open', async () => {
		frozen.freeze();
		// what the server has from it is carried out first
		await pause(1500);
		const { rows } = await sql.query(OPEN_TRANSACTIONS);
		if (rows.length) frozen.thaw();
		return !rows.length;
	});
}

async function startThreeNodes() {
	const build = nodesFor(bridge.accounts).agent;
	const nodes = frozenTexts.map((message, at) =>
		// halted, it hears nothing for as long as all the rest takes
		build(`Node ${at + 1}`, ['message', 'send'], {
			message,
			requestSettings: { idleTimeout: 3600 },
		}),
	);
	const saved = await bridge.editor.importWorkflow(workflow('frozen', [{}], ...nodes));
	return await bridge.editor.start(saved);
}

async function startOverList() {
	const { data, ...secret } = secretsOf(bridge.service).router;
	const models = 'northwind/quill-mini\nnorthwind/quill-2.5';
	const modelLists = { list: [{ name: 'support', models }] };
	const router = await bridge.editor.createCredential({ ...secret, data: { ...data, modelLists } });
	const ask = nodesFor({ ...bridge.accounts, router }).router(
		'Ask',
		['text', 'message'],
		{
			model: { __rl: true, mode: 'modelList', value: 'support' },
			...messages(listedText),
		},
		retryOnFail,
	);
	const saved = await bridge.editor.importWorkflow(workflow('list', [{}], ask));
	return await bridge.editor.start(saved);
}

async function startStreamingAgent() {
	const attached = [withModel(bridge)];
	const agent = await publishAgent(bridge, { way: 'a streaming webhook', attached });
	read = agent.chunks(streamed);
	// it is looked at when it has ended
	read.catch(() => undefined);
}

/** n8n keeps nothing of such an execution. */
const nothingKept = {
	status: 'error',
	runData: {},
	error: expect.objectContaining({
		message: expect.stringContaining('failed to be processed too many times'),
	}),
};
const asKept = ({ status, runData, error }: Execution) => ({ status, runData, error });

it('both killed workers had a part of it', () => {
	const ids = [...lost.values()].map(({ id }) => id);
	for (const id of ids) {
		const [worker, ...others] = queue.workersOf(id);
		expect(killed).toContain(worker);
		expect(others).toEqual([]);
	}
	expect(new Set(ids.flatMap((id) => queue.workersOf(id)))).toEqual(new Set(killed));
});

it.each(cases)('$name: is sent once, whatever n8n and a person do afterwards', async ({ name }) => {
	const { id, text } = lost.get(name)!;
	expect(asKept(await bridge.editor.execution(id))).toEqual(nothingKept);
	const retried = await bridge.editor.retryExecution(id);
	expect(asKept(retried)).toEqual(nothingKept);
	expect(queue.workersOf(retried.id)).toEqual([survivor]);
	expect(bridge.service.received(text)).toBe(1);
});

it('a list whose second model was asked: neither is asked again', async () => {
	expect(asKept(await bridge.editor.execution(listed))).toEqual(nothingKept);
	expect(asKept(await bridge.editor.retryExecution(listed))).toEqual(nothingKept);
	expect(bridge.service.received(listedText)).toBe(2);
});

it('a streaming AI Agent in the middle of its turn: its caller is let go without an answer', async () => {
	expect(textOf(await read)).toBe('');
	expect(bridge.service.received(streamed)).toBe(1);
});

it.each(lostParts)(
	'a conversation in %s: nothing is sent again, and the log of its worker has what continues it',
	async (part) => {
		const conversation = conversations.get(part)!;
		const conversationId = await checkLost(queue, conversation, part);
		if (part === 'its third turn') await checkContinued(queue, conversation, conversationId);
	},
);

it.each([START_ONCE, GENERATE_ONCE])(
	'%s: as long as nobody knows what became of it, no other worker starts it',
	async (start) => {
		const found = cases.find(({ work }) => work.name === start)!;
		const { text, id } = lost.get(found.name)!;
		const [row] = await bridge.ledger.ofKey(text);
		expect(row).toMatchObject({ state: 'sending', jobId: '', executionId: id });
		// ten minutes later
		const table = await bridge.ledger.table();
		await table.change({ all: [['id', 'eq', row!.id]] }, { leaseUntil: 1 });
		const again = await bridge.editor.runOnce(found.work.nodes(bridge, text, {}));
		expect(again.error?.message).toMatch(/^It is not known whether/);
		expect(queue.workersOf(again.id)).toEqual([survivor]);
		expect(bridge.service.received(text)).toBe(1);
	},
);

it('a frozen worker goes on where it was, although n8n has given its execution up and Retry was tried', async () => {
	const { editor, service } = bridge;
	expect(asKept(await editor.execution(frozenExecution))).toEqual(nothingKept);
	expect(asKept(await editor.retryExecution(frozenExecution))).toEqual(nothingKept);
	service.reset();
	frozen.thaw();
	await until(
		'the execution is stored as a success',
		async () => (await editor.execution(frozenExecution)).status === 'success',
	);
	// the first is none of those that came since
	expect(frozenTexts.map((text) => service.received(text))).toEqual([0, 1, 1]);
});

it('workers that are back change nothing', async () => {
	bridge.service.reset();
	await Promise.all(killed.map((worker) => worker.boot()));
	for (const { id } of lost.values())
		expect(asKept(await bridge.editor.execution(id))).toEqual(nothingKept);
	expect(bridge.service.requests).toEqual([]);
});
