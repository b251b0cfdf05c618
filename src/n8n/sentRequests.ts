import { hash } from 'crypto';
import { type IExecuteFunctions, isToolType } from 'n8n-workflow';

import {
	ServiceError,
	type ServiceErrorDetails,
	type ServiceErrorKind,
	isUnstarted,
} from '../core/errors';
import { readSpeakerTurn, type SpeakerTurn } from './caller';
import { getMemory } from './executionMemory';
import { getRunIndex } from './platform';
import type { Redactor } from './redact';

/** The state of one request that may cost money. Stored with the execution, so it must be plain data. */
type SentState = Fingerprints &
	(
		| { state: 'pending' }
		| { state: 'done'; result: unknown }
		| { state: 'open'; kind: ServiceErrorKind; message: string; details: ServiceErrorDetails }
	);

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
export type SentRequest = ReturnType<typeof createSentRequest>;

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
	const context = getMemory(n8n, 'node') as { starts?: Record<string, SentState> };
	const runIndex = getRunIndex(n8n);
	const node = n8n.getNode();
	const parameters = fingerprint(scope, node.parameters);
	// an AI agent calls its tool repeatedly with the same node and item, and each call is a new request
	const asTool = isToolType(node.type);
	const speakerTurn = readSpeakerTurn(n8n);
	const track = (record: RequestRecord) => createSentRequest(record, resendIfUnknown, redact);

	return {
		/**
		 * Looks up a request that may cost money.
		 *
		 * @param request What is sent, without random parts such as a new session id.
		 * @param attempt Which of several attempts at it is meant. One whose outcome is unknown keeps the others from being made.
		 */
		recall(itemIndex: number, request: unknown, attempt?: string) {
			const entries = (context.starts ??= {});
			if (speakerTurn) return track(findTurn(entries, scope, speakerTurn, attempt));
			const start = `${runIndex}.${itemIndex}`;
			const key = keyOfAttempt(start, attempt);
			const item = n8n.getInputData()[itemIndex]?.json;
			const source = asTool ? {} : { source: fingerprint(parameters, item) };
			const prints: Fingerprints = { request: fingerprint(scope, request), ...source };
			const earlier =
				findSameRequest(entries[key], prints) ??
				(attempt === undefined ? undefined : findOpenAttempt(entries, start, prints)) ??
				// some AI agents give a repeated run of their tool a new run index (n8n-core 2.41.1, get-input-connection-data.js:157)
				(asTool ? findOpenRequest(entries, prints) : undefined);
			return track({ entries, key, prints, earlier });
		},

		/**
		 * Looks up a request of a chat model. An AI agent sends many for one item, and the same may be sent for several items: so only one that
		 * has failed counts, for a caller that asks again: n8n, when it runs the agent again, or a library such as LangChain.
		 *
		 * @param signal Aborts when the caller gives up, which counts as a failure.
		 */
		recallCall(itemIndex: number, request: unknown, signal?: AbortSignal): SentRequest {
			const entries = (context.starts ??= {});
			const print = fingerprint(scope, request);
			const key = `${runIndex}.${itemIndex}.${print}`;
			const sent = track({ entries, key, prints: { request: print }, earlier: entries[key] });
			const recordResult = () => void (signal?.aborted || delete entries[key]);
			return { ...sent, recordSending: () => undefined, recordResult };
		},

		/** Deletes the records of this run. Once every item has succeeded, n8n does not run the node again. */
		forget() {
			for (const key of Object.keys(context.starts ?? {})) {
				if (key.startsWith(`${runIndex}.`)) delete context.starts?.[key];
			}
		},
	};
}

/**
 * The record of a turn in a conversation. That it was answered is only forgotten when the speaker has answered another turn of the
 * same conversation: so nothing has to be kept for every turn, and a turn that is asked for again gets the same answer.
 */
function findTurn(
	entries: Record<string, SentState>,
	scope: string,
	{ conversationRun, itemIndex, conversationId, sessionId, turn }: SpeakerTurn,
	attempt: string | undefined,
): RequestRecord {
	const prefix = `${fingerprint(scope, [conversationRun, itemIndex, conversationId, sessionId])}.`;
	const start = `${prefix}${turn}`;
	const key = keyOfAttempt(start, attempt);
	const isOfTurn = (other: string) => other === start || other.startsWith(`${start}/`);
	const forgetAnsweredTurns = () => {
		for (const [other, { state }] of Object.entries(entries)) {
			if (!isOfTurn(other) && other.startsWith(prefix) && state === 'done') delete entries[other];
		}
	};
	// an AI agent that makes the same request again with this tool wants another result
	const prints = { request: key };
	const earlier = entries[key] ?? findOpenAttempt(entries, start);
	return { entries, key, prints, earlier, forgetAnsweredTurns };
}

/** Attempts of one start have keys of their own below it. */
const keyOfAttempt = (start: string, attempt: string | undefined) =>
	attempt === undefined ? start : `${start}/${attempt}`;

/** Another attempt at the same start whose outcome is unknown: no model is asked after it. */
function findOpenAttempt(
	entries: Record<string, SentState>,
	start: string,
	prints?: Fingerprints,
): SentState | undefined {
	return Object.entries(entries)
		.filter(([key, entry]) => key.startsWith(`${start}/`) && isOutcomeUnknown(entry))
		.map(([, entry]) => entry)
		.find(({ source }) => prints === undefined || source === prints.source);
}

const isOutcomeUnknown = (entry: SentState) =>
	entry.state === 'pending' || (entry.state === 'open' && entry.details.outcome !== 'started');

interface RequestRecord {
	entries: Record<string, SentState>;
	key: string;
	prints: Fingerprints;
	/** What was recorded when the request was sent before. */
	earlier: SentState | undefined;
	/** Deletes what this request's result makes superfluous. */
	forgetAnsweredTurns?(): void;
}

function createSentRequest(
	{ entries, key, prints, earlier, forgetAnsweredTurns }: RequestRecord,
	resendIfUnknown: boolean,
	redact: Redactor,
) {
	return {
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
			entries[key] = { ...prints, state: 'pending' };
		},
		/** @param result Plain data. It is stored with the execution, so an echoed key is redacted. */
		recordResult(result: unknown) {
			entries[key] = { ...prints, state: 'done', result: redact.data(result) };
			forgetAnsweredTurns?.();
		},
		recordFailure(cause: unknown) {
			if (!(cause instanceof ServiceError)) return;
			if (isUnstarted(cause)) return void delete entries[key];
			const { kind, message, details } = redact.error(cause);
			entries[key] = { ...prints, state: 'open', kind, message, details };
		},
	};
}

function findSameRequest(
	entry: SentState | undefined,
	{ request, source }: Fingerprints,
): SentState | undefined {
	const isSame = entry?.request === request || (source !== undefined && entry?.source === source);
	return isSame ? entry : undefined;
}

/** A failed request of any run of the node whose outcome is unknown. */
function findOpenRequest(
	entries: Record<string, SentState>,
	{ request }: Fingerprints,
): SentState | undefined {
	return Object.values(entries).find(
		(entry) => entry.state === 'open' && entry.request === request,
	);
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
	const advice = [entry.details.advice, NOT_SENT_AGAIN].filter(Boolean).join(' ');
	return new ServiceError(entry.kind, entry.message, { ...entry.details, advice });
}

function fingerprint(scope: string, value: unknown): string {
	return hash('sha256', `${scope}\n${JSON.stringify(value ?? null)}`, 'base64');
}
