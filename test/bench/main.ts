// The benchmark, on Node 24 with everything installed: `node test/bench/main.ts <tarball> <result file> [options]`.
import { buildSync } from 'esbuild';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { startInstance, type Instance } from '../n8n/instance.ts';
import { createAccounts } from './accounts.ts';
import { measureAlone } from './alone.ts';
import { measureBoots, type Boot } from './boots.ts';
import { chatModelNames, measureChatModels } from './chatModels.ts';
import type { Pairs } from './pairs.ts';
import { rateFigures } from './rateFigures.ts';
import { measurePolls, pollCases, type PollFigures } from './polls.ts';
import { measureQueue, type QueueFigures } from './queueRows.ts';
import { profile, type ProfileSummary } from './profile.ts';
import { report } from './report.ts';
import type { Result } from './results.ts';
import type { Row } from './row.ts';
import { rowsOf } from './rows.ts';
import { takeSample } from './sample.ts';
import { startLeanService, type LeanService } from './service.ts';
import { nodesUnderTest, type Accounts } from './nodesUnderTest.ts';
import { measureWaiting, waitingNames, type Waiting } from './waiting.ts';

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		/** How often every row is run. */
		rounds: { type: 'string', default: '5' },
		/** A regular expression for "<job>: <row>", for "own share", for "own turn" and for "boot". */
		only: { type: 'string', default: '' },
		/** A short one, which shows that everything works and nothing more. */
		quick: { type: 'boolean', default: false },
	},
});
const [tarball = '', latest = ''] = positionals;
// what is too short to judge by does not take the place of what is not
const resultFile = values.quick ? latest.replace(/\.json$/, '-quick.json') : latest;
const sizes = values.quick
	? {
			items: 20,
			deltas: 200,
			large: 0,
			file: 5_000_000,
			waiting: 0,
			watched: [300],
			queue: { executions: 30, rounds: 1, watched: 500, parked: 100 },
		}
	: {
			items: 1000,
			deltas: 10_000,
			large: 10_000,
			file: 500_000_000,
			waiting: 200,
			watched: [1000, 10_000],
			queue: { executions: 200, rounds: Number(values.rounds), watched: 10_000, parked: 10_000 },
		};
const rounds = values.quick ? 1 : Number(values.rounds);
/** Of what is compared in pairs. */
const pairs = values.quick ? 3 : 15;
const only = new RegExp(values.only, 'i');

const say = (text: string) => process.stdout.write(`${text}\n`);

void run();

async function run(): Promise<void> {
	mkdirSync(dirname(resultFile), { recursive: true });
	const service = await startLeanService(sizes.deltas);
	let instance: Instance | undefined;
	try {
		// before there is another n8n that takes processor time
		const boots = await bootsOf();
		const queue = await measureQueue(service, sizes.queue, { only, say });
		say('Starting n8n with the package …');
		instance = await startInstance({ tarball, env: likeProduction() });
		await measure(instance, service, { boots, queue });
	} catch (error) {
		say(error instanceof Error ? String(error.stack) : String(error));
		process.exitCode = 1;
	} finally {
		await instance?.remove();
		await service.stop();
	}
}

/** Nothing is saved of a success; the inspector takes any port once it is asked for. */
function likeProduction(): Record<string, string> {
	const nodes = mkdtempSync(join(tmpdir(), 'floor-'));
	const outfile = join(nodes, 'Floor.node.js');
	buildSync({ entryPoints: ['test/bench/floor/Floor.node.ts'], outfile, format: 'cjs' });
	return {
		NODE_ENV: 'production',
		EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none',
		N8N_CUSTOM_EXTENSIONS: nodes,
		NODE_OPTIONS: '--inspect-port=127.0.0.1:0',
	};
}

