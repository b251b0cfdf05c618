import { type IExecuteFunctions, isToolType } from 'n8n-workflow';

import type { Accounts } from '../core/accounts';
import { reserve } from '../core/reserve';
import type { Clock } from '../core/retry';
import { findFile, readFile, storeFile } from './binaryData';
import type { Connection } from './connection';
import type { Slot } from './itemPool';
import { findCaller } from './caller';
import {
	createLiveOutput,
	type LiveOutput,
	NO_LIVE_OUTPUT,
	showProgress,
	speakerHeading,
} from './liveOutput';
import { createExecutionState, createFlowState } from './executionMemory';
import { createHintCollector } from './hints';
import { countTokens } from './n8nVersions';
import type { OperationContext, PreflightContext } from './operation';
import { recordWorkId, type StartedIds } from './recordIds';
import type { SentRequest } from './sentRequests';
import { lookUp } from './sharedCache';
import { countInFlight, payOnce } from './startPaid';

/** Makes what the operations of one execution work with, item by item. */
export function createOperationContexts(
	n8n: IExecuteFunctions,
	connection: Connection,
	recall: (itemIndex: number, request: unknown) => SentRequest | undefined,
	live: boolean,
) {
	const { http, clock, idleTimeout, account, credentialId, redact, connectLedger } = connection;
	const { accounts } = connection;
	const hints = createHintCollector(n8n, redact);
	const startedIds: StartedIds = new Map();
	const stop = n8n.getExecutionCancelSignal();
	const flowState = createFlowState(n8n, `${credentialId} ${connection.baseUrl}`, redact);
	const createPreflightContext = createPreflightContexts(n8n, connection);
	const { getState, createSerialRunner } = createExecutionState(n8n);

	const endActions: Array<Parameters<OperationContext<never>['atEnd']>[0]> = [];
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
			...{ output, http, idleTimeout },
			clock: createReleasingClock(clock, slot),
			runSerially: createSerialRunner(slot),
			getState,
			payOnce: async (pay) =>
				await payOnce(
					recall(itemIndex, request),
					{ account, clock, reserve: toUnknown(accounts) },
					pay,
				),
			...{ connectLedger, accounts, flowState },
			origin: { executionId: n8n.getExecutionId(), credentialId },
			recordId: (name, id) => recordWorkId(n8n, startedIds, name, redact.data(id)),
			countInFlight: () => countInFlight(account),
			stream: output.write,
			showProgress: async (line) => await showProgress(n8n, itemIndex, output, line),
			...{ addHint: hints.add, addJobCost: hints.addJobCost },
			atEnd: (action) => void endActions.push(action),
			countTokens: (input, out) => countTokens(n8n, input, out),
			readFile: async (property, path) => await readFile(n8n, itemIndex, property, path),
			storeFile: async (response, wanted) => await storeFile(n8n, redact, response, wanted),
		};
	};

	return {
		...{ createPreflightContext, createOperationContext, startedIds },
		/** To be called right before the node ends. @param hasFailed Whether it ends with an error. */
		async end(hasFailed: boolean): Promise<void> {
			const isStopped = stop?.aborted === true;
			if (hasFailed && !isStopped) return;
			await Promise.all(endActions.map(async (action) => await action(!isStopped)));
		},
		/** To be called when the budget has been written. */
		showHints: () => hints.show(accounts.budget?.actions.describeLeft()),
	};
}

/** For requests to agents and assistants, which report no cost. */
const toUnknown = (accounts: Accounts) => async () =>
	await reserve(accounts.openCall(''), () => ({ unbounded: 'the service reports no cost' }));

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

const createPreflightContexts =
	(n8n: IExecuteFunctions, connection: Connection) =>
	(itemIndex: number, request: unknown): PreflightContext<never> => ({
		request: request as never,
		asTool: isToolType(n8n.getNode().type),
		usesLedger: connection.usesLedger,
		lookUp: createLookUp(n8n, connection),
		findFile: (property, path) => findFile(n8n, itemIndex, property, path),
	});
