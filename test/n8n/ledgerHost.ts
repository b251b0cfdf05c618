import { randomUUID } from 'node:crypto';

import type { Http } from '../../src/core/http';
import type { LedgerTable } from '../../src/ledger/ledger';
import { openDataTable } from '../../src/tables/dataTable';
import { type Entry, ledgerFormat } from '../../src/ledger/entry';
import { ensureTable, type FoundTable, referTo } from '../../src/tables/tableSetup';
import { startService, type Service } from '../service/service';
import { createWithLedger, packageName, picture, secretsOf } from './bridge';
import type { Editor, SavedCredential, SavedWorkflow } from './editor';
import type { Execution } from './execution';
import { dataTableScopes } from './publicApi';
import { node, using, workflow, type WorkflowFile } from './workflow';

export interface LedgerHostOptions {
	service: Service;
	editor: Editor;
	/** A key for n8n's public API. */
	apiKey: string;
	/** A credential with the ledger. */
	account: SavedCredential;
}

/** A service, and a job ledger of its own in an n8n. */
export class LedgerHost {
	readonly service: Service;
	readonly editor: Editor;
	readonly apiKey: string;
	readonly account: SavedCredential;
	/** The name of the ledger's Data Table. */
	readonly tableName: string;
	protected readonly workflows: string[] = [];

	protected constructor({ service, editor, apiKey, account }: LedgerHostOptions) {
		[this.service, this.editor, this.apiKey, this.account] = [service, editor, apiKey, account];
		this.tableName = String(account.data['ledgerTable']);
		this.reset();
	}

	/** @param n8nUrl Where<Entry> the nodes reach the ledger. @param fields Further ones of the credential. */
	static async prepare(
		editor: Editor,
		{ scopes = dataTableScopes, n8nUrl = editor.url, fields = {} } = {},
	): Promise<LedgerHostOptions> {
		const service = await startService();
		const apiKey = await editor.createApiKey(scopes);
		const ledgerTable = `Media Jobs ${randomUUID()}`;
		const ledger = { n8nUrl, n8nApiKey: apiKey, ledgerTable, ...fields };
		const account = await createWithLedger(editor, secretsOf(service).router, ledger);
		return { service, editor, apiKey, account };
	}

	static async start(editor: Editor): Promise<LedgerHost> {
		return new LedgerHost(await LedgerHost.prepare(editor));
	}

	reset() {
		this.service.reset();
		this.service.forms.jobSteps = 0;
	}

	async stop() {
		await this.service.stop();
	}

	/** Saves a workflow that belongs to this host. */
	async saved(file: WorkflowFile): Promise<SavedWorkflow> {
		const saved = await this.editor.importWorkflow(file);
		this.workflows.push(saved.id);
		return saved;
	}

	async run(file: WorkflowFile): Promise<Execution> {
		return await this.editor.run(await this.saved(file));
	}

	/** The ids of all executions of this host's workflows. */
	async executions(): Promise<string[]> {
		const lists = await Promise.all(
			this.workflows.map(async (id) => await this.editor.executions(id)),
		);
		return lists.flat().map(({ id }) => id);
	}

	ledgerNode(operation: string, parameters = {}) {
		return this.#node('Ledger', { resource: 'ledger', operation, ...parameters });
	}

	startNode(key: string, more = {}) {
		return this.#node('Start', {
			resource: 'media',
			operation: 'start',
			...picture('a lighthouse'),
			useLedger: true,
			uniqueKey: key,
			...more,
		});
	}

	/** The first use makes the ledger's table. */
	async useLedger(): Promise<Execution> {
		return await this.run(workflow('first use', [{}], this.ledgerNode('getEntries')));
	}

	/** The ledger's table without n8n's nodes. */
	async table(): Promise<LedgerTable> {
		const n8n = { http: this.#http, credentialName: 'test' };
		// a client of its own: an earlier one remembers a table that was deleted
		return openDataTable(
			n8n,
			referTo({ ...n8n, http: { ...this.#http }, table: this.tableName }, ledgerFormat),
			ledgerFormat,
		);
	}

	async ensureTable(name: string): Promise<FoundTable> {
		return await ensureTable(
			{ http: this.#http, credentialName: 'test', table: name },
			ledgerFormat,
		);
	}

	async ofKey(key: string): Promise<Entry[]> {
		const table = await this.table();
		return await table.find({
			all: [
				['uniqueKey', 'eq', key],
				['state', 'neq', 'withdrawn'],
			],
		});
	}

	#node(name: string, parameters: Record<string, unknown>) {
		return node(name, `${packageName}.modelRouter`, parameters, using(this.account));
	}

	readonly #http: Http = {
		send: async ({ method, path, body }) => {
			const response = await fetch(this.editor.url + path, {
				method,
				headers: { 'x-n8n-api-key': this.apiKey, 'content-type': 'application/json' },
				...(body && { body: JSON.stringify(body) }),
			});
			return {
				status: response.status,
				headers: Object.fromEntries(response.headers),
				body: response.body as AsyncIterable<Uint8Array>,
				idleTimeout: 60_000,
			};
		},
	};
}

export const clock = {
	now: Date.now,
	random: Math.random,
	sleep: async (ms: number) => void (await new Promise((resolve) => setTimeout(resolve, ms))),
};
