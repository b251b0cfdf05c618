import {
	type IDataObject,
	type IExecuteFunctions,
	type INode,
	isToolType,
	type JsonObject,
	NodeApiError,
	NodeOperationError,
} from 'n8n-workflow';

import { describeStatus } from '../core/errorResponses';
import { cutText, joinSentences, ServiceError, withDetails } from '../core/errors';
import { omitMissing, pickPresent } from '../core/json';
import { isErrorRead } from './caller';
import {
	agentErrorMessage,
	checkKeyAdvice,
	chatModelErrorDescription,
	chatModelErrorMessage,
	errorDescription,
	errorMessage,
	errorTitle,
	renderForEditor,
	toPlainText,
} from './errorMessages';
import { toLogLine } from './recordIds';
import type { Redactor } from './redact';

type ErrorRedactor = Pick<Redactor, 'data' | 'error'>;

const NO_REDACTION: ErrorRedactor = { data: (data) => data, error: (error) => error };

/**
 * Turns any failure into an error that n8n's editor can show.
 *
 * The message is ours. The service's own words go into the description (see `errorDescription`).
 */
export function toNodeError(
	node: INode,
	error: unknown,
	itemIndex?: number,
	redact: ErrorRedactor = NO_REDACTION,
): NodeApiError | NodeOperationError {
	const at = {
		...(itemIndex !== undefined && { itemIndex }),
		// otherwise n8n replaces the message of a node that others use (n8n-core 2.41.1, get-input-connection-data.js:306)
		...(isChatModelType(node.type) && { functionality: 'configuration-node' as const }),
	};
	if (error instanceof NodeApiError || error instanceof NodeOperationError) {
		if (itemIndex !== undefined) error.context['itemIndex'] = itemIndex;
		if (at.functionality) error.functionality = at.functionality;
		return redactNodeError(error, redact);
	}
	if (!(error instanceof ServiceError)) {
		// n8n's own error, such as a failed expression
		const foreign = error instanceof Error ? error : String(error);
		return redactNodeError(new NodeOperationError(node, foreign, at), redact);
	}
	return serviceToNodeError(node, redact.error(error), at);
}

/** @param error Already redacted: half of a key that was cut could not be recognized. */
function serviceToNodeError(
	node: INode,
	error: ServiceError,
	at: { itemIndex?: number; functionality?: 'configuration-node' },
): NodeApiError | NodeOperationError {
	const words = wordError(node, nameCredential(error, node));
	const message = toPlainText(words.message);
	const description = toPlainText(words.description);
	const html = renderForEditor(words.description);
	if (error.kind === 'invalid')
		return withWords(
			{ message, html },
			new NodeOperationError(node, message, { ...at, description }),
		);
	const { status, ids, partial, outcome, requestId } = error.details;
	const failure = toPollFailure(error);
	const metadata = {
		kind: error.kind,
		...omitMissing({ status, ids, outcome, requestId }),
		...shortenPartial(partial),
	};
	const made = new NodeApiError(node, { message: error.kind } as JsonObject, {
		...at,
		message,
		description,
		...(status !== undefined && { httpCode: String(status) }),
		...(failure && { failure }),
	});
	keepMetadata(made, metadata as IDataObject);
	return withWords({ message, html }, made);
}

/**
 * An AI agent wraps the error of its model into one that has the same context object, and n8n then clears `metadata` in it, which has all
 * that had arrived (n8n-workflow 2.41.0, node-operation.error.js:45).
 */
function keepMetadata({ context }: NodeApiError, metadata: IDataObject): void {
	let kept = metadata;
	Object.defineProperty(context, 'metadata', {
		enumerable: true,
		configurable: true,
		get: () => kept,
		set: (changed: IDataObject | undefined) => void (kept = changed ?? kept),
	});
}

/**
 * What a reader gets: in the editor a title and a description, each thing once. An AI agent gets only the message, and so does a user
 * who publishes a workflow whose trigger fails (n8n 2.41.1).
 */
function wordError(node: INode, error: ServiceError): { message: string; description: string } {
	if (isToolType(node.type))
		return { message: agentErrorMessage(error), description: errorDescription(error) };
	if (node.type.endsWith('Trigger')) {
		return { message: errorMessage(error), description: errorDescription(error, false) };
	}
	if (isChatModelType(node.type))
		return { message: chatModelErrorMessage(error), description: chatModelErrorDescription(error) };
	return { message: errorTitle(error), description: errorDescription(error) };
}

/** An AI agent that uses a model passes on the message alone, and a chat shows the description alone. */
const isChatModelType = (type: string) => /\.lmChat/.test(type);

/** There may be several of a kind, and a reader at an agent or in a chat does not see which one was refused. */
function nameCredential(error: ServiceError, { credentials = {} }: INode): ServiceError {
	const [credential] = Object.values(credentials);
	const { status = 0, advice } = error.details;
	const isOfKey = [401, 403].includes(status) && error.message === describeStatus(status);
	if (!credential) return error;
	const { name } = credential;
	const named = advice?.replace(OF_CREDENTIAL, (words) => `${words} "${name}"`);
	// an error about another key or another server says which
	if (isOfKey) return withDetails(error, { advice: joinSentences(checkKeyAdvice(name), named) });
	return named === advice ? error : withDetails(error, omitMissing({ advice: named }));
}

