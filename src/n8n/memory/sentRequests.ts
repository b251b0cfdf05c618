import { hash } from 'crypto';
import { type IExecuteFunctions, isToolType } from 'n8n-workflow';

import {
	ServiceError,
	type ServiceErrorDetails,
	type ServiceErrorKind,
	isUnstarted,
	joinSentences,
} from '../../core/errors';
import { isEmptyValue } from '../../core/json';
import { readSpeakerTurn } from '../caller';
import { getMemory } from './executionMemory';
import { getRunIndex } from '../platform';
import type { Redactor } from '../redact';

/** The state of one request that may cost money. Stored with the execution, so it must be plain data. */
type SentState = Fingerprints &
	(
		| { state: 'pending' }
		| { state: 'done'; result: unknown }
		| { state: 'open'; kind: ServiceErrorKind; message: string; details: ServiceErrorDetails }
	);

/** What was started, by its place. */
type Starts = Record<string, SentState>;

interface SentRequestsOptions {
	/** Identifies the credential, base URL and operation. */
	scope: string;
	/** Whether a request with an unknown outcome is sent again. */
	resendIfUnknown: boolean;
	redact: Redactor;
}

/** Two ways to recognize the same start: its content and its source (an expression may return a new value each time). */
interface Fingerprints {
	request: string;
	source?: string;
}

const NOT_SENT_AGAIN =
	'It was not sent again. Once you have checked, "Resend If Outcome Is Unknown" in Request Settings sends it again.';

export type SentRequests = ReturnType<typeof createSentRequests>;

/** One request: what is known of it, and what becomes of it. */
type SentRequest = ReturnType<typeof createSentRequest>;

/**
 * Records what was started, so that a second run of the node never starts it again.
 *
 * n8n runs a node again for ALL items when one of them fails (Retry On Fail), and again when a person retries the execution.
 * The node's context survives both, and is stored with a failed execution. It does not survive Stop or a killed process.
 *
 * Each turn of a conversation is one start, whatever is said in it, and however often the conversation asks for it.
 *
 * @see n8n-core 2.41.1, execution-engine/workflow-execute.js:931 (getRetryParams)
 */
export function createSentRequests(
	n8n: IExecuteFunctions,
	{ scope, resendIfUnknown, redact }: SentRequestsOptions,
) {
	const context = getMemory(n8n, 'node') as { starts?: Starts };
	const runIndex = getRunIndex(n8n);
	const placeOf = createPlaces(n8n, scope);
	const recallAt = (place: Place) =>
		createSentRequest((context.starts ??= {}), place, { resendIfUnknown, redact });

	return {
		/** Whether nothing is remembered, as in most runs. */
		isFirstRun: isEmptyValue(context.starts),

		/**
		 * Looks up a request that may cost money.
		 *
		 * @param request What is sent, without random parts such as a new session id, and without what somebody may change before n8n runs
		 * the node again: the model, its list, limits and prices.
		 */
		recall: (itemIndex: number, request: unknown) => recallAt(placeOf(itemIndex, request)),

		/**
		 * Looks up a request of a chat model. An AI agent sends many for one item, and the same may be sent for several items: so only one that
		 * has failed counts, for a caller that asks again: n8n, when it runs the agent again, or a library such as LangChain.
		 *
		 * @param signal Aborts when the caller gives up, which counts as a failure.
		 */
		recallCall(itemIndex: number, request: unknown, signal?: AbortSignal): SentRequest {
			const print = fingerprint(scope, request);
			const start = `${runIndex}.${itemIndex}.${print}`;
			const sent = recallAt({ start, prints: { request: print } });
			const recordResult = () => void (signal?.aborted || delete context.starts?.[start]);
			return { ...sent, recordSending: () => undefined, recordResult };
		},
	};
}

/** Deletes the records of this run. Once every item has succeeded, n8n does not run the node again. */
export function forgetSent(n8n: IExecuteFunctions): void {
	const { starts = {} } = getMemory(n8n, 'node') as { starts?: Starts };
	const run = `${getRunIndex(n8n)}.`;
	for (const start of Object.keys(starts)) if (start.startsWith(run)) delete starts[start];
}

/** Where a request is remembered, and how it is recognized. */
interface Place {
	start: string;
	prints: Fingerprints;
	/** What the starts of all turns of its conversation begin with, if it is one. */
	turns?: string;
	/** Whether it is looked for in other runs, too. */
	inAllRuns?: boolean;
}

/** Parameters that do not change what is asked for. Somebody may change them before n8n runs the node again. */
const NOT_OF_REQUEST = new Set([
	'allowUnknownCost',
	'hideProgress',
	'maxSizeMib',
	'maxTokens',
	'maxWait',
	'model',
	'onIncomplete',
	'requestSettings',
	'simplify',
	'spendingCapPerExecution',
	'spendingCapPerItem',
	'spendingLabel',
	'triggerGroup',
]);