async function measure(
	instance: Instance,
	service: LeanService,
	{ boots, queue }: { boots: Pairs<Boot> | undefined; queue: QueueFigures },
): Promise<void> {
	const accounts = await createAccounts(instance.editor, service);
	const rows = rowsOf(instance.url, service.url, accounts, sizes).filter(
		({ job, name }) => only.test(`${job}: ${name}`) && !(values.quick && job === 'large'),
	);
	say(`Warming up ${rows.length} rows …`);
	await Promise.all(rows.map(async (row) => await row.prepare(instance.editor)));
	for (const row of rows) await row.check();
	const results: Result[] = rows.map(({ job, name, of }) => ({ job, name, of, samples: [] }));
	const take = async (index: number) => {
		const row = rows[index];
		if (row) results[index]?.samples.push(await takeSample(row, instance.pid ?? 0, service));
	};
	const often = [...rows.keys()].filter((index) => !rows[index]?.once);
	// one round not counted, since the first runs compile
	for (let round = values.quick ? 1 : 0; round <= rounds; round++) {
		say(round ? `Round ${round} of ${rounds} …` : 'A round that does not count …');
		// each round begins elsewhere: what a row leaves behind, the next one pays for
		const from = Math.floor((round / (rounds + 1)) * often.length);
		for (const index of [...often.slice(from), ...often.slice(0, from)]) await take(index);
		if (!round) for (const { samples } of results) samples.length = 0;
	}
	const profiled = await profiles(instance, rows);
	for (const [index, row] of rows.entries()) {
		if (!row.once) continue;
		say(`Once: ${row.job}: ${row.name} …`);
		if (row.job === 'large') await startAnew(instance, row);
		await take(index);
	}
	const chatModels = await chatModelsOf(instance, service, accounts);
	const waiting = await waits(instance, service, accounts);
	const polls = await pollsOf(instance, service, accounts);
	const alone = async (what: string, program: string) =>
		values.quick || !only.test(what) ? undefined : await measureAlone(program);
	const share = await alone('own share', 'ownShare.ts');
	const ownTurn = await alone('own turn', 'ownTurn.ts');
	const judged = !values.quick;
	const rates = await rateFigures();
	const found = { results, profiles: profiled, waiting, polls, chatModels, boots, rates, queue };
	const measured = { ...found, ownShare: share, ownTurn, sizes, rounds, judged };
	say(`\n${report(resultFile, measured)}`);
}

async function bootsOf(): Promise<Pairs<Boot> | undefined> {
	if (!only.test('boot')) return undefined;
	say(`${pairs} pairs of boots, with the package and without …`);
	return await measureBoots(tarball, pairs);
}

async function chatModelsOf(instance: Instance, service: LeanService, accounts: Accounts) {
	const wanted = chatModelNames.filter((name) => only.test(name));
	if (wanted.length) say(`${pairs} pairs of AI agents with a chat model …`);
	const nodes = nodesUnderTest(service.url, accounts);
	const options = { wanted, count: pairs, deltas: sizes.deltas };
	return await measureChatModels(instance, service, nodes, options);
}

async function waits(instance: Instance, service: LeanService, accounts: Accounts) {
	const nodes = nodesUnderTest(service.url, accounts);
	const found: Waiting[] = [];
	for (const name of waitingNames) {
		if (!sizes.waiting || !only.test(`waiting: ${name}`)) continue;
		say(`Once: ${sizes.waiting} workflows ${name} …`);
		await instance.restart();
		found.push(await measureWaiting(instance, service, nodes, { name, count: sizes.waiting }));
	}
	return found;
}

async function pollsOf(instance: Instance, service: LeanService, accounts: Accounts) {
	const nodes = nodesUnderTest(service.url, accounts);
	const found: PollFigures[] = [];
	for (const one of pollCases(sizes.watched)) {
		if (!only.test(`poll: ${one.name}`)) continue;
		say(`Polls of ${one.name} …`);
		await instance.restart();
		found.push(await measurePolls(instance, service, nodes, one, rounds));
	}
	return found;
}

/** Memory can only be compared from one start: a heap that has grown for an earlier row does not grow again. */
async function startAnew(instance: Instance, row: Row): Promise<void> {
	await instance.restart();
	for (let time = 0; time < 5; time++) await row.check();
}

async function profiles(instance: Instance, rows: Row[]): Promise<Record<string, ProfileSummary>> {
	const wanted = rows.filter(({ name }) => /^ours: chat( c20)?$/.test(name));
	const found: Record<string, ProfileSummary> = {};
	for (const row of wanted.filter(({ job }) => job === 'items' || job === 'long')) {
		const perItem = row.job === 'items' ? sizes.items : sizes.deltas;
		const file = resultFile.replace(/\.json$/, `-${row.job}.cpuprofile`);
		found[row.job] = await profile(instance, file, perItem, row.run);
	}
	return found;
}
