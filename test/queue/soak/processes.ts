import { setTimeout as pause } from 'node:timers/promises';

import type { Queue } from '../queue';
import { chanceOf } from './wanted';

/** What is ended, and how; each of them once in a row of six, in another order each time. Redis keeps nothing, however it ends. */
const KINDS = [
	['worker', 'kill'],
	['worker', 'kill'],
	['worker', 'stop'],
	['main', 'kill'],
	['main', 'stop'],
	['Redis', 'kill'],
] as const;

export const DISTURBANCES_IN_A_ROW = KINDS.length;

/** Milliseconds at most until what was ended is started again. */
const LONGEST_PAUSE = 5000;
/** How often a process that ends while it starts is started again. */
const BOOTS = 10;
/** Milliseconds between two looks at whether all processes run. */
const LOOK = 1000;

/** The disturbance of a number, from 0: the same for the same seed. */
export function disturbanceOf(seed: number, number: number, workers: number) {
	const row = Math.floor(number / KINDS.length);
	const order = KINDS.map((kind, at) => ({ kind, at: chanceOf(seed, 'order', row, at) }));
	order.sort((one, other) => one.at - other.at);
	const [victim, how] = order[number % KINDS.length]!.kind;
	return {
		victim,
		how,
		name: `${victim}, ${how === 'kill' ? 'kill -9' : 'SIGTERM'}`,
		worker: Math.floor(chanceOf(seed, 'worker', number) * workers),
		pause: Math.floor(chanceOf(seed, 'pause', number) * LONGEST_PAUSE),
	};
}

interface Supervised {
	readonly isRunning: boolean;
	boot(): Promise<void>;
	kill(): Promise<void>;
	stop?(): Promise<void>;
}

/** Ends processes of n8n, and starts whatever has ended, as a service manager does. */
export function supervise({ main, redis, workers }: Queue) {
	/** How often which process ended, by whatever cause. */
	const ends = new Map<string, number>();
	/** Processes that are being ended or started. */
	const busy = new Map<Supervised, Promise<void>>();
	let isOver = false;
	const count = (name: string) => void ends.set(name, (ends.get(name) ?? 0) + 1);
	const alone = async (process: Supervised, work: () => Promise<void>) => {
		const done = work().finally(() => busy.delete(process));
		busy.set(process, done);
		await done;
	};

	const watch = async () => {
		for (; !isOver; await pause(LOOK))
			for (const process of [main, redis, ...workers] as Supervised[]) {
				if (process.isRunning || busy.has(process)) continue;
				count(`${process === main ? 'main' : process === redis ? 'Redis' : 'worker'}, by itself`);
				alone(process, async () => await boot(process)).catch(() => undefined);
			}
	};
	const watching = watch();
	return {
		ends,
		/** Ends a process and starts it again. */
		async disturb({ victim, how, name, ...more }: ReturnType<typeof disturbanceOf>) {
			const process: Supervised = { main, Redis: redis, worker: workers[more.worker]! }[victim];
			// it ended by itself just now
			if (busy.has(process)) return;
			count(name);
			await alone(process, async () => {
				await (how === 'stop' && process.stop ? process.stop() : process.kill());
				await pause(more.pause);
				await boot(process);
			});
		},
		/** Waits until all processes run, and looks after them no more. */
		async end() {
			isOver = true;
			await watching;
			await Promise.all(busy.values());
		},
	};
}

/** What n8n needs may be down, too: it ends then while it starts. */
async function boot(process: Supervised, attempt = 1) {
	await process.boot().catch(async (error: unknown) => {
		await process.kill();
		if (attempt === BOOTS) throw error;
		await pause(LOOK);
		await boot(process, attempt + 1);
	});
}
