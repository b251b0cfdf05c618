import { request } from 'undici';
import {
	attach,
	beginAt,
	chatTrigger,
	node,
	webhook,
	workflow,
	type WorkflowFile,
	type WorkflowNode,
} from '../n8n/workflow.ts';
import type { Take } from './figures.ts';
import type { Host } from './hosts.ts';
import { readLive, type Reading } from './live.ts';
import type { Sample } from './row.ts';
import { sampled } from './sample.ts';

/** A variant that is done by a workflow: webhook, the items of its body, the node under test. */
export interface InN8n {
	tested: WorkflowNode;
	/** how many items the node gets, by default one, or their texts */
	items?: number | string[];
	/** how often one sample runs it */
	times?: number;
	/** how the answer is streamed to the caller; by default it is not */
	live?: 'identity' | 'gzip';
	/** whether it begins at a Chat Trigger, which streams */
	chat?: boolean;
	chatModel?: WorkflowNode;
	tools?: WorkflowNode[];
	/** characters that the answer must have at least */
	text?: number;
	/** bytes of the file that the node must bring */
	file?: number;
	/** saves the execution, and tells what it says of itself, with the workflow's ID */
	inspect?(workflowId: string): Promise<Sample>;
	/** runs before the first sample: the first ones compile */
	warmUps?: number;
}

/** Publishes the workflow, proves that it does what it should, and warms it up. */
export async function publish(host: Host, variant: InN8n) {
	const { items = 1, live, chat = false, warmUps = 2 } = variant;
	const path = `bench-${++published}`;
	const { id, versionId } = await host.editor.importWorkflow(benchWorkflow(path, variant));
	await host.editor.activate({ id, versionId });
	const address = `${host.url}/webhook/${path}`;
	const texts =
		typeof items === 'number' ? Array.from({ length: items }, (_, n) => `message-${n}`) : items;
	const run = async (): Promise<Sample | void> => {
		if (chat) return seen(await readLive(`${address}/chat`, chatBody, 'identity'), variant);
		if (live) return seen(await readLive(address, bodyOf(texts), live), variant);
		await call(address, bodyOf(texts));
	};
	if (!live && !chat) await check(`${address}-check`, texts, variant);
	for (let time = 0; time < warmUps; time++) await run();
	return { id, address, run };
}

export async function inN8n(host: Host, variant: InN8n): Promise<Take> {
	const { id, run } = await publish(host, variant);
	const { times = 1, inspect } = variant;
	return async () => ({
		...(await sampled(host, { worker: host.pid, times }, run)),
		...(await inspect?.(id)),
	});
}

let published = 0;

/** What a reader of a live answer saw. */
export function seen({ length, first, lags }: Reading, { text = 0 }: { text?: number }): Sample {
	if (length < text) throw new Error(`only ${length} of ${text} characters came`);
	const sorted = lags.toSorted((one, other) => one - other);
	const at = (share: number) => sorted[Math.floor(sorted.length * share)];
	return { 'first ms': first, 'lag ms': at(0.5), 'lag 95 % ms': at(0.95) };
}

/** Every item must come out with an answer, long texts and files whole. */
async function check(address: string, texts: string[], { text = 0, file, tools }: InN8n) {
	if (tools) return;
	const few = texts.slice(0, 20);
	const answer = await call(address, bodyOf(few));
	if (file !== undefined) {
		if (answer.length !== file) throw new Error(`${answer.length} of ${file} bytes were stored`);
		return;
	}
	const all = JSON.parse(answer.toString()) as unknown[];
	const isGood =
		all.length === few.length &&
		all.every((item) => /answer|message|status/.test(JSON.stringify(item)));
	if (!isGood || answer.length < text)
		throw new Error(`${all.length} of ${few.length} items: ${answer.toString().slice(0, 300)}`);
}

/** @returns the body of the answer */
export async function call(url: string, body: string, signal?: AbortSignal): Promise<Buffer> {
	const headers = { 'content-type': 'application/json' };
	const answer = await request(url, { method: 'POST', headers, body, ...(signal && { signal }) });
	const bytes = Buffer.from(await answer.body.arrayBuffer());
	if (answer.statusCode === 200) return bytes;
	throw new Error(`${url} answered ${answer.statusCode}: ${bytes.toString().slice(0, 300)}`);
}

/** The body of a call: one item for each text. */
export const bodyOf = (texts: string[]): string =>
	JSON.stringify({ items: texts.map((text) => ({ text })) });

/** What n8n's chat sends. */
const chatBody = JSON.stringify({
	action: 'sendMessage',
	sessionId: '6f1c2b1e8d3a4c0e9a550d2f6b7c8e90',
	chatInput: 'message-0',
});

/**
 * Called at `path` it answers nothing but its status, so that a long answer is not written and sent a second time; at
 * `path-check`, with all items or the file.
 */
function benchWorkflow(path: string, variant: InN8n): WorkflowFile {
	const { tested, live, chat, chatModel, tools = [], file, inspect } = variant;
	const measured = live ? webhook(path) : webhook(path, 'lastNode', { responseData: 'noData' });
	const bench = chat
		? beginAt(workflow(path, [], tested), chatTrigger(path))
		: beginAt(workflow(path, [], splitOut, tested), measured);
	attach(bench, tested.name, [
		...(chatModel ? [{ node: chatModel, as: 'ai_languageModel' as const }] : []),
		...tools.map((tool) => ({ node: tool, as: 'ai_tool' as const })),
	]);
	if (!chat && !live) {
		const { type, parameters, ...settings } = webhook(
			`${path}-check`,
			'lastNode',
			file === undefined
				? { responseData: 'allEntries' }
				: { responseData: 'firstEntryBinary', responseBinaryPropertyName: 'data' },
		);
		bench.nodes.push(node('Check', type, parameters, settings));
		bench.connections['Check'] = { main: [[{ node: splitOut.name, type: 'main', index: 0 }]] };
	}
	const saveDataSuccessExecution = inspect ? 'all' : 'none';
	return {
		...bench,
		settings: { ...bench.settings, saveDataSuccessExecution, saveDataErrorExecution: 'all' },
	};
}

const splitOut = node('Items', 'n8n-nodes-base.splitOut', {
	fieldToSplitOut: 'body.items',
	options: {},
});

/** A workflow whose webhook answers at once, and which goes on by itself. */
export const backgroundWorkflow = (path: string, steps: WorkflowNode[]): WorkflowFile =>
	beginAt(workflow(path, [], splitOut, ...steps), webhook(path, 'onReceived'));
