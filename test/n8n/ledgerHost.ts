import { randomUUID } from 'node:crypto';

import type { Http } from '../../src/core/http';
import { openDataTable } from '../../src/ledger/dataTable';
import type { Entry } from '../../src/ledger/entry';
import type { Table } from '../../src/ledger/ledger';
import { ensureTable, type LedgerTable, referTo } from '../../src/ledger/tableSetup';
import { startService, type Service } from '../service/service';
import { model, packageName, secretsOf } from './bridge';
import type { Editor, SavedCredential, SavedWorkflow } from './editor';
import type { Execution } from './execution';
import { dataTableScopes } from './instanceOn';
import { node, workflow, type WorkflowFile } from './workflow';

/** A service, and a job ledger of its own in an n8n. */
export class LedgerHost {
	readonly service: Service;
	readonly editor: Editor;
	readonly apiKey: string;
	readonly account: SavedCredential;
	/** The name of the ledger's Data Table. */
	readonly tableName: string;
	readonly #credentials: Record<string, { id: string; name: string }>;
	readonly #workflows: string[] = [];

	private constructor(
		service: Service,
		editor: Editor,
		[apiKey, tableName]: [string, string],
		account: SavedCredential,
	) {
		[this.service, this.editor, this.account] = [service, editor, account];
		[this.apiKey, this.tableName] = [apiKey, tableName];
		this.#credentials = { [account.type]: { id: account.id, name: account.name } };
	}

	static async start(editor: Editor, scopes = dataTableScopes): Promise<LedgerHost> {
		const service = await startService();
		const apiKey = await editor.createApiKey(scopes);
		const table = `Media Jobs ${randomUUID()}`;
		const { data, ...router } = secretsOf(service).router;
		const ledger = { n8nUrl: editor.url, n8nApiKey: apiKey, ledgerTable: table };
		const account = await editor.createCredential({
			...router,
			data: { ...data, useJobLedger: true, ...ledger },
		});
		const host = new LedgerHost(service, editor, [apiKey, table], account);
		host.reset();
		return host;
	}

	reset(): void {
		this.service.reset();
		this.service.forms.jobSteps = 0;
	}

	async stop(): Promise<void> {
		await this.service.stop();
	}

	async saved(file: WorkflowFile): Promise<SavedWorkflow> {
		const saved = await this.editor.importWorkflow(file);
		this.#workflows.push(saved.id);
		return saved;
	}

	async run(file: WorkflowFile): Promise<Execution> {
		return await this.editor.run(await this.saved(file));
	}

	/** The ids of all executions of this host's workflows. */
	async executions(): Promise<string[]> {
		const lists = await Promise.all(
			this.#workflows.map(async (id) => await this.editor.executions(id)),
		);
		return lists.flat().map(({ id }) => id);
	}

	ledgerNode(operation: string, parameters = {}) {
		return node(
			'Ledger',
			`${packageName}.modelRouter`,
			{ resource: 'ledger', operation, ...parameters },
			{ credentials: this.#credentials },
		);
	}

	startNode(key: string, more = {}) {
		return node(
			'Start',
			`${packageName}.modelRouter`,
			{
				...{ resource: 'media', operation: 'start', mediaType: 'images' },
				...{ model: model('canvas/sketch-1'), prompt: 'a lighthouse', useLedger: true },
				idempotencyKey: key,
				...more,
			},
			{ credentials: this.#credentials },
		);
	}

	/** The first use makes the ledger's table. */
	async useLedger(): Promise<Execution> {
		return await this.run(workflow('first use', [{}], this.ledgerNode('getMany')));
	}

	/** The ledger's table without n8n's nodes. */
	async table(): Promise<Table> {
		const n8n = { http: this.#http, credentialName: 'test' };
		// a client of its own: an earlier one remembers a table that was deleted
		return openDataTable(n8n, referTo({ ...n8n, http: { ...this.#http } }, this.tableName));
	}

	async ensureTable(name: string): Promise<LedgerTable> {
		return await ensureTable({ http: this.#http, credentialName: 'test' }, name);
	}

	async ofKey(key: string): Promise<Entry[]> {
		const table = await this.table();
		return await table.find({
			all: [
				['startKey', 'eq', key],
				['state', 'neq', 'withdrawn'],
			],
		});
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
