import type { IDataObject, INode, JsonObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { ServiceError, type ServiceErrorDetails } from '../service/errors';
import type { Redactor } from './redact';

const REDACT_NOTHING: Redactor = { text: (text) => text, json: (json) => json };

/**
 * Turns any failure into what the editor knows how to show.
 *
 * The message is ours: it stands alone, since it is all an AI agent sees, and n8n rewrites a message that happens to contain
 * an error name such as EPERM. The service's own words go into the description, which is all that n8n's chat shows; it is
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
		const words = redact.text(error instanceof Error ? error.message : String(error));
		return new NodeOperationError(node, words, at);
	}
	if (error.kind === 'invalid') {
		const description = escaped(error.details.advice ?? 'Nothing was sent for this item.');
		return new NodeOperationError(node, redact.text(sentence(error)), { ...at, description });
	}
	const { status, ids, partial, outcome, requestId } = error.details;
	const message = redact.text(sentence(error));
	const description = escaped(redact.text(describe(error)));
	const failure = failureOf(error);
	const metadata = redact.json({
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
	return made;
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
	const { status, code, requestId, reason, advice, meta, retryAfter, outcome, ids, partial } =
		cause.details;
	const details = given({
		kind: cause.kind,
		outcome,
		status,
		code,
		requestId,
		reason,
		advice,
		meta,
		retryAfter,
		...ids,
		partial,
	});
	const json: IDataObject = {
		error: error.message,
		details: JSON.parse(redact.text(JSON.stringify(details))) as IDataObject,
	};
	return json;
}

/** A sentence that an AI agent can act on without seeing anything else: ids and what to do are in it. */
function sentence({
	kind,
	message,
	details: { code, ids, advice, outcome },
}: ServiceError): string {
	const named = Object.entries(ids ?? {}).map(([name, id]) => `${name}: ${id}`);
	const head = [
		message,
		code && !/^E[A-Z]+$|_/.test(code) ? `: ${code}` : '',
		named.length ? ` (${named.join(', ')})` : '',
	].join('');
	const tail = kind === 'invalid' || outcome === 'unknown' || named.length ? advice : undefined;
	return tail ? `${head}. ${tail}` : head;
}

function describe(error: ServiceError): string {
	const { reason, advice, code, requestId, outcome, retryAfter, partial } = error.details;
	const lines = [
		reason && `The service says: ${reason}`,
		advice,
		code && `Code: ${code}`,
		retryAfter !== undefined && `The service asks to wait ${Math.ceil(retryAfter / 1000)} s.`,
		partialSentence(partial),
		outcome && `Outcome: ${OUTCOMES[outcome]}.`,
		requestId && `Request ID: ${requestId}`,
	].filter(Boolean);
	return lines.length ? lines.join('\n') : `${error.message}. The service gave no further reason.`;
}

const OUTCOMES = {
	not_started: 'nothing was started, nothing is charged',
	unknown: 'unknown; it may have been carried out, and may be charged',
	started: 'the service received it; what it did may be charged',
};

function partialSentence(partial: object | undefined): string | undefined {
	const text =
		partial && 'text' in partial && typeof partial.text === 'string' ? partial.text : undefined;
	if (text === undefined) return undefined;
	return text
		? `What arrived before (${text.length} characters): ${text.slice(0, 1000)}`
		: 'No text had arrived.';
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

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function given(fields: Record<string, unknown> | ServiceErrorDetails): Record<string, unknown> {
	return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
