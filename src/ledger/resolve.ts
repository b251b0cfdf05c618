import { invalid } from '../service/errors';
import type { Entry } from './entry';
import type { Ledger } from './ledger';
import type { Clause } from './table';

/**
 * Decides that a start of unknown outcome did happen.
 *
 * @throws ServiceError `invalid` when there is no such start, or it is not open.
 */
export async function resolveAsStarted(
	ledger: Ledger,
	which: Clause,
	jobId: string,
): Promise<Entry> {
	return await resolve(ledger, which, (now) => ({
		state: 'pending',
		jobId,
		checkAt: now,
		note: 'Resolved as started.',
	}));
}

/** Decides that a start of unknown outcome did not happen. @throws as `resolveAsStarted` does. */
export async function resolveAsNotStarted(ledger: Ledger, which: Clause): Promise<Entry> {
	return await resolve(ledger, which, () => ({
		state: 'notStarted',
		note: 'Resolved as not started.',
	}));
}

async function resolve(
	{ table, clock }: Ledger,
	which: Clause,
	to: (now: number) => Partial<Entry>,
): Promise<Entry> {
	const now = clock.now();
	const rows = await table.find({
		all: [which, ['state', 'neq', 'withdrawn'], ['state', 'neq', 'notStarted']],
	});
	const open = rows.find(({ state }) => state === 'unknown' || state === 'sending');
	if (!open) {
		throw invalid(
			rows.length ? 'The outcome of this start is known' : 'The ledger has no such start',
			rows[0]
				? `Its state is "${rows[0].state}"${rows[0].jobId && `, its job ${rows[0].jobId}`}.`
				: '',
		);
	}
	if (open.state === 'sending' && open.leaseUntil > now) {
		throw invalid(
			'This start may still be under way',
			`Execution ${open.execution} began it. It can be resolved after ${new Date(open.leaseUntil).toISOString()}.`,
		);
	}
	const still = [
		['id', 'eq', open.id],
		['claim', 'eq', open.claim],
		['state', 'eq', open.state],
	] as const;
	// without its claim, who was thought to be gone cannot change it any more
	const [resolved] = await table.change({ all: still }, { ...to(now), claim: '', failures: 0 });
	if (!resolved) throw invalid('The outcome of this start has just become known', 'Look again.');
	return resolved;
}