const OF_CREDENTIAL = /\b(?:of|in) the credential(?=[.,:])/;

/** All of an error is stored with the execution. */
function redactNodeError<Made extends NodeApiError | NodeOperationError>(
	error: Made,
	redact: ErrorRedactor,
): Made {
	error.message = redact.data(error.message);
	error.context = redact.data(error.context);
	error.messages = redact.data(error.messages);
	if (error.stack) error.stack = redact.data(error.stack);
	if (error.description) error.description = redact.data(error.description);
	if (error.cause instanceof Error) error.cause.message = redact.data(error.cause.message);
	return error;
}

/**
 * An error as it may leave a node. n8n writes its description into the chat that has started the execution (n8n-core 2.41.1,
 * workflow-execute.js:1053), where a visitor must not read addresses, IDs and advice. They go to the error's messages, which the editor shows,
 * and to the log.
 */
export function forVisitor<Made extends NodeApiError | NodeOperationError>(
	n8n: IExecuteFunctions,
	error: Made,
): Made {
	const { name } = n8n.getNode();
	const sentence = `${name} could not answer.`;
	const { message, description } = error;
	if (description === sentence || !isErrorRead(n8n)) return error;
	const execution = n8n.getExecutionId();
	const line = `execution ${execution}, ${name} could not answer: ${message}. ${description}`;
	n8n.logger.warn(toLogLine(line), { node: name, executionId: execution });
	if (description) error.messages.push(description);
	error.description = sentence;
	return error;
}

/**
 * n8n replaces a message that has "eperm" or the like anywhere in it (n8n-workflow 2.41.0, node.error.js:145).
 *
 * The panel of n8n's editor shows `descriptionTemplate` in place of the description, as HTML, and nothing else does
 * (n8n-editor-ui 2.41.0, NodeErrorView). What an error workflow gets and posts is the description.
 */
function withWords<Made extends NodeApiError | NodeOperationError>(
	{ message, html }: { message: string; html: string },
	error: Made,
): Made {
	error.message = message;
	error.context['descriptionTemplate'] = html;
	return error;
}

/**
 * What Continue on Fail puts in place of an item.
 *
 * n8n routes an item to the error output when its JSON has `error` and nothing else but `message` and `details`
 * (n8n-core 2.41.1, workflow-execute.js:1625). An `error` next to `json` would also work, but n8n would drop `details`.
 *
 * @param forAgent Whether the model of an AI agent reads it. What a speaker in a conversation says is read by people.
 */
export function toErrorItem(
	error: NodeApiError | NodeOperationError,
	cause: unknown,
	redact: ErrorRedactor = NO_REDACTION,
	forAgent = isToolType(error.node.type),
): IDataObject {
	if (!(cause instanceof ServiceError)) return { error: error.message };
	const failure = nameCredential(redact.error(cause), error.node);
	const message = (forAgent ? agentErrorMessage : errorMessage)(failure);
	const { retryAfter, ids, partial } = failure.details;
	const details = omitMissing({
		kind: cause.kind,
		...pickPresent(failure.details, SHOWN_DETAILS),
		...ids,
		retryAfterSeconds: retryAfter === undefined ? undefined : Math.ceil(retryAfter / 1000),
		partial,
	});
	return { error: redact.data(message), details: details as IDataObject };
}

const SHOWN_DETAILS = [
	'outcome',
	'status',
	'code',
	'requestId',
	'reason',
	'advice',
	'meta',
	'computed',
	'budget',
] as const;

/** Characters of a partial answer that are stored with the error. The error output has all of it. */
const MAX_PARTIAL = 100_000;

function shortenPartial(partial: { text?: unknown; body?: unknown } | undefined) {
	if (!partial || JSON.stringify(partial).length <= MAX_PARTIAL) return omitMissing({ partial });
	const { text = '', body } = partial;
	// a body in an unexpected form, as text
	const bodyText = typeof body === 'string' ? body : JSON.stringify(body);
	const short = { text: cutText(String(text), MAX_PARTIAL), shortened: true };
	return {
		partial: { ...short, ...omitMissing({ body: bodyText && cutText(bodyText, MAX_PARTIAL / 2) }) },
	};
}

/** For n8n's durable polling, which schedules the next poll by it. */
function toPollFailure({ kind, details: { status, retryAfter, transient } }: ServiceError) {
	if (status === 401 || status === 403) return { cause: 'credential-invalid' as const };
	const wait = retryAfter === undefined ? {} : { retryAfterMs: retryAfter };
	if (status === 429) return { cause: 'rate-limited' as const, ...wait };
	if (kind === 'unreachable' || transient || (status ?? 0) >= 500)
		return { cause: 'temporarily-unavailable' as const, ...wait };
	return undefined;
}

/**
 * Whether an item that fails becomes an item with the error, and the other items still run.
 *
 * For an AI agent's tool, this is the case unless the user has chosen Stop Workflow. n8n writes what a tool throws into the user's chat, with the service's own words
 * (n8n-core 2.41.1, workflow-execute.js:1053), and agents before version 3 do not see it at all (langchain's AgentExecutor).
 */
export function continuesOnFail(n8n: IExecuteFunctions): boolean {
	const { type, onError } = n8n.getNode();
	const forAgent = isToolType(type) && onError !== 'stopWorkflow';
	return (forAgent || n8n.continueOnFail()) && !n8n.getExecutionCancelSignal()?.aborted;
}
