import { type IExecuteFunctions, type INodeExecutionData, isToolType } from 'n8n-workflow';

import { invalidInputError, ServiceError } from '../core/errors';
import type { Clock } from '../core/retry';
import { discardedError, findCaller, isDiscarded, isLive, readHandedOver } from './caller';
import type { ServiceAccess } from './connection';
import { continuesOnFail, forVisitor, toErrorItem, toNodeError } from './errors';
import { hasExpression } from './parameterFields';
import { runPool, type Slot } from './itemPool';
import { requireN8n } from './n8nVersions';
import type { ItemOutput, Operation, Resource } from './operation';
import {
	createOperationContexts,
	type OperationContexts,
	type PreparedItem,
} from './operationContext';
import { createParamReader } from './parameters';
import { attachStartedIds } from './recordIds';
import { connectItems, type ItemConnections } from './connect';
import { createRedactor, type Redactor } from './redact';
import type { RequestSettings } from './requestSettings';
import { readSettings } from './nodeProperties';
import { forgetSent } from './memory/sentRequests';
import { createClock } from './serviceClient';

/** The output of an item, or its failure. */
type ItemResult = { output: INodeExecutionData[] } | { cause: unknown };

/**
 * Runs the chosen operation for every input item, several at a time.
 *
 * All items are prepared before the first is sent. Output items have the order of the input items and are linked to them. With
 * Continue on Fail, an item that fails becomes an item with the error, and the others still run. Without it, the first failure ends
 * the node as soon as all requests in flight have ended.
 *
 * @throws NodeApiError or NodeOperationError, with the index of the item that failed.
 */
export async function runNode(
	n8n: IExecuteFunctions,
	resources: readonly Resource[],
	access: ServiceAccess,
): Promise<INodeExecutionData[][]> {
	requireN8n(n8n);
	const operation = findChosenOperation(n8n, resources);
	const redact = createRedactor();
	try {
		const settings = readSettings(n8n, resources, operation);
		const count = Math.max(1, n8n.getInputData().length);
		const connections = await connectItems(n8n, access, redact, settings, { count });
		return [await runItems(n8n, operation, connections, { redact, settings })];
	} catch (cause) {
		if (!continuesOnFail(n8n))
			throw forVisitor(n8n, toNodeError(n8n.getNode(), cause, undefined, redact));
		// a failure of all items, such as a credential, is reported for each of them
		return [n8n.getInputData().map((_, item) => toFailedItem(n8n, cause, item, redact))];
	}
}

/** What Continue on Fail puts in place of an item. */
function toFailedItem(
	n8n: IExecuteFunctions,
	cause: unknown,
	item: number,
	redact: Redactor,
): INodeExecutionData {
	const error = toNodeError(n8n.getNode(), cause, item, redact);
	const json = toErrorItem(error, cause, redact, findCaller(n8n) === 'aiAgent');
	return { json, pairedItem: { item } };
}

/**
 * Records the failure of an item.
 *
 * @throws it, where it ends the node.
 */
type FailItem = (cause: unknown, itemIndex: number) => undefined;

/** What `prepare` made from each item; undefined for one that has failed or begun. */
type PreparedItems = Array<PreparedItem | undefined>;

