import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import axios, { type AxiosInstance, type AxiosRequestConfig, type AxiosResponse } from 'axios';
import { setTimeout as pause } from 'node:timers/promises';
import { readExecution, type BinaryEntry, type Execution } from './execution.ts';
import type { WorkflowFile } from './workflow.ts';

/** Seconds. On a busy machine, twenty executions at once have taken four minutes. */
export const PATIENCE = 720;

export const owner = {
	email: 'owner@example.org',
	firstName: 'Ada',
	lastName: 'Owner',
	password: 'Passw0rd123',
};

export interface CredentialSecret {
	name: string;
	type: string;
	data: Record<string, unknown>;
}

export interface SavedCredential extends CredentialSecret {
	id: string;
}

export interface SavedWorkflow {
	id: string;
	name: string;
	versionId: string;
	nodes: WorkflowFile['nodes'];
}

export interface ExecutionSummary {
	id: string;
	status: string;
	mode: string;
}

export interface WebhookAnswer {
	status: number;
	body: unknown;
}

/** What the editor in the browser does, over the REST calls that it makes: every method is one or a few of them. */
export class Editor {
	readonly url: string;
	readonly #rest: Rest;
	readonly #isOlder = Boolean(process.env['AGENT_BRIDGE_HOST']);
	#cookie = '';

	constructor(url: string) {
		this.url = url;
		this.#rest = new Rest(url);
	}

