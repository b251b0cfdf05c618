import { spawn, type ChildProcess } from 'node:child_process';
import {
	closeSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	openSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Editor, until } from './editor.ts';
import { freePort } from './freePort.ts';
import { installPackage } from './installPackage.ts';
import { ownerLine } from './ownerLine.ts';

export interface InstanceOptions {
	/** the package's tarball; without one n8n runs without the package */
	tarball?: string | undefined;
	/** further environment, stronger than the harness's own */
	env?: Record<string, string>;
	/** a user folder that is kept; by default one is made and removed with the instance */
	folder?: string;
	/** the wanted port, another one if it is taken; by default any */
	port?: number;
}

/** For an n8n whose pages nobody opens: writing the editor's files takes longer than the rest of a boot. */
export const withoutPages = { N8N_DISABLE_UI: 'true' };

/** The pinned n8n, or the version that `npm run test:versions` runs. */
const hostFolder = resolve(process.env['AGENT_BRIDGE_HOST'] ?? 'test/host');
/** The Node that runs it. */
const hostNode = process.env['AGENT_BRIDGE_HOST_NODE'] ?? process.execPath;
const program = join(hostFolder, 'node_modules', 'n8n', 'bin', 'n8n');

/** Boots the pinned n8n on a loopback port, with the package installed as a user does, and signs its owner in. */
export async function startInstance(options: InstanceOptions = {}): Promise<Instance> {
	if (!existsSync(program))
		throw new Error(`there is no n8n in ${hostFolder}: run "node scripts/install.mjs host"`);
	const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'n8n-'));
	mkdirSync(folder, { recursive: true });
	if (options.tarball) await installPackage(folder, options.tarball);
	const [port, brokerPort] = [await freePort(options.port), await freePort()];
	const instance = new Instance(
		folder,
		port,
		{ ...quiet(folder, port, brokerPort), ...options.env },
		!options.folder,
	);
	try {
		await instance.boot();
	} catch (error) {
		await instance.remove();
		throw error;
	}
	return instance;
}

/** A real n8n in a process of its own. */
export class Instance {
	readonly url: string;
	readonly editor: Editor;
	/** the user folder: database, settings, binary data, installed packages */
	readonly folder: string;
	readonly #environment: Record<string, string>;
	readonly #temporary: boolean;
	#process: ChildProcess | undefined;

	constructor(
		folder: string,
		port: number,
		environment: Record<string, string>,
		temporary: boolean,
	) {
		this.folder = folder;
		this.url = `http://127.0.0.1:${port}`;
		this.editor = new Editor(this.url);
		this.#environment = environment;
		this.#temporary = temporary;
	}

	get pid(): number | undefined {
		return this.#process?.pid;
	}

	/** Everything that n8n has written since its last start. */
	log(): string {
		return existsSync(this.logFile) ? readFileSync(this.logFile, 'utf8') : '';
	}

	/** Starts the process and waits until it can be used. */
	async boot(): Promise<void> {
		const output = openSync(this.logFile, 'w');
		this.#process = spawn(hostNode, [program, 'start'], {
			cwd: this.folder,
			env: this.#environment,
			stdio: ['ignore', output, output],
		});
		closeSync(output);
		const { pid } = this.#process;
		// whoever finds this folder after a crash knows which process to end
		if (pid) writeFileSync(this.#ownerFile, ownerLine(pid));
		await until(
			'n8n is ready',
			async () => {
				if (this.#ended())
					throw new Error(`n8n ended while it was starting:\n${this.log().slice(-3000)}`);
				// the migrations run after the first "ready"; the routes come last
				return this.log().includes('Editor is now accessible') && (await this.#isReady());
			},
			120,
		);
		await this.editor.signIn();
	}

	/** Asks n8n to end, and ends it the hard way after 15 s. */
	async stop(): Promise<void> {
		await this.#end('SIGTERM', 15_000);
	}

	/** kill -9: nothing is saved, nothing is closed. */
	async kill(): Promise<void> {
		await this.#end('SIGKILL', 5_000);
	}

	/** Ends n8n in the given way and boots it on the same folder and port. */
	async restart(how: 'stop' | 'kill' = 'stop'): Promise<void> {
		await this[how]();
		await this.boot();
	}

	/** Ends n8n and removes its folder, unless the folder was given. */
	async remove(): Promise<void> {
		await this.kill();
		if (this.#temporary)
			rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
	}

	get logFile(): string {
		return join(this.folder, 'n8n.log');
	}

	get #ownerFile(): string {
		return join(this.folder, 'owner');
	}

	#ended(): boolean {
		return !this.#process || this.#process.exitCode !== null || this.#process.signalCode !== null;
	}

	async #isReady(): Promise<boolean> {
		try {
			const { status } = await fetch(`${this.url}/healthz/readiness`);
			// older versions do not have it
			return status === 404 ? (await fetch(`${this.url}/healthz`)).ok : status === 200;
		} catch {
			return false;
		}
	}

	async #end(signal: 'SIGTERM' | 'SIGKILL', patience: number): Promise<void> {
		const child = this.#process;
		if (!child || this.#ended()) return;
		const closed = new Promise((done) => child.once('close', done));
		child.kill(signal);
		const hard = setTimeout(() => child.kill('SIGKILL'), patience);
		await closed;
		clearTimeout(hard);
		rmSync(this.#ownerFile, { force: true });
	}
}

/** An n8n that speaks to nobody but the tests. Of the surroundings only what programs need to run at all. */
function quiet(folder: string, port: number, brokerPort: number): Record<string, string> {
	const surroundings = Object.entries(process.env).filter(([name]) =>
		['HOME', 'LANG', 'TMPDIR', 'TZ'].includes(name),
	);
	return {
		...(Object.fromEntries(surroundings) as Record<string, string>),
		PATH: `${dirname(hostNode)}:${process.env['PATH'] ?? ''}`,
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
