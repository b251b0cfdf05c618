import {
	attemptsLeft,
	beginBatch,
	endBatch,
	itemKey,
	recordDownload,
} from '../../nodes/ModelRouter/trigger/jobDelivery';
import { readEntry, toRow, type Entry } from '../../src/ledger/entry';
import { pollLedger } from '../../src/ledger/pollLedger';
import { confirmDelivery } from '../../src/ledger/manualChanges';
import { leaveToTriggers, markDelivered } from '../../src/ledger/startOnce';
import type { Played } from './explore';
import { CALM, createWorld, watchingFrom, type Weather } from './world';

const MINUTE = 60_000;
const LEASE = 10 * MINUTE;
const JOBS = 4;
const POLLS = 240;
/** From this one on, nothing goes wrong: what is not delivered then is lost. */
const CALM_FROM = 210;

const lost = (chance: number) => ({ lostRequest: chance, lostAnswer: chance });
const changes: Record<string, Partial<Weather>> = {
	'nothing goes wrong': {},
	'lost answers, crashes': { crash: 0.01, ...lost(0.025) },
	'pauses beyond the lease': {
		crash: 0.005,
		pause: 0.05,
		longestPause: 25 * MINUTE,
		...lost(0.015),
	},
	'clocks 20 min apart': {
		crash: 0.005,
		pause: 0.02,
		longestPause: 10 * MINUTE,
		skew: 20 * MINUTE,
		...lost(0.015),
	},
	'n8n is away for ten minutes': { crash: 0.005, away: 10 * MINUTE, awayBy: 30 * MINUTE },
	'late changes': {
		pause: 0.01,
		longestPause: 15 * MINUTE,
		...lost(0.01),
		late: 0.03,
		latest: MINUTE,
	},
};
export const scenarios = Object.fromEntries(
	Object.entries(changes).map(([name, change]) => [name, { ...CALM, ...change }]),
);

/**
 * Polls that overlap, and the executions that they start: late, more than once, paused, killed. Some jobs were entered twice.
 *
 * @param isConfirmed Whether the workflows have to confirm their jobs. A third of them is killed before they do.
 * @returns how many jobs left an execution, too.
 */
