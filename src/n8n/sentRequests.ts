import { hash } from 'crypto';
import { type IExecuteFunctions, isToolType } from 'n8n-workflow';

import {
	ServiceError,
	type ServiceErrorDetails,
	type ServiceErrorKind,
	isUnstarted,
} from '../core/errors';
import { readSpeakerTurn } from './caller';
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

/** What was started, by its place, and by the attempt: a start without several has one, without a name. */
type Starts = Record<string, Record<string, SentState>>;

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
	const context = getMemory(n8n, 'node') as { starts?: Starts };
	const runIndex = getRunIndex(n8n);
	const placeOf = createPlaces(n8n, scope);
	const recallAt = (place: Place, attempt: string) =>
		createSentRequest((context.starts ??= {}), place, attempt, { resendIfUnknown, redact });

	return {
		/** @returns the attempts at a request that were made, the first one first. They may be paid, so they come before others. */
		findAttempts(itemIndex: number, request: unknown): string[] {
			const { start, prints } = placeOf(itemIndex, request);
			const made = Object.entries(context.starts?.[start] ?? {});
			return made.flatMap(([attempt, entry]) => (isSameRequest(entry, prints) ? attempt : []));
		},

		/**
		 * Looks up a request that may cost money.
		 *
		 * @param request What is sent, without random parts such as a new session id, and without what its attempts differ in.
		 * @param attempt Which of several attempts at it is meant. One whose outcome is unknown keeps the others from being made.
		 */
		recall: (itemIndex: number, request: unknown, attempt = '') =>
			recallAt(placeOf(itemIndex, request), attempt),

		/**
		 * Looks up a request of a chat model. An AI agent sends many for one item, and the same may be sent for several items: so only one that
		 * has failed counts, for a caller that asks again: n8n, when it runs the agent again, or a library such as LangChain.
		 *
		 * @param signal Aborts when the caller gives up, which counts as a failure.
		 */
		recallCall(
			itemIndex: number,
			request: unknown,
			signal?: AbortSignal,
			attempt = '',
		): SentRequest {
			const print = fingerprint(scope, request);
			const start = `${runIndex}.${itemIndex}.${print}`;
			const sent = recallAt({ start, prints: { request: print } }, attempt);
			const recordResult = () =>
				void (signal?.aborted || delete context.starts?.[start]?.[attempt]);
			return { ...sent, recordSending: () => undefined, recordResult };
		},

		/** Deletes the records of this run. Once every item has succeeded, n8n does not run the node again. */
		forget() {
			for (const start of Object.keys(context.starts ?? {})) {
				if (start.startsWith(`${runIndex}.`)) delete context.starts?.[start];
			}
		},
	};
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

function createPlaces(n8n: IExecuteFunctions, scope: string) {
	const node = n8n.getNode();
	const parameters = fingerprint(scope, node.parameters);
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
		// some AI agents give a repeated run of their tool a new run index (n8n-core 2.41.1, get-input-connection-data.js:157)
		return { start: `${runIndex}.${item}`, prints, inAllRuns: asTool };
	};
}

function createSentRequest(
	starts: Starts,
	place: Place,
	attempt: string,
	{ resendIfUnknown, redact }: Omit<SentRequestsOptions, 'scope'>,
) {
	const { start, prints, turns } = place;
	/** What was recorded when the request was sent before. */
	const earlier = findEarlier(starts, place, attempt);
	const record = (entry: SentState) => void ((starts[start] ??= {})[attempt] = entry);
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
			record({ ...prints, state: 'pending' });
		},
		/** @param result Plain data. It is stored with the execution, so an echoed key is redacted. */
		recordResult(result: unknown) {
			record({ ...prints, state: 'done', result: redact.data(result) });
			if (turns !== undefined) forgetAnsweredTurns(starts, turns, start);
		},
		recordFailure(cause: unknown) {
			if (!(cause instanceof ServiceError)) return;
			if (isUnstarted(cause)) return void delete starts[start]?.[attempt];
			const { kind, message, details } = redact.error(cause);
			record({ ...prints, state: 'open', kind, message, details });
		},
	};
}

/** The same attempt at a request, or another one whose outcome is unknown: no model is asked after it. */
function findEarlier(
	starts: Starts,
	{ start, prints, inAllRuns }: Place,
	attempt: string,
): SentState | undefined {
	const attempts = starts[start] ?? {};
	const isSame = (entry: SentState | undefined) => entry && isSameRequest(entry, prints);
	const own = attempts[attempt];
	if (isSame(own)) return own;
	const unknown = Object.values(attempts).find((entry) => isSame(entry) && isOutcomeUnknown(entry));
	return unknown ?? (inAllRuns ? findOpenRequest(starts, prints, attempt) : undefined);
}

/** A failed request of any run of the node: the same attempt, or another one whose outcome is unknown. */
const findOpenRequest = (starts: Starts, { request }: Fingerprints, attempt: string) =>
	Object.values(starts)
		.flatMap((attempts) => Object.entries(attempts))
		.filter(([, entry]) => entry.state === 'open' && entry.request === request)
		.find(([name, entry]) => !attempt || name === attempt || isOutcomeUnknown(entry))?.[1];

/**
 * That a turn of a conversation was answered is only forgotten when the speaker has answered another turn of it: so nothing has to be kept
 * for every turn, and a turn that is asked for again gets the same answer.
 */
function forgetAnsweredTurns(starts: Starts, turns: string, answered: string): void {
	for (const [start, attempts] of Object.entries(starts)) {
		const isAnswered = Object.values(attempts).some(({ state }) => state === 'done');
		if (isAnswered && start !== answered && start.startsWith(turns)) delete starts[start];
	}
}

const isOutcomeUnknown = (entry: SentState) =>
	entry.state === 'pending' || (entry.state === 'open' && entry.details.outcome !== 'started');

const isSameRequest = (entry: SentState, { request, source }: Fingerprints): boolean =>
	entry.request === request || (source !== undefined && entry.source === source);

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
