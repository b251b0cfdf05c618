import { hash } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import { cancelledError } from '../../core/errors';
import { continuesOnFail } from '../errors';
import type { Slot } from '../itemPool';
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

	const createSerialRunner =
		(slot: Pick<Slot, 'releaseDuring'>) =>
		async <Result>(action: () => Promise<Result>): Promise<Result> => {
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

	return { getState, createSerialRunner };
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
		get: (name: string): string | undefined => context.agentBridge?.[keyOf(name)],
		set(name: string, value: string) {
			const stored = (context.agentBridge ??= {});
			if (redact.data(value) === value) stored[keyOf(name)] = value;
			else delete stored[keyOf(name)];
		},
	};
}
