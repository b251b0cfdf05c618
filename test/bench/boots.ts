import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../n8n/freePort.ts';
import { installPackage } from '../n8n/installPackage.ts';
import { N8nProcess, quiet } from '../n8n/n8nProcess.ts';
import { interleave } from './figures.ts';
import type { Host } from './hosts.ts';
import type { Sample, Samples } from './row.ts';
import { cpuOf, heldMemory } from './usage.ts';

/** Boots n8n with the package and without it, each in a folder of its own in which it has run before. */
export async function measureBoots({ tarball, sizes }: Host): Promise<Samples> {
	const [ours, without] = [await createN8n(), await createN8n()];
	try {
		await installPackage(ours.folder, tarball);
		// the first boot creates the database
		for (const each of [ours, without]) await each.takeBoot();
		return await interleave(sizes.boots, {
			ours: async () => await ours.takeBoot(),
			without: async () => await without.takeBoot(),
		});
	} finally {
		await ours.remove();
		await without.remove();
	}
}

async function createN8n(): Promise<BootingN8n> {
	const folder = mkdtempSync(join(tmpdir(), 'boot-'));
	const [port, brokerPort] = [await freePort(), await freePort()];
	const environment = { ...quiet(folder, port, brokerPort), NODE_ENV: 'production' };
	return new BootingN8n({ name: 'n8n', folder, port, environment, temporary: true });
}

class BootingN8n extends N8nProcess {
	#last: Sample = {};

	override async boot(): Promise<void> {
		const started = performance.now();
		const isOverdue = () => performance.now() - started > 120_000;
		await this.run(['start'], async () => {
			// the caller would look again too late
			while (this.isRunning && !isOverdue() && !(await this.#isReady())) await pause(10);
			const cpu = cpuOf(this.pid ?? 0);
			this.#last = {
				'wall ms': performance.now() - started,
				'CPU ms': cpu === undefined ? undefined : cpu * 1000,
				'RSS + MB': heldMemory(this.pid ?? 0),
			};
			return this.isRunning && !isOverdue();
		});
	}

	/** Boots n8n, and ends it. */
	async takeBoot(): Promise<Sample> {
		await this.boot();
		await this.stop();
		return this.#last;
	}

	/** The migrations run after the first "ready", and the routes come last. */
	async #isReady(): Promise<boolean> {
		return this.log().includes('Editor is now accessible') && (await this.answersReady());
	}
}
