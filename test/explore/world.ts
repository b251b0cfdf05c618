import { ServiceError } from '../../src/core/errors';
import { type Entry, ledgerFormat } from '../../src/ledger/entry';
import type { Ledger } from '../../src/ledger/ledger';
import { createMemoryTable } from '../../src/tables/memoryTable';
import type { Table } from '../../src/tables/table';
import { checkedTable } from '../support/ledgerTransitions';
import { numbersFrom } from '../support/numbersFrom';
import { createTimeline } from './timeline';

/** What may go wrong in a world. Chances are from 0 to 1, times in milliseconds. */
export interface Weather {
	/** That a process is killed at one of its steps. */
	crash: number;
	/** That a process stands still at one of its steps: a long garbage collection, a suspended machine. */
	pause: number;
	longestPause: number;
	/** How far a clock may be ahead or behind. */
	skew: number;
	/** That a request to the ledger is lost before it is carried out, and that its answer is. */
	lostRequest: number;
	lostAnswer: number;
	/** That a change is carried out up to `latest` after its sender has given up on it. */
	late: number;
	latest: number;
	/** How long n8n's main process is away, once, and by when that begins. */
	away: number;
	awayBy: number;
}

export const CALM: Weather = {
	crash: 0,
	pause: 0,
	longestPause: 0,
	skew: 0,
	lostRequest: 0,
	lostAnswer: 0,
	late: 0,
	latest: 40_000,
	away: 0,
	awayBy: 0,
};

/** One process of a world, which may be killed, stand still, and have a clock of its own. */
export interface Process {
	name: string;
	/** Milliseconds that the last step stood still. */
	lastPause(): number;
	/** Never resolves once the process is killed. */
	step(milliseconds: number): Promise<void>;
	ledger: Ledger;
	/** A table as this process reaches it, like that of its ledger. */
	reach<Row, NewRow>(store: Table<Row, NewRow>): Table<Row, NewRow>;
}

/**
 * Processes and one ledger in virtual time. Everything that happens is one event after another, in an order that follows from the
 * seed: a run that fails can be repeated.
 */
export function createWorld(seed: number, weather: Weather) {
	const { now, at, run } = createTimeline();
	const random = numbersFrom(seed);
	const begin = now();
	const rows: Entry[] = [];
	/** Changes that the transitions of a row do not allow. */
	const faults: string[] = [];
	const store = checkedTable(createMemoryTable(rows, ledgerFormat), rows, faults);
	const log: string[] = [];
	const dead = new Set<string>();
	const awayFrom = weather.away ? begin + random() * weather.awayBy : Infinity;

	const say = (who: string, what: string) => {
		log.push(`${((now() - begin) / 1000).toFixed(1).padStart(8)} s  ${who}: ${what}`);
	};

	const createProcess = (name: string, mine: Weather = weather): Process => {
		const offset = (random() * 2 - 1) * mine.skew;
		let claims = 0;
		/** What this process knows of the clock of n8n: `Date` has seconds. */
		let ahead = 0;
		let paused = 0;

		const step = async (milliseconds: number): Promise<void> => {
			paused = 0;
			if (!dead.has(name) && random() < mine.crash) {
				dead.add(name);
				say(name, 'is killed');
			}
			if (dead.has(name)) return await new Promise<never>(() => {});
			if (random() < mine.pause) paused = random() * mine.longestPause;
			if (paused > 5000) say(name, `stands still for ${(paused / 1000).toFixed(0)} s`);
			await new Promise<void>((resolve) => at(milliseconds + paused, resolve));
			if (dead.has(name)) await new Promise<never>(() => {});
		};

		const call = async <Result>(what: string, action: () => Promise<Result>) => {
			await step(random() * 20);
			if (now() >= awayFrom && now() < awayFrom + weather.away)
				throw new ServiceError('unreachable', 'n8n is away', { sent: false });
			const luck = random();
			const { lostRequest, late, latest, lostAnswer } = mine;
			if (luck < lostRequest + late) {
				if (luck >= lostRequest)
					at(random() * latest, () => {
						say(name, `(late) ${what}`);
						void action();
					});
				await step(10);
				throw new ServiceError('truncated', 'lost');
			}
			let result: Result | undefined;
			let date = 0;
			await new Promise<void>((resolve) =>
				at(random() * 20, () => {
					say(name, what);
					void action().then((given) => {
						// what a process reads does not change under its hands
						result = structuredClone(given);
						date = now() - (now() % 1000);
						resolve();
					});
				}),
			);
			await step(random() * 20);
			if (luck > 1 - lostAnswer) throw new ServiceError('truncated', 'lost');
			ahead = date - clock.now();
			return result as Result;
		};

		const reach: Process['reach'] = (store) => ({
			find: async (where, options) => await call('reads', () => store.find(where, options)),
			add: async (row) => await call(`adds ${JSON.stringify(row)}`, () => store.add(row)),
			change: async (where, changes) =>
				await call(`changes to ${JSON.stringify(changes)} where ${JSON.stringify(where)}`, () =>
					store.change(where, changes),
				),
			remove: async (where) => await call('removes', () => store.remove(where)),
		});
		const clock = { now: () => now() + offset, sleep: step, random };
		const newClaim = () => `${name}.${++claims}`;
		return {
			name,
			lastPause: () => paused,
			step,
			reach,
			ledger: {
				table: reach(store),
				clock,
				uncancellableClock: clock,
				newClaim,
				executionId: name,
				n8nTime: () => clock.now() + ahead,
			},
		};
	};

	return { random, rows, log, faults, dead, at, say, createProcess, now, run };
}

/** The start of an image, but for its key. @param lease In milliseconds. */
export const imageWith = (lease: number) => ({
	mediaType: 'images',
	model: 'm',
	credentialId: 'a',
	triggerGroup: '',
	lease,
	firstCheck: 0,
});

/** A poll for those that are done. @param now Milliseconds since 1970. */
export const watchingFrom = (now: number, lease: number) => ({
	credentialId: 'a',
	triggerGroup: '',
	eventFilters: [{ outcome: 'completed' }] as const,
	maxJobs: 50,
	lease,
	concurrency: 3,
	asksUntil: now + 24_000,
	claimsUntil: now + 38_000,
});
