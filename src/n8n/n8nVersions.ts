import {
	accumulateTokenUsage,
	assertUrlAllowed,
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

/**
 * What an n8n on which the nodes do not work is told. The oldest on which they work is the first with `assertUrlAllowed`: n8n-workflow has it
 * in n8n 2.22.6, and not in 2.22.0. No context tells the version.
 */
const TOO_OLD = 'This node needs n8n 2.22.6 or newer';
const isTooOld = () => typeof (assertUrlAllowed as unknown) !== 'function';

/**
 * Refuses an n8n on which the nodes do not work. To be called first wherever n8n runs our code.
 *
 * @throws NodeOperationError
 */
export function requireN8n(n8n: IExecuteFunctions | IPollFunctions | ILoadOptionsFunctions): void {
	if (isTooOld()) throw new NodeOperationError(n8n.getNode(), TOO_OLD);
}

/** What is used of n8n's SDK for AI nodes. */
export interface AiNodeSdk {
	supplyModel(n8n: ISupplyDataFunctions, options: object): SupplyData;
}

/**
 * Loads n8n's SDK where n8n asks for a model, and refuses an n8n as `requireN8n` does, by an error that n8n shows there.
 *
 * @param load Imports the SDK. The statement has to be in a file of a node: n8n's linter looks there. The SDK must not be loaded with the
 * package: if one node's file fails to load, n8n loads none of the package.
 * @throws NodeOperationError
 */
export async function requireSdk(
	n8n: ISupplyDataFunctions,
	load: () => Promise<unknown>,
): Promise<AiNodeSdk> {
	const loaded = isTooOld()
		? undefined
		: await load().catch((cause: unknown) =>
				n8n.logger.debug('The SDK for AI nodes could not be loaded', { cause }),
			);
	const sdk = loaded as Partial<AiNodeSdk> | undefined;
	if (typeof sdk?.supplyModel === 'function') return sdk as AiNodeSdk;
	throw subNodeError(n8n, TOO_OLD, 'This n8n has no SDK for chat models of other packages.');
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
 * @throws NodeOperationError
 */
export function checkAllowedDomains(
	data: ICredentialDataDecryptedObject,
	url: string,
	node: INode,
): void {
	if (data['allowedHttpRequestDomains'] !== 'domains') return;
	const allowedDomains = String(data['allowedDomains'] ?? '').trim() || 'none';
	assertUrlAllowed({ url, allowedDomains, node });
}

/**
 * Adds tokens to the sum that n8n shows for an execution. The answer is already paid for: it must not be lost because they cannot be
 * counted.
 */
export function countTokens(n8n: IExecuteFunctions, input: number, output: number): void {
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
 * not in 2.34.0 (execute-context.js:46): there, somebody may.
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
