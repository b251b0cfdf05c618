import { request } from 'undici';
import type { Editor } from '../n8n/editor.ts';
import type { WorkflowNode } from '../n8n/workflow.ts';
import { readLive, type Reading } from './live.ts';
import type { TurnFigures } from './turnRows.ts';
import { benchWorkflow, bodyOf, chatBody } from './workflows.ts';

/** What is done; rows of one job are compared with one another, and with no others. */
export type Job =
	| 'items'
	| 'late'
	| 'slow'
	| 'long'
	| 'live'
	| 'paced'
	| 'file'
	| 'large'
	| 'turns';

/** One line of the table. */
export interface Row {
	job: Job;
	/** Unique within its job; the goals name rows by it. */
	name: string;
	/** Whose work it is, hence whose CPU time and memory count. */
	of: 'n8n' | 'raw';
	/** How often one sample runs it: /proc counts CPU in ticks of 10 ms. */
	times: number;
	/** Whether it takes so long that it is run once only, at the end; its job `large` in an n8n just started. */
	once: boolean;
	/** Makes it ready. */
	prepare(editor: Editor): Promise<void>;
	/** Proves that it does what it should, and warms it up. */
	check(): Promise<void>;
	/** @returns what a reader saw of a live answer. */
	run(): Promise<Reading | void>;
	/** What n8n has stored of the last run. It is asked for after the measurement. */
	inspect?(): Promise<TurnFigures>;
}

interface InN8n {
	n8n: string;
	job: Job;
	name: string;
	/** How many items it gets. */
	items: number;
	/** The node that works on them. */
	tested: WorkflowNode;
	times?: number;
	once?: boolean;
	/** How the answer is streamed to the caller; by default it is not. */
	live?: 'identity' | 'gzip';
	/** Whether it begins at a Chat Trigger, which always streams; by default it does at a webhook. */
	chat?: boolean;
	/** The chat model of an agent. */
	chatModel?: WorkflowNode;
	/** Characters of text that the answer must have at least. */
	text?: number;
}

/** A row whose work is done in n8n, by a workflow behind a webhook. */
export function inN8n({
	n8n,
	job,
	name,
	items,
	tested,
	live,
	chat = false,
	text = 0,
	...more
}: InN8n): Row {
	const path = `${job}-${name}`.replace(/\W+/g, '-');
	const send = async (to: string, count: number) =>
		await call(`${n8n}/webhook/${to}`, bodyOf(count));
	const [address, body] = chat ? [`${path}/chat`, chatBody] : [path, bodyOf(items)];
	const listen = async (encoding: 'identity' | 'gzip') =>
		await readLive(`${n8n}/webhook/${address}`, body, encoding);
	return {
		job,
		name,
		of: 'n8n',
		times: more.times ?? 1,
		once: more.once ?? false,
		async prepare(editor) {
			const { chatModel } = more;
			const file = benchWorkflow(path, tested, {
				live: Boolean(live),
				chat,
				...(chatModel && { chatModel }),
			});
			await editor.activate(await editor.importWorkflow(file));
		},
		async check() {
			const count = Math.min(items, 20);
			if (live) return expectText(name, (await listen(live)).length, text);
			const answer = await send(`${path}-check`, count);
			expectItems(name, answer, count);
			expectText(name, answer.length, text);
		},
		run: async () => (live ? await listen(live) : void (await send(path, items))),
	};
}

/** A row whose work is done in this process. */
export function raw(
	job: Job,
	name: string,
	run: () => Promise<Reading | void>,
	times = 1,
	once = false,
): Row {
	return {
		job,
		name,
		of: 'raw',
		times,
		once,
		prepare: async () => undefined,
		check: async () => void (await run()),
		run,
	};
}

/** @returns the body of the answer */
export async function call(url: string, body: string): Promise<string> {
	const headers = { 'content-type': 'application/json' };
	const answer = await request(url, { method: 'POST', headers, body });
	const text = await answer.body.text();
	if (answer.statusCode !== 200) {
		throw new Error(`${url} answered ${answer.statusCode}: ${text.slice(0, 300)}`);
	}
	return text;
}

function expectText(name: string, length: number, least: number): void {
	if (length < least) throw new Error(`${name}: the text is cut`);
}

/** Every item must have come out, and the first and the last with an answer. */
function expectItems(name: string, answer: string, count: number): void {
	const all = JSON.parse(answer) as unknown[];
	const good = (item: unknown) => /answer|message/.test(JSON.stringify(item ?? ''));
	if (all.length === count && good(all[0]) && good(all.at(-1))) return;
	throw new Error(`${name} gave ${all.length} of ${count} items: ${answer.slice(0, 300)}`);
}
