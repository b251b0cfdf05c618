import { setTimeout as pause } from 'node:timers/promises';

import { bookOf, compare, missed, reportOf, type Soaked } from './book';
import { drawTroubles } from './troubles';
import { inBatches, manyWanted, startFileServer } from './wanted';
import { bringTheRest, endLeases, readRows, untilAllEnded } from './aftermath';
import { readExecutions, startHost, type Host } from './host';
import { openLoad, type Batch } from './load';
import { DISTURBANCES_IN_A_ROW, disturbanceOf, supervise } from './processes';

/** `npm run soak -- --jobs=200 --every=30`: what is not named is as here. */
const defaults = {
	jobs: 2000,
	/** Decides which requests go wrong and how, and which processes are killed. */
	seed: 1,
	workers: 2,
	/** Seconds from one kill to the next. */
	every: 60,
	/** Items of one execution. */
	batch: 10,
};
type Options = typeof defaults;

/** Milliseconds for which one job's start keeps everybody busy at least. */
const PER_JOB = 300;
/** Milliseconds of an answer to a start: the time in which a kill finds it open. */
const START_LATENCY = 2000;
/** Kills after the last start, while the trigger brings the jobs. */
const KILLS_AFTERWARDS = 2;
/** Seconds until n8n has noticed of all executions that they are over. */
const NOTICED = 300;

/** Lines that are seen while it runs: jest shows those of tests at the end. */
const say = (text: string) => void process.stderr.write(`${text}\n`);

it('jobs through an n8n whose processes are killed: nothing is paid for twice, and nothing is lost', async () => {
	const given = [...(process.env['AGENT_BRIDGE_SOAK'] ?? '').matchAll(/(\w+)=(\d+)/g)];
	const named = Object.fromEntries(given.map(([, name, number]) => [name, Number(number)]));
	const soaked = await soak({ ...defaults, ...named });
	say(`\n${reportOf(soaked)}`);
	expect(missed(soaked)).toEqual([]);
}, 3_600_000);

/** Every second batch has unique keys. */
const batchesOf = ({ seed, jobs, batch }: Options): Batch[] =>
	inBatches(manyWanted(seed, jobs), batch).map((wanted, at) => ({ wanted, hasKeys: at % 2 === 0 }));

/** Makes jobs through an n8n in queue mode whose processes are killed, and compares with the service's own book. */
async function soak(options: Options): Promise<Soaked> {
	const host = await startHost(options.workers);
	const { service, apiKey } = host.ledger;
	service.setBalance(1e15);
	// the first look at a job finds it done, if nothing goes wrong
	service.forms.jobSteps = 1;
	const files = await startFileServer(service);
	try {
		const drawing = drawTroubles(service, options.seed, files.addressOf, START_LATENCY);
		const batches = batchesOf(options);
		const { calls, ends } = await work(host, batches, options);
		const secrets = [service.router.keys.main, apiKey];
		const logs = host.logs();
		const { said, statuses, leaks } = await readExecutions(host, secrets);
		const evidence = {
			wanted: batches.flatMap(({ wanted, hasKeys: hasKey }) =>
				wanted.map(({ key }) => ({ key, hasKey })),
			),
			sentAgain: drawing.sentAgain,
			rows: await readRows(host),
			said,
			arrivals: host.arrivals,
			logged: new Set(logs.flatMap((log) => log.match(/[\w-]+/g) ?? [])),
		};
		const { lists, unknown } = compare(evidence, await bookOf(service));
		const inLogs = logs.filter((log) => secrets.some((secret) => log.includes(secret)));
		return {
			lists: {
				...lists,
				unexpected: service.unexpected,
				leaks: [...leaks, ...files.leaks, ...inLogs.map(() => 'a log')],
			},
			unknown,
			tables: { 'processes ended': ends, executions: statuses, requests: drawing.struck },
			facts: {
				'jobs booked by the service': service.world.starts.length,
				'items at the end of the workflow': host.arrivals.length,
				'executions called': calls.sent,
				'of them without an answer': calls.lost,
				'batches with keys called again': calls.again,
			},
		};
	} finally {
		files.stop();
		await host.stop();
	}
}

/** All that happens to n8n: jobs are started while its processes are killed, and then everything comes to its end. */
async function work(host: Host, batches: Batch[], options: Options) {
	const { jobs, seed, every, workers } = options;
	const load = openLoad(host.addressOf);
	const supervisor = supervise(host.queue);
	const milliseconds = Math.max(jobs * PER_JOB, DISTURBANCES_IN_A_ROW * every * 1000);
	let isLoading = true;
	const loaded = load
		.run(batches, milliseconds, () => (host.ledger.service.requests.length = 0))
		.finally(() => (isLoading = false));
	// it is awaited below
	loaded.catch(() => undefined);
	for (let number = 0, left = KILLS_AFTERWARDS; isLoading || left > 0; number++) {
		await pause(every * 1000);
		if (!isLoading) left--;
		const disturbance = disturbanceOf(seed, number, workers);
		say(`  ${disturbance.name}; ${host.ledger.service.world.starts.length} jobs are booked`);
		await supervisor.disturb(disturbance);
	}
	await loaded;
	say('No more kills …');
	await untilAllEnded(host, NOTICED);
	await endLeases(host);
	// keys whose executions have all been killed before the start, or whose start nobody has called unknown yet
	const isOver = /^(unknown|notStarted|pending|emitting|delivering|unconfirmed|delivered)$/;
	const rows = (await readRows(host)).filter(({ state }) => isOver.test(state));
	const over = new Set(rows.map(({ triggerGroup }) => triggerGroup));
	for (const { wanted } of batches.filter(({ hasKeys }) => hasKeys)) {
		const open = wanted.filter(({ key }) => !over.has(key));
		if (open.length) await load.call({ wanted: open, hasKeys: true });
	}
	await bringTheRest(host, say);
	await untilAllEnded(host, NOTICED);
	await endLeases(host);
	await supervisor.end();
	return { calls: load.calls, ends: supervisor.ends };
}
