import { ServiceError } from '../../../src/core/errors';
import {
	beginDelivery,
	endDelivery,
	createLeaseRenewer,
	requeueJob,
} from '../../../src/ledger/delivery';
import type { Entry, NewEntry } from '../../../src/ledger/entry';
import type { Ledger, Table } from '../../../src/ledger/ledger';
import { pollLedger } from '../../../src/ledger/pollLedger';
import type { JobStatus, PollOptions, EventFilter } from '../../../src/ledger/dueJobs';
import { virtualClock } from '../virtualClock';
import { Rows, type Weather } from './simulatedTable';

export const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];

/** What the service says of a job: a state, or a trouble. */
export type Answer = JobStatus['outcome'] | number | Error;

const wish = (outcome: EventFilter['outcome']): EventFilter => ({ outcome, minimumAge: 0 });
export const allWishes = [wish('completed'), wish('failed'), wish('lost')];

/** How one client reaches the table, or a table of its own. */
export type Way = Weather & { table?: Table };

/** Everybody who has to do with one ledger, on one clock. */
export function watchWorld(weather: Way = { latency: () => 5 }) {
	const clock = virtualClock();
	const rows = new Rows();
	const asked: string[] = [];
	/** What the service answers for a job; `undefined` is unfinished. */
	const answers = new Map<string, Answer | (() => Answer)>();
	let [alive, claims, takes] = [undefined as Error | undefined, 0, 100];
	const ledgerOf = (execution: string, mine = weather): Ledger => ({
		table: mine.table ?? rows.client(clock, mine),
		clock,
		uncancellableClock: clock,
		newClaim: () => `claim-${++claims}`,
		execution,
	});

	const add = (entry: Partial<NewEntry> & { jobId: string }) => {
		const row = rows.made({
			...{ state: 'pending', segment: 'videos', account: 'a' },
			...{ startedAt: clock.now(), checkAt: clock.now() },
			...entry,
		});
		rows.rows.push(row);
		return row;
	};

	const watching = (more: Partial<PollOptions> = {}): PollOptions => ({
		...{ account: 'a', label: '', eventFilters: allWishes, maxJobs: 50, lease: 10 * MINUTE },
		...{
			concurrency: 5,
			asksUntil: clock.now() + 24 * SECOND,
			claimsUntil: clock.now() + 38 * SECOND,
		},
		async readStatus({ jobId }) {
			asked.push(jobId);
			await clock.sleep(takes);
			const set = answers.get(jobId);
			const answer = typeof set === 'function' ? set() : (set ?? 'unfinished');
			if (answer instanceof Error) throw answer;
			if (typeof answer === 'number')
				throw new ServiceError('refused', `answered ${answer}`, { status: answer });
			return { outcome: answer, record: JSON.stringify({ id: jobId, status: answer }) };
		},
		async checkAlive() {
			await clock.sleep(takes);
			if (alive) throw alive;
		},
		...more,
	});

	const poll = async (more: Partial<PollOptions> = {}, mine = weather) => {
		const ledger = ledgerOf('', mine);
		const claim = ledger.newClaim();
		return { claim, ...(await pollLedger(ledger, watching(more), claim)) };
	};

	/** What the trigger's execution does with what it was handed. @returns the jobs that leave the node */
	const deliver = async (
		claim: string,
		{
			execution = 'e',
			mine = weather,
			lease = 10 * MINUTE,
			isConfirmed = false,
			bring = async () => {},
		}: {
			execution?: string;
			mine?: Way;
			lease?: number;
			isConfirmed?: boolean;
			/** @returns whether the job is given back. */
			bring?: (job: Entry[], touch: () => Promise<void>) => Promise<boolean | void>;
		} = {},
	): Promise<string[]> => {
		const ledger = ledgerOf(execution, mine);
		const delivery = { claim, lease, isConfirmed };
		const touch = createLeaseRenewer(ledger, delivery);
		for (const job of await beginDelivery(ledger, delivery)) {
			const again = await bring(job, touch);
			if (again) await requeueJob(ledger, delivery, job, { checkAt: clock.now() + MINUTE });
		}
		return (await endDelivery(ledger, delivery)).map((job) => job[0]!.jobId);
	};

	return {
		...{ clock, rows, asked, answers, add, poll, deliver, ledgerOf, watching },
		setAlive: (error: Error | undefined) => (alive = error),
		setLatency: (milliseconds: number) => (takes = milliseconds),
		states: () => rows.rows.map(({ state }) => state),
		until: async (time: number) => await clock.sleep(Math.max(0, time - clock.now())),
	};
}

export type World = ReturnType<typeof watchWorld>;
export const names = (jobs: Entry[][]) => jobs.map((job) => job[0]!.jobId);
