import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

import { packageName } from '../../n8n/bridge';
import { RestError } from '../../n8n/editor';
import { readExecution, type Execution, type Item } from '../../n8n/execution';
import { LedgerHost } from '../../n8n/ledgerHost';
import {
	beginAt,
	node,
	using,
	webhook,
	workflow,
	type WorkflowFile,
	type WorkflowNode,
} from '../../n8n/workflow';
import { noticeKilledWorkersSoon, startQueue } from '../queue';
import { listen } from '../../service/listen';
import type { Evidence, Said } from './book';
import { sha256 } from './wanted';

/** Milliseconds of the recorder's answer: the time in which a kill finds an item behind the trigger. */
const WORK = 2000;
/** Seconds of each minute at which the trigger polls. */
const POLLS = [5, 15, 25, 35, 45, 55];
export const [ITEMS, START] = ['Split Out', 'Start'];

/** A killed worker is noticed soon, and a busy one not taken for dead: the tests' 15 s are too short for it. */
const env = {
	...noticeKilledWorkersSoon,
	QUEUE_WORKER_LOCK_DURATION: '30000',
	// minutes between two looks for executions that are in no queue any more: n8n's default is 180
	N8N_EXECUTIONS_QUEUE_RECOVERY_INTERVAL: '1',
};

export type Host = Awaited<ReturnType<typeof startHost>>;

/** An n8n in queue mode that starts jobs by webhooks and brings them by a trigger, with its job ledger. */
export async function startHost(workers: number) {
	const queue = await startQueue({ workers, env });
	const ledger = await LedgerHost.start(queue.editor);
	const recorder = await startRecorder();
	await ledger.useLedger();
	for (const file of workflowsFor(ledger, recorder.url)) await queue.editor.publish(file);
	return {
		queue,
		ledger,
		arrivals: recorder.arrivals,
		/** Where a call starts jobs. */
		addressOf: (hasKeys: boolean) =>
			`${queue.main.url}/webhook/${hasKeys ? 'with' : 'without'}-keys`,
		/** All that the processes of n8n have written. */
		logs: () => [queue.main, ...queue.workers].map((each) => each.wholeLog()),
		async stop() {
			recorder.stop();
			await queue.stop();
			await ledger.stop();
		},
	};
}

/** Where the workflow behind the trigger writes down each item that it has: POST /<media type>/<job id>, its file as the body. */
async function startRecorder() {
	const arrivals: Evidence['arrivals'] = [];
	const server = createServer(async (request, response) => {
		const [, mediaType = '', jobId = ''] = (request.url ?? '').split('/').map(decodeURIComponent);
		// the sender may be killed before it has sent all
		const bytes = await buffer(request).catch(() => undefined);
		if (!bytes) return;
		arrivals.push({ jobId, ...(bytes.length && { sha256: sha256(bytes) }) });
		await pause(WORK);
		response.writeHead(200, { 'content-type': 'application/json' });
		response.end(JSON.stringify({ mediaType, jobId }));
	});
	const url = `http://127.0.0.1:${await listen(server)}`;
	const stop = () => {
		server.closeAllConnections();
		server.close();
	};
	return { url, arrivals, stop };
}

