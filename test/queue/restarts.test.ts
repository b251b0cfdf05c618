import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import {
	bridgeOfFile,
	createWithLedger,
	messages,
	model,
	nodesFor,
	picture,
	secretsOf,
	type Bridge,
} from '../n8n/bridge.ts';
import { until } from '../n8n/editor.ts';
import { itemsOf } from '../n8n/execution.ts';
import { startHeldProxy, type HeldProxy } from '../n8n/heldProxy.ts';
import { DataTables } from '../n8n/publicApi.ts';
import { workflow, type WorkflowFile } from '../n8n/workflow.ts';
import type { Call } from '../service/call.ts';
import { routerEndpoint } from '../service/router/endpoint.ts';
import { startQueue, type Queue } from './queue.ts';

// what becomes of paid starts on workers while main restarts, which alone serves the job ledger
let queue: Queue;
/** Where the workers reach the job ledger. It keeps what main has answered. */
let proxy: HeldProxy;
/** Answers of the service that wait, by the text that their request has. */
let held: Array<{ text: string; release(): void }> = [];

/** The service does its work at once, and holds its answer. */
function holdAnswer(call: Call) {
	if (call.method !== 'POST' || !call.bodyText.includes('held')) return undefined;
	return (async () => {
		const answer = await routerEndpoint(bridge.service.world, call)!;
		await new Promise<void>((release) => held.push({ text: call.bodyText, release }));
		return answer;
	})();
}

const heldWith = (text: string) => held.filter((each) => each.text.includes(text));

function release(answers: typeof held) {
	held = held.filter((each) => !answers.includes(each));
	for (const each of answers) each.release();
}

beforeAll(async () => {
	queue = await startQueue();
	proxy = await startHeldProxy(queue.main.url);
});
beforeEach(() => void (proxy.answers.length = 0));
afterAll(async () => {
	release(held);
	await queue?.stop();
	await proxy?.stop();
});
const bridge: Bridge = bridgeOfFile({ further: holdAnswer }, () => queue.editor);

/** A credential with a job ledger of its own, and the workflows that start jobs with it. */
async function openLedger() {
	const table = `Jobs ${randomUUID()}`;
	const tables = await DataTables.of(queue.editor);
	const ledger = { n8nUrl: proxy.url, ledgerTable: table };
	const account = await createWithLedger(queue.editor, secretsOf(bridge.service).router, ledger);
	const { router: node } = nodesFor({ ...bridge.accounts, router: account });
	const starting = (more: object = {}) =>
		node('Start', ['media', 'start'], {
			...picture('={{ $("When clicking").item.json.prompt }}', { useLedger: true }),
			requestSettings: { concurrency: 10 },
			...more,
		});
	const withKey = starting({
		uniqueKey: '={{ "key of " + $("When clicking").item.json.prompt }}',
	});
	const chat = node('Chat', ['text', 'message'], {
		model: model('northwind/quill-2.5'),
		...messages('held question'),
		requestSettings: { concurrency: 10 },
	});
	const run = async (file: WorkflowFile) =>
		await queue.editor.start(await queue.editor.importWorkflow(file));
	const inputs = (texts: string[]) => texts.map((prompt) => ({ prompt }));
	return {
		start: async (texts: string[], hasKey: boolean) =>
			await run(workflow('start', inputs(texts), hasKey ? withKey : starting())),
		/** Starts the jobs once the service has answered a question. */
		startLater: async (texts: string[]) =>
			await run(workflow('start later', inputs(texts), chat, withKey)),
		/** The first use makes the table. */
		use: async () =>
			await queue.editor.runOnce(
				workflow('first use', [{}], node('Get Many', ['ledger', 'getEntries'])),
			),
		/** Not what executions by hand keep for later ones. */
		rows: async () =>
			(await tables.rows(table)).filter(
				({ state }) => state !== 'withdrawn' && state !== 'reusable',
			),
	};
}

