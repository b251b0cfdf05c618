import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { ServiceError } from '../service/errors';
import { breather } from './breathe';
import { carriesOn } from './carriesOn';
import { chatSession } from './chatSession';
import { failedItem, toNodeError } from './errors';
import { connect, type Connection, type ServiceAccess } from './connection';
import { itemCalls } from './itemCalls';
import { isLive } from './liveOutput';
import type { Operation, Resource } from './operation';
import { paramReader } from './params';
import { workThrough } from './pool';
import { defaultSettings, requestSettings } from './settings';
import { opener } from './opener';
import { startLedger } from './startLedger';

/** An item that failed and what the editor says of it, or what it gave. */
type Result = { output: INodeExecutionData[] } | { cause: unknown };

/**
 * Runs the chosen operation for every input item, several at a time.
 *
 * All items are prepared before the first is sent. Output items are in the order of the input items and linked to them. With
 * Continue on Fail an item that fails becomes an item holding the error, and the rest still run; without, the first failure
 * ends the node once every request under way has come to its end.
 *
 * @throws NodeApiError or NodeOperationError, with the index of the item that failed.
 */
export async function runNode(
	n8n: IExecuteFunctions,
	resources: readonly Resource[],
	access: ServiceAccess,
): Promise<INodeExecutionData[][]> {
	const operation = chosenOperation(n8n, resources);
	const node = n8n.getNode();
	let connection: Connection | undefined;
	const nodeError = (cause: unknown, itemIndex?: number) =>
		toNodeError(node, cause, itemIndex, connection?.redact);
	try {
		const settings = {
			...defaultSettings,
			...paramReader(n8n, [requestSettings])(0).requestSettings,
		};
		connection = await connect(n8n, access, settings);
		return [await runItems(n8n, operation, connection, settings, nodeError)];
	} catch (cause) {
		if (!carriesOn(n8n)) throw nodeError(cause);
		// what concerns all items, such as the credential, is said of each
		const error = nodeError(cause);
		return [
			n8n.getInputData().map((_, item) => ({
				json: failedItem(error, cause, connection?.redact),
				pairedItem: { item },
			})),
		];
	}
}

async function runItems(
	n8n: IExecuteFunctions,
	operation: Operation,
	connection: Connection,
	settings: typeof defaultSettings,
	nodeError: (cause: unknown, itemIndex?: number) => ReturnType<typeof toNodeError>,
): Promise<INodeExecutionData[]> {
	const { redact } = connection;
	const results: Result[] = [];
	const fail = (cause: unknown, itemIndex: number) => {
		if (!carriesOn(n8n)) throw nodeError(cause, itemIndex);
		results[itemIndex] = { cause };
		return undefined;
	};

	const scope = `${connection.credentialId} ${connection.baseUrl} ${operation.value}`;
	const ledger = startLedger(n8n, { scope, sendAgain: settings.sendAgain, redact });
	const live = isLive(n8n);
	const open = opener(n8n, settings, redact);
	const { checkOf, callOf, showHints } = itemCalls(n8n, connection, open, ledger, live);

	const read = paramReader(n8n, operation.params);
	const requests: Array<{ request: unknown } | undefined> = [];
	const breathe = breather(connection.clock);
	for (const itemIndex of n8n.getInputData().keys()) {
		await breathe();
		try {
			const surroundings = {
				baseUrl: connection.baseUrl,
				chatSession: () => chatSession(n8n, itemIndex),
			};
			requests[itemIndex] = { request: operation.prepare(read(itemIndex) as never, surroundings) };
		} catch (cause) {
			requests[itemIndex] = fail(cause, itemIndex);
		}
	}
	for (const [itemIndex, prepared] of operation.check ? requests.entries() : []) {
		try {
			if (prepared) await operation.check?.(checkOf(itemIndex, prepared.request));
		} catch (cause) {
			requests[itemIndex] = fail(cause, itemIndex);
		}
	}

	const lanes = requests.map((prepared) => prepared && operation.lane?.(prepared.request as never));
	// a chat shows one answer after the other: it does not tell items apart
	await workThrough(lanes, live ? 1 : settings.concurrency, async (itemIndex, place) => {
		const prepared = requests[itemIndex];
		if (!prepared) return;
		// what was made of the parameters is not needed afterwards
		requests[itemIndex] = undefined;
		const call = callOf(itemIndex, prepared.request, place);
		try {
			const output = await operation.run(call);
			const pairedItem = { item: itemIndex };
			results[itemIndex] = {
				output: [output]
					.flat()
					.map((item) => ({ ...item, json: redact.data(item.json), pairedItem })),
			};
		} catch (cause) {
			logUnknown(n8n, cause, itemIndex);
			fail(cause, itemIndex);
		} finally {
			await call.output.end();
		}
	});

	showHints();
	if (results.every((result) => 'output' in result)) ledger.forget();
	return results.flatMap((result, item) => {
		if ('output' in result) return result.output;
		const error = nodeError(result.cause, item);
		return [{ json: failedItem(error, result.cause, redact), pairedItem: { item } }];
	});
}

function chosenOperation(n8n: IExecuteFunctions, resources: readonly Resource[]): Operation {
	const chosenResource = n8n.getNodeParameter('resource', 0);
	const operations = resources.find(({ value }) => value === chosenResource)?.operations;
	const chosen = n8n.getNodeParameter('operation', 0);
	const operation = operations?.find(({ value }) => value === chosen);
	if (!operation) {
		throw toNodeError(
			n8n.getNode(),
			new Error(`This node has no operation "${String(chosenResource)}: ${String(chosen)}"`),
		);
	}
	return operation;
}

/** After Stop n8n keeps no output: the log is all that tells of a request whose outcome nobody knows. */
function logUnknown(n8n: IExecuteFunctions, cause: unknown, itemIndex: number) {
	if (!(cause instanceof ServiceError) || cause.details.outcome !== 'unknown') return;
	const { status, requestId, ids } = cause.details;
	n8n.logger.warn('A request that may cost has an unknown outcome', {
		node: n8n.getNode().name,
		execution: n8n.getExecutionId(),
		itemIndex,
		status,
		requestId,
		...ids,
	});
}
