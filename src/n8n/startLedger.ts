import { hash } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';
import { isToolType } from 'n8n-workflow';

import {
	explained,
	ServiceError,
	type ServiceErrorDetails,
	type ServiceErrorKind,
} from '../service/errors';
import { outcomeOf } from '../service/outcome';
import type { Redactor } from './redact';

/** What is known of one request that may cost. Kept in the execution, so it must be plain data. */
type Entry = Fingerprints &
	(
		| { state: 'pending' }
		| { state: 'done'; result: unknown }
		| { state: 'open'; kind: ServiceErrorKind; message: string; details: ServiceErrorDetails }
	);

interface LedgerOptions {
	/** What tells one credential, address and operation from another. */
	scope: string;
	/** Whether what may have been received is sent again. */
	sendAgain: boolean;
	redact: Redactor;
}

/** Two ways to recognise the same start: what is sent, and where it came from (an expression may give something new each time). */
interface Fingerprints {
	request: string;
	source?: string;
}

const NOT_SENT_AGAIN =
	'It was not sent again. Once you have checked, "Send Again After Unknown Outcome" in Request Settings sends it again.';

/**
 * Remembers what was started, so that a second run of the node never starts it again.
 *
 * n8n runs a node again for ALL items when one of them fails (Retry On Fail), and again when a person retries the execution.
 * The node's context lives through both, and is stored with a failed execution. It does not survive Stop or a killed process.
 *
 * @see n8n-core 2.41.1, execution-engine/workflow-execute.js:931 (getRetryParams)
 */
export function startLedger(n8n: IExecuteFunctions, { scope, sendAgain, redact }: LedgerOptions) {
	const context = n8n.getContext('node') as { starts?: Record<string, Entry> };
	const runIndex = (n8n as { runIndex?: number }).runIndex ?? 0;
	const node = n8n.getNode();
	const parameters = fingerprint(scope, node.parameters);
	// an AI agent calls its tool again and again with the same node and item, and means something new each time
	const asTool = isToolType(node.type);

	return {
		/**
		 * Sends a request that may cost, unless it was sent before: then it gives the earlier result, or fails as before.
		 *
		 * @param request What is sent; a random part, such as a new session id, is left out.
		 * @param send Gives a result of plain data.
		 */
		async once<Result>(
			itemIndex: number,
			request: unknown,
			send: () => Promise<Result>,
		): Promise<Result> {
			const entries = (context.starts ??= {});
			const key = `${runIndex}.${itemIndex}`;
			const prints: Fingerprints = {
				request: fingerprint(scope, request),
				...(!asTool && {
					source: fingerprint(parameters, n8n.getInputData()[itemIndex]?.json),
				}),
			};
			const own = entries[key];
			// some AI agents give a repeated run of their tool a number of its own (n8n-core 2.41.1, get-input-connection-data.js:157)
			const earlier = own && isSame(own, prints) ? own : asTool && openOf(entries, prints);
			if (earlier) {
				if (earlier.state === 'done') return earlier.result as Result;
				if (!sendAgain) throw repeated(earlier);
			}
			entries[key] = { ...prints, state: 'pending' };
			try {
				const result = await send();
				// it is stored with the execution, where a key that the service echoed must not be
				entries[key] = { ...prints, state: 'done', result: redact.data(result) };
				return result;
			} catch (cause) {
				const entry = cause instanceof ServiceError ? failedEntry(cause, redact) : undefined;
				if (entry === 'not_started') delete entries[key];
				else if (entry) entries[key] = { ...prints, ...entry };
				throw explained(cause);
			}
		},

		/** Once every item has succeeded n8n cannot run the node again, and what was remembered only takes room. */
		forget() {
			for (const key of Object.keys(context.starts ?? {})) {
				if (key.startsWith(`${runIndex}.`)) delete context.starts?.[key];
			}
		},
	};
}

function isSame(one: Fingerprints, other: Fingerprints): boolean {
	return one.request === other.request || (one.source !== undefined && one.source === other.source);
}

/** What was sent in any run of the node, and came to no good end. */
function openOf(entries: Record<string, Entry>, { request }: Fingerprints): Entry | undefined {
	return Object.values(entries).find(
		(entry) => entry.state === 'open' && entry.request === request,
	);
}

function failedEntry(error: ServiceError, redact: Redactor) {
	const { kind, message, details } = error;
	if ((details.outcome ?? outcomeOf(error)) === 'not_started') return 'not_started';
	const plain = Object.fromEntries(Object.entries(details).filter(([name]) => name !== 'cause'));
	return {
		state: 'open' as const,
		kind,
		message,
		details: redact.data(plain) as ServiceErrorDetails,
	};
}

function repeated(entry: Extract<Entry, { state: 'pending' | 'open' }>): ServiceError {
	if (entry.state === 'pending') {
		return new ServiceError('stopped', 'An earlier run was interrupted while this was under way', {
			outcome: 'unknown',
			advice: `It is not known whether the service received it. ${NOT_SENT_AGAIN}`,
		});
	}
	const advice = [entry.details.advice, NOT_SENT_AGAIN].filter(Boolean).join(' ');
	return new ServiceError(entry.kind, entry.message, {
		...entry.details,
		advice: entry.details.advice?.includes(NOT_SENT_AGAIN) ? entry.details.advice : advice,
	});
}

function fingerprint(scope: string, value: unknown): string {
	return hash('sha256', `${scope}\n${JSON.stringify(value ?? null)}`, 'base64');
}
