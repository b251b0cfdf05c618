import type { Cost } from './reserve';
import { formatUsd, ZERO } from './money';

/** How many times its estimate no job costs, and how many times the catalog's minimum no estimate is. */
export const MOST_TIMES = 1000;

/**
 * What the jobs of a node run have cost, in a sentence or two.
 *
 * @param costs Undefined where a job has ended and its cost is not known.
 * @param left What the budget of the credential has left, if it has one.
 * @returns undefined if no cost is known.
 */
export function describeJobCosts(costs: readonly Cost[], left: string | undefined) {
	const known = costs.filter((cost) => cost !== undefined);
	if (!known.length) return undefined;
	const total = formatUsd(known.reduce((sum: typeof ZERO, cost) => sum.plus(cost), ZERO));
	const which = known.length === costs.length && known.length > 1 ? 'These ' : '';
	const jobs = costs.length === 1 ? 'This job' : `${which}${countJobs(known.length)}`;
	const others = costs.length - known.length;
	const unknown = others ? ` The cost of ${others} more is not known.` : '';
	return `${jobs} cost ${total}.${unknown}${left ? ` Budget: ${left}.` : ''}`;
}

const countJobs = (count: number) => `${count} job${count === 1 ? '' : 's'}`;
