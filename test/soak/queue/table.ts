import { aligned, markedGoals } from '../table';
import { goalsOf } from './goals';
import type { QueueSoaked } from './soak';

/** What a person reads at the end. */
export function tableOf(soaked: QueueSoaked): string {
	const { seconds, booked, arrivals, calls, unknown } = soaked;
	const figures: Array<[string, number]> = [
		['executions called', calls.sent],
		['of them without an answer', calls.lost],
		['batches with keys called again', calls.again],
		['starts called unknown', unknown.called],
		['of them really started', unknown.started],
		['not started', soaked.notStarted],
		['without a key, killed before the start', soaked.neverReached],
		['ID only in an output', soaked.onlySaid],
		['ID only in a log', soaked.onlyLogged],
		['jobs that came to the end more than once', soaked.arrivedAgain],
		['leases ended at the end', soaked.leasesEnded],
		['times at which checks were made due at the end', soaked.hours],
	];
	const counted = (counts: Map<string, number>) =>
		[...counts]
			.sort(([one], [other]) => one.localeCompare(other))
			.map(([name, times]) => [name, String(times)]);
	return [
		`${seconds.toFixed(0)} s: ${booked} jobs booked by the service, ${arrivals} items at the end of the workflow.`,
		aligned([['processes ended', 'times'], ...counted(soaked.ends)]),
		aligned([['executions', 'times'], ...counted(soaked.statuses)]),
		aligned([['requests', 'times'], ...counted(soaked.struck)]),
		aligned([['', 'figure'], ...figures.map(([name, figure]) => [name, String(figure)])]),
		...markedGoals(goalsOf(soaked)),
	].join('\n\n');
}
