import type { IExecuteFunctions } from 'n8n-workflow';

import { formatUsd, ZERO } from '../core/money';
import type { Cost } from '../core/reserve';
import { escapeHtml } from './errorMessages';
import type { Redactor } from './redact';

/**
 * Shows a sentence next to the output. It may have a service's words, and the editor renders it as HTML.
 *
 * @param type `info` if nothing is wrong.
 */
export function addHint(
	n8n: Pick<IExecuteFunctions, 'addExecutionHints'>,
	message: string,
	type: 'info' | 'warning' = 'warning',
): void {
	n8n.addExecutionHints({ message: escapeHtml(message), type, location: 'outputPane' });
}

/**
 * Collects hints that n8n shows next to the output: one line per sentence, for any number of items. n8n stores them with the
 * execution.
 */
export function createHintCollector(n8n: IExecuteFunctions, redact: Pick<Redactor, 'text'>) {
	const sentences = new Map<string, number>();
	const jobCosts: Cost[] = [];
	return {
		add(hint: string) {
			const sentence = redact.text(hint);
			sentences.set(sentence, (sentences.get(sentence) ?? 0) + 1);
		},
		/** Counts a job that has ended in the hint on what the jobs of this run have cost. */
		addJobCost: (cost: Cost) => void jobCosts.push(cost),
		/** @param budgetLeft What the budget of the credential has left, if it has one. */
		show(budgetLeft?: string) {
			for (const [sentence, count] of sentences)
				addHint(n8n, count > 1 ? `${count} items: ${sentence}` : sentence);
			const costs = describeJobCosts(jobCosts, budgetLeft);
			if (costs) addHint(n8n, costs, 'info');
		},
	};
}

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
	const plural = known.length === 1 ? '' : 's';
	const jobs = costs.length === 1 ? 'This job' : `${which}${known.length} job${plural}`;
	const others = costs.length - known.length;
	const unknown = others ? ` The cost of ${others} more is not known.` : '';
	return `${jobs} cost ${total}.${unknown}${left ? ` Budget: ${left}.` : ''}`;
}
