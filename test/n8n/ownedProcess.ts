import { spawn, type ChildProcess } from 'node:child_process';
import {
	closeSync,
	existsSync,
	mkdirSync,
	openSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { until } from './editor.ts';

/** How a process is started. */
export interface ProcessStart {
	command: string;
	args: string[];
	/** by default that of the tests */
	env?: Record<string, string>;
	/** by default the process's own folder */
	cwd?: string;
	isReady(): boolean | Promise<boolean>;
	/** how long it may take until then */
	seconds: number;
}

/** A program in a process and a folder of its own, into which everything goes that it writes. */
export class OwnedProcess {
	/** Is told when a process that was ready ends although nobody has asked it to. */
	static onDeath: (error: Error) => void = () => undefined;
	readonly folder: string;
	readonly logFile: string;
	readonly #name: string;
	/** where in the log the latest start begins */
	#logStart = 0;
	#process: ChildProcess | undefined;
	#failure: Error | undefined;
	/** Whether it is up, and nobody has asked it to end. */
	#isWanted = false;

	/** @param name of the program, for errors and the name of its log */
	constructor(name: string, folder: string) {
		this.#name = name;
		this.folder = folder;
		this.logFile = join(folder, `${name.toLowerCase().replaceAll(' ', '-')}.log`);
		mkdirSync(folder, { recursive: true });
	}

	get pid(): number | undefined {
		return this.#process?.pid;
	}

	get isRunning(): boolean {
		const child = this.#process;
		return Boolean(child?.pid) && child?.exitCode === null && child.signalCode === null;
	}

	/** Everything that it has written since its last start. */
	log(): string {
		return this.#written().subarray(this.#logStart).toString();
	}

	/** Everything that it has written since its first start. */
	wholeLog(): string {
		return this.#written().toString();
	}

	/** Halts the process as it is, connections included, until `thaw`. */
	freeze() {
		this.#process?.kill('SIGSTOP');
	}

	thaw() {
		this.#process?.kill('SIGCONT');
	}

	protected removeFolder() {
		rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
	}

	/** Starts the process and waits until it can be used. */
	protected async launch({ command, args, env, cwd, isReady, seconds }: ProcessStart) {
		const isFirst = !this.#process;
		this.#logStart = isFirst ? 0 : statSync(this.logFile).size;
		this.#failure = undefined;
		const output = openSync(this.logFile, isFirst ? 'w' : 'a');
		const child = spawn(command, args, {
			cwd: cwd ?? this.folder,
			...(env && { env }),
			stdio: ['ignore', output, output],
		});
		closeSync(output);
		child.once('error', (error) => (this.#failure = error));
		child.once('exit', (code, by) => {
			if (!this.#isWanted || this.#process !== child) return;
			const how = by ?? `code ${code}`;
			const log = this.log().slice(-3000);
			OwnedProcess.onDeath(new Error(`${this.#name} has ended by itself (${how})\n${log}`));
		});
		this.#process = child;
		// whoever finds this folder after a crash knows which process to end
		if (child.pid) writeFileSync(this.#ownerFile, ownerLine(child.pid));
		await until(
			`${this.#name} is ready`,
			async () => {
				if (this.#failure || !this.isRunning)
					throw new Error(
						`${this.#name} ended while it was starting:\n${this.#failure?.message ?? this.log().slice(-3000)}`,
					);
				return await isReady();
			},
			seconds,
		);
		this.#isWanted = true;
	}

	/** Sends a signal and waits for the end, which comes the hard way after so many milliseconds. */
	protected async end(signal: NodeJS.Signals, patience: number) {
		const child = this.#process;
		this.#isWanted = false;
		if (!child || !this.isRunning) return;
		const closed = new Promise((done) => child.once('close', done));
		child.kill(signal);
		const hard = setTimeout(() => child.kill('SIGKILL'), patience);
		await closed;
		clearTimeout(hard);
		rmSync(this.#ownerFile, { force: true });
	}

	get #ownerFile(): string {
		return join(this.folder, 'owner');
	}

	#written(): Buffer {
		return existsSync(this.logFile) ? readFileSync(this.logFile) : Buffer.alloc(0);
	}
}

/**
 * Process id and start time, since ids are given out again. Written to `<folder>/owner`, it tells whoever finds the folder
 * after a crash which process to end; scripts/run.mjs does.
 */
function ownerLine(pid: number) {
	try {
		const start = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').pop()?.split(' ')[19];
		return `${pid} ${start}`;
	} catch {
		return `${pid} -`;
	}
}