/** Two that start the jobs of a webhook's body, with and without unique keys; and one that brings each finished job to the recorder. */
function workflowsFor(ledger: LedgerHost, recorder: string): WorkflowFile[] {
	const starting = (path: string, key: string) => {
		// the answer says that the execution has ended
		const trigger = webhook(path, 'lastNode', { responseData: 'noData' });
		const splitOut = { fieldToSplitOut: 'body.items', options: {} };
		const start = ledger.startNode(key, {
			mediaType: '={{ $json.mediaType }}',
			prompt: '={{ $json.prompt }}',
			model: { __rl: true, mode: 'id', value: '={{ $json.model }}' },
			// the catalog fails, too; and each row of the ledger is found by its label
			options: { allowUnknownCost: true, triggerGroup: '={{ $json.key }}' },
			// a service that hangs is given up before long
			requestSettings: { concurrency: 20, idleTimeout: 10 },
		});
		const split = node(ITEMS!, 'n8n-nodes-base.splitOut', splitOut);
		return beginAt(
			workflow(path, [], split, { ...start, onError: 'continueErrorOutput' }),
			trigger,
		);
	};
	const trigger = {
		type: `${packageName}.modelRouterTrigger`,
		...using(ledger.account),
		parameters: {
			pollTimes: {
				item: POLLS.map((second) => ({ mode: 'custom', cronExpression: `${second} * * * * *` })),
			},
			deliveredWhen: 'confirmed',
			options: { deliverAgainAfter: 5, maxJobs: 25 },
		},
	};
	const isThere = { value1: '={{ $binary?.data !== undefined }}', value2: true };
	const hasFile = node('Has a File?', 'n8n-nodes-base.if', { conditions: { boolean: [isThere] } });
	const record = (name: string, body: object) => {
		const url = `={{ '${recorder}/' + $json.mediaType + '/' + encodeURIComponent($json.jobId) }}`;
		const parameters = { method: 'POST', url, ...body, options: {} };
		return node(name, 'n8n-nodes-base.httpRequest', parameters, { typeVersion: 4.2 });
	};
	const bytes = { sendBody: true, contentType: 'binaryData', inputDataFieldName: 'data' };
	const [withFile, without] = [record('Record the File', bytes), record('Record', {})];
	const confirm = ledger.ledgerNode('confirmDelivery', {
		mediaType: '={{ $json.mediaType }}',
		jobId: '={{ $json.jobId }}',
	});
	const bring = beginAt(workflow('bring', [], hasFile, withFile, confirm), trigger);
	const to = ({ name }: WorkflowNode) => [{ node: name, type: 'main', index: 0 }];
	bring.nodes.push(without);
	bring.connections[hasFile.name]?.main.push(to(without));
	bring.connections[without.name] = { main: [to(confirm)] };
	return [starting('with-keys', '={{ $json.key }}'), starting('without-keys', ''), bring];
}

/** Asks again until n8n answers: main may be starting. @throws the last error after a minute */
export async function insist<Result>(ask: () => Promise<Result>): Promise<Result> {
	for (const until = Date.now() + 60_000; ; await pause(1000)) {
		try {
			return await ask();
		} catch (error) {
			// n8n has understood the question, and refuses it
			const isRefused = error instanceof RestError && [400, 401, 403].includes(error.status);
			if (isRefused || Date.now() > until) throw error;
		}
	}
}

/** What all executions have said, how many ended in which way, and those that hold one of the secrets. */
export async function readExecutions({ queue: { editor } }: Host, secrets: string[]) {
	const { results } = await insist(
		async () => await editor.call<{ results: Array<{ id: string }> }>('GET', '/rest/executions'),
	);
	const found = { said: [] as Said[], statuses: new Map<string, number>(), leaks: [] as string[] };
	for (let id = Math.max(0, ...results.map((each) => Number(each.id))); id > 0; id--) {
		const answer = await editor
			.call<Record<string, unknown>>('GET', `/rest/executions/${id}`)
			.catch((error: unknown) => {
				if (error instanceof RestError && error.status === 404) return undefined;
				throw error;
			});
		if (!answer) continue;
		const execution = readExecution(answer);
		found.statuses.set(execution.status, (found.statuses.get(execution.status) ?? 0) + 1);
		found.said.push(...saidIn(execution));
		const text = JSON.stringify(answer);
		if (secrets.some((secret) => text.includes(secret))) found.leaks.push(`execution ${id}`);
	}
	return found;
}

/** What the start node's outputs say: jobs on the first, failures on the second. */
export function saidIn({ runData }: Pick<Execution, 'runData'>): Said[] {
	const items = runData[ITEMS!]?.at(-1)?.data?.main?.[0] ?? [];
	const [jobs, failures] = runData[START!]?.at(-1)?.data?.main ?? [];
	const saidOf = ({ pairedItem }: Item, details: unknown) => {
		const { item = -1 } = (pairedItem ?? {}) as { item?: number };
		const { jobId, outcome } = (details ?? {}) as Record<string, unknown>;
		return {
			key: String(items[item]?.json['key'] ?? ''),
			...(typeof jobId === 'string' && { jobId }),
			...(typeof outcome === 'string' && { outcome }),
		};
	};
	return [
		...(jobs ?? []).map((item) => saidOf(item, { jobId: item.json['jobId'] })),
		...(failures ?? []).map((item) => saidOf(item, item.json['details'])),
	].filter(({ key }) => key);
}
