// The benchmark, started by scripts/bench.mjs with everything built: `node test/bench/main.ts <tarball> <folder> [options]`.
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { judge, lineOf, tableOf, type Judged } from './figures.ts';
import { Host } from './hosts.ts';
import type { Figure, Row } from './row.ts';
import { rows } from './rows.ts';
import { startLeanService } from './service.ts';
import { large, quick, usual } from './sizes.ts';

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		/** a regular expression for "<id>: <title>" of a row */
		only: { type: 'string', default: '' },
		/** minutes after which the run ends with what it has */
		minutes: { type: 'string', default: '15' },
		/** rounds of each row, at most */
		rounds: { type: 'string', default: '99' },
		/** shows that everything works, and nothing more */
		quick: { type: 'boolean', default: false },
		/** the sizes that docs/measurements.md tells of queue mode: half an hour more */
		large: { type: 'boolean', default: false },
		/** prints the rows, and measures none */
		list: { type: 'boolean', default: false },
	},
});

const sizes = {
	...(values.quick ? quick : { ...usual, rounds: Number(values.rounds) }),
	...(values.large && large),
};

const [tarball = '', folder = ''] = positionals;
const started = new Date();
const file = join(folder, `${started.toISOString().replaceAll(':', '-').slice(0, 19)}.jsonl`);
const say = (text: string) => process.stdout.write(`${text}\n`);
const record = (entry: object) => appendFileSync(file, `${JSON.stringify(entry)}\n`);

const only = new RegExp(values.only, 'i');
const withoutGoal = (figure: Figure): Figure => ({ ...figure, atMost: undefined });
const wanted = rows
	.filter(({ isExtra }) => !isExtra || values.only || values.list)
	.filter(({ id, title }) => only.test(`${id}: ${title}`))
	// small sizes say nothing about goals
	.map((row) => (values.quick ? { ...row, figures: row.figures.map(withoutGoal) } : row));
/** The rows that have not been measured, with the reason. */
const missing = new Map(wanted.map(({ id }) => [id, 'not reached']));
const judged: Array<Judged & { id: string }> = [];

const stop = new AbortController();
const stopped = new Promise<never>((_, reject) =>
	stop.signal.addEventListener('abort', () => reject(stop.signal.reason as Error)),
);
stopped.catch(() => undefined);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
	process.on(signal, () => stop.abort(new Error(`Stopped by ${signal}`)));

if (values.list) for (const { id, title } of wanted) say(`${id}: ${title}`);
else void run();

async function run() {
	mkdirSync(folder, { recursive: true });
	const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
	record({ started, commit, cores: availableParallelism(), node: process.version, sizes });
	const limit = setTimeout(
		() => stop.abort(new Error(`${values.minutes} minutes are over`)),
		Number(values.minutes) * 60_000,
	);
	const service = await startLeanService(sizes.deltas);
	const host = new Host({ service, sizes, tarball });
	for (const row of wanted) {
		if (stop.signal.aborted) break;
		await measure(row, host);
	}
	clearTimeout(limit);
	const reason = stop.signal.aborted ? (stop.signal.reason as Error).message : undefined;
	tellEnd(reason);
	record({ ended: new Date(), reason, missing: Object.fromEntries(missing) });
	await Promise.all([host.leave(), service.stop()]);
	// whatever a row that was stopped had begun ends with this process
	process.exit(reason || [...missing.values()].some((why) => why !== NO_REDIS) ? 1 : 0);
}

const NO_REDIS = 'left out: it needs redis-server, and none was found';

async function measure(row: Row, host: Host): Promise<void> {
	if ((row.where === 'queue' || row.needsRedis) && !process.env['AGENT_BRIDGE_REDIS']) {
		missing.set(row.id, NO_REDIS);
		say(`\n${row.id}: ${NO_REDIS}`);
		return;
	}
	const begun = performance.now();
	const work = async () => {
		await host.enter(row.where);
		return await row.run(host);
	};
	try {
		const samples = await Promise.race([work(), stopped]);
		const seconds = Math.round((performance.now() - begun) / 1000);
		const figures = row.figures.map((figure) => judge(figure, samples));
		record({ id: row.id, title: row.title, seconds, figures, samples });
		say(`\n${tableOf(row, samples)}\n  measured in ${seconds} s`);
		missing.delete(row.id);
		judged.push(...figures.map((figure) => ({ ...figure, id: row.id })));
	} catch (error) {
		if (stop.signal.aborted) return void missing.set(row.id, 'under way');
		missing.set(row.id, `failed: ${error instanceof Error ? error.message : String(error)}`);
		say(`\n${row.id}: failed: ${error instanceof Error ? error.stack : String(error)}`);
		// the next one is not to suffer
		await host.leave();
	}
}

function tellEnd(reason: string | undefined) {
	const goals = judged.filter(({ met }) => met !== undefined);
	const minutes = ((Date.now() - started.getTime()) / 60_000).toFixed(1);
	say(`\n${reason ?? 'Done'} after ${minutes} minutes. Everything is in ${file}`);
	for (const goal of goals) say(`${goal.id}: ${lineOf(goal).trim()}`);
	for (const [id, why] of missing) say(`missing: ${id} (${why})`);
}
