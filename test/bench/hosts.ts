import { buildSync } from 'esbuild';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Editor } from '../n8n/editor.ts';
import { startInstance, type Instance } from '../n8n/instance.ts';
import { startQueue, type Queue } from '../queue/queue.ts';
import { createNodes, type Nodes } from './nodes.ts';
import type { Row } from './row.ts';
import type { LeanService } from './service.ts';
import type { Sizes } from './sizes.ts';

/** Workers of the n8n in queue mode. */
const WORKERS = 2;

interface Surroundings {
	service: LeanService;
	sizes: Sizes;
	tarball: string;
}

/** The n8n that a row is measured in. There is one at a time, so that none takes time from another. */
export class Host {
	readonly service: LeanService;
	readonly sizes: Sizes;
	readonly tarball: string;
	#instance: Instance | undefined;
	#queue: Queue | undefined;
	#nodes: Nodes | undefined;

	constructor({ service, sizes, tarball }: Surroundings) {
		[this.service, this.sizes, this.tarball] = [service, sizes, tarball];
	}

	/** In queue mode main. */
	get instance(): Instance {
		return present(this.#instance);
	}

	get queue(): Queue {
		return present(this.#queue);
	}

	get nodes(): Nodes {
		return present(this.#nodes);
	}

	get editor(): Editor {
		return this.instance.editor;
	}

	get url(): string {
		return this.instance.url;
	}

	/** Of n8n, or of this process where there is none. */
	get pid(): number {
		return this.#instance?.pid ?? process.pid;
	}

	/** How often a row is run. */
	rounds(usual: number): number {
		return Math.min(usual, this.sizes.rounds);
	}

	/** Starts what a row runs in, and ends what it does not need. */
	async enter(where: Row['where']) {
		const isQueue = where === 'queue';
		if (where === 'alone' || isQueue !== Boolean(this.#queue)) await this.leave();
		if (where === 'alone') return;
		if (this.#instance) {
			if (where === 'fresh n8n') await this.#instance.restart();
			return;
		}
		if (isQueue) {
			this.#queue = await startQueue({ workers: WORKERS, env: likeProduction });
			this.#instance = this.#queue.main;
		} else this.#instance = await startInstance({ tarball: this.tarball, env: withFloor() });
		this.#nodes = await createNodes(this.editor, this.service.url);
	}

	async leave() {
		const [instance, queue] = [this.#instance, this.#queue];
		this.#instance = this.#queue = this.#nodes = undefined;
		await (queue ? queue.stop() : instance?.remove());
	}
}

function present<Value>(value: Value | undefined): Value {
	if (value === undefined) throw new Error('this row runs without an n8n like that');
	return value;
}

const likeProduction = { NODE_ENV: 'production', EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none' };

function withFloor(): Record<string, string> {
	const folder = mkdtempSync(join(tmpdir(), 'floor-'));
	const outfile = join(folder, 'Floor.node.js');
	buildSync({ entryPoints: ['test/bench/floor/Floor.node.ts'], outfile, format: 'cjs' });
	return { ...likeProduction, N8N_CUSTOM_EXTENSIONS: folder };
}
