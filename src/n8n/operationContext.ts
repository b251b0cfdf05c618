import { type IExecuteFunctions, isToolType } from 'n8n-workflow';

import { reserve } from '../core/reserve';
import type { Clock } from '../core/retry';
import { countInFlight, payOnce } from '../core/startPaid';
import { findFile, readFile, storeFile } from './binaryData';
import type { Connection } from './connection';
import type { ItemConnections } from './itemConnections';
import type { Slot } from './itemPool';
import { findCaller } from './caller';
import {
	createLiveOutput,
	type LiveOutput,
	NO_LIVE_OUTPUT,
	showProgress,
	speakerHeading,
} from './liveOutput';
import { createExecutionState, createFlowState } from './memory/executionMemory';
import { createHintCollector } from './hints';
import { countTokens } from './n8nVersions';
import type { Operation, OperationContext, PreflightContext } from './operation';
import { recordWorkId, type StartedIds } from './recordIds';
import type { Redactor } from './redact';
import { createSentRequests, forgetSent } from './memory/sentRequests';
import { createSessionRunner } from './memory/sessionTurns';
import { lookUp } from './memory/sharedCache';

interface RunOptions {
	operation: Operation;
	/** @see requestSettings */
	resendIfUnknown: boolean;
	redact: Redactor;
	live: boolean;
}

/** What `prepare` and `check` of an operation made of an item. */
export interface PreparedItem {
	request: unknown;
	checked?: unknown;
}

/** Makes what the operations of one execution work with, item by item. */
export function createOperationContexts(
	n8n: IExecuteFunctions,
	connections: ItemConnections,
	{ operation, resendIfUnknown, redact, live }: RunOptions,
) {
	const hints = createHintCollector(n8n, redact);
	const { add: addHint } = hints;
	const memoryOf = createMemories(n8n, { operation, resendIfUnknown, redact, addHint });
	const startedIds: StartedIds = new Map();
	const stop = n8n.getExecutionCancelSignal();
	const createPreflightContext = (itemIndex: number, request: unknown) =>
		memoryOf(connections.of(itemIndex)).createPreflightContext(itemIndex, request);
	const recall = (itemIndex: number, request: unknown) =>
		memoryOf(connections.of(itemIndex)).recall(itemIndex, request);
	const { getState, createSerialRunner } = createExecutionState(n8n);
	const endActions: EndAction[] = [];
	const createOperationContext = (
		itemIndex: number,
		{ request, checked }: PreparedItem,
		slot: Slot,
	): OperationContext<never, never> & { output: LiveOutput } => {
		const connection = connections.of(itemIndex);
		const { clock, account } = connection;
		const { fields } = memoryOf(connection);
		const output = live ? openOutput(n8n, itemIndex, redact) : NO_LIVE_OUTPUT;
		return {
			...createPreflightContext(itemIndex, request),
			...fields,
			checked: checked as never,
			output,
			clock: createReleasingClock(clock, slot),
			runSerially: createSerialRunner(slot),
			inSession: createSessionRunner(account, { slot, stop }),
			getState,
			payOnce: async (pay) => await payOnce(recall(itemIndex, request), connection, pay),
			waitForOthers: async (othersEnd) => await slot.afterOthers(othersEnd),
			recordId: (name, id) => recordWorkId(n8n, startedIds, name, redact.data(id)),
			stream: output.write,
			showProgress: async (line) => await showProgress(n8n, itemIndex, output, line),
			addJobCost: hints.addJobCost,
			atEnd: (action) => void endActions.push(action),
			countTokens: (input, out) => countTokens(n8n, input, out),
			readFile: async (property, path) => await readFile(n8n, itemIndex, property, path),
			storeFile: async (response, wanted) => await storeFile(n8n, redact, response, wanted),
		};
	};

	return {
		createPreflightContext,
		createOperationContext,
		recall,
		startedIds,
		/** To be called right before the node ends. @param hasFailed Whether it ends with an error. */
		end: async (hasFailed: boolean) => await runAll(endActions, hasFailed, stop?.aborted === true),
		/** To be called when the budget has been written. */
		showHints: () => hints.show(connections.accounts.budget?.actions.describeLeft()),
		/** Forgets what was sent. To be called when every item has succeeded. */
		forgetSent: () => forgetSent(n8n),
	};
}

type EndAction = Parameters<OperationContext<never>['atEnd']>[0];

