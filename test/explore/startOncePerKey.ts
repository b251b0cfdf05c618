import { ServiceError } from '../../src/core/errors';
import { resolveStart } from '../../src/ledger/manualChanges';
import type { Played } from './explore';
import { CALM, createWorld, imageWith, type Process, type Weather } from './world';
import { startThroughLedger } from '../unit/ledger/startThroughLedger';

/** What happens around the starts of one key. */
interface Scenario extends Weather {
	processes: number;
	/** Chance that the service answers an attempt with 429, and how long it may ask to wait: an hour is what the settings allow. */
	tooMany: number;
	maxRateLimitWait: number;
	/** Chance that a connection is not made for 300 s: nothing is sent then, and it is tried again. */
	stall: number;
	/** Whether a person resolves what can be resolved, always by what the service has at that moment. */
	person: boolean;
}

const MINUTE = 60_000;
const SILENCE_LIMIT = 5 * MINUTE;
const LEASE = 10 * MINUTE;
const MAX_ATTEMPTS = 4;

const usual: Scenario = {
	...CALM,
	processes: 4,
	crash: 0.01,
	lostRequest: 0.05,
	lostAnswer: 0.05,
	tooMany: 0,
	maxRateLimitWait: 0,
	stall: 0,
	person: false,
};
const person = true;
const maxRateLimitWait = 60 * MINUTE;
const [pause, skew] = [0.05, 30 * MINUTE];

const changes: Record<string, Partial<Scenario>> = {
	'lost requests and answers': {},
	'many crashes': { crash: 0.05 },
	'late changes, pauses, clocks 30 min apart, nobody resolves': {
		late: 0.05,
		pause,
		longestPause: 20 * MINUTE,
		skew,
	},
	'late changes only': { crash: 0, lostRequest: 0, lostAnswer: 0, late: 0.2 },
	'n8n is away for a minute': { away: MINUTE, awayBy: MINUTE },
	'a person, pauses below the lease': { crash: 0.05, pause, longestPause: MINUTE, person },
	'a person, 429 with waits of up to an hour': { crash: 0, tooMany: 0.5, maxRateLimitWait, person },
	'a person, connections that stall': { crash: 0, stall: 0.5, person },
	'a person, late changes, waits and stalls': {
		late: 0.1,
		tooMany: 0.3,
		maxRateLimitWait,
		stall: 0.3,
		person,
	},
	'a person, clocks 30 min apart': {
		crash: 0.02,
		pause,
		longestPause: 2 * MINUTE,
		skew,
		person,
	},
	'a person, pauses of up to 20 min': {
		crash: 0.02,
		pause: 0.02,
		longestPause: 20 * MINUTE,
		person,
	},
};
export const scenarios = Object.fromEntries(
	Object.entries(changes).map(([name, change]) => [name, { ...usual, ...change }]),
);

/** @param isRenewed Whether the claim is renewed before every attempt; false shows what happens without. */
export async function play(seed: number, scenario: Scenario, isRenewed = true): Promise<Played> {
	const world = createWorld(seed, scenario);
	const { random, rows, log, faults, say, at, dead } = world;
	const jobs: string[] = [];
	/** Whether a process has started a job that stood still between its renewal and its request. */
	let isAfterPause = false;

	const attempt = async (process: Process, renew: () => Promise<number>) => {
		const { name, step, ledger } = process;
		if (random() < scenario.stall) {
			say(name, 'makes no connection for 300 s');
			await step(SILENCE_LIMIT);
			throw new ServiceError('unreachable', 'no connection', { sent: false });
		}
		const headBy = isRenewed ? await renew() : Infinity;
		await step(random() * 200);
		const isFrozen = process.lastPause() > LEASE / 2;
		// a process that stood still may write what it had begun to write
		if (ledger.clock.now() > headBy && !isFrozen)
			throw new ServiceError('unreachable', 'ended', { sent: false });
		if (random() < scenario.tooMany) return { asked: random() * scenario.maxRateLimitWait };
		const luck = random();
		if (luck < 0.1) {
			say(name, 'is refused');
			throw new ServiceError('refused', 'no', { status: 400 });
		}
		jobs.push(`job-${jobs.length + 1}`);
		isAfterPause ||= isFrozen;
		say(name, `STARTS ${jobs.at(-1)}`);
		const id = jobs.at(-1)!;
		await step(random() * 500);
		if (luck < 0.25) throw new ServiceError('unreachable', 'reset', { sent: true });
		return { id };
	};

	/** As `withRetries` does: again after 429, and after what was certainly not sent. */
	const sendFrom = (process: Process) => async (renew: () => Promise<number>) => {
		for (let number = 1; ; number++) {
			try {
				const answer = await attempt(process, renew);
				if ('id' in answer) return answer.id;
				say(process.name, `is answered 429, waits ${(answer.asked / 1000).toFixed(0)} s`);
				if (number === MAX_ATTEMPTS) throw new ServiceError('refused', 'no', { status: 429 });
				await process.step(answer.asked);
			} catch (cause) {
				const isSafe = cause instanceof ServiceError && cause.details.sent === false;
				if (!isSafe || number === MAX_ATTEMPTS) throw cause;
				await process.step(random() * 2000);
			}
		}
	};

	const start = (name: string) => {
		const process = world.createProcess(name);
		const wanted = {
			...imageWith(LEASE),
			uniqueKey: 'k',
		};
		const toEntry = (jobId: string) => ({ jobId, requestId: '', record: '' });
		startThroughLedger(process.ledger, wanted, { send: sendFrom(process), toEntry }).then(
			(started) => say(name, JSON.stringify(started)),
			(cause: unknown) => say(name, String(cause)),
		);
	};

	for (let number = 1; number <= scenario.processes; number++)
		at(random() * (random() < 0.5 ? 200 : 30 * MINUTE), () => start(`P${number}`));

	const resolveTruthfully = () => {
		const person = world.createProcess('person', CALM);
		const which = { uniqueKey: 'k' };
		const [job] = jobs;
		resolveStart(person.ledger, which, 'a', job).then(
			() => say('person', job ? `sees ${job}` : 'sees no job'),
			() => {},
		);
	};
	if (scenario.person)
		for (let turn = 1; turn <= 40; turn++)
			at(turn * 2 * MINUTE + random() * MINUTE, resolveTruthfully);

	await world.run(20_000);
	const isOpen = rows.some(({ state }) => state === 'sending' || state === 'unknown');
	const wrong = [...faults];
	// a process that stood still for longer than its lease between its renewal and its request cannot know that it did
	if (jobs.length > 1 && !isAfterPause)
		wrong.push(`${jobs.length} jobs were started for the one key`);
	if (isOpen && !jobs.length && !dead.size)
		wrong.push('the key needs a person, although nothing was started and nobody was killed');
	return { wrong, log: [...log, JSON.stringify(rows)] };
}
