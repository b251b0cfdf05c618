// The soak of n8n's queue mode, bundled and started by scripts/soak.mjs: `--jobs`, `--seed`, `--workers`, `--every`, `--batch`,
// `--delivered`.
import { parseArgs } from 'node:util';

import { goalsOf } from './goals';
import { soakQueue } from './soak';
import { tableOf } from './table';

const { values } = parseArgs({
	options: {
		queue: { type: 'boolean' },
		jobs: { type: 'string', default: '2000' },
		/** Decides which requests go wrong and how, and which processes are killed. */
		seed: { type: 'string', default: '1' },
		workers: { type: 'string', default: '2' },
		/** Seconds from one kill to the next. */
		every: { type: 'string', default: '60' },
		/** Items of one execution. */
		batch: { type: 'string', default: '10' },
		/** How the trigger delivers: `confirmed` or `handedOver`. */
		delivered: { type: 'string', default: 'confirmed' },
	},
});
const [jobs, seed, workers, every, batch] = [
	values.jobs,
	values.seed,
	values.workers,
	values.every,
	values.batch,
].map((text) => {
	const number = Number(text);
	if (Number.isInteger(number) && number > 0) return number;
	throw new Error(`"${text}" is no number of something`);
}) as [number, number, number, number, number];
const { delivered } = values;
if (delivered !== 'confirmed' && delivered !== 'handedOver')
	throw new Error(`"${delivered}" is neither "confirmed" nor "handedOver"`);

const say = (text: string) => process.stdout.write(`${text}\n`);

void run(delivered);

async function run(delivery: 'confirmed' | 'handedOver'): Promise<void> {
	say(`${jobs} jobs on ${workers} workers, seed ${seed}, one process killed every ${every} s …`);
	const soaked = await soakQueue({ jobs, seed, workers, every, batch, delivery, say });
	say(`\n${tableOf(soaked)}`);
	if (goalsOf(soaked).every(({ met }) => met)) return;
	say('\nA goal was missed.');
	process.exitCode = 1;
}
