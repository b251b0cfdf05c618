import { randomUUID } from 'node:crypto';
import { startService, type Service } from '../service/service.ts';
import { model, packageName, secretsOf } from './bridge.ts';
import { DataTables } from './dataTables.ts';
import { until, type Editor, type SavedCredential, type SavedWorkflow } from './editor.ts';
import { exampleFor, withModels } from './example.ts';
import { itemsOf, type Execution, type Item } from './execution.ts';
import { startHeldProxy, type HeldProxy } from './heldProxy.ts';
import type { Instance } from './instance.ts';
import { dataTableScopes, instanceOn, type InstanceOn } from './instanceOn.ts';
import { PublicApi } from './publicApi.ts';
import { sharedEditor } from './shared.ts';
import { node, workflow, type WorkflowFile } from './workflow.ts';

/** n8n's schedulers: in memory, which is the default, and durable. */
export const schedulers = {
	default: {},
	durable: {
		N8N_SCHEDULER_ENABLED: 'true',
		N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
		N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
	},
};

export interface Row {
	id: number;
	state: string;
	jobId: string;
	leaseUntil: number;
	failures: number;
	deliveries: number;
	note: string;
	label: string;
}

/** An n8n, of its own or the shared one, with a job ledger and a service. */
export class TriggerHost {
	readonly service: Service;
	readonly editor: Editor;
	/** Between the nodes and the ledger. */
	readonly proxy: HeldProxy;
	readonly #on: InstanceOn | undefined;
	readonly #api: PublicApi;
	readonly #router: SavedCredential;
	readonly #workflows: string[] = [];
	#table = '';

