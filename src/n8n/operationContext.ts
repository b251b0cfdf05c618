import { type IExecuteFunctions, isToolType } from 'n8n-workflow';

import { reserve } from '../core/reserve';
import { countInFlight, payOnce } from '../core/startPaid';
import { findFile, readFile, storeFile } from './binaryData';
import type { Connection } from './connection';
import type { ItemConnections } from './connect';
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
import { createSentRequests } from './memory/sentRequests';
import { runInSession } from './memory/sessionTurns';
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
	options: RunOptions,
) {
	const { redact, live } = options;
	const hints = createHintCollector(n8n, redact);
	const startedIds: StartedIds = new Map();
	const stop = n8n.getExecutionCancelSignal();
	const shared = new Map<Connection, ReturnType<typeof shareContext>>();
	const ofItem = (itemIndex: number) => {
		const connection = connections.of(itemIndex);
		const context = shared.get(connection) ?? shareContext(n8n, connection, options, hints);
		shared.set(connection, context);
		return context;
	};
	const { getState, runSerially } = createExecutionState(n8n);
	const endActions: EndAction[] = [];
	const createOperationContext = (
		itemIndex: number,
		{ request, checked }: PreparedItem,
		slot: Slot,
	): OperationContext<never, never> & { output: LiveOutput } => {
		const { clock, account } = connections.of(itemIndex);
		const { fields, recall, createPreflightContext } = ofItem(itemIndex);
		const output = live ? openOutput(n8n, itemIndex, redact) : NO_LIVE_OUTPUT;
		return {
			...createPreflightContext(itemIndex, request),
			...fields,
			checked: checked as never,
			output,
			// while it sleeps, another item may use the slot
			clock: { ...clock, sleep: async (time) => await slot.releaseDuring(() => clock.sleep(time)) },
			runSerially: async (act) => await runSerially(slot, act),
			inSession: async (name, act) => await runInSession({ account, name, slot, stop }, act),
			getState,
			payOnce: async (pay) => await payOnce(recall(itemIndex, request), { account, clock }, pay),
			waitForOthers: slot.afterOthers,
			recordId: (name, id) => recordWorkId(n8n, startedIds, name, redact.data(id)),
			stream: output.write,
			showProgress: async (line) => await showProgress(n8n, itemIndex, output, line),
			atEnd: (action) => void endActions.push(action),
			readFile: async (property, path) => await readFile(n8n, itemIndex, property, path),
		};
	};

	return {
		ofItem,
		createOperationContext,
		startedIds,
		/** To be called right before the node ends. @param hasFailed Whether it ends with an error. */
		async end(hasFailed: boolean): Promise<void> {
			const isStopped = stop?.aborted === true;
			if (hasFailed && !isStopped) return;
			await Promise.all(endActions.map(async (action) => await action(!isStopped)));
		},
		/** To be called when the budget has been written. */
		showHints: () => hints.show(connections.accounts.budget?.actions.describeLeft()),
	};
}

export type OperationContexts = ReturnType<typeof createOperationContexts>;

type EndAction = Parameters<OperationContext<never>['atEnd']>[0];

/** What the contexts of all items with one connection share. */
function shareContext(
	n8n: IExecuteFunctions,
	connection: Connection,
	{ operation, resendIfUnknown, redact }: RunOptions,
	{ add: addHint, addJobCost }: ReturnType<typeof createHintCollector>,
) {
	const { http, httpOf, idleTimeout, account, accounts } = connection;
	const { baseUrl, scope, credentialId, usesLedger, ownPrices, clock, connectLedger } = connection;
	const asTool = isToolType(n8n.getNode().type);
	// a tool has one place for all that its agents ask for
	const sender = asTool ? scope : connection.sender;
	const sentBy = `${sender} ${baseUrl} ${operation.value}`;
	const sentRequests = createSentRequests(n8n, { scope: sentBy, resendIfUnknown, redact });
	const ofAll = {
		asTool,
		usesLedger,
		ownPrices,
		baseUrl,
		isAccountOfItem: connection.isOfItem,
		lookUp: createLookUp(n8n, connection),
		clock,
		connectLedger,
		origin: { executionId: n8n.getExecutionId(), credentialId, scope },
		addHint,
	};
	return {
		isFirstRun: sentRequests.isFirstRun,
		/** What is known of the request of an item. Undefined where nothing of it is remembered. */
		recall(itemIndex: number, request: unknown) {
			const identity = operation.identify?.(request as never);
			return identity === undefined ? undefined : sentRequests.recall(itemIndex, identity);
		},
		createPreflightContext: (itemIndex: number, request: unknown): PreflightContext<never> => ({
			...ofAll,
			request: request as never,
			findFile: (property, path) => findFile(n8n, itemIndex, property, path),
		}),
		/** Those that only a run has. */
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
			flowState: createFlowState(n8n, `${scope} ${baseUrl}`, redact),
			redact: redact.data,
			countInFlight: () => countInFlight(account),
			addJobCost,
			countTokens: (input, output) => countTokens(n8n, input, output),
			storeFile: async (response, wanted) => await storeFile(n8n, redact, response, wanted),
		} satisfies Partial<OperationContext<never>>,
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
