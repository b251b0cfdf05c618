import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Editor } from './editor.ts';
import { freePort } from './freePort.ts';
import { installPackage } from './installPackage.ts';
import { N8nProcess, quiet, type N8nProcessOptions } from './n8nProcess.ts';

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

/** Boots the pinned n8n on a loopback port, with the package installed as a user does, and signs its owner in. */
export async function startInstance(options: InstanceOptions = {}): Promise<Instance> {
	const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'n8n-'));
	const [port, brokerPort] = [await freePort(options.port), await freePort()];
	const environment = { ...quiet(folder, port, brokerPort), ...options.env };
	const instance = new Instance({ folder, port, environment, temporary: !options.folder });
	try {
		if (options.tarball) await installPackage(folder, options.tarball);
		await instance.boot();
	} catch (error) {
		await instance.remove();
		throw error;
	}
	return instance;
}

/** A real n8n in a process of its own; in queue mode the main process. */
export class Instance extends N8nProcess {
	readonly editor: Editor;

	constructor(options: Omit<N8nProcessOptions, 'name'>) {
		super({ ...options, name: 'n8n' });
		this.editor = new Editor(this.url);
	}

	override async boot() {
		await this.start();
		await this.editor.signIn();
	}

	/** Boots it as it is: a new n8n has no owner then. */
	async start() {
		await this.run(
			['start'],
			// the migrations run after the first "ready"; the routes come last
			async () => this.log().includes('Editor is now accessible') && (await this.answersReady()),
		);
	}
}
