import { ROUTER_KEYS } from './keys.ts';
import { createAccount, type Account } from './router/account.ts';
import { defaultForms, type Forms } from './forms.ts';
import { createGate, type Gate } from './gate.ts';
import type { Job, Start } from './router/job.ts';

/** Everything the service remembers. */
export interface World {
	forms: Forms;
	/** Whether it answers as in the demo. */
	personas: boolean;
	/** Milliseconds since 1970. */
	now: () => number;
	gate: Gate;
	/** A: what was said in a session, by workspace and session id. */
	sessions: Map<string, string[]>;
	/** B: what was said in a chat, by chat id. */
	chats: Map<string, string[]>;
	/** B: times of the counted requests by key. */
	calls: Map<string, number[]>;
	/** C: accounts by key. */
	accounts: Map<string, Account>;
	jobs: Map<string, Job>;
	/** C: every start that was booked, in order. */
	starts: Start[];
	/** C: puts the balance of a key at an amount in µ$; a key that is not known becomes valid. */
	setBalance(microUsd: number, key: string): void;
	/** A new number for each call, for ids. */
	next(): number;
	reset(): void;
}

const DOLLAR = 1_000_000;

export function createWorld(now: () => number, personas = false): World {
	let last = 0;
	const world: World = {
		forms: defaultForms(),
		personas,
		now,
		gate: createGate(),
		sessions: new Map(),
		chats: new Map(),
		calls: new Map(),
		accounts: new Map(),
		jobs: new Map(),
		starts: [],
		setBalance(microUsd, key) {
			const account = world.accounts.get(key);
			if (account) account.setBalance(microUsd);
			else world.accounts.set(key, createAccount(microUsd));
		},
		next: () => ++last,
		reset() {
			last = 0;
			Object.assign(world.forms, defaultForms());
			world.gate.open();
			const maps = [world.sessions, world.chats, world.calls, world.jobs, world.accounts];
			for (const map of maps) map.clear();
			world.starts.length = 0;
			world.accounts.set(ROUTER_KEYS.main, createAccount(100 * DOLLAR));
			world.accounts.set(ROUTER_KEYS.poor, createAccount(0.002 * DOLLAR));
		},
	};
	world.reset();
	return world;
}
