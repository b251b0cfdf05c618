import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort } from '../n8n/freePort.ts';
import { OwnedProcess } from '../n8n/ownedProcess.ts';

/** Starts the machine's Redis on a loopback port. `scripts/test.mjs` has looked for its program. */
export async function startRedis(): Promise<Redis> {
	const program = process.env['AGENT_BRIDGE_REDIS'];
	if (!program) throw new Error('no Redis: these tests run by "npm run test:queue"');
	const redis = new Redis(program, mkdtempSync(join(tmpdir(), 'redis-')), await freePort());
	try {
		await redis.boot();
	} catch (error) {
		await redis.remove();
		throw error;
	}
	return redis;
}

/** A Redis in a process of its own, which keeps nothing: booted again after its end, it is empty. */
export class Redis extends OwnedProcess {
	readonly #program: string;
	readonly #port: number;

	constructor(program: string, folder: string, port: number) {
		super('Redis', folder);
		this.#program = program;
		this.#port = port;
	}

	/** The environment in which n8n uses it. */
	get env(): Record<string, string> {
		return { QUEUE_BULL_REDIS_HOST: '127.0.0.1', QUEUE_BULL_REDIS_PORT: String(this.#port) };
	}

	async boot() {
		const settings = {
			bind: '127.0.0.1',
			port: String(this.#port),
			dir: this.folder,
			save: '',
			appendonly: 'no',
			daemonize: 'no',
		};
		await this.launch({
			command: this.#program,
			args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
			isReady: () => this.log().includes('Ready to accept connections'),
			seconds: 30,
		});
	}

	/** kill -9: what is in the queue is lost. */
	async kill() {
		await this.end('SIGKILL', 5_000);
	}

	/** Ends it and removes its folder. */
	async remove() {
		await this.kill();
		this.removeFolder();
	}
}