	private constructor(
		service: Service,
		[editor, api, on]: [Editor, PublicApi, InstanceOn | undefined],
		proxy: HeldProxy,
		router: SavedCredential,
	) {
		[this.service, this.editor, this.#api, this.#on] = [service, editor, api, on];
		[this.proxy, this.#router] = [proxy, router];
	}

	/** On an n8n of its own. */
	static async start(scheduler: keyof typeof schedulers): Promise<TriggerHost> {
		const on = await instanceOn('sqlite', {
			tarball: process.env['AGENT_BRIDGE_TARBALL'],
			env: schedulers[scheduler],
		});
		return await TriggerHost.#in(on.instance.editor, on.apiKey, 'Media Jobs', on);
	}

	/** On an n8n that the test has started itself. */
	static async startIn(editor: Editor): Promise<TriggerHost> {
		const apiKey = await editor.createApiKey(dataTableScopes);
		return await TriggerHost.#in(editor, apiKey, `Media Jobs ${randomUUID()}`);
	}

	/** On the shared n8n, with a ledger of its own. */
	static async startShared(): Promise<TriggerHost> {
		return await TriggerHost.startIn(await sharedEditor());
	}

	static async #in(editor: Editor, apiKey: string, table: string, on?: InstanceOn) {
		const service = await startService();
		service.forms.jobSteps = 0;
		const proxy = await startHeldProxy(editor.url);
		const { data, ...account } = secretsOf(service).router;
		const ledger = { n8nUrl: proxy.url, n8nApiKey: apiKey, ledgerTable: table };
		const router = await editor.createCredential({
			...account,
			data: { ...data, useJobLedger: true, ...ledger },
		});
		const api = new PublicApi(editor.url, apiKey);
		const host = new TriggerHost(service, [editor, api, on], proxy, router);
		await editor.runOnce(host.useLedger());
		host.#table = await (await DataTables.of(editor)).idOf(table);
		return host;
	}

	/** The n8n of its own, which can be killed. */
	get instance(): Instance {
		if (!this.#on) throw new Error('the shared n8n is not killed');
		return this.#on.instance;
	}

	async stop(): Promise<void> {
		if (this.#on) await this.#on.stop();
		// or the shared n8n polls on, without a service
		else for (const id of this.#workflows) await this.editor.deleteWorkflow(id);
		await this.proxy.stop();
		await this.service.stop();
	}

	/** Saves a workflow that is deleted with the host. */
	async saved(file: WorkflowFile): Promise<SavedWorkflow> {
		const saved = await this.editor.importWorkflow(file);
		this.#workflows.push(saved.id);
		return saved;
	}

	async deleteWorkflow(id: string): Promise<void> {
		this.#workflows.splice(this.#workflows.indexOf(id), 1);
		await this.editor.deleteWorkflow(id);
	}

	/** An example with this host's credentials and models. */
	example(file: string): WorkflowFile {
		return withModels(exampleFor({ router: this.#router }, file));
	}

	/** The first use makes the ledger's table. */
	useLedger(): WorkflowFile {
		const parameters = { resource: 'ledger', operation: 'getMany' };
		return workflow(
			'first use',
			[{}],
			node('Get Many', `${packageName}.modelRouter`, parameters, this.#credentials()),
		);
	}

	/** Starts jobs by a workflow, which enters them in the ledger. @returns their ids */
	async startJobs(label: string, prompts: string[]): Promise<string[]> {
		const parameters = {
			...{ resource: 'media', operation: 'start', mediaType: 'images' },
			...{ model: model('canvas/sketch-1'), prompt: '={{ $json.prompt }}' },
			...{ useLedger: true, options: { ledgerLabel: label } },
		};
		const input = prompts.map((prompt) => ({ prompt }));
		const settings = this.#credentials();
		const start = node('Start', `${packageName}.modelRouter`, parameters, settings);
		const execution = await this.editor.runOnce(workflow('start', input, start));
		expect(execution.error?.message).toBeUndefined();
		return itemsOf(execution, 'Start').map(({ json }) => String(json['jobId']));
	}

	/** A workflow: the trigger, and a node that its items go to. */
	async triggered(
		label: string,
		parameters: Record<string, unknown> = {},
		credentials: Record<string, SavedCredential> = {},
	): Promise<SavedWorkflow> {
		const settings = this.#credentials();
		for (const [type, { id, name }] of Object.entries(credentials))
			settings.credentials[type] = { id, name };
		const trigger = node(
			'Trigger',
			`${packageName}.modelRouterTrigger`,
			{ pollTimes: { item: [{ mode: 'everyMinute' }] }, ledgerLabel: label, ...parameters },
			settings,
		);
		const after = node('After', 'n8n-nodes-base.noOp', {});
		return await this.saved({
			name: `triggered ${label}`,
			nodes: [trigger, { ...after, position: [220, 0] }],
			connections: { Trigger: { main: [[{ node: 'After', type: 'main', index: 0 }]] } },
			settings: { executionOrder: 'v1' },
		});
	}

	/** Rows with a label. */
	async rows(label: string): Promise<Row[]> {
		const filters = [{ columnName: 'label', condition: 'eq', value: label }];
		const filter = encodeURIComponent(JSON.stringify({ type: 'and', filters }));
		const path = `/data-tables/${this.#table}/rows?limit=250&filter=${filter}`;
		return (await this.#api.call<{ data: Row[] }>('GET', path)).data;
	}

	async states(label: string): Promise<string[]> {
		return (await this.rows(label)).map(({ state }) => state);
	}

	async change(label: string, data: Partial<Row> & Record<string, unknown>): Promise<void> {
		const filters = [{ columnName: 'label', condition: 'eq', value: label }];
		const body = { filter: { type: 'and', filters }, data };
		await this.#api.call('PATCH', `/data-tables/${this.#table}/rows/update`, body);
	}

	/** Enters a job once more, as somebody does who does not know of the first time. */
	async enterAgain(label: string): Promise<void> {
		const data = (await this.rows(label)).map((row) =>
			Object.fromEntries(
				Object.entries(row).filter(([name]) => !['id', 'createdAt', 'updatedAt'].includes(name)),
			),
		);
		await this.#api.call('POST', `/data-tables/${this.#table}/rows`, { data });
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
	async delivered(workflowId: string, count: number, seconds = 120): Promise<Item[]> {
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

	/** The bytes as the service itself gives them. */
	async original({ json }: Item): Promise<Buffer> {
		const { service } = this;
		const path = `/v1/${String(json['mediaType'])}/jobs/${String(json['jobId'])}/content`;
		const headers = { 'X-API-KEY': service.router.keys.main };
		return Buffer.from(await (await fetch(service.url + path, { headers })).arrayBuffer());
	}

	async expectFiles(items: Item[]): Promise<void> {
		for (const item of items) {
			const bytes = await this.editor.bytesOf(item.binary?.['data']);
			expect(bytes.equals(await this.original(item))).toBe(true);
		}
	}

	#credentials() {
		const { type, id, name } = this.#router;
		const credentials: Record<string, { id: string; name: string }> = { [type]: { id, name } };
		return { credentials };
	}
}

export const idsOf = (items: Item[]) => items.map(({ json }) => String(json['jobId']));
