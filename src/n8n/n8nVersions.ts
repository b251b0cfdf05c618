import {
	accumulateTokenUsage,
	assertUrlAllowed,
	type ICredentialDataDecryptedObject,
	type IExecuteFunctions,
	type ILoadOptionsFunctions,
	type INode,
	type IPollFunctions,
	type ISupplyDataFunctions,
	NodeConnectionTypes,
	NodeOperationError,
	sleep,
	type SupplyData,
} from 'n8n-workflow';

import { getSettings } from './platform';

/*
 * All that older versions of n8n lack or do differently. Each function says which version it was seen in, and what happens before.
 * `npm run test:versions` runs the oldest versions.
 */

/** The oldest n8n on which the nodes work. README's table, made by `npm run test:versions`, says what works there. */
const OLDEST = '1.113';

/**
 * Refuses an n8n on which the nodes do not work. To be called first wherever n8n runs our code.
 *
 * No context tells the version. `getChatTrigger` is in all of them: in n8n-core 1.112.1 (n8n 1.113.3), node-execution-context.js, and
 * not in n8n-core 1.103.2 (n8n 1.104.2).
 *
 * @throws NodeOperationError
 */
export function requireN8n(n8n: IExecuteFunctions | IPollFunctions | ILoadOptionsFunctions): void {
	if (typeof n8n.getChatTrigger === 'function') return;
	throw new NodeOperationError(n8n.getNode(), `This node needs n8n ${OLDEST} or newer`);
}

/** The oldest n8n on which nodes can be run as speakers. */
const OLDEST_FOR_CONVERSATIONS = '1.115';

/**
 * Refuses an n8n on which a node cannot hold a conversation.
 *
 * The engine runs other nodes for a node in n8n-core 1.112.1 (n8n 1.113.3, requests-response.js), and not in 1.110.0. The nodes to be
 * run are found in n8n-core 1.114.0 (n8n 1.115.0): before, `getParentNodes` ignores the type of the connection, and names the nodes
 * that run before this one, which would be run once more as speakers.
 *
 * @throws NodeOperationError
 */
export function requireEngineRequests(n8n: IExecuteFunctions): void {
	const { name } = n8n.getNode();
	const before = new Set(n8n.getParentNodes(name).map((node) => node.name));
	const tools = n8n.getParentNodes(name, { connectionType: toolConnection, depth: 1 });
	if (!tools.some((tool) => before.has(tool.name))) return;
	throw new NodeOperationError(
		n8n.getNode(),
		`This node needs n8n ${OLDEST_FOR_CONVERSATIONS} or newer`,
	);
}

/**
 * Refuses a call without the engine's response. n8n hands one over with every call, even an empty one (n8n-core 2.41.1,
 * workflow-execute.js:605).
 *
 * With Retry On Fail, it calls a node again without one after an item with `error` (workflow-execute.js:1234): refusing that call keeps
 * all turns from being sent again.
 *
 * @throws NodeOperationError
 */
export function requireResponse(n8n: IExecuteFunctions, response: unknown): void {
	if (response !== undefined) return;
	throw new NodeOperationError(
		n8n.getNode(),
		'n8n called this node without the answers of its speakers',
		{
			description:
				'No turn was sent again. In the settings of this node, switch off Retry On Fail.',
		},
	);
}

/** What is used of n8n's SDK for AI nodes. */
export interface AiNodeSdk {
	supplyModel(n8n: ISupplyDataFunctions, options: object): SupplyData;
}

/** The oldest n8n that has the SDK: 2.16.0 depends on @n8n/ai-node-sdk 0.7.0, and 2.15.1 on none. */
const OLDEST_WITH_SDK = '2.16';

/**
 * Loads n8n's SDK. To be called first where n8n asks for a model: an n8n that is too old for the package has no SDK either.
 *
 * @param load Imports the SDK. The statement has to be in a file of a node: n8n's linter looks there. The SDK must not be loaded with the
 * package: if one node's file fails to load, n8n loads none of the package.
 * @throws NodeOperationError
 */
export async function requireSdk(
	n8n: ISupplyDataFunctions,
	load: () => Promise<unknown>,
): Promise<AiNodeSdk> {
	let sdk: Partial<AiNodeSdk> | undefined;
	let cause: unknown;
	try {
		sdk = (await load()) as Partial<AiNodeSdk>;
	} catch (failure) {
		cause = failure;
	}
	if (typeof sdk?.supplyModel === 'function') return sdk as AiNodeSdk;
	n8n.logger.debug('The SDK for AI nodes could not be loaded', { cause });
	throw subNodeError(
		n8n,
		`This node needs n8n ${OLDEST_WITH_SDK} or newer`,
		`This n8n has no SDK for chat models of other packages. Update n8n. Until then, use the Model Router node: it works from n8n ${OLDEST} on.`,
	);
}

/** n8n replaces the message of another error with the node's name (n8n-core 2.41.1, get-input-connection-data.js:306). */
export const subNodeError = (n8n: ISupplyDataFunctions, message: string, description: string) =>
	new NodeOperationError(n8n.getNode(), message, {
		description,
		functionality: 'configuration-node',
	});

/**
 * The type of a connection that carries items.
 *
 * `NodeConnectionTypes` is not in n8n-workflow 1.49 (n8n 1.50.2), where a node that reads it would not load, and could not say why.
 */
export const mainConnection =
	(NodeConnectionTypes as typeof NodeConnectionTypes | undefined)?.Main ?? 'main';

/** The type of a connection that carries a tool. See `mainConnection`. */
export const toolConnection =
	(NodeConnectionTypes as typeof NodeConnectionTypes | undefined)?.AiTool ?? 'ai_tool';