	/** Signs in as the owner, who is created on an n8n that has none. */
	async signIn() {
		try {
			await this.call('POST', '/rest/owner/setup', owner);
		} catch (error) {
			if (!(error instanceof RestError)) throw error;
			await this.call('POST', '/rest/login', {
				emailOrLdapLoginId: owner.email,
				...(this.#isOlder && { email: owner.email }),
				password: owner.password,
			});
		}
	}

	async createCredential(secret: CredentialSecret): Promise<SavedCredential> {
		const { id } = await this.call<{ id: string }>('POST', '/rest/credentials', secret);
		return { ...secret, id };
	}

	/** Makes a key for n8n's public API. @returns the key itself, which n8n shows this once */
	async createApiKey(scopes: string[]): Promise<string> {
		// older versions have no scopes for the columns of Data Tables, and refuse a key with an unknown scope
		const known = await this.call<string[]>('GET', '/rest/api-keys/scopes');
		const { rawApiKey } = await this.call<{ rawApiKey: string }>('POST', '/rest/api-keys', {
			// a label is taken once
			label: randomUUID(),
			scopes: scopes.filter((scope) => known.includes(scope)),
			expiresAt: null,
		});
		return rawApiKey;
	}

	/** Changes the fields of a saved credential. */
	async updateCredential({ id, ...secret }: SavedCredential) {
		await this.call('PATCH', `/rest/credentials/${id}`, secret);
	}

	async credentials(): Promise<Array<{ id: string; name: string; type: string }>> {
		return await this.call('GET', '/rest/credentials');
	}

	/** What the editor shows when a credential is saved. */
	async testCredential(
		secret: SavedCredential,
	): Promise<{ status: 'OK' | 'Error'; message: string }> {
		return await this.call('POST', '/rest/credentials/test', { credentials: secret });
	}

	/** Saves a workflow; credentials that it only names get the ids of this n8n. */
	async importWorkflow(file: WorkflowFile): Promise<SavedWorkflow> {
		return await this.call('POST', '/rest/workflows', {
			settings: {},
			active: false,
			...(await this.#withIds(file)),
		});
	}

	/** Puts another content into a saved workflow. */
	async updateWorkflow(id: string, file: WorkflowFile): Promise<SavedWorkflow> {
		const { versionId } = await this.call<SavedWorkflow>('GET', `/rest/workflows/${id}`);
		return await this.call('PATCH', `/rest/workflows/${id}`, {
			...(await this.#withIds(file)),
			versionId,
		});
	}

	async workflows(): Promise<SavedWorkflow[]> {
		return await this.call('GET', '/rest/workflows');
	}

	/** Archives a workflow and deletes it as soon as n8n has unpublished it: before, n8n refuses to. */
	async deleteWorkflow(id: string) {
		await this.call('POST', `/rest/workflows/${id}/archive`, {});
		await this.#isUnpublished(id);
		await this.call('DELETE', `/rest/workflows/${id}`);
	}

	/** Publishes a workflow and waits until its webhooks and triggers are registered. */
	async activate({ id, versionId }: Pick<SavedWorkflow, 'id' | 'versionId'>) {
		await this.#publish(id, 'activate', { versionId });
		if (!(await this.#hasPublications(id))) return;
		await until(`workflow ${id} is published`, async () => {
			const publication = await this.publication(id);
			if (/^(failed|partial)$/.test(publication.status))
				throw new Error(`workflow ${id} is not published: ${JSON.stringify(publication)}`);
			return publication.status === 'published';
		});
	}

	/** Saves a workflow and publishes it. */
	async publish(file: WorkflowFile): Promise<SavedWorkflow> {
		const saved = await this.importWorkflow(file);
		await this.activate(saved);
		return saved;
	}

	/** Unpublishes a workflow and waits until none of its webhooks and triggers is left. */
	async deactivate(id: string) {
		await this.#publish(id, 'deactivate', {});
		await this.#isUnpublished(id);
	}

	/** How far n8n is, which publishes and unpublishes after it has answered. */
	async publication(id: string): Promise<{ status: string; triggers: unknown[] }> {
		return await this.call('GET', `/rest/workflows/${id}/publication-status`);
	}

	/**
	 * Starts a workflow at its trigger, as "Execute workflow" does.
	 *
	 * @param given What the trigger gives, as the editor's chat hands over what was written.
	 * @returns the execution's id
	 */
	async start(
		workflow: Pick<SavedWorkflow, 'id' | 'nodes'>,
		given?: Record<string, unknown>,
	): Promise<string> {
		const trigger = workflow.nodes.find(({ type }) => /trigger$/i.test(type));
		if (!trigger) throw new Error('the workflow has no trigger');
		const path = `/rest/workflows/${workflow.id}`;
		const { executionId } = await this.call<{ executionId: string }>('POST', `${path}/run`, {
			triggerToStartFrom: { name: trigger.name, ...(given && { data: toRun(given) }) },
			// older versions do not read the saved workflow
			...(this.#isOlder && { workflowData: await this.call('GET', path), startNodes: [] }),
		});
		return executionId;
	}

	/** Starts a workflow and waits for its end. */
	async run(
		workflow: Pick<SavedWorkflow, 'id' | 'nodes'>,
		given?: Record<string, unknown>,
	): Promise<Execution> {
		return await this.finished(await this.start(workflow, given));
	}

	/** Imports a workflow, runs it and waits for its end. */
	async runOnce(file: WorkflowFile): Promise<Execution> {
		return await this.run(await this.importWorkflow(file));
	}

	/** Evaluates a workflow, as "Run evaluation" in the tab Evaluations does. @returns the metrics. */
	async evaluate(workflowId: string): Promise<Record<string, number> | undefined> {
		const runs = `/rest/workflows/${workflowId}/test-runs`;
		const { testRunId } = await this.call<{ testRunId: string }>('POST', `${runs}/new`, {});
		let done: { status: string; metrics?: Record<string, number> } = { status: 'new' };
		await until('the evaluation has ended', async () => {
			done = await this.call('GET', `${runs}/${testRunId}`);
			return !['new', 'running'].includes(done.status);
		});
		expect(done.status).toBe('completed');
		return done.metrics;
	}

	async execution(id: string): Promise<Execution> {
		return readExecution(await this.call('GET', `/rest/executions/${id}`));
	}

	/** The execution as soon as it has ended in any way. */
	async finished(id: string, seconds = PATIENCE): Promise<Execution> {
		return await this.#notIn(['new', 'running', 'waiting', 'unknown'], id, seconds);
	}

	/** The execution as soon as it has ended in any way, or waits in n8n's database, of the status `waiting`. */
	async finishedOrParked(id: string, seconds = PATIENCE): Promise<Execution> {
		return await this.#notIn(['new', 'running', 'unknown'], id, seconds);
	}

	/** The executions of a workflow, the newest first, without their data. */
	async executions(workflowId: string): Promise<ExecutionSummary[]> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const { results } = await this.call<{ results: ExecutionSummary[] }>(
			'GET',
			`/rest/executions?filter=${filter}`,
		);
		// n8n sorts them by their start, and two may start in the same millisecond
		return results.sort((one, other) => Number(other.id) - Number(one.id));
	}

	/** A workflow's first, second … execution as soon as it has ended: a webhook may answer before it is stored. */
	async finishedOf(workflowId: string, count = 1): Promise<Execution> {
		let id: string | undefined;
		await until(`workflow ${workflowId} was executed ${count} times`, async () => {
			id = (await this.executions(workflowId)).at(-count)?.id;
			return id !== undefined;
		});
		return await this.finished(id!);
	}

	async stopExecution(id: string) {
		await this.call('POST', `/rest/executions/${id}/stop`, {});
	}

	/** "Retry" in the list of executions, with the workflow as it was or as it is saved now. */
	async retryExecution(id: string, loadWorkflow = false): Promise<Execution> {
		const path = `/rest/executions/${id}/retry`;
		return await this.finished(
			(await this.call<{ id: string }>('POST', path, { loadWorkflow })).id,
		);
	}

	/** The bytes of an item's file, wherever n8n keeps them. */
	async bytesOf(file: BinaryEntry | undefined): Promise<Buffer> {
		if (!file) throw new Error('the item has no such file');
		if (!file.id) return Buffer.from(file.data, 'base64');
		const path = '/rest/binary-data';
		const { status, data } = await this.#rest.send<ArrayBuffer>('GET', path, {
			params: { id: file.id, action: 'download' },
			headers: { cookie: this.#cookie },
			responseType: 'arraybuffer',
		});
		if (status !== 200) throw new RestError('GET', path, status, Buffer.from(data).toString());
		return Buffer.from(data);
	}

	/** The description of a node type that n8n has loaded. */
	async nodeType(name: string): Promise<Record<string, unknown> | undefined> {
		const nodeInfos = [{ name, version: 1 }];
		const [found] = await this.call<Array<Record<string, unknown>>>('POST', '/rest/node-types', {
			nodeInfos,
		});
		return found;
	}

	/** The description of a credential type that n8n has loaded. */
	async credentialType(name: string): Promise<{ name: string; displayName: string }> {
		const all = await this.call<Array<{ name: string; displayName: string }>>(
			'GET',
			'/types/credentials.json',
		);
		const found = all.find((type) => type.name === name);
		if (!found) throw new Error(`n8n has not loaded ${name}`);
		return found;
	}

	/** What a resource locator's "From list" shows. */
	async listSearch({
		nodeType,
		method,
		parameter,
		parameters,
		...more
	}: {
		nodeType: string;
		method: string;
		parameter: string;
		parameters: Record<string, unknown>;
		credentials: Record<string, { id: string; name: string }>;
	}): Promise<{ results: Array<{ name: string; value: string; description?: string }> }> {
		return await this.call('POST', '/rest/dynamic-node-parameters/resource-locator-results', {
			nodeTypeAndVersion: { name: nodeType, version: 1 },
			methodName: method,
			path: `parameters.${parameter}`,
			currentNodeParameters: parameters,
			...more,
		});
	}

	/** Calls a published webhook; the address is unknown for a moment after the publication. */
	async webhook(path: string, body: unknown = {}, method = 'POST'): Promise<WebhookAnswer> {
		let answer: WebhookAnswer = { status: 404, body: undefined };
		await until(`webhook ${path} is registered`, async () => {
			const { status, data } = await this.#rest.send(method, `/webhook/${path}`, { data: body });
			answer = { status, body: data };
			return status !== 404;
		});
		return answer;
	}

	/**
	 * Any other call of the editor. While its database does not answer in time, a busy n8n refuses every call before it reads it
	 * (abstract-server.js): that is waited for.
	 *
	 * @returns the answer's `data` @throws RestError on a status of 400 and more
	 */
	async call<T>(method: string, path: string, body?: unknown): Promise<T> {
		const send = async () =>
			await this.#rest.send<{ data: T }>(method, path, {
				data: body,
				headers: { cookie: this.#cookie },
			});
		let answer = await send();
		const isRefused = () =>
			answer.status === 503 && JSON.stringify(answer.data).includes('Database is not ready');
		await until('the database of n8n answers', async () => {
			if (isRefused()) answer = await send();
			return !isRefused();
		});
		const { status, data, headers } = answer;
		if (status >= 400) throw new RestError(method, path, status, data);
		const set = headers['set-cookie'];
		if (set) this.#cookie = set.map((cookie) => cookie.split(';')[0]).join('; ');
		return data?.data ?? (data as unknown as T);
	}

	/** n8n 1 has no calls for it: there a workflow is saved as active. */
	async #publish(id: string, how: 'activate' | 'deactivate', body: object) {
		try {
			await this.call('POST', `/rest/workflows/${id}/${how}`, body);
		} catch (error) {
			if (!(error instanceof RestError && error.status === 404)) throw error;
			const active = how === 'activate';
			await this.call('PATCH', `/rest/workflows/${id}`, { ...body, active });
		}
	}

	/** Older versions publish a workflow while the call lasts. */
	async #hasPublications(id: string): Promise<boolean> {
		try {
			await this.publication(id);
			return true;
		} catch (error) {
			if (error instanceof RestError && error.status === 404) return false;
			throw error;
		}
	}

	async #isUnpublished(id: string) {
		if (!(await this.#hasPublications(id))) return;
		await until(
			`workflow ${id} is unpublished`,
			async () => (await this.publication(id)).status === 'not_published',
		);
	}

	async #notIn(states: string[], id: string, seconds: number): Promise<Execution> {
		let last: Execution | undefined;
		await until(
			`execution ${id} has ended`,
			async () => {
				last = await this.execution(id).catch(failUnlessStarting);
				if (!last) return false;
				// older versions write the state first, and then what the nodes have given
				const hasData =
					!['success', 'error'].includes(last.status) ||
					'lastNode' in last ||
					// of an execution whose worker was killed there is nothing else
					'error' in last;
				return hasData && !states.includes(last.status);
			},
			seconds,
		);
		return last!;
	}

	async #withIds(file: WorkflowFile): Promise<WorkflowFile> {
		const named = file.nodes.some(({ credentials = {} }) =>
			Object.values(credentials).some(({ id }) => !id),
		);
		if (!named) return file;
		const known = await this.credentials();
		const nodes = file.nodes.map((node) => {
			if (!node.credentials) return node;
			const credentials = Object.entries(node.credentials).map(([type, { id, name }]) => {
				if (id) return [type, { id, name }];
				const found = known.findLast(
					(credential) => credential.type === type && credential.name === name,
				);
				if (!found) throw new Error(`n8n has no credential "${name}" of type ${type}`);
				return [type, { id: found.id, name }];
			});
			return { ...node, credentials: Object.fromEntries(credentials) };
		});
		return { ...file, nodes };
	}
}