export async function play(
	seed: number,
	weather: Weather,
	isConfirmed = false,
): Promise<Played & { delivered: number }> {
	const world = createWorld(seed, weather);
	const { random, rows, say, at, log, faults } = world;
	const names = Array.from({ length: JOBS }, (_, index) => `j${index}`);
	const generated = ['g0', 'g1', 'g2'];
	/** The executions that each job left. */
	const left = new Map<string, string[]>();
	/** The jobs that a workflow has worked on to its end. */
	const worked = new Set<string>();
	let executions = 0;

	for (const jobId of names)
		for (let copies = random() < 0.3 ? 2 : 1; copies > 0; copies--) {
			const entered = { state: 'pending', jobId, mediaType: 'images', credentialId: 'a' } as const;
			const times = { startedAt: world.now(), checkAt: world.now() };
			rows.push(readEntry({ ...toRow({ ...entered, ...times }), id: rows.length + 1 }));
		}

	/** Generate downloads the files of its jobs itself, and may be stopped or killed before it hands them over. */
	const generate = async () => {
		const { name, ledger, step } = world.createProcess('generate');
		const started = { state: 'pending', mediaType: 'images', credentialId: 'a' } as const;
		const times = { startedAt: world.now(), checkAt: world.now() + 20 * MINUTE };
		const entries = generated.map((jobId, index) =>
			readEntry({ ...toRow({ ...started, ...times, jobId }), id: rows.length + 1 + index }),
		);
		rows.push(...entries);
		await step(random() * 10 * MINUTE);
		const luck = random();
		if (luck < 0.3) return say(name, 'is killed');
		if (luck < 0.6) return await leaveToTriggers(ledger, entries);
		await markDelivered(ledger, entries);
		say(name, 'hands over');
		for (const job of generated) worked.add(job);
	};
	at(random() * 30 * MINUTE, () => void generate());

	const execute = async (claim: string, jobs: Entry[][], mine: Weather) => {
		const { name, ledger, step } = world.createProcess(`E${++executions}`, mine);
		const items = jobs.flatMap(([entry]) =>
			entry ? [{ jobId: entry.jobId, mediaType: entry.mediaType }] : [],
		);
		const handover = await beginBatch(ledger, { claim, lease: LEASE, isConfirmed }, items);
		const ready: typeof items = [];
		for (const item of items) {
			const job = handover.jobs.get(itemKey(item));
			if (!job) continue;
			for (let piece = 0; piece < 5; piece++) {
				await handover.renewLease();
				await step(random() * (random() < 0.1 ? 150_000 : 2000));
			}
			if (random() < 0.1 && attemptsLeft(job) > 0)
				await recordDownload(handover, job, { later: 'the connection broke' });
			else ready.push(item);
		}
		const toOutput = await endBatch(handover);
		const leaving = ready.filter((json) => toOutput({ json }));
		for (const { jobId } of leaving) {
			left.set(jobId, [...(left.get(jobId) ?? []), name]);
			say(name, `lets out ${jobId}`);
		}
		if (!isConfirmed) return;
		for (const { jobId } of leaving) {
			await step(random() * (random() < 0.1 ? 3 * LEASE : MINUTE));
			if (random() < 0.3) return say(name, 'is killed behind the trigger');
			worked.add(jobId);
			await confirmDelivery(ledger, { jobId, credentialId: 'a' });
			say(name, `has confirmed ${jobId}`);
		}
	};

	const poll = async (number: number) => {
		// every other one has a clock of its own
		const skewed = number % 2 ? weather : { ...weather, skew: 0 };
		const mine = number % 1000 < CALM_FROM ? skewed : CALM;
		const { name, ledger, step } = world.createProcess(`poll${number}`, mine);
		const { clock } = ledger;
		const watching = {
			...watchingFrom(clock.now(), LEASE),
			async readStatus() {
				await step(random() * 100);
				return { outcome: random() < 0.8 ? 'completed' : 'unfinished', record: '{}' } as const;
			},
			checkAlive: async () => ({}),
		};
		const claim = `${name}.claim`;
		const { jobs } = await pollLedger(ledger, watching, claim);
		// n8n may lose what a poll returns, and may let an execution wait
		if (!jobs.length || (random() < 0.05 && mine !== CALM)) return;
		const waits = random() * (random() < 0.1 ? 15 * MINUTE : 500);
		at(waits, () => void execute(claim, jobs, mine).catch((cause) => say(name, String(cause))));
	};

	for (let number = 0; number < POLLS; number++) {
		const begin = (which: number) => () =>
			void poll(which).catch((cause) => say(`poll${which}`, String(cause)));
		at(number * MINUTE + random() * 3000, begin(number));
		if (number % 3 === 0) at(number * MINUTE + random() * 3000, begin(1000 + number));
	}
	await world.run(60_000);

	const isMarked = (job: string) =>
		rows.some(({ jobId, state }) => jobId === job && state === 'delivered');
	// those that an execution took along that was killed behind the fence are marked
	const isGone = (job: string) => !worked.has(job) && !left.has(job) && !isMarked(job);
	const isLost = (job: string) => (isConfirmed ? !worked.has(job) && isMarked(job) : isGone(job));
	const lost = [...names.filter(isLost), ...generated.filter(isGone)];
	// where workflows confirm, a job may come twice
	const twice = isConfirmed ? [] : [...left].filter(([, by]) => by.length > 1);
	const wrong = [
		...twice.map(([job, by]) => `${job} left ${by.join()}`),
		...lost.map((job) => `${job} is lost`),
		...faults,
	];
	return { wrong, log, delivered: isConfirmed ? worked.size : left.size };
}
