import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

import { PATIENCE } from './editor.ts';
import { OwnedProcess } from './ownedProcess.ts';

/** The pinned n8n, or the version that `npm run test:versions` runs. */
const hostFolder = resolve(process.env['AGENT_BRIDGE_HOST'] ?? 'test/host');
/** The Node that runs it. */
const hostNode = process.execPath;
const program = join(hostFolder, 'node_modules', 'n8n', 'bin', 'n8n');

export interface N8nProcessOptions {
	/** what the process is called in errors */
	name: string;
	/** the user folder */
	folder: string;
	/** where it answers */
	port: number;
	environment: Record<string, string>;
	/** whether the folder is removed with the process */
	temporary: boolean;
}

/** One of the processes that an n8n consists of. */
export abstract class N8nProcess extends OwnedProcess {
	readonly url: string;
	readonly #environment: Record<string, string>;
	readonly #temporary: boolean;

	constructor({ name, folder, port, environment, temporary }: N8nProcessOptions) {
		super(name, folder);
		this.url = `http://127.0.0.1:${port}`;
		this.#environment = environment;
		this.#temporary = temporary;
	}

	/** Starts the process and waits until it can be used. */
	abstract boot(): Promise<void>;

	/** Asks n8n to end, and ends it the hard way after so many seconds. */
	async stop(seconds = 15) {
		await this.end('SIGTERM', seconds * 1000);
	}

	/** kill -9: nothing is saved, nothing is closed. */
	async kill() {
		await this.end('SIGKILL', 5_000);
	}

	/** Ends n8n in the given way and boots it on the same folder and port. */
	async restart(how: 'stop' | 'kill' = 'stop') {
		await this[how]();
		await this.boot();
	}

	/** Ends n8n and removes its folder, unless the folder was given. */
	async remove() {
		await this.kill();
		if (this.#temporary) this.removeFolder();
	}

	/** Runs a command of n8n's until `isReady`. */
	protected async run(command: string[], isReady: () => boolean | Promise<boolean>) {
		if (!existsSync(program))
			throw new Error(`there is no n8n in ${hostFolder}: run "node scripts/install.mjs host"`);
		const args = [program, ...command];
		await this.launch({
			command: hostNode,
			args,
			env: this.#environment,
			isReady,
			seconds: PATIENCE,
		});
	}

	/** Whether its database is ready, in an older n8n whether it answers. */
	protected async answersReady(): Promise<boolean> {
		try {
			const { status } = await fetch(`${this.url}/healthz/readiness`);
			// older versions do not have it
			return status === 404 ? (await fetch(`${this.url}/healthz`)).ok : status === 200;
		} catch {
			return false;
		}
	}
}

/** An n8n that speaks to nobody but the tests. Of the surroundings only what programs need to run at all. */
export function quiet(folder: string, port: number, brokerPort: number): Record<string, string> {
	const surroundings = Object.entries(process.env).filter(([name]) =>
		['HOME', 'LANG', 'TMPDIR', 'TZ'].includes(name),
	);
	return {
		...(Object.fromEntries(surroundings) as Record<string, string>),
		PATH: `${dirname(hostNode)}:${process.env['PATH'] ?? ''}`,
		// a third of the processor time of a start is compiling
		NODE_COMPILE_CACHE: join(hostFolder, 'node_modules', '.cache', 'compiled'),
		N8N_USER_FOLDER: folder,
		N8N_ENCRYPTION_KEY: 'the key of a test instance',
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_HOST: '127.0.0.1',
		N8N_PORT: String(port),
		N8N_RUNNERS_BROKER_PORT: String(brokerPort),
		N8N_SECURE_COOKIE: 'false',
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
		N8N_DYNAMIC_BANNERS_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_HIRING_BANNER_ENABLED: 'false',
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_VERIFIED_PACKAGES_ENABLED: 'false',
		N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
		EXTERNAL_FRONTEND_HOOKS_URLS: '',
		// it would ask a server of n8n's; an older n8n does not know the name
		...(existsSync(join(hostFolder, 'node_modules', 'n8n', 'dist', 'modules', 'mcp-registry')) && {
			N8N_DISABLED_MODULES: 'mcp-registry',
		}),
	};
}