/** n8n 2.16 cannot read an execution that has no data yet (execution-redaction.service.js:129). A busy n8n ends connections. */
function failUnlessStarting(cause: unknown): undefined {
	if (cause instanceof Error && cause.message.endsWith('ECONNRESET')) return;
	if (cause instanceof RestError && cause.message.includes("reading 'resultData'")) return;
	throw cause;
}

/** What a trigger would have given, as the record of a run. */
const toRun = (json: Record<string, unknown>) => ({
	startTime: Date.now(),
	executionTime: 0,
	executionIndex: 0,
	executionStatus: 'success',
	source: [null],
	data: { main: [[{ json }]] },
});

/** A message as n8n's chat hands it over. @param sessionId Of the chat; a new one by default. */
export const chatMessage = (chatInput: string, sessionId: string = randomUUID()) => ({
	action: 'sendMessage',
	sessionId,
	chatInput,
});

/** Calls of n8n over loopback, of which each has a connection of its own: n8n closes idle ones, and many are meant to meet. */
export class Rest {
	readonly #http: AxiosInstance;

	constructor(baseURL: string, headers: Record<string, string> = {}) {
		// no proxy of the surroundings
		const connection = { httpAgent: new Agent(), proxy: false, timeout: 120_000 } as const;
		this.#http = axios.create({ baseURL, headers, ...connection, validateStatus: () => true });
	}

