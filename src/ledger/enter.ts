import { ServiceError } from '../service/errors';
import type { Entry } from './entry';
import type { Ledger } from './ledger';

/**
 * Enters a job that was started elsewhere. The same job may be entered again; were it to happen at the same moment there would
 * be two rows, which are one job to everybody who reads them.
 *
 * @returns its row, and whether it was there before.
 */
export async function enterJob(
	{ table, clock, newClaim, execution }: Ledger,
	job: Pick<Entry, 'jobId' | 'segment' | 'account' | 'label'>,
): Promise<{ entry: Entry; known: boolean }> {
	const { jobId, account } = job;
	const [known] = await table.find({
		all: [
			['jobId', 'eq', jobId],
			['account', 'eq', account],
		],
	});
	if (known) return { entry: known, known: true };
	const [now, claim] = [clock.now(), newClaim()];
	await table.add({ ...job, state: 'pending', claim, startedAt: now, checkAt: now, execution });
	const [entry] = await table.find({ all: [['claim', 'eq', claim]] });
	if (entry) return { entry, known: false };
	throw new ServiceError('failed', 'The job ledger has lost the row that was just added', {
		ids: { jobId },
		advice: 'Look at the table, and run it again.',
	});
}
