import type { WorkflowNode } from '../n8n/workflow.ts';
import { deltaSize, latencies, models, pace, pacedPieces, turnCount, turnSize } from './answers.ts';
import { fileRows } from './fileRows.ts';
import { liveRows } from './liveRows.ts';
import type { QueueSizes } from './queueRows.ts';
import { axiosItems, rawLongAnswer, undiciItems } from './raw.ts';
import { inN8n, raw, type Job, type Row } from './row.ts';
import { turnRows } from './turnRows.ts';
import { nodesUnderTest, type Accounts, type Nodes } from './nodesUnderTest.ts';

export interface Sizes {
	items: number;
	deltas: number;
	large: number;
	/** Bytes. */
	file: number;
	/** Workflows that wait at the same time; 0 for none. */
	waiting: number;
	/** Jobs that a trigger watches. */
	watched: number[];
	/** In queue mode. */
	queue: QueueSizes;
}

export const titles = ({ items, deltas, large, file }: Sizes): Record<Job, string> => ({
	items: `${items} items, no latency, one expression per item`,
	late: `${items} items, ${latencies.late} ms latency, one expression per item`,
	slow: `${items} items, ${latencies.slow} ms latency, one expression per item (one run each; OpenAI v2 works on one item after the other, hence ${slowForOpenAi(items)} items)`,
	long: `one streamed answer of ${deltas} deltas`,
	live: `one answer of ${deltas} deltas, live to a client that accepts gzip`,
	paced: `${pacedPieces} pieces, one every ${pace} ms, live, without compression`,
	turns: `a conversation of ${turnCount} turns between two workspace agents, ${turnSize} characters each, stored`,
	file: `a file of ${file / 1e6} MB, into n8n's store in its file system`,
	large: `${large} items, no latency, one expression per item (one run each, in an n8n just started)`,
});

export function rowsOf(n8n: string, service: string, accounts: Accounts, sizes: Sizes): Row[] {
	const nodes = nodesUnderTest(service, accounts);
	return [
		...itemRows(n8n, service, nodes, sizes),
		...slowRows(n8n, service, nodes, sizes),
		...longRows(n8n, service, nodes, sizes),
		...liveRows(n8n, service, nodes, sizes),
		...fileRows(n8n, service, nodes, sizes),
		...turnRows(n8n, nodes),
		...largeRows(n8n, nodes, sizes),
	];
}

/** A serial node would take minutes for all of them. */
export const slowForOpenAi = (items: number) => Math.min(items, 20);

function itemRows(n8n: string, service: string, nodes: Nodes, { items }: Sizes): Row[] {
	const { short, whole, late } = models;
	const fast = (name: string, tested: WorkflowNode, times = 1) =>
		inN8n({ n8n, job: 'items', name, items, tested, times });
	const slow = (name: string, tested: WorkflowNode, once = false) =>
		inN8n({ n8n, job: 'late', name, items, tested, once });
	return [
		raw('items', 'raw undici c20', () => undiciItems(service, short, items, 20), 3),
		raw('items', 'raw axios c20, kept connections', () => axiosItems(service, items, 20, true)),
		raw('items', 'raw axios c20', () => axiosItems(service, items, 20, false)),
		fast('empty workflow', nodes.noOperation(), 3),
		fast('n8n floor c20', nodes.floor(short, 20)),
		fast('ours: chat c20', nodes.ours(short, 20)),
		fast('ours: chat c5', nodes.ours(short, 5)),
		fast('ours: chat c20, JSON answer', nodes.ours(whole, 20)),
		fast('ours: model get c20', nodes.oursGet(20)),
		fast('HTTP Request + header auth', nodes.httpRequest(short)),
		fast('OpenAI v2', nodes.openAi(short)),

		raw('late', 'raw undici c20', () => undiciItems(service, late, items, 20)),
		slow('n8n floor c20', nodes.floor(late, 20)),
		slow('ours: chat c20', nodes.ours(late, 20)),
		slow('ours: chat c5', nodes.ours(late, 5), true),
	];
}

function slowRows(n8n: string, service: string, nodes: Nodes, { items }: Sizes): Row[] {
	const { slow } = models;
	const inNode = (name: string, tested: WorkflowNode, count = items) =>
		inN8n({ n8n, job: 'slow', name, items: count, tested, once: true });
	const inUndici = (concurrency: number) =>
		raw(
			'slow',
			`raw undici c${concurrency}`,
			() => undiciItems(service, slow, items, concurrency),
			1,
			true,
		);
	return [
		inUndici(20),
		inUndici(50),
		inNode('n8n floor c50', nodes.floor(slow, 50)),
		inNode('ours: chat c20', nodes.ours(slow, 20)),
		inNode('ours: chat c50', nodes.ours(slow, 50)),
		inNode('HTTP Request + header auth', nodes.httpRequest(slow)),
		inNode('OpenAI v2', nodes.openAi(slow), slowForOpenAi(items)),
	];
}

function longRows(n8n: string, service: string, nodes: Nodes, { deltas }: Sizes): Row[] {
	const one = { n8n, job: 'long', items: 1, times: 10 } as const;
	const text = deltas * deltaSize;
	const { long } = models;
	return [
		raw('long', 'raw http + parser', async () => void (await rawLongAnswer(service)), 10),
		inN8n({ ...one, name: 'empty workflow', tested: nodes.noOperation() }),
		// the same without the deltas: an expression, a credential and a request cost alike for any answer
		inN8n({ ...one, name: 'ours: chat, short answer', tested: nodes.ours(models.short, 5) }),
		inN8n({ ...one, name: 'n8n floor', tested: nodes.floor(long, 5) }),
		inN8n({ ...one, name: 'ours: chat', tested: nodes.ours(long, 5), text }),
		inN8n({ ...one, name: 'HTTP Request as text', tested: nodes.httpRequest(long, true), text }),
		inN8n({
			...one,
			times: 1,
			live: 'identity',
			name: 'AI Agent, streamed',
			tested: nodes.agent(),
			chatModel: nodes.chatModel(long),
			text,
		}),
	];
}

function largeRows(n8n: string, nodes: Nodes, { large }: Sizes): Row[] {
	const all = { n8n, job: 'large', items: large, once: true } as const;
	const { short } = models;
	return [
		inN8n({ ...all, name: 'n8n floor c20', tested: nodes.floor(short, 20) }),
		inN8n({ ...all, name: 'ours: chat c20', tested: nodes.ours(short, 20) }),
		inN8n({ ...all, name: 'HTTP Request + header auth', tested: nodes.httpRequest(short) }),
	];
}
