import type { Entry } from '../../src/ledger/entry.ts';
import { originalFile, packageName } from './bridge.ts';
import { PATIENCE, until, type Editor, type SavedWorkflow } from './editor.ts';
import { exampleFor, withModels } from './example.ts';
import { itemsOf, type Execution, type Item } from './execution.ts';
import { startHeldProxy, type HeldProxy } from './heldProxy.ts';
import type { Instance } from './instance.ts';
import type { InstanceOn } from './instanceOn.ts';
import { LedgerHost, type LedgerHostOptions } from './ledgerHost.ts';
import { sharedEditor } from './shared.ts';
import {
	beginAt,
	node,
	using,
	workflow,
	type WorkflowFile,
	type WorkflowNode,
} from './workflow.ts';

/** An n8n, of its own or the shared one, with a job ledger and a service. */
export class TriggerHost extends LedgerHost {
	/** Between the nodes and the ledger. */
	readonly proxy: HeldProxy;
	readonly #on: InstanceOn | undefined;

	private constructor(options: LedgerHostOptions, proxy: HeldProxy, on?: InstanceOn) {
		super(options);
		[this.proxy, this.#on] = [proxy, on];
	}

	/** On an n8n that the test has started itself. @param on If it ends with the host. */
	static async startIn(editor: Editor, on?: InstanceOn, fields = {}): Promise<TriggerHost> {
		const proxy = await startHeldProxy(editor.url);
		const options = await LedgerHost.prepare(editor, { n8nUrl: proxy.url, fields });
		const host = new TriggerHost(options, proxy, on);
		await host.useLedger();
		return host;
	}

	/** On the shared n8n, with a ledger of its own. */
	static async startShared(): Promise<TriggerHost> {
		return await TriggerHost.startIn(await sharedEditor());
	}

	/** The n8n of its own, which can be killed. */
	get instance(): Instance {
		if (!this.#on) throw new Error('the shared n8n is not killed');
		return this.#on.instance;
	}

	override async stop(): Promise<void> {
		if (this.#on) await this.#on.stop();
		// or the shared n8n polls on, without a service
		else for (const id of this.workflows) await this.editor.deleteWorkflow(id);
		await this.proxy.stop();
		await super.stop();
	}

	/** An example with this host's credentials and models. */
	example(file: string): WorkflowFile {
		return withModels(exampleFor({ router: this.account }, file));
	}

	/** Starts jobs by a workflow, which enters them in the ledger. @returns their ids */
	async startJobs(triggerGroup: string, prompts: string[]): Promise<string[]> {
		const options = { triggerGroup };
		const start = this.startNode('', { prompt: '={{ $json.prompt }}', options });
		const items = prompts.map((prompt) => ({ prompt }));
		const execution = await this.editor.runOnce(workflow('start', items, start));
		expect(execution.error?.message).toBeUndefined();
		return idsOf(itemsOf(execution, 'Start'));
	}

	/** A workflow: the trigger, and the nodes that its items go to. */
	async triggered(
		triggerGroup: string,
		parameters: Record<string, unknown> = {},
		after: WorkflowNode[] = [node('After', 'n8n-nodes-base.noOp', {})],
		account = this.account,
	): Promise<SavedWorkflow> {
		const trigger = {
			type: `${packageName}.modelRouterTrigger`,
			typeVersion: 1,
			parameters: {
				pollTimes: { item: [{ mode: 'everyMinute' }] },
				triggerGroup,
				...parameters,
			},
			...using(account),
		};
		return await this.saved(beginAt(workflow(`triggered ${triggerGroup}`, [], ...after), trigger));
	}

	/** Rows with a label. */
	async rows(triggerGroup: string): Promise<Entry[]> {
		return await (await this.table()).find({ all: [['triggerGroup', 'eq', triggerGroup]] });
	}

	async states(triggerGroup: string): Promise<string[]> {
		return (await this.rows(triggerGroup)).map(({ state }) => state);
	}

	async change(triggerGroup: string, changes: Partial<Entry>): Promise<void> {
		await (await this.table()).change({ all: [['triggerGroup', 'eq', triggerGroup]] }, changes);
	}

	/** The executions of a workflow that have ended, the oldest first. */
	async ended(workflowId: string): Promise<Execution[]> {
		const { editor } = this;
		const all = await editor.executions(workflowId);
		const open = ['new', 'running', 'waiting'];
		const ids = all.filter(({ status }) => !open.includes(status)).map(({ id }) => id);
		return await Promise.all(ids.reverse().map(async (id) => await editor.execution(id)));
	}

	/** Waits until so many jobs have gone through the workflow. */
	async delivered(workflowId: string, count: number, seconds = PATIENCE): Promise<Item[]> {
		let items: Item[] = [];
		await until(
			`workflow ${workflowId} has got ${count} jobs`,
			async () => {
				items = (await this.ended(workflowId)).flatMap((execution) => itemsOf(execution, 'After'));
				return items.length >= count;
			},
			seconds,
		);
		expect(items).toHaveLength(count);
		return items;
	}

	/** They have the bytes that the service itself gives. */
	async expectFiles(items: Item[]): Promise<void> {
		for (const { json, binary } of items) {
			const bytes = await this.editor.bytesOf(binary?.['data']);
			expect(bytes.equals(await originalFile(this.service, json))).toBe(true);
		}
	}
}

export const idsOf = (items: Item[]) => items.map(({ json }) => String(json['jobId']));
