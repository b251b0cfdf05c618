import { hash } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import type { Cost } from '../../core/bound';
import type { JobScope } from '../../core/accounts';
import { type Decimal, readDecimal, ZERO } from '../../core/money';
import { getMemory } from './executionMemory';
import { updateCustomData } from '../recordIds';

/** Plain data: n8n keeps it with the execution. Amounts are digits of micro-dollars, empty if they are not known. */
interface Counted {
	/** "Retry execution" hands what an execution has kept to another one. */
	executionId: string;
	/** What may still change, by what it is of. */
	amounts: Record<string, string>;
}

/**
 * Keeps the sum of what an execution pays in its custom data, in USD: `costUsd`, and `unknownCosts`, the number of requests that are not
 * in it. All nodes of the execution add to it.
 *
 * @param credentialId Jobs of two accounts may have the same ID.
 */
export function createExecutionCosts(n8n: IExecuteFunctions, credentialId: string) {
	const add = (name: 'costUsd' | 'unknownCosts', amount: Decimal) =>
		updateCustomData(n8n, name, (before) => (readDecimal(before) ?? ZERO).plus(amount).toFixed());
	const count = (cost: Cost, times: 1 | -1 = 1) =>
		cost === undefined
			? add('unknownCosts', ZERO.plus(times))
			: add('costUsd', ZERO.plus(cost).times('1e-6').times(times));
	const openAmounts = (): Counted['amounts'] => {
		const memory = getMemory(n8n, 'flow') as { costs?: Counted };
		const executionId = n8n.getExecutionId();
		// n8n Agents have neither a memory nor an ID
		if (memory.costs && memory.costs.executionId === executionId) return memory.costs.amounts;
		if (memory.costs)
			for (const name of ['costUsd', 'unknownCosts'])
				if (n8n.customData.get(name) !== undefined) n8n.customData.set(name, '0');
		return (memory.costs = { executionId, amounts: {} }).amounts;
	};
	/** Counts an amount that replaces the one before. */
	const replace = (of: string, cost: Cost) => {
		const amounts = openAmounts();
		const before = amounts[of];
		if (before !== undefined) count(readDecimal(before), -1);
		count(cost);
		amounts[of] = cost === undefined ? '' : ZERO.plus(cost).toFixed();
	};
	const addCost = (cost: Cost) => {
		openAmounts();
		count(cost);
	};
	// a service may repeat a key in the ID of a job, and this is stored
	const jobKey = (...job: string[]) =>
		hash('sha256', JSON.stringify([credentialId, ...job]), 'base64');
	return {
		add: addCost,
		replace,
		openRequest(): JobScope {
			let job: string | undefined;
			const settle = (cost: Cost) => (job === undefined ? addCost(cost) : replace(job, cost));
			return {
				setJob: (...started) => void (job = jobKey(...started)),
				reserve: () => ({ settle, release: () => undefined }),
			};
		},
		endJob(mediaType: string, jobId: string, cost: Cost): void {
			const job = jobKey(mediaType, jobId);
			// an execution that did not start it does not pay for it
			if (cost !== undefined && openAmounts()[job] !== undefined) replace(job, cost);
		},
	};
}
