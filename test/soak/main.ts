// The soak, bundled and started by scripts/soak.mjs with everything built; with `--queue` that of n8n's queue mode.
import { parseArgs } from 'node:util';

import { built } from '../engine/rig/pack';
import { soakQueue } from './queue/soak';
import { goalsOf, reportOf, type Soaked } from './report';
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
		/** How the trigger delivers: `confirmed` or `handedOver`. */
		delivered: { type: 'string', default: 'confirmed' },
	},
});

const numberIn = (text: string): number => {
	const number = Number(text);
	if (Number.isInteger(number) && number > 0) return number;
	throw new Error(`"${text}" is no number of something`);
};
const { queue, delivered } = values;
const [jobs, seed, lanes] = [numberIn(values.jobs), numberIn(values.seed), numberIn(values.lanes)];
const [workers, every] = [numberIn(values.workers), numberIn(values.every)];
const batch = numberIn(values.batch ?? (queue ? '10' : '50'));
const say = (text: string) => process.stdout.write(`${text}\n`);

async function soaked(): Promise<Soaked> {
	if (queue) {
		if (delivered !== 'confirmed' && delivered !== 'handedOver')
			throw new Error(`"${delivered}" is neither "confirmed" nor "handedOver"`);
		say(`${jobs} jobs on ${workers} workers, seed ${seed}, one process killed every ${every} s …`);
		return await soakQueue({ jobs, seed, workers, every, batch, delivery: delivered, say });
	}
	say(`${jobs} jobs, seed ${seed}, ${batch} to an execution, ${lanes} executions at once …`);
	let said = 0;
	const onProgress = (done: number) => {
		const tenth = Math.floor((done / jobs) * 10);
		if (tenth > said) say(`  ${(said = tenth) * 10} %`);
	};
	return await soak({ jobs, seed, batch, lanes, pack: await built(), onProgress });
}

void (async () => {
	const all = await soaked();
	say(`\n${reportOf(all)}`);
	if (goalsOf(all).every(({ met }) => met)) return;
	say('\nA goal was missed.');
	process.exitCode = 1;
})();