function createPlaces(n8n: IExecuteFunctions, scope: string) {
	const node = n8n.getNode();
	const parameters = fingerprint(scope, node.parameters, NOT_OF_REQUEST);
	// an AI agent calls its tool repeatedly with the same node and item, and each call is a new request
	const asTool = isToolType(node.type);
	const runIndex = getRunIndex(n8n);
	const speakerTurn = readSpeakerTurn(n8n);
	return (item: number, request: unknown): Place => {
		if (speakerTurn) {
			const { conversationRun, itemIndex, conversationId, sessionId, turn } = speakerTurn;
			const turns = `${fingerprint(scope, [conversationRun, itemIndex, conversationId, sessionId])}.`;
			const start = `${turns}${turn}`;
			// an AI agent that makes the same request again with this tool wants another result
			return { start, prints: { request: start }, turns };
		}
		const json = n8n.getInputData()[item]?.json;
		const source = asTool ? {} : { source: fingerprint(parameters, json) };
		const prints = { request: fingerprint(scope, request), ...source };
		const start = `${runIndex}.${item}`;
		if (!asTool) return { start, prints };
		// some AI agents give a repeated run of their tool a new run index (n8n-core 2.41.1, get-input-connection-data.js:157)
		return { start: `${start}.${prints.request}`, prints, inAllRuns: true };
	};
}

function createSentRequest(
	starts: Starts,
	place: Place,
	{ resendIfUnknown, redact }: Omit<SentRequestsOptions, 'scope'>,
) {
	const { start, prints, turns } = place;
	/** What was recorded when the request was sent before. */
	const earlier = findEarlier(starts, place);
	const record = (entry: SentState) => void (starts[start] = entry);
	return {
		/** Whether the request is not sent: its earlier result or failure counts. */
		isSettled: () => earlier !== undefined && (earlier.state === 'done' || !resendIfUnknown),
		/**
		 * @returns undefined when the request may be sent.
		 * @throws ServiceError, the earlier failure, when the service may have received it.
		 */
		earlierResult(): { result: unknown } | undefined {
			if (!earlier) return undefined;
			if (earlier.state === 'done') return { result: earlier.result };
			if (resendIfUnknown) return undefined;
			throw alreadySentError(earlier);
		},
		recordSending() {
			record({ ...prints, state: 'pending' });
		},
		/** @param result Plain data. It is stored with the execution, so an echoed key is redacted. */
		recordResult(result: unknown) {
			record({ ...prints, state: 'done', result: redact.data(result) });
			if (turns !== undefined) forgetAnsweredTurns(starts, turns, start);
		},
		recordFailure(cause: unknown) {
			if (!(cause instanceof ServiceError)) return;
			if (isUnstarted(cause)) return void delete starts[start];
			const { kind, message, details } = redact.error(cause);
			record({ ...prints, state: 'open', kind, message, details });
		},
	};
}

/** The same request at its place or, for a tool, one that has failed in any run of the node. */
function findEarlier(starts: Starts, { start, prints, inAllRuns }: Place): SentState | undefined {
	const own = starts[start];
	const isSameSource = prints.source !== undefined && own?.source === prints.source;
	if (own && (isSameSource || own.request === prints.request)) return own;
	if (!inAllRuns) return undefined;
	return Object.values(starts).find(
		({ state, request }) => state === 'open' && request === prints.request,
	);
}

/**
 * That a turn of a conversation was answered is only forgotten when the speaker has answered another turn of it: so nothing has to be kept
 * for every turn, and a turn that is asked for again gets the same answer.
 */
function forgetAnsweredTurns(starts: Starts, turns: string, answered: string): void {
	for (const [start, { state }] of Object.entries(starts)) {
		if (state === 'done' && start !== answered && start.startsWith(turns)) delete starts[start];
	}
}

function alreadySentError(entry: Extract<SentState, { state: 'pending' | 'open' }>): ServiceError {
	if (entry.state === 'pending') {
		return new ServiceError(
			'cancelled',
			'An earlier run was interrupted while this request was in progress',
			{
				outcome: 'unknown',
				advice: `It is not known whether the service received it. ${NOT_SENT_AGAIN}`,
			},
		);
	}
	const advice = joinSentences(entry.details.advice, NOT_SENT_AGAIN);
	return new ServiceError(entry.kind, entry.message, { ...entry.details, advice });
}

/** @param without Names of fields that do not count, at any depth. */
function fingerprint(scope: string, value: unknown, without?: ReadonlySet<string>): string {
	const keep =
		without && ((name: string, field: unknown) => (without.has(name) ? undefined : field));
	const text = JSON.stringify(value ?? null, keep);
	return hash('sha256', `${scope}\n${text}`, 'base64');
}
