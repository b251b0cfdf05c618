import type { Ledger } from './ledger';
import type { Where } from './table';

/** Milliseconds: nobody asks for a longer lease, or puts a job off further (Generate waits for a day at most). What is further away was written by a wrong clock. */
export const LONGEST_LEASE = 24 * 3_600_000;
const FURTHEST_CHECK = 48 * 3_600_000;

const HELD = ['emitting', 'delivering'] as const;
const held: Where = { any: HELD.map((state) => ['state', 'eq', state]) };

/** Makes jobs free again whose execution did not come to its end: it was stopped, or killed, or never begun. */
export async function freeOverdue({ table, clock }: Ledger): Promise<void> {
	const now = clock.now();
	const free = { state: 'pending', claim: '', proposal: '', leaseUntil: 0, checkAt: now } as const;
	const tooLate = now + 2 * LONGEST_LEASE;

	const [first] = await table.find(held, { by: 'leaseUntil', limit: 1 });
	if (!first) return;
	const [last] = await table.find(held, { by: 'leaseUntil', limit: 1, last: true });
	for (const state of HELD) {
		if (first.leaseUntil < now)
			await table.change(
				{
					all: [
						['state', 'eq', state],
						['leaseUntil', 'lt', now],
					],
				},
				free,
			);
		if (last && last.leaseUntil > tooLate)
			await table.change(
				{
					all: [
						['state', 'eq', state],
						['leaseUntil', 'gt', tooLate],
					],
				},
				free,
			);
	}
}

/** Brings back jobs that a clock which ran ahead has put off for too long. */
export async function mendChecks({ table, clock }: Ledger): Promise<void> {
	const now = clock.now();
	const putOff: Where = {
		all: [
			['state', 'eq', 'pending'],
			['checkAt', 'gt', now + FURTHEST_CHECK],
		],
	};
	const [found] = await table.find(putOff, { limit: 1 });
	if (found) await table.change(putOff, { checkAt: now });
}
