import { setTimeout as pause } from 'node:timers/promises';

import type { Queue } from '../../queue/queue';
import { nameOf, type Disturbance } from './disturbance';

interface Supervised {
	name: string;
	isRunning: boolean;
	boot(): Promise<void>;
	kill(): Promise<void>;
	stop(): Promise<void>;
}

/** How often a process that ends while it starts is started again. */
const BOOTS = 10;
/** Milliseconds between two looks at whether all processes run. */
const LOOK = 1000;

/** Ends processes of n8n, and starts whatever has ended, as a service manager does. */
export class Supervisor {
	/** How often which process ended, by whatever cause. */
	readonly ends = new Map<string, number>();
	readonly #queue: Queue;
	/** Processes that are being ended or started. */
	readonly #busy = new Set<string>();
	readonly #over = new AbortController();
	readonly #watching: Promise<void>;

	constructor(queue: Queue) {
		this.#queue = queue;
		this.#watching = this.#watch();
	}

	/** Ends a process and starts it again. */
	async disturb(disturbance: Disturbance): Promise<void> {
		const { victim, how, worker } = disturbance;
		const name = victim === 'worker' ? `worker ${worker}` : victim;
		const process = this.#all().find((each) => each.name === name)!;
		// it ended by itself just now
		if (this.#busy.has(name)) return;
		this.#count(nameOf(disturbance));
		await this.#alone(process, async () => {
			await process[how]();
			await pause(disturbance.pause);
			await boot(process);
		});
	}

	/** Waits until all processes run, and looks after them no more. */
	async end(): Promise<void> {
		this.#over.abort();
		await this.#watching;
	}

	#all(): Supervised[] {
		const { main, redis, workers } = this.#queue;
		const of = (
			name: string,
			process: Omit<Supervised, 'name' | 'stop'>,
			stop?: () => Promise<void>,
		) => ({
			name,
			get isRunning() {
				return process.isRunning;
			},
			boot: async () => await process.boot(),
			kill: async () => await process.kill(),
			stop: stop ?? (async () => await process.kill()),
		});
		return [
			of('main', main, async () => await main.stop()),
			of('Redis', redis),
			...workers.map((worker, at) => of(`worker ${at}`, worker, async () => await worker.stop())),
		];
	}

	async #watch(): Promise<void> {
		const started = new Set<Promise<void>>();
		while (!this.#over.signal.aborted || this.#busy.size) {
			for (const process of this.#all()) {
				if (process.isRunning || this.#busy.has(process.name)) continue;
				this.#count(`${process.name.replace(/ \d+/, '')}, by itself`);
				started.add(this.#alone(process, async () => await boot(process)));
			}
			await pause(LOOK);
		}
		await Promise.all(started);
	}

	async #alone(process: Supervised, work: () => Promise<void>): Promise<void> {
		this.#busy.add(process.name);
		try {
			await work();
		} finally {
			this.#busy.delete(process.name);
		}
	}

	#count(name: string): void {
		this.ends.set(name, (this.ends.get(name) ?? 0) + 1);
	}
}

/** What n8n needs may be down, too: it ends then while it starts. */
async function boot(process: Supervised): Promise<void> {
	for (let attempt = 1; ; attempt++) {
		try {
			return await process.boot();
		} catch (error) {
			await process.kill();
			if (attempt === BOOTS) throw error;
			await pause(LOOK);
		}
	}
}