type Form = 'nothing' | 'a sentence' | 'a page' | 'its API' | 'something else';

const formOf = (status: number, text: string): Form => {
	if (text.startsWith('n8n is starting up')) return 'a sentence';
	if (status === 404 && text.includes('<pre>Cannot ')) return 'a page';
	return status === 401 ? 'its API' : 'something else';
};

/** What main answers now, without a key. */
async function answerOfMain(): Promise<Form> {
	try {
		const response = await fetch(`${queue.main.url}/api/v1/data-tables`);
		return formOf(response.status, await response.text());
	} catch {
		return 'nothing';
	}
}

/** Does something as soon as main answers in this way, for as long as it has no API. */
async function whenMainAnswers(forms: Form[], act: () => void) {
	for (;;) {
		const form = await answerOfMain();
		if (forms.includes(form)) return act();
		if (form === 'its API') throw new Error(`main never answered with ${forms.join(' or ')}`);
		await pause(2);
	}
}

const prompts = (name: string, count: number) =>
	Array.from({ length: count }, (_, index) => `${name} ${index + 1}.`);

it.each(['kill', 'stop'] as const)(
	'20 paid starts while main restarts (%s): no outcome is lost, nothing is sent twice',
	async (how) => {
		const ledger = await openLedger();
		expect((await ledger.use()).error?.message).toBeUndefined();
		const keyed = prompts(`held, with a key, ${how}`, 8);
		const keyless = prompts(`held, without a key, ${how}`, 8);
		const later = prompts(`later, ${how}`, 4);
		const ids = [
			await ledger.start(keyed, true),
			await ledger.start(keyless, false),
			await ledger.startLater(later),
		];
		await until('the service holds all answers', () => held.length === 20);

		await queue.main[how]();
		expect(await answerOfMain()).toBe('nothing');
		release([...heldWith('with a key').slice(0, 2), ...heldWith('without a key').slice(0, 2)]);
		const booted = queue.main.boot();
		await whenMainAnswers(['a sentence', 'a page'], () =>
			release([...heldWith('with a key').slice(0, 3), ...heldWith('without a key').slice(0, 3)]),
		);
		await whenMainAnswers(['a page'], () => release(held));
		await booted;

		const executions = await Promise.all(ids.map(async (id) => await queue.editor.finished(id)));
		const all = [...keyed, ...keyless, ...later];
		const sent = all.map((prompt) => bridge.service.received(prompt));
		const started = bridge.service.world.starts.map(({ jobId }) => jobId);
		const rows = await ledger.rows();
		const given = executions.flatMap((each) => itemsOf(each, 'Start').map(({ json }) => json));
		const known = new Set(rows.map(({ jobId }) => jobId));
		expect({
			failed: executions.flatMap(({ error }) => (error ? [error.message] : [])),
			sentTwice: sent.filter((count) => count > 1).length,
			notSent: sent.filter((count) => count < 1).length,
			leftSending: rows.filter(({ state }) => state === 'sending').length,
			otherStates: rows.filter(({ state }) => !['pending', 'sending'].includes(String(state))),
			idsLost: started.filter((jobId) => !known.has(jobId)).length,
			rows: rows.length,
			given: given.map(({ jobId }) => jobId).sort(),
		}).toEqual({
			failed: [],
			sentTwice: 0,
			notSent: 0,
			leftSending: 0,
			otherStates: [],
			idsLost: 0,
			rows: 20,
			given: started.toSorted(),
		});

		// outcomes really met an n8n without its API, and so did starts that began
		const met = (method: string, part: string) =>
			proxy.answers.filter(
				({ body, status, text, ...answer }) =>
					answer.method === method &&
					body.includes(part) &&
					['a sentence', 'a page'].includes(formOf(status, text)),
			).length;
		expect(met('PATCH', '"pending"')).toBeGreaterThanOrEqual(10);
		expect(met('GET', '')).toBeGreaterThanOrEqual(1);
	},
);
