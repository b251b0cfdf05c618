import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Editor, SavedWorkflow } from '../n8n/editor.ts';
import { freePort } from '../n8n/freePort.ts';
import { copyInstalledPackage } from '../n8n/installPackage.ts';
import type { Instance } from '../n8n/instance.ts';
import { instanceOn, type InstanceOn } from '../n8n/instanceOn.ts';
import { quiet, type N8nProcess, type N8nProcessOptions } from '../n8n/n8nProcess.ts';
import type { Postgres } from '../postgres/postgres.ts';
import type { PublicApi } from '../n8n/publicApi.ts';
import { tarball } from '../n8n/shared.ts';
import { startRedis, type Redis } from './redis.ts';
import { CONCURRENCY, WebhookProcessor, Worker } from './worker.ts';

export interface QueueOptions {
	/** how many workers there are at the start, by default two */
	workers?: number;
	/** whether there is a process of its own for webhooks */
	webhookProcessor?: boolean;
	/** how many executions a worker has under way at most */
	concurrency?: number;
	/** the wanted port of main, another one if it is taken; by default any */
	port?: number;
	/** further environment of all processes */
	env?: Record<string, string>;
}

/**
 * With these an execution of a killed worker ends after about 45 s, by default after 90 to 150 s. A worker that is too busy
 * to renew a lock for 15 s is taken for dead, so they are only for tests that kill.
 */
export const noticeKilledWorkersSoon = {
	QUEUE_WORKER_LOCK_DURATION: '15000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '3000',
	QUEUE_WORKER_STALLED_INTERVAL: '5000',
};

/** A real n8n in queue mode: main, PostgreSQL, Redis and workers, each with the package installed. */
export class Queue {
	readonly redis: Redis;
	readonly postgres: Postgres | undefined;
	readonly main: Instance;
	readonly editor: Editor;
	readonly api: PublicApi;
	readonly workers: Worker[] = [];
	/** only with the option `webhookProcessor` */
	webhookProcessor: WebhookProcessor | undefined;
	readonly #on: InstanceOn;
	readonly #concurrency: number;
	readonly #env: Record<string, string>;

	constructor(redis: Redis, on: InstanceOn, concurrency: number, env: Record<string, string>) {
		this.redis = redis;
		this.postgres = on.postgres;
		this.main = on.instance;
		this.editor = on.instance.editor;
		this.api = on.api;
		this.#on = on;
		this.#concurrency = concurrency;
		// links that n8n makes lead to main, wherever they are made
		this.#env = { ...env, ...on.env, WEBHOOK_URL: `${on.instance.url}/` };
	}

	/** Starts one more worker, which is in `workers` from then on. @param env Stronger than that of the others. */
	async addWorker(env: Record<string, string> = {}): Promise<Worker> {
		const keep = (worker: Worker) => {
			worker.concurrency = this.#concurrency;
			this.workers.push(worker);
		};
		return await this.#start('a worker of n8n', Worker, keep, env);
	}

	async addWebhookProcessor(): Promise<WebhookProcessor> {
		return await this.#start(
			'a webhook processor of n8n',
			WebhookProcessor,
			(processor) => (this.webhookProcessor = processor),
		);
	}

	/** Starts a saved workflow so many times at once. @returns the IDs of the executions */
	async startTimes(saved: Pick<SavedWorkflow, 'id' | 'nodes'>, times: number): Promise<string[]> {
		return await Promise.all(Array.from({ length: times }, () => this.editor.start(saved)));
	}

	/** How many executions each worker has executed, or parts of them. */
	counts(): number[] {
		return this.workers.map((worker) => new Set(worker.executions()).size);
	}

	/** The workers that have executed an execution or parts of it. */
	workersOf(executionId: string): Worker[] {
		return this.workers.filter((worker) => worker.executions().includes(executionId));
	}

	/** Ends everything and removes all folders. */
	async stop() {
		const beside = [...this.workers, ...(this.webhookProcessor ? [this.webhookProcessor] : [])];
		await Promise.all(beside.map((each) => each.remove()));
		await this.#on.stop();
		await this.redis.remove();
	}

	async #start<T extends N8nProcess>(
		name: string,
		Process: new (options: N8nProcessOptions) => T,
		keep: (process: T) => void,
		env: Record<string, string> = {},
	): Promise<T> {
		const folder = mkdtempSync(join(tmpdir(), 'n8n-queue-'));
		const [port, brokerPort] = [await freePort(), await freePort()];
		const environment = {
			...quiet(folder, port, brokerPort),
			// a worker listens nowhere else
			QUEUE_HEALTH_CHECK_ACTIVE: 'true',
			QUEUE_HEALTH_CHECK_PORT: String(port),
			N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
			...this.#env,
			...env,
		};
		const started = new Process({ name, folder, port, environment, temporary: true });
		// before it runs, so that `stop` ends it whatever happens
		keep(started);
		// npm would take longer for it than the boot
		if (tarball) copyInstalledPackage(this.main.folder, folder);
		await started.boot();
		return started;
	}
}

/** Starts n8n in queue mode. Executions that are started in the editor run on workers too. */
export async function startQueue({
	workers = 2,
	webhookProcessor = false,
	concurrency = CONCURRENCY,
	port = 0,
	env = {},
}: QueueOptions = {}): Promise<Queue> {
	const redis = await startRedis();
	let queue: Queue | undefined;
	try {
		const common = { EXECUTIONS_MODE: 'queue', ...redis.env, ...env };
		const on = await instanceOn('postgres', {
			tarball,
			port,
			env: { OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true', ...common },
		});
		const made = new Queue(redis, on, concurrency, common);
		queue = made;
		// main has made the tables by now, which the others wait for
		const started = await Promise.allSettled([
			...Array.from({ length: workers }, () => made.addWorker()),
			...(webhookProcessor ? [made.addWebhookProcessor()] : []),
		]);
		for (const each of started) if (each.status === 'rejected') throw each.reason;
		return made;
	} catch (error) {
		await (queue ?? { stop: () => redis.remove() }).stop();
		throw error;
	}
}
