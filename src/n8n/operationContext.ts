import { hash } from 'crypto';
import { type IExecuteFunctions, isToolType } from 'n8n-workflow';

import { cancelledError } from '../core/errors';
import type { Clock } from '../core/retry';
import { findFile, readFile, storeFile } from './binaryData';
import type { Connection } from './connection';
import { continuesOnFail } from './errors';
import type { Slot } from './itemPool';
import { findCaller } from './caller';
import { createLiveOutput, NO_LIVE_OUTPUT, speakerHeading, type LiveOutput } from './liveOutput';
import { addHint, countTokens, getMemory } from './n8nVersions';
import type { OperationContext, PreflightContext, FlowState } from './operation';
import { recordWorkId, type StartedIds } from './recordIds';
import type { Redactor } from './redact';
import type { SentRequests } from './sentRequests';
import { lookUp } from './sharedCache';
import { countInFlight, startPaid } from './startPaid';

/** Makes what the operations of one execution work with, item by item. */
export function createOperationContexts(
	n8n: IExecuteFunctions,
	connection: Connection,
	sentRequests: SentRequests,
	live: boolean,
) {
	const { http, clock, idleTimeout, account, credentialId, redact, connectLedger } = connection;
	const hints = createHintCollector(n8n, redact);
	const startedIds: StartedIds = new Map();
	const stop = n8n.getExecutionCancelSignal();
	const flowState = createFlowState(n8n, `${credentialId} ${connection.baseUrl}`, redact);

	const createPreflightContext = createPreflightContexts(n8n, connection);
	const { getState, createSerialRunner } = createExecutionState(n8n);

	let hasPaid = false;
	const heading = findCaller(n8n) === 'conversation' ? speakerHeading(n8n.getNode().name) : '';

	const createOperationContext = (
		itemIndex: number,
		request: unknown,
		slot: Slot,
	): OperationContext<never> & { output: LiveOutput } => {
		const output = live
			? createLiveOutput(n8n, itemIndex, { stop, stream: redact.stream(), heading })
			: NO_LIVE_OUTPUT;
		return {
			...createPreflightContext(itemIndex, request),
			output,
			http,
			clock: createReleasingClock(clock, slot),
			idleTimeout,
			runSerially: createSerialRunner(slot),
			getState,
			async startPaid(start) {
				hasPaid = true;
				const recall = (sent: unknown) => sentRequests.recall(itemIndex, sent);
				return await startPaid(start, { account, clock, recall });
			},
			...{ connectLedger, accounts: connection.accounts },
			origin: { executionId: n8n.getExecutionId(), credentialId },
			recordId: (name, id) => recordWorkId(n8n, startedIds, name, redact.data(id)),
			flowState,
			countInFlight: () => countInFlight(account),
			stream: output.write,
			addHint: hints.add,
			countTokens: (input, out) => countTokens(n8n, input, out),
			readFile: async (property, path) => await readFile(n8n, itemIndex, property, path),
			storeFile: async (response, wanted) => await storeFile(n8n, connection, response, wanted),
		};
	};

	return {
		...{ createPreflightContext, createOperationContext, showHints: hints.show, startedIds },
		/** Whether anything that may cost was started, or was found to have been started before. */
		hasPaid: () => hasPaid,
	};
}

/** Reads what changes rarely once for all executions of an account. */
export function createLookUp(
	n8n: Pick<IExecuteFunctions, 'getExecutionCancelSignal'>,
	{ account, httpWithoutRetries }: Pick<Connection, 'account' | 'httpWithoutRetries'>,
): PreflightContext<never>['lookUp'] {
	const stop = n8n.getExecutionCancelSignal();
	return async (name, read, isEnough) =>
		await lookUp(`${account} ${name}`, async () => await read(httpWithoutRetries), stop, isEnough);
}

/** While it sleeps, another item may use the slot. */
const createReleasingClock = (clock: Clock, slot: Slot): Clock => ({
	...clock,
	sleep: async (milliseconds) => await slot.releaseDuring(() => clock.sleep(milliseconds)),
});

function createPreflightContexts(n8n: IExecuteFunctions, connection: Connection) {
	const ofAllItems = {
		asTool: isToolType(n8n.getNode().type),
		usesLedger: connection.usesLedger,
		lookUp: createLookUp(n8n, connection),
	};
	return (itemIndex: number, request: unknown): PreflightContext<never> => ({
		...ofAllItems,
		request: request as never,
		findFile: (property, path) => findFile(n8n, itemIndex, property, path),
	});
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

	const getState: OperationContext<never>['getState'] = <Data extends object>(
		name: string,
		preset: () => Data,
	) => ((context.kept ??= {})[name] ??= preset()) as Data;

	const createSerialRunner =
		(slot: Slot): OperationContext<never>['runSerially'] =>
		async (action) => {
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

/** Values that must not be stored with an execution, by its context. They are lost when this process ends. */
const unstoredValues = new WeakMap<object, Map<string, string>>();

/**
 * State in the context of the whole execution, for all nodes and all their runs. It is stored with the execution, except for values
 * that contain an API key.
 *
 * @param scope Identifies the credential and base URL.
 */
export function createFlowState(
	n8n: IExecuteFunctions,
	scope: string,
	redact: Pick<Redactor, 'data'>,
): FlowState {
	const context = getMemory(n8n, 'flow') as { agentBridge?: Record<string, string> };
	const keyOf = (name: string) => hash('sha256', `${scope}\n${name}`, 'base64');
	return {
		get: (name) =>
			unstoredValues.get(context)?.get(keyOf(name)) ?? context.agentBridge?.[keyOf(name)],
		set(name, value) {
			const stored = (context.agentBridge ??= {});
			const kept = unstoredValues.get(context) ?? new Map<string, string>();
			unstoredValues.set(context, kept);
			delete stored[keyOf(name)];
			kept.delete(keyOf(name));
			if (redact.data(value) === value) stored[keyOf(name)] = value;
			else kept.set(keyOf(name), value);
		},
	};
}

/**
 * Collects hints that n8n shows next to the output: one line per sentence, for any number of items. n8n stores them with the
 * execution.
 */
export function createHintCollector(n8n: IExecuteFunctions, redact: Pick<Redactor, 'text'>) {
	const sentences = new Map<string, number>();
	return {
		add(hint: string) {
			const sentence = redact.text(hint);
			sentences.set(sentence, (sentences.get(sentence) ?? 0) + 1);
		},
		show() {
			for (const [sentence, count] of sentences) {
				const message = count > 1 ? `${count} items: ${sentence}` : sentence;
				addHint(n8n, message);
			}
		},
	};
}
