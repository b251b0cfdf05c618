import type { WorkflowNode } from '../n8n/workflow.ts';
import { deltaSize, models } from './answers.ts';
import { axiosItems, rawLongAnswer, undiciItems } from './raw.ts';
import { inN8n, raw, type Job, type Row } from './row.ts';
import { nodesUnderTest, type Accounts } from './nodesUnderTest.ts';

export interface Sizes {
	items: number;
	deltas: number;
	large: number;
}

export const titles = ({ items, deltas, large }: Sizes): Record<Job, string> => ({
	items: `${items} items, no latency, one expression per item`,
	late: `${items} items, 50 ms latency, one expression per item`,
	long: `one streamed answer of ${deltas} deltas`,
	large: `${large} items, no latency, one expression per item (one run each, in an n8n just started)`,
});

export function rowsOf(n8n: string, service: string, accounts: Accounts, sizes: Sizes): Row[] {
	const nodes = nodesUnderTest(service, accounts);
	return [
		...itemRows(n8n, service, nodes, sizes),
		...longRows(n8n, service, nodes, sizes),
		...largeRows(n8n, nodes, sizes),
	];
}

type Nodes = ReturnType<typeof nodesUnderTest>;

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

function longRows(n8n: string, service: string, nodes: Nodes, { deltas }: Sizes): Row[] {
	const one = { n8n, job: 'long', items: 1, times: 10 } as const;
	const text = deltas * deltaSize;
	const { long } = models;
	return [
		raw('long', 'raw http + parser', () => rawLongAnswer(service), 10),
		inN8n({ ...one, name: 'empty workflow', tested: nodes.noOperation() }),
		inN8n({ ...one, name: 'ours: chat', tested: nodes.ours(long, 5), text }),
		inN8n({ ...one, name: 'HTTP Request as text', tested: nodes.httpRequest(long, true), text }),
		inN8n({
			...one,
			times: 1,
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
