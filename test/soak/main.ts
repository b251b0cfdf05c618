// The soak, bundled and started by scripts/soak.mjs with everything built; with `--queue` that of n8n's queue mode.
import { parseArgs } from 'node:util';

import { built } from '../engine/rig/pack';
import { missed, reportOf } from './book';
import { soakQueue } from './queue/soak';
import { soak } from './soak';

const { values } = parseArgs({
	options: {
		queue: { type: 'boolean', default: false },
		jobs: { type: 'string', default: '2000' },
		/** Decides which requests go wrong and how, and which processes are killed. */
		seed: { type: 'string', default: '1' },
		/** Items of one execution; by default 50, in queue mode 10. */
		batch: { type: 'string' },
		/** Executions at the same time, not in queue mode. */
		lanes: { type: 'string', default: '8' },
		workers: { type: 'string', default: '2' },
		/** Seconds from one kill to the next. */
		every: { type: 'string', default: '60' },
	},
});

const numberIn = (text: string): number => {
	const number = Number(text);
	if (Number.isInteger(number) && number > 0) return number;
	throw new Error(`"${text}" is no number of something`);
};
const say = (text: string) => process.stdout.write(`${text}\n`);
const { queue } = values;
const [jobs, seed] = [numberIn(values.jobs), numberIn(values.seed)];
const batch = numberIn(values.batch ?? (queue ? '10' : '50'));

void (async () => {
	const begun = performance.now();
	say(`${jobs} jobs, seed ${seed}, ${batch} to an execution …`);
	let tenth = 0;
	const onProgress = (done: number) => {
		if (done / jobs >= (tenth + 1) / 10)
			say(`  ${(tenth = Math.floor((done / jobs) * 10)) * 10} %`);
	};
	const [workers, every] = [numberIn(values.workers), numberIn(values.every)];
	const soaked = queue
		? await soakQueue({ jobs, seed, workers, every, batch, say })
		: await soak({
				...{ jobs, seed, batch, lanes: numberIn(values.lanes), onProgress },
				pack: await built(),
			});
	say(`\n${((performance.now() - begun) / 1000).toFixed(0)} s\n\n${reportOf(soaked)}`);
	if (!missed(soaked).length) return;
	say('\nA goal was missed.');
	process.exitCode = 1;
})();
