import {
	accumulateTokenUsage,
	assertUrlAllowed,
	isHitlToolType,
	type ICredentialDataDecryptedObject,
	type IExecuteFunctions,
	type ILoadOptionsFunctions,
	type INode,
	type IPollFunctions,
	type ISupplyDataFunctions,
	NodeOperationError,
	safeRegex,
	type SupplyData,
} from 'n8n-workflow';

import type { RegexEngine } from '../core/regex';

/*
 * Everything that older versions of n8n lack or do differently. Each function says which version it was seen in, and what happens before.
 * `npm run test:versions` runs them.
 */

/** The oldest n8n on which the nodes work: the job ledger and reviews by people need it. */
const OLDEST = '2.7';

/**
 * Refuses an n8n on which the nodes do not work. To be called first wherever n8n runs our code.
 *
 * No context tells the version. n8n-workflow has `isHitlToolType` in n8n 2.7.5, and not in 1.123.81.
 *
 * @throws NodeOperationError
 */
export function requireN8n(n8n: IExecuteFunctions | IPollFunctions | ILoadOptionsFunctions): void {
	if (typeof isHitlToolType === 'function') return;
	throw new NodeOperationError(n8n.getNode(), `This node needs n8n ${OLDEST} or newer`);
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
	const sdk = (await load().catch((cause: unknown) =>
		n8n.logger.debug('The SDK for AI nodes could not be loaded', { cause }),
	)) as Partial<AiNodeSdk> | undefined;
	if (typeof sdk?.supplyModel === 'function') return sdk as AiNodeSdk;
	throw subNodeError(
		n8n,
		`This node needs n8n ${OLDEST_WITH_SDK} or newer`,
		`This n8n has no SDK for chat models of other packages. Update n8n. Until then, use the Model Router node: it works with n8n ${OLDEST} and newer.`,
	);
}

/** n8n replaces the message of another error with the node's name (n8n-core 2.41.1, get-input-connection-data.js:306). */
export const subNodeError = (n8n: ISupplyDataFunctions, message: string, description: string) =>
	new NodeOperationError(n8n.getNode(), message, {
		description,
		functionality: 'configuration-node',
	});

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
 * Gives up a match after 250 ms, as in n8n's own nodes. n8n-workflow has `safeRegex` from 2.35 on. Before, n8n's nodes also match with
 * JavaScript's own, which may take hours.
 */
export const regexEngine: RegexEngine = (safeRegex as RegexEngine | undefined) ?? {
	test: (pattern, text, flags) => new RegExp(pattern, flags).test(text),
	replace: (pattern, text, flags, by) => text.replace(new RegExp(pattern, flags), by),
};

/**
 * Whether somebody may read along. The context of a chat model has `isStreaming` in n8n-core 2.41.1 (base-execute-context.js:160), and
 * not in 2.16.1 (execute-context.js:46): there, somebody may.
 */
export const mayStream = (n8n: Partial<Pick<IExecuteFunctions, 'isStreaming'>>): boolean =>
	n8n.isStreaming?.() ?? true;

/**
 * Milliseconds that n8n gives this poll.
 *
 * Poll contexts have `getPollBudgetMs` from n8n-core 2.38 on. Before, there is no durable scheduler, and no lease.
 *
 * @returns undefined when n8n does not say.
 */
export const getPollBudget = (n8n: IPollFunctions): number | undefined => n8n.getPollBudgetMs?.();
