import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../n8n/freePort.ts';
import { installPackage } from '../n8n/installPackage.ts';
import { N8nProcess, quiet } from '../n8n/n8nProcess.ts';
import type { Figure } from './goals.ts';
import { compare, pairTable, takePairs, type Pairs } from './pairs.ts';
import { cpuOf, heldMemory } from './usage.ts';

/** What n8n took until it could be used. CPU and memory are known on Linux only. */
export interface Boot {
	/** Milliseconds. */
	wall: number;
	/** CPU seconds. */
	cpu: number | undefined;
	/** MB. */
	memory: number | undefined;
}

/** Boots n8n with the package and without it in turns, each in a folder of its own in which it has run before. */
export async function measureBoots(tarball: string, count: number): Promise<Pairs<Boot>> {
	const [ours, peer] = [await createN8n(), await createN8n()];
	try {
		await installPackage(ours.folder, tarball);
		// the first boot creates the database
		for (const each of [ours, peer]) await each.takeBoot();
		return await takePairs('n8n with the package, beside n8n without', count, {
			ours: async () => await ours.takeBoot(),
			peer: async () => await peer.takeBoot(),
		});
	} finally {
		await ours.remove();
		await peer.remove();
	}
}

async function createN8n(): Promise<BootingN8n> {
	const folder = mkdtempSync(join(tmpdir(), 'boot-'));
	const [port, brokerPort] = [await freePort(), await freePort()];
	const environment = { ...quiet(folder, port, brokerPort), NODE_ENV: 'production' };
	return new BootingN8n({ name: 'n8n', folder, port, environment, temporary: true });
}

/** Milliseconds between two looks whether n8n is ready: few beside a boot. */
const LOOK = 10;

class BootingN8n extends N8nProcess {
	#last: Boot | undefined;

	override async boot(): Promise<void> {
		const started = performance.now();
		const isOverdue = () => performance.now() - started > 120_000;
		await this.run(['start'], async () => {
			// whoever called this looks again too late
			while (this.isRunning && !isOverdue() && !(await this.#isReady()))
				await new Promise((later) => setTimeout(later, LOOK));
			const pid = this.pid ?? 0;
			const wall = performance.now() - started;
			this.#last = { wall, cpu: cpuOf(pid), memory: heldMemory(pid) };
			return this.isRunning && !isOverdue();
		});
	}

	/** Boots n8n, and ends it. */
	async takeBoot(): Promise<Boot> {
		await this.boot();
		const taken = this.#last;
		await this.stop();
		if (!taken) throw new Error('n8n was not booted');
		return taken;
	}

	/** As the harness of the tests decides it: the migrations run after the first "ready", and the routes come last. */
	async #isReady(): Promise<boolean> {
		return this.log().includes('Editor is now accessible') && (await this.answersReady());
	}
}

export const bootTable = (boots: Pairs<Boot>): string =>
	`Boots of n8n, ${boots.ours.length} pairs: the least and the median of each, and the ratio within each pair\n${pairTable(
		[boots],
		() => [
			['wall ms', ({ wall }) => wall],
			['CPU ms', ({ cpu }) => cpu && cpu * 1000],
			['RSS MB', ({ memory }) => memory],
		],
	)}`;

/** By the median of the pairs. */
export const bootGoals = (boots: Pairs<Boot> | undefined): Figure[] => [
	[
		'G12',
		'boot, wall, x without the package',
		boots && compare(boots, ({ wall }) => wall)?.ratio.median,
		1.03,
	],
];
