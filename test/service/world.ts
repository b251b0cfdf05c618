import { defaultForms } from './forms.ts';
import { createGate } from './gate.ts';
import { ROUTER_KEYS } from './keys.ts';
import { createAccount, type Account } from './router/account.ts';
import type { Job, Start } from './router/job.ts';

const DOLLAR = 1_000_000;

/** Everything the service remembers. */
export type World = ReturnType<typeof createWorld>;

/**
 * @param now Milliseconds since 1970.
 * @param personas Whether it answers as in the demo.
 */
export function createWorld(now: () => number, personas = false) {
	let last = 0;
	const maps = {
		/** A: what was said in a session, by workspace and session id. */
		sessions: new Map<string, string[]>(),
		/** B: what was said in a chat, by chat id. */
		chats: new Map<string, string[]>(),
		/** B: times of the counted requests by key. */
		calls: new Map<string, number[]>(),
		/** C: accounts by key. */
		accounts: new Map<string, Account>(),
		jobs: new Map<string, Job>(),
	};
	const world = {
		...maps,
		now,
		personas,
		forms: defaultForms(),
		gate: createGate(),
		/** C: what thinking models gave beside their calls. */
		thoughts: new Set<string>(),
		/** C: prompts that are in a cache, each with its key, its model and its tools. */
		cached: new Set<string>(),
		/** C: every start that was booked, in order. */
		starts: [] as Start[],
		/** C: puts the balance of a key at an amount in µ$; a key that is not known becomes valid. */
		setBalance(microUsd: number, key: string) {
			const account = maps.accounts.get(key);
			if (account) account.balance = microUsd;
			else maps.accounts.set(key, createAccount(microUsd));
		},
		/** A new number for each call, for ids. */
		next: () => ++last,
		reset() {
			last = 0;
			Object.assign(world.forms, defaultForms());
			world.gate.open();
			for (const map of Object.values(maps)) map.clear();
			world.starts.length = 0;
			world.thoughts.clear();
			world.cached.clear();
			maps.accounts.set(ROUTER_KEYS.main, createAccount(100 * DOLLAR));
			maps.accounts.set(ROUTER_KEYS.poor, createAccount(0.002 * DOLLAR));
		},
	};
	world.reset();
	return world;
}