async function runItems(
	n8n: IExecuteFunctions,
	operation: Operation,
	connections: ItemConnections,
	{ redact, settings }: { redact: Redactor; settings: RequestSettings },
): Promise<INodeExecutionData[]> {
	const results = createItemResults(n8n, redact);
	const live = isLive(n8n);
	const isSpeaker = findCaller(n8n) === 'conversation';
	const contexts = createOperationContexts(n8n, connections, {
		operation,
		resendIfUnknown: settings.resendIfUnknown,
		redact,
		live,
	});
	const requests = await prepareItems(n8n, operation, connections, results.fail);
	await checkItems(operation, requests, contexts, results.fail);
	const sequenceKeys = requests.map(
		(prepared) => prepared && operation.sequenceKey?.(prepared.request as never),
	);
	const work = async (itemIndex: number, slot: Slot) => {
		const prepared = requests[itemIndex];
		if (!prepared) return;
		// frees its memory: a message may be large
		requests[itemIndex] = undefined;
		const context = contexts.createOperationContext(itemIndex, prepared, slot);
		let after = '\n\n';
		try {
			results.succeed([await operation.run(context)].flat(), itemIndex);
			after = '';
		} catch (cause) {
			logUnknownOutcome(n8n, cause, itemIndex, redact);
			results.fail(cause, itemIndex);
		} finally {
			await context.output.end(after);
			if (isSpeaker && context.output.hasWritten()) results.markShownLive(itemIndex);
		}
	};
	let hasFailed = false;
	try {
		// a chat does not separate the answers of items: they have to come one after the other
		await runPool(sequenceKeys, live ? 1 : settings.concurrency, work);
	} catch (cause) {
		hasFailed = true;
		const failure = results.firstFailure() ?? cause;
		const error = toNodeError(n8n.getNode(), failure, undefined, redact);
		throw attachStartedIds(n8n, contexts.startedIds, error);
	} finally {
		await connections.accounts.close();
		await contexts.end(hasFailed);
	}

	contexts.showHints();
	if (results.haveAllSucceeded()) forgetSent(n8n);
	return results.toOutput();
}

/** What became of the items of one run. */
function createItemResults(n8n: IExecuteFunctions, redact: Redactor) {
	const results: ItemResult[] = [];
	const shownLive = new Set<number>();
	/** What ended the node. An item that was cancelled because of it may end before it. */
	let firstFailure: Error | undefined;
	const fail: FailItem = (cause, itemIndex) => {
		if (!continuesOnFail(n8n)) {
			const failure = toNodeError(n8n.getNode(), cause, itemIndex, redact);
			if (!(cause instanceof ServiceError && cause.kind === 'cancelled')) firstFailure ??= failure;
			throw failure;
		}
		results[itemIndex] = { cause };
		return undefined;
	};
	return {
		fail,
		succeed(items: ItemOutput[], itemIndex: number): void {
			const pairedItem = { item: itemIndex };
			results[itemIndex] = {
				output: items.map((item) => ({ ...item, json: redact.data(item.json), pairedItem })),
			};
		},
		/** The conversation in which the node speaks then does not write the item into the chat again. */
		markShownLive: (itemIndex: number) => void shownLive.add(itemIndex),
		firstFailure: () => firstFailure,
		haveAllSucceeded: () => results.every((result) => 'output' in result),
		toOutput: (): INodeExecutionData[] =>
			results.flatMap((result, item) => {
				const output =
					'output' in result ? result.output : [toFailedItem(n8n, result.cause, item, redact)];
				if (!shownLive.has(item)) return output;
				return output.map((one) => ({ ...one, json: { ...one.json, shownLive: true } }));
			}),
	};
}

async function prepareItems(
	n8n: IExecuteFunctions,
	operation: Operation,
	connections: ItemConnections,
	fail: FailItem,
): Promise<PreparedItems> {
	const read = createParamReader(n8n, operation.params);
	const yieldToEventLoop = createEventLoopYielder(createClock(n8n.getExecutionCancelSignal()));
	const requests: PreparedItems = [];
	for (const itemIndex of n8n.getInputData().keys()) {
		await yieldToEventLoop();
		try {
			const { baseUrl, sessionSpace, readModelLists, server } = connections.of(itemIndex);
			const handedOver = readHandedOver(n8n, itemIndex);
			const context = { baseUrl, sessionSpace, handedOver, readModelLists, server };
			requests[itemIndex] = { request: operation.prepare(read(itemIndex) as never, context) };
		} catch (cause) {
			requests[itemIndex] = fail(cause, itemIndex);
		}
	}
	return requests;
}