/** The type of a connection that carries a language model. See `mainConnection`. */
export const languageModelConnection =
	(NodeConnectionTypes as typeof NodeConnectionTypes | undefined)?.AiLanguageModel ??
	'ai_languageModel';

/**
 * Whether a node is a tool of an AI agent.
 *
 * n8n-workflow has `isToolType` from 2.6 on. n8n adds the suffix to the type of a node that is used as a tool (n8n-workflow 2.41.0,
 * node-helpers.js:1554; n8n-core 1.112.1 does, too).
 */
export const isToolType = (type: string): boolean =>
	/^tool|Tool$/.test(type.slice(type.lastIndexOf('.') + 1));

/**
 * Whether a node asks a person before it lets a tool run.
 *
 * n8n-workflow has `isHitlToolType` in n8n 2.7.5, and not in 1.123.81, where there are no such nodes. This is its rule
 * (n8n-workflow 2.41.0, node-helpers.js:1567).
 */
export const isHumanReviewType = (type: string): boolean => type.endsWith('HitlTool');

/**
 * Waits, and ends the wait when the signal aborts.
 *
 * n8n's `sleep` takes a signal from n8n-workflow 2.34 on. Before, the timer keeps running, without effect.
 *
 * @throws the signal's reason.
 */
export async function abortableSleep(
	milliseconds: number,
	signal: AbortSignal | undefined,
): Promise<void> {
	if (!signal) return await sleep(milliseconds);
	signal.throwIfAborted();
	let onAbort = () => {};
	const aborted = new Promise<void>((_resolve, reject) => {
		onAbort = () => reject(signal.reason as Error);
		signal.addEventListener('abort', onAbort);
	});
	try {
		await Promise.race([sleep(milliseconds, signal), aborted]);
	} finally {
		signal.removeEventListener('abort', onAbort);
	}
}

/**
 * Applies the credential's "Allowed HTTP Request Domains", which n8n does for its own HTTP nodes only.
 *
 * n8n-workflow has `assertUrlAllowed` from 2.22 on. Before, a credential that is restricted to domains is refused.
 *
 * @throws NodeOperationError
 */
export function checkAllowedDomains(
	data: ICredentialDataDecryptedObject,
	url: string,
	node: INode,
): void {
	if (data['allowedHttpRequestDomains'] !== 'domains') return;
	if (typeof assertUrlAllowed !== 'function') {
		throw new NodeOperationError(
			node,
			'"Allowed HTTP Request Domains" of the credential needs n8n 2.22 or newer',
			{ description: 'Nothing was sent. Choose "All" in the credential, or update n8n.' },
		);
	}
	const allowedDomains = String(data['allowedDomains'] ?? '').trim() || 'none';
	assertUrlAllowed({ url, allowedDomains, node });
}

/**
 * Adds tokens to the sum that n8n shows for an execution.
 *
 * n8n-workflow has `accumulateTokenUsage` from 2.17 on (2.41.0, metadata-utils.js). Before, there is no sum. The answer is already
 * paid for: it must not be lost because the tokens cannot be counted.
 */
export function countTokens(n8n: IExecuteFunctions, input: number, output: number): void {
	if (typeof accumulateTokenUsage !== 'function') return;
	try {
		accumulateTokenUsage(n8n, input, output);
	} catch (cause) {
		n8n.logger.debug('The tokens could not be counted', { cause });
	}
}

/**
 * Whether the output of the node has a reader.
 *
 * The context of an AI agent's tool has `isStreaming` in n8n-core 2.41, and not in 1.112.1 (n8n 1.113.3).
 */
export const isStreaming = (n8n: Partial<Pick<IExecuteFunctions, 'isStreaming'>>): boolean =>
	n8n.isStreaming?.() ?? false;

/**
 * Shows a sentence beside the output.
 *
 * The context of an AI agent's tool has `addExecutionHints` in n8n-core 2.0.1, and not in 1.112.1 (n8n 1.113.3).
 */
export function addHint(
	n8n: Partial<Pick<IExecuteFunctions, 'addExecutionHints'>>,
	message: string,
): void {
	n8n.addExecutionHints?.({ message, type: 'warning', location: 'outputPane' });
}

/**
 * Whether n8n runs a workflow node by node (its setting "Execution Order" v0), not branch by branch.
 *
 * Contexts have `getWorkflowSettings` in n8n-core 1.122.48 (n8n 1.123.81), and not in 1.122.10.
 */
export function isLegacyOrder(
	n8n: Partial<Pick<IExecuteFunctions, 'getWorkflowSettings'>>,
): boolean {
	const settings = n8n.getWorkflowSettings?.() ?? getSettings(n8n);
	return settings !== undefined && settings.executionOrder !== 'v1';
}

/**
 * What n8n keeps for a node, or for all nodes of an execution: it survives Retry On Fail, and is stored with a failed execution.
 *
 * n8n Agents run a tool in an empty execution of its own, which keeps nothing (n8n 2.41.1, node-execution/ephemeral-node-executor.js;
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

/**
 * Whether version 2 of the workflow engine runs the workflow.
 *
 * Contexts have `getWorkflowSettings` in n8n-core 1.122 (n8n 1.123.81), and not in 1.112.1 (n8n 1.113.3), which has one engine only.
 */
export const isEngineV2 = (n8n: Partial<Pick<IPollFunctions, 'getWorkflowSettings'>>): boolean =>
	n8n.getWorkflowSettings?.().engineType === 'v2';

/**
 * Milliseconds that n8n gives this poll.
 *
 * Poll contexts have `getPollBudgetMs` from n8n-core 2.38 on. Before, there is no durable scheduler, and no lease.
 *
 * @returns undefined when n8n does not say.
 */
export const getPollBudget = (n8n: IPollFunctions): number | undefined => n8n.getPollBudgetMs?.();
