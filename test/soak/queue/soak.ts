import { setTimeout as pause } from 'node:timers/promises';

import { startService } from '../../service/service';
import { bookOf, compare } from '../book';
import { drawTroubles } from '../drawing';
import { startFileServer } from '../files';
import type { Soaked } from '../report';
import { keyIn, wantedOf, type Wanted } from '../wanted';
import { DISTURBANCES_IN_A_ROW, disturbanceOf, nameOf } from './disturbance';
import { readExecutions } from './executions';
import { startHost, type Host } from './host';
import { insist, type Row } from './ledgerRows';
import { batchesOf, openLoad, type Batch, type Calls } from './load';
import { startRecorder } from './recorder';
import { Supervisor } from './supervisor';
import { bringTheRest, endLeases, untilAllEnded } from './tail';
import type { Delivery } from './workflows';

export interface QueueSoakOptions {
	jobs: number;
	seed: number;
	workers: number;
	/** Seconds from one kill to the next. */
	every: number;
	/** Items of one execution. */
	batch: number;
	delivery: Delivery;
	say(text: string): void;
}

/** Milliseconds for which one job's start keeps everybody busy at least. */
const PER_JOB = 300;
/** Milliseconds of an answer to a start: the time in which a kill finds it open. */
const START_LATENCY = 2000;
/** Kills after the last start, while the trigger brings the jobs. */
const KILLS_AFTERWARDS = 2;
/** Seconds until n8n has noticed of all executions that they are over. */
const NOTICED = 300;

/** Makes jobs through an n8n in queue mode whose processes are killed, and compares with the service's own book. */
export async function soakQueue(options: QueueSoakOptions): Promise<Soaked> {
	const { jobs, seed } = options;
	const service = await startService();
	service.setBalance(1e15);
	// the first look at a job finds it done, if nothing goes wrong
	service.forms.jobSteps = 1;
	const files = await startFileServer(service);
	const recorder = await startRecorder();
	const ends: Array<() => Promise<void> | void> = [
		files.stop,
		recorder.stop,
		async () => await service.stop(),
	];
	try {
		options.say('Starting n8n …');
		const host = await startHost(service, recorder.url, options);
		ends.unshift(async () => await host.queue.stop());
		const begun = performance.now();
		const drawing = drawTroubles(service, {
			seed,
			keyIn,
			elsewhere: (jobId) => `${files.url}/${encodeURIComponent(jobId)}`,
			startLatency: START_LATENCY,
		});
		const wanted = Array.from({ length: jobs }, (_, number) => wantedOf(seed, number));
		const worked = await work(host, wanted, options, () => (service.requests.length = 0));
		const keys = [service.router.keys.main, host.queue.apiKey];
		const logs = host.logs();
		const read = await readExecutions(host.queue.editor, worked.executions, keys);
		const isLeak = (log: string) => keys.some((key) => log.includes(key));
		const { calls } = worked;
		const found = compare({
			wanted: worked.batches.flatMap(({ wanted: some, hasKeys }) =>
				some.map(({ key }) => ({ key, hasKey: hasKeys })),
			),
			...(await bookOf(service)),
			sentAgain: drawing.sentAgain,
			...{ rows: worked.rows, said: read.said, arrivals: recorder.arrivals },
			logged: new Set(logs.flatMap((log) => log.match(/[\w-]+/g) ?? [])),
		});
		return {
			...found,
			booked: service.world.starts.length,
			handedOver: options.delivery === 'handedOver',
			leaks: read.leaks + files.keysSeen() + logs.filter(isLeak).length,
			unexpected: service.unexpected,
			tables: {
				'processes ended': worked.ends,
				executions: read.statuses,
				requests: drawing.struck,
			},
			facts: {
				'items at the end of the workflow': recorder.arrivals.length,
				'executions called': calls.sent,
				'of them without an answer': calls.lost,
				'batches with keys called again': calls.again,
				'without a key, killed before the start': found.neverReached,
				'ID only in an output': found.onlySaid,
				'ID only in a log': found.onlyLogged,
				'jobs that came to the end more than once': found.arrivedAgain,
				'leases ended at the end': worked.leasesEnded,
				'times at which checks were made due at the end': worked.hours,
			},
			seconds: (performance.now() - begun) / 1000,
		};
	} finally {
		for (const end of ends) await end();
	}
}

interface Worked {
	batches: Batch[];
	calls: Calls;
	ends: Supervisor['ends'];
	leasesEnded: number;
	hours: number;
	rows: Row[];
	/** The highest id of one. */
	executions: number;
}

/** All that happens to n8n: jobs are started while its processes are killed, and then everything comes to its end. */
async function work(
	host: Host,
	wanted: Wanted[],
	options: QueueSoakOptions,
	forget: () => void,
): Promise<Worked> {
	const { batch, every, say } = options;
	const { queue, rows } = host;
	const batches = batchesOf(wanted, batch);
	const load = openLoad(host.addressOf);
	const supervisor = new Supervisor(queue);
	const milliseconds = Math.max(wanted.length * PER_JOB, DISTURBANCES_IN_A_ROW * every * 1000);
	let tenths = 0;
	const loading = load.run(batches, milliseconds, (made) => {
		forget();
		const tenth = Math.floor((made / wanted.length) * 10);
		if (tenth > tenths) say(`  ${(tenths = tenth) * 10} % started`);
	});
	await disturbWhile(loading, supervisor, options);
	say('No more kills …');
	await untilAllEnded(queue.editor, NOTICED);
	let leasesEnded = await insist(async () => await endLeases(queue.editor, rows));
	for (const open of batchesOf(await openKeys(host, batches), batch))
		await load.call({ ...open, hasKeys: true });
	const passed = await bringTheRest(queue.editor, rows, (open) => say(`  ${open} on the way`));
	leasesEnded += passed.leasesEnded;
	await untilAllEnded(queue.editor, NOTICED);
	leasesEnded += await insist(async () => await endLeases(queue.editor, rows));
	await supervisor.end();
	return {
		batches,
		calls: load.calls,
		ends: supervisor.ends,
		leasesEnded,
		hours: passed.hours,
		rows: await insist(async () => await rows.read()),
		executions: await insist(async () => await host.newestExecution()),
	};
}

/** Kills one process after the other until all is started, and a few more. @throws what `loading` throws */
async function disturbWhile(
	loading: Promise<void>,
	supervisor: Supervisor,
	{ seed, every, workers, say }: QueueSoakOptions,
): Promise<void> {
	let isLoading = true;
	const loaded = loading.finally(() => (isLoading = false));
	// it is awaited below
	loaded.catch(() => {});
	for (let number = 0, left = KILLS_AFTERWARDS; isLoading || left > 0; number++) {
		await pause(every * 1000);
		if (!isLoading) left--;
		const disturbance = disturbanceOf(seed, number, workers);
		say(`  ${nameOf(disturbance)}`);
		await supervisor.disturb(disturbance);
	}
	await loaded;
}

/** Keys whose executions have all been killed before the start, or whose start nobody has called unknown yet. */
async function openKeys({ rows }: Host, batches: Batch[]): Promise<Wanted[]> {
	const isOver = /^(unknown|notStarted|pending|emitting|delivering|unconfirmed|delivered)$/;
	const over = new Set(
		(await insist(async () => await rows.read()))
			.filter(({ state }) => isOver.test(state))
			.map(({ label }) => label),
	);
	return batches
		.filter(({ hasKeys }) => hasKeys)
		.flatMap(({ wanted }) => wanted.filter(({ key }) => !over.has(key)));
}