/** Removes the items that the operation's check refuses. What was paid for before is returned, whatever the check would say by now. */
async function checkItems(
	operation: Operation,
	requests: PreparedItems,
	contexts: OperationContexts,
	fail: FailItem,
): Promise<void> {
	if (!operation.check) return;
	for (const [itemIndex, prepared] of requests.entries()) {
		if (!prepared) continue;
		const { isFirstRun, recall, createPreflightContext } = contexts.ofItem(itemIndex);
		if (!isFirstRun && recall(itemIndex, prepared.request)?.isSettled()) continue;
		try {
			const context = createPreflightContext(itemIndex, prepared.request);
			requests[itemIndex] = { ...prepared, checked: await operation.check(context) };
		} catch (cause) {
			requests[itemIndex] = fail(cause, itemIndex);
		}
	}
}

function findChosenOperation(n8n: IExecuteFunctions, resources: readonly Resource[]): Operation {
	// n8n does not remove an expression that an AI model fills
	const { type, parameters } = n8n.getNode();
	const { resource: storedResource, operation: storedOperation } = parameters;
	const nodeError = (cause: Error) => forVisitor(n8n, toNodeError(n8n.getNode(), cause));
	if (hasExpression(storedResource) || hasExpression(storedOperation))
		throw nodeError(invalidInputError('Resource and Operation cannot be expressions'));
	if (isDiscarded(n8n)) throw nodeError(discardedError());
	const resource = findChosen(n8n, 'resource', resources);
	if (!resource) throw nodeError(unknownChoiceError('resource', storedResource));
	if (resource.notInTools && isToolType(type)) throw nodeError(notForAgentsError(resource.name));
	const operation = findChosen(n8n, 'operation', resource.operations);
	if (operation) return operation;
	throw nodeError(unknownChoiceError('operation', storedOperation));
}

/** The entry of a list that was chosen in the editor, or its only one. */
function findChosen<Entry extends { value: string }>(
	n8n: IExecuteFunctions,
	parameter: 'resource' | 'operation',
	entries: readonly Entry[],
): Entry | undefined {
	if (entries.length === 1) return entries[0];
	const chosen = n8n.getNodeParameter(parameter, 0);
	return entries.find(({ value }) => value === chosen);
}

/** n8n adds "Custom API Call" to the lists, and has an HTTP Request node run it (n8n 2.41.1, load-nodes-and-credentials.js). */
const unknownChoiceError = (what: string, stored: unknown) =>
	stored === '__CUSTOM_API_CALL__'
		? invalidInputError(
				'This node does not support "Custom API Call"',
				"Nothing was sent. Choose another operation. For your own API call, use an HTTP Request node: set Authentication to Predefined Credential Type, and choose this node's credential.",
			)
		: invalidInputError(
				`This node has no ${what} "${String(stored)}"`,
				'Nothing was sent. Choose one from the list.',
			);

const notForAgentsError = (resource: string) =>
	invalidInputError(
		`An AI agent cannot use the resource ${resource}`,
		'Nothing was done. Do not call this tool again: tell the user that only a person can decide this, with the same node in a workflow.',
	);

/** After Stop n8n keeps no output: only the log then mentions a request with an unknown outcome. */
function logUnknownOutcome(
	n8n: IExecuteFunctions,
	cause: unknown,
	itemIndex: number,
	redact: Redactor,
) {
	if (!(cause instanceof ServiceError) || cause.details.outcome !== 'unknown') return;
	const { status, requestId, ids } = redact.error(cause).details;
	n8n.logger.warn('A request that may cost has an unknown outcome', {
		node: n8n.getNode().name,
		executionId: n8n.getExecutionId(),
		itemIndex,
		status,
		requestId,
		...ids,
	});
}

/** Milliseconds for which the event loop may be blocked. Until then webhooks and Stop have to wait. */
const MAX_BLOCKING_TIME = 50;

/**
 * For a loop over items without other waits: n8n takes half a millisecond per expression, so 10,000 of them would block the whole
 * instance for seconds.
 *
 * @returns a function to be awaited before every item. It throws when the execution is stopped.
 */
function createEventLoopYielder({ now, sleep }: Clock): () => Promise<void> | undefined {
	let since = now();
	return () => {
		if (now() - since < MAX_BLOCKING_TIME) return undefined;
		return sleep(0).then(() => void (since = now()));
	};
}
