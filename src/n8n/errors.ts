import type { IDataObject, INode, JsonObject } from 'n8n-workflow';
import { isToolType, NodeApiError, NodeOperationError } from 'n8n-workflow';

import { ServiceError, type ServiceErrorDetails } from '../service/errors';
import { sentenceForAgent } from './agentWords';
import { describe, sentence } from './errorWords';
import type { Redactor } from './redact';

const REDACT_NOTHING: Redactor = {
	text: (text) => text,
	texts: (data) => data,
	data: (data) => data,
	also() {},
};

/**
 * Turns any failure into what the editor knows how to show.
 *
 * The message is ours, and stands alone: it is all that an AI agent sees, so a tool says more in it. The service's own words go into the description, which is all that n8n's chat shows; it is
 * rendered as HTML, hence escaped, and never equal to the message, which n8n would drop.
 */
export function toNodeError(
	node: INode,
	error: unknown,
	itemIndex?: number,
	redact: Redactor = REDACT_NOTHING,
): NodeApiError | NodeOperationError {
	const at = itemIndex === undefined ? {} : { itemIndex };
	if (error instanceof NodeApiError || error instanceof NodeOperationError) {
		if (itemIndex !== undefined) error.context['itemIndex'] = itemIndex;
		return error;
	}
	if (!(error instanceof ServiceError)) {
		// n8n's own, such as an expression that fails: it knows best how to tell
		return new NodeOperationError(node, error instanceof Error ? error : String(error), at);
	}
	const message = redact.text((isToolType(node.type) ? sentenceForAgent : sentence)(error));
	if (error.kind === 'invalid') {
		const description = describe(error);
		return saying(message, new NodeOperationError(node, message, { ...at, description }));
	}
	const { status, ids, partial, outcome, requestId } = error.details;
	const description = redact.text(describe(error));
	const failure = failureOf(error);
	const metadata = redact.data({
		kind: error.kind,
		...given({ status, ids, outcome, requestId }),
		...shortPartial(partial),
	});
	const made = new NodeApiError(node, { message: error.kind } as JsonObject, {
		...at,
		message,
		description,
		...(status !== undefined && { httpCode: String(status) }),
		...(failure && { failure }),
	});
	made.context['metadata'] = metadata as IDataObject;
	return saying(message, made);
}

/** n8n replaces a message that has "eperm" or the like anywhere in it (n8n-workflow 2.41.0, node.error.js:145). */
function saying<Made extends Error>(message: string, error: Made): Made {
	error.message = message;
	return error;
}

/**
 * What Continue on Fail puts in place of an item.
 *
 * n8n routes an item to the error output when its JSON has `error` and, beside it, nothing but `message` and `details`
 * (n8n-core 2.41.1, workflow-execute.js:1625). An `error` next to `json` would also do, and would throw `details` away.
 */
export function failedItem(
	error: NodeApiError | NodeOperationError,
	cause: unknown,
	redact: Redactor = REDACT_NOTHING,
): IDataObject {
	if (!(cause instanceof ServiceError)) return { error: error.message };
	const { status, retryAfter, outcome, ids, partial, ...rest } = cause.details;
	const { code, requestId, reason, advice, meta, computed } = rest;
	const words = { code, requestId, reason, advice, meta, computed, ...ids };
	const details = given({
		kind: cause.kind,
		outcome,
		status,
		...redact.texts(words),
		retryAfter,
		partial: redact.data(partial),
	});
	return { error: error.message, details: details as IDataObject };
}

/** Characters of a partial answer that are stored with the error itself; the error output has all of it. */
const MAX_PARTIAL = 100_000;

function shortPartial(partial: object | undefined): { partial?: object } {
	if (!partial) return {};
	const size = JSON.stringify(partial).length;
	if (size <= MAX_PARTIAL) return { partial };
	const text = 'text' in partial ? String(partial.text) : '';
	return { partial: { text: text.slice(0, MAX_PARTIAL), shortened: true } };
}

/** Read by n8n's durable polling, which then comes back at the right time. */
function failureOf({ kind, details: { status, retryAfter } }: ServiceError) {
	if (status === 401 || status === 403) return { cause: 'credential-invalid' as const };
	const wait = retryAfter === undefined ? {} : { retryAfterMs: retryAfter };
	if (status === 429) return { cause: 'rate-limited' as const, ...wait };
	if (kind === 'unreachable' || (status ?? 0) >= 500)
		return { cause: 'temporarily-unavailable' as const, ...wait };
	return undefined;
}

function given(fields: Record<string, unknown> | ServiceErrorDetails): Record<string, unknown> {
	return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
