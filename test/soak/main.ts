// The soak, bundled and started by scripts/soak.mjs with everything built: `--jobs`, `--seed`, `--batch`, `--lanes`.
import { parseArgs } from 'node:util';

import { built } from '../engine/rig/pack';
import { goalsOf } from './goals';
import { soak } from './soak';
import { tableOf } from './table';

const { values } = parseArgs({
	options: {
		jobs: { type: 'string', default: '2000' },
		/** Decides which requests go wrong, and how. */
		seed: { type: 'string', default: '1' },
		/** Items of one execution. */
		batch: { type: 'string', default: '50' },
		/** Executions at the same time. */
		lanes: { type: 'string', default: '8' },
	},
});
const [jobs, seed, batch, lanes] = [values.jobs, values.seed, values.batch, values.lanes].map(
	(text) => {
		const number = Number(text);
		if (Number.isInteger(number) && number > 0) return number;
		throw new Error(`"${text}" is no number of something`);
	},
) as [number, number, number, number];

const say = (text: string) => process.stdout.write(`${text}\n`);

void run();

async function run(): Promise<void> {
	say(`${jobs} jobs, seed ${seed}, ${batch} to an execution, ${lanes} executions at once …`);
	let said = 0;
	const soaked = await soak({
		jobs,
		seed,
		batch,
		lanes,
		pack: await built(),
		onProgress(done) {
			const tenth = Math.floor((done / jobs) * 10);
			if (tenth > said) say(`  ${(said = tenth) * 10} %`);
		},
	});
	say(`\n${tableOf(soaked)}`);
	if (goalsOf(soaked).every(({ met }) => met)) return;
	say('\nA goal was missed.');
	process.exitCode = 1;
}
