import { hash } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import type { JobScope } from '../../core/accounts';
import type { Cost } from '../../core/reserve';
import { cancelledError } from '../../core/errors';
import { type Decimal, readDecimal, ZERO } from '../../core/money';
import { continuesOnFail } from '../errors';
import type { Slot } from '../itemPool';
import { getRunIndex } from '../platform';
import { updateCustomData } from '../recordIds';
import type { Redactor } from '../redact';

/**
 * What n8n keeps for a node, or for all nodes of an execution: it survives Retry On Fail, and is stored with a failed execution.
 *
 * n8n Agents run each tool in a separate, empty execution, which keeps nothing (n8n 2.41.1, node-execution/ephemeral-node-executor.js;
 * n8n-workflow 2.41.0, node-helpers.js:501, which throws then). What is returned in its place is forgotten after the call: the same
 * request, made again, is sent again.
 */
export function getMemory(n8n: Pick<IExecuteFunctions, 'getContext'>, of: 'flow' | 'node'): object {
	try {
		return n8n.getContext(of);
	} catch {
		return {};
	}
}

/** The end of the last turn of each execution. An AI agent may call its tool several times in parallel. */
const lastTurns = new WeakMap<object, Promise<void>>();

/**
 * State that all runs of a node in one execution share. The node's context survives Retry On Fail, and is stored with a failed
 * execution.
 */
export function createExecutionState(n8n: IExecuteFunctions) {
	const context = getMemory(n8n, 'node') as { kept?: Record<string, object> };
	let hasFailed = false;

	const getState = <Data extends object>(name: string, preset: () => Data) =>
		((context.kept ??= {})[name] ??= preset()) as Data;

	const runSerially = async <Result>(
		slot: Pick<Slot, 'releaseDuring'>,
		action: () => Promise<Result>,
	): Promise<Result> => {
		const before = lastTurns.get(context) ?? Promise.resolve();
		const takeTurn = async () => {
			await slot.releaseDuring(() => before);
			if (hasFailed || n8n.getExecutionCancelSignal()?.aborted) throw cancelledError(false);
			return await action();
		};
		const turn = takeTurn();
		// the item pool learns of a failure later
		const end = turn.then(
			() => {},
			() => void (hasFailed ||= !continuesOnFail(n8n)),
		);
		lastTurns.set(context, end);
		return await turn;
	};

	return { getState, runSerially };
}

/** Short texts that nodes share during one execution. */
export type FlowState = ReturnType<typeof createFlowState>;

/**
 * State in the context of the whole execution, for all nodes and all their runs. It is stored with the execution, so a value that
 * contains an API key is not kept.
 *
 * @param scope Identifies the credential and base URL.
 */
export function createFlowState(
	n8n: IExecuteFunctions,
	scope: string,
	redact: Pick<Redactor, 'data'>,
) {
	const context = getMemory(n8n, 'flow') as { agentBridge?: Record<string, string> };
	const keyOf = (name: string) => hash('sha256', `${scope}\n${name}`, 'base64');
	return {
		/** The node and its run, also where n8n retries it. */
		run: `${n8n.getNode().id} ${getRunIndex(n8n)}`,
		get: (name: string): string | undefined => context.agentBridge?.[keyOf(name)],
		set(name: string, value: string) {
			const stored = (context.agentBridge ??= {});
			if (redact.data(value) === value) stored[keyOf(name)] = value;
			else delete stored[keyOf(name)];
		},
	};
}

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
	// n8n Agents have neither a memory nor an ID
	const memory = getMemory(n8n, 'flow') as { costs?: Counted };
	const executionId = n8n.getExecutionId();
	if (memory.costs && memory.costs.executionId !== executionId) {
		delete memory.costs;
		for (const name of ['costUsd', 'unknownCosts'])
			if (n8n.customData.get(name) !== undefined) n8n.customData.set(name, '0');
	}
	const add = (name: 'costUsd' | 'unknownCosts', amount: Decimal) =>
		updateCustomData(n8n, name, (before) => (readDecimal(before) ?? ZERO).plus(amount).toFixed());
	const count = (cost: Cost, times: 1 | -1 = 1) =>
		cost === undefined
			? add('unknownCosts', ZERO.plus(times))
			: add('costUsd', ZERO.plus(cost).times('1e-6').times(times));
	const openAmounts = () => (memory.costs ??= { executionId, amounts: {} }).amounts;
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
