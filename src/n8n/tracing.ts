import type {
	ExecutionError,
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	ITaskMetadata,
} from 'n8n-workflow';

import { cutText, determineOutcome, ServiceError } from '../core/errors';
import { isPlainObject } from '../core/json';
import { readTokenCounts } from '../core/tokenCounts';
import type { Redactor } from './redact';

type Item = Readonly<Record<string, unknown>>;

/** Outputs that may have cost something, and failures, as far as they are known. */
export interface Traced {
	outputs: readonly IDataObject[];
	causes: readonly unknown[];
}

/**
 * Adds to n8n's traces what a node has paid for: sums over its items, as attributes of its span, under OpenTelemetry's names where there are any.
 */
export function tracePayments(
	n8n: IExecuteFunctions,
	{ outputs, causes }: Traced,
	redact: Pick<Redactor, 'error'>,
): void {
	const failures = causes.flatMap((cause) =>
		cause instanceof ServiceError
			? [{ outcome: determineOutcome(cause), ...redact.error(cause).details }]
			: [],
	);
	setTracing(n8n, describe(outputs, failures));
}

/**
 * Tells n8n's traces about one call of a chat model, which has a run and a span of its own: `setMetadata` of its context would write into
 * those of the agent, where the next call replaces it (n8n-core 2.41.1, supply-data-context.js).
 *
 * @param called What the run of the call is to show.
 */
export function traceCall(called: INodeExecutionData[][] | ExecutionError): ITaskMetadata {
	const items = Array.isArray(called) ? called.flat() : [];
	const outputs = items.map(({ json }) => ({ ...json, usage: json['tokenUsage'] }));
	const details = Array.isArray(called) ? undefined : called.context?.['metadata'];
	return toTracing(describe(outputs, isPlainObject(details) ? [details] : []));
}

/** @param failures The details of each. */
function describe(outputs: readonly Item[], failures: readonly Item[]): Attributes {
	const partials = failures.flatMap(({ partial }) => (isPlainObject(partial) ? [partial] : []));
	const answers = [...outputs, ...partials];
	const tokens = answers.map(({ usage }) => readTokenCounts(usage));
	const listOf = (values: readonly unknown[]) =>
		[...new Set(values.filter((value) => typeof value === 'string'))].join(', ');
	return {
		'gen_ai.request.model': listOf(answers.map(({ model }) => model)),
		'gen_ai.usage.input_tokens': sum(tokens.map(({ input }) => input)),
		'gen_ai.usage.output_tokens': sum(tokens.map(({ output }) => output)),
		'cost.usd': sum(answers.map(({ costUsd }) => costUsd)),
		'request.ids': listOf([...outputs, ...failures].map(({ requestId }) => requestId)),
		outcome: listOf([
			...outputs.map(({ complete }) => (complete === false ? 'incomplete' : 'started')),
			...failures.map(({ outcome }) => outcome),
		]),
	};
}

type EndedConversation = { conversationId: string; turns: number; ended: string; costUsd?: number };

/** Adds conversations that have ended to n8n's traces. */
export function traceConversations(
	n8n: IExecuteFunctions,
	results: readonly EndedConversation[],
): void {
	setTracing(n8n, {
		'gen_ai.conversation.id': results.map(({ conversationId }) => conversationId).join(', '),
		'conversation.turns': sum(results.map(({ turns }) => turns)),
		'conversation.ended': [...new Set(results.map(({ ended }) => ended))].join(', '),
		'cost.usd': sum(results.map(({ costUsd }) => costUsd)),
	});
}

/** @returns undefined if no value is known: 0 would read as free */
function sum(values: readonly unknown[]): number | undefined {
	const known = values.filter((value) => typeof value === 'number');
	// without the rounding errors of floating point
	return known.length
		? Number(known.reduce((total, value) => total + value, 0).toFixed(9))
		: undefined;
}

/** Characters of an attribute: a list of IDs may be long. */
const MAX_ATTRIBUTE = 500;

/** What is known of a run, by the names of attributes. */
type Attributes = Record<string, string | number | undefined>;

/** Adds attributes to what n8n's traces show of the run of a node. */
function setTracing(n8n: IExecuteFunctions, attributes: Attributes): void {
	const metadata = toTracing(attributes);
	if (metadata.tracing && typeof n8n.setMetadata === 'function') n8n.setMetadata(metadata);
}

/**
 * The metadata by which attributes get into the node's span in n8n's traces, as `n8n.node.custom.*`. They are also stored with the execution.
 *
 * Executions have `tracing` in their metadata from n8n 2.19 on (n8n-core 2.41.1, base-execute-context.js). Before, n8n ignores it.
 *
 * @param attributes Those without a value are left out.
 */
function toTracing(attributes: Attributes): ITaskMetadata {
	const known = Object.entries(attributes).flatMap(([name, value]) =>
		value === undefined || value === ''
			? []
			: [[name, typeof value === 'string' ? cutText(value, MAX_ATTRIBUTE) : value] as const],
	);
	return known.length ? { tracing: Object.fromEntries(known) } : {};
}
