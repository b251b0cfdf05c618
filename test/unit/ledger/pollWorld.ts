import { ServiceError } from '../../../src/core/errors';
import {
	beginDelivery,
	endDelivery,
	createLeaseRenewer,
	requeueJob,
} from '../../../src/ledger/delivery';
import type { JobStatus, PollOptions, EventFilter } from '../../../src/ledger/dueJobs';
import type { Entry, NewEntry } from '../../../src/ledger/entry';
import { pollLedger } from '../../../src/ledger/pollLedger';
import { virtualClock } from '../virtualClock';
import { ledgerOn, Rows, type Weather } from './simulatedTable';

export const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];

/** What the service says of a job: a state, or a trouble. */
type Answer = JobStatus['outcome'] | number | Error;

export const wish = (outcome: EventFilter['outcome'], minimumAge = 0): EventFilter => ({
	outcome,
	minimumAge,
});

/** Everybody who has to do with one ledger, on one clock. @param jobs What is in the ledger, and what the service says of it. */
export function watchWorld(jobs: Record<string, Answer> = {}) {
	const clock = virtualClock();
	const table = new Rows();
	const { rows } = table;
	const asked: string[] = [];
	/** What the service answers for a job; `undefined` is unfinished. */
	const answers = new Map<string, Answer | (() => Answer)>(Object.entries(jobs));
	const weather: Weather = { latency: () => 5 };
	let [alive, takes] = [undefined as Error | undefined, 100];
	const ledgerOf = (executionId: string) =>
		ledgerOn(table.client(clock, weather), clock, executionId);

	const add = (jobId: string, entry: Partial<NewEntry> = {}) => {
		const row = table.made({
			state: 'pending',
			jobId,
			mediaType: 'videos',
			credentialId: 'a',
			startedAt: clock.now(),
			checkAt: clock.now(),
			...entry,
		});
		rows.push(row);
		return row;
	};
	for (const jobId of Object.keys(jobs)) add(jobId);

	const poll = async (more: Partial<PollOptions> = {}) => {
		const ledger = ledgerOf('');
		const claim = ledger.newClaim();
		const eventFilters = [wish('completed'), wish('failed'), wish('lost')];
		const found = await pollLedger(
			ledger,
			{
				credentialId: 'a',
				triggerGroup: '',
				eventFilters,
				maxJobs: 50,
				lease: 10 * MINUTE,
				concurrency: 5,
				asksUntil: clock.now() + 24 * SECOND,
				claimsUntil: clock.now() + 38 * SECOND,
				async readStatus({ jobId }) {
					asked.push(jobId);
					await clock.sleep(takes);
					const set = answers.get(jobId);
					const answer = typeof set === 'function' ? set() : (set ?? 'unfinished');
					if (answer instanceof Error) throw answer;
					if (typeof answer === 'number')
						throw new ServiceError('refused', `answered ${answer}`, { status: answer });
					// as of a job whose status is still the same
					const isOver = answer !== 'unfinished';
					const record = isOver ? JSON.stringify({ id: jobId, status: answer }) : '';
					return { outcome: answer, record };
				},
				async checkAlive() {
					await clock.sleep(takes);
					if (alive) throw alive;
				},
				...more,
			},
			claim,
		);
		return { ...found, claim, names: found.jobs.map((job) => job[0]!.jobId).sort() };
	};

	/**
	 * What the trigger's execution does with what it was handed.
	 *
	 * @param bring Returns whether the job is given back.
	 * @returns the jobs that leave the node
	 */
	const deliver = async (
		claim: string,
		bring: (job: Entry[], touch: () => Promise<void>) => Promise<boolean | void> = async () => {},
	): Promise<string[]> => {
		const ledger = ledgerOf('e');
		const delivery = { claim, lease: 10 * MINUTE, isConfirmed: false };
		const touch = createLeaseRenewer(ledger, delivery);
		for (const job of await beginDelivery(ledger, delivery)) {
			const again = await bring(job, touch);
			if (again) await requeueJob(ledger, delivery, job, { checkAt: clock.now() + MINUTE });
		}
		return (await endDelivery(ledger, delivery)).map((job) => job[0]!.jobId).sort();
	};

	return {
		clock,
		rows,
		asked,
		answers,
		weather,
		add,
		poll,
		deliver,
		setAlive: (error: Error | undefined) => (alive = error),
		setLatency: (milliseconds: number) => (takes = milliseconds),
		states: () => rows.map(({ state }) => state),
		/** Polls that come so often, a pause after each. */
		async polls(count: number, pause = MINUTE) {
			const all = [];
			for (let left = count; left > 0; left--) {
				all.push(await poll());
				await clock.sleep(pause);
			}
			return all;
		},
	};
}