async function runAll(
	actions: readonly EndAction[],
	hasFailed: boolean,
	isStopped: boolean,
): Promise<void> {
	if (hasFailed && !isStopped) return;
	await Promise.all(actions.map(async (action) => await action(!isStopped)));
}

/** What an execution remembers, and what a preflight works with, made once for each connection. */
function createMemories(
	n8n: IExecuteFunctions,
	{
		operation,
		resendIfUnknown,
		redact,
		addHint,
	}: Omit<RunOptions, 'live'> & Pick<PreflightContext<never>, 'addHint'>,
) {
	const make = (connection: Connection) => {
		const { http, httpOf, idleTimeout, account, accounts } = connection;
		const { scope } = connection;
		const place = `${scope} ${connection.baseUrl}`;
		// a tool has one place for all that its agents ask for
		const sender = isToolType(n8n.getNode().type) ? scope : connection.sender;
		const sentBy = `${sender} ${connection.baseUrl} ${operation.value}`;
		const sent = { scope: sentBy, resendIfUnknown, redact };
		const sentRequests = createSentRequests(n8n, sent);
		return {
			/** What is known of the request of an item. Undefined where nothing of it is remembered. */
			recall(itemIndex: number, request: unknown) {
				const identity = operation.identify?.(request as never);
				return identity === undefined ? undefined : sentRequests.recall(itemIndex, identity);
			},
			/** Of the context of an operation. */
			fields: {
				http,
				httpOf,
				idleTimeout,
				accounts,
				building: {
					mode: n8n.getMode(),
					place: [n8n.getWorkflow().id, n8n.getNode().id, operation.value, account],
					resendIfUnknown,
				},
				reserveUnknown: async () => await reserve(accounts.openCall(''), () => NO_COST),
				flowState: createFlowState(n8n, place, redact),
				countInFlight: () => countInFlight(account),
			},
			createPreflightContext: createPreflightContexts(n8n, connection, addHint),
		};
	};
	const memories = new Map<Connection, ReturnType<typeof make>>();
	return (connection: Connection) => {
		const memory = memories.get(connection) ?? make(connection);
		memories.set(connection, memory);
		return memory;
	};
}

function openOutput(n8n: IExecuteFunctions, itemIndex: number, redact: Redactor): LiveOutput {
	const stop = n8n.getExecutionCancelSignal();
	const heading = findCaller(n8n) === 'conversation' ? speakerHeading(n8n.getNode().name) : '';
	return createLiveOutput(n8n, itemIndex, { stop, stream: redact.stream(), heading });
}

/** Agents and assistants do not say what they cost. */
const NO_COST = { unbounded: 'the service reports no cost' };

/** Reads what changes rarely once for all executions of an account. */
export function createLookUp(
	n8n: Pick<IExecuteFunctions, 'getExecutionCancelSignal'>,
	{
		account,
		httpWithoutRetries,
		idleTimeout,
	}: Pick<Connection, 'account' | 'httpWithoutRetries' | 'idleTimeout'>,
): PreflightContext<never>['lookUp'] {
	const stop = n8n.getExecutionCancelSignal();
	return async (name, read, insufficient) =>
		await lookUp(
			`${account} ${name}`,
			async () => await read(httpWithoutRetries),
			stop,
			insufficient,
			idleTimeout,
		);
}

/** While it sleeps, another item may use the slot. */
const createReleasingClock = (clock: Clock, slot: Slot): Clock => ({
	...clock,
	sleep: async (milliseconds) => await slot.releaseDuring(() => clock.sleep(milliseconds)),
});

const createPreflightContexts =
	(n8n: IExecuteFunctions, connection: Connection, addHint: PreflightContext<never>['addHint']) =>
	(itemIndex: number, request: unknown): PreflightContext<never> => ({
		request: request as never,
		asTool: isToolType(n8n.getNode().type),
		usesLedger: connection.usesLedger,
		ownPrices: connection.ownPrices,
		baseUrl: connection.baseUrl,
		isAccountOfItem: connection.isOfItem,
		lookUp: createLookUp(n8n, connection),
		clock: connection.clock,
		connectLedger: connection.connectLedger,
		origin: {
			executionId: n8n.getExecutionId(),
			credentialId: connection.credentialId,
			scope: connection.scope,
		},
		addHint,
		findFile: (property, path) => findFile(n8n, itemIndex, property, path),
	});