	/** One call, whatever its answer. */
	async send<T>(method: string, url: string, more: AxiosRequestConfig): Promise<AxiosResponse<T>> {
		return await this.#http.request<T>({ method, url, ...more }).catch((error: Error) => {
			// an error of axios holds sockets, keys and the session's cookie
			throw new Error(`${method} ${url}: ${error.message}`);
		});
	}
}

/** An answer of n8n's REST interface that refuses. */
export class RestError extends Error {
	readonly status: number;

	constructor(method: string, path: string, status: number, body: unknown) {
		const text = typeof body === 'string' ? body : JSON.stringify(body);
		super(`${method} ${path} answered ${status}: ${text.slice(0, 500)}`);
		this.status = status;
	}
}

/**
 * Asks often at first, since most things take a moment, and then four times a second.
 *
 * @throws after `seconds`, which AGENT_BRIDGE_PATIENCE in the environment replaces: the demo has no limit
 */
export async function until(
	what: string,
	holds: () => Promise<boolean> | boolean,
	seconds = PATIENCE,
) {
	const limit = Number(process.env['AGENT_BRIDGE_PATIENCE'] ?? seconds);
	const deadline = Date.now() + limit * 1000;
	for (let wait = 20; !(await holds()); wait = Math.min(wait * 1.5, 250)) {
		if (Date.now() > deadline) throw new Error(`after ${limit} s it is still not so that ${what}`);
		await pause(wait);
	}
}
