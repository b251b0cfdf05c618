import { checkDue } from './checks';
import { claimJobs } from './claims';
import type { Entry } from './entry';
import { byJob } from './jobRows';
import { freeOverdue, mendChecks } from './leases';
import type { Ledger } from './ledger';
import type { Clause } from './table';
import { isWanted, type Watching } from './watching';

/** What a trigger hands over to one execution. */
export interface Handover {
	/** The jobs, with the rows that were claimed for them. */
	jobs: Entry[][];
	/** What trouble the service as a whole has. */
	trouble: unknown;
	/** How many jobs it told something of all the same. */
	answered: number;
}

/**
 * One look at the ledger: frees what was left, asks for the jobs whose time has come, and claims those that are done and wanted.
 *
 * What was claimed and is not marked by `beginDelivery` within the lease is claimed again: nothing is lost when what is returned
 * here goes nowhere.
 *
 * @throws ServiceError when the ledger cannot be used.
 */
export async function watchJobs(
	ledger: Ledger,
	watching: Watching,
	claim: string,
): Promise<Handover> {
	const { clock } = ledger;
	await freeOverdue(ledger);
	await mendChecks(ledger);
	const ready = await findReady(ledger, watching, watching.mostJobs);
	const room = watching.mostJobs - ready.length;
	const round = room > 0 ? await checkDue(ledger, watching, room) : undefined;
	const now = clock.now();
	const wanted = (round?.finished ?? []).filter(([row]) => row && isWanted(watching, row, now));
	const jobs = [...ready, ...wanted].slice(0, watching.mostJobs);
	const inTime = clock.now() <= watching.claimsUntil;
	return {
		jobs: inTime ? await claimJobs(ledger, claim, jobs.flat(), watching.lease) : [],
		trouble: round?.trouble,
		answered: round?.answered ?? 0,
	};
}

/**
 * Jobs of which it is known that they are done, and that the trigger wants, the most overdue first.
 *
 * @returns at most `limit`.
 */
export async function findReady(
	{ table, clock }: Ledger,
	{ account, label, wishes }: Pick<Watching, 'account' | 'label' | 'wishes'>,
	limit: number,
): Promise<Entry[][]> {
	const now = clock.now();
	const rows: Entry[] = [];
	for (const { outcome, minimumAge } of wishes) {
		const all: Clause[] = [
			['state', 'eq', 'pending'],
			['outcome', 'eq', outcome],
			['account', 'eq', account],
			['checkAt', 'lte', now],
		];
		if (label) all.push(['label', 'eq', label]);
		if (minimumAge) all.push(['startedAt', 'lte', now - minimumAge]);
		rows.push(...(await table.find({ all }, { by: 'checkAt', limit })));
	}
	rows.sort((one, other) => one.checkAt - other.checkAt);
	return byJob(rows).slice(0, limit);
}
