import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { ServiceError } from '../core/errors';
import { toNodeError } from './errors';
import { getPollBudget, requireN8n } from './n8nVersions';
import { toLogLine } from './recordIds';
import { createRedactor, type Redactor } from './redact';

/** What one poll works with. */
export interface PollContext {
	/**
	 * Deadlines; milliseconds since 1970. No request is sent after the first, and no job is claimed after the second: there might be no
	 * time left to emit it.
	 */
	time: { asksUntil: number; claimsUntil: number };
	/** Whether it is the poll of an activation. */
	isFirst: boolean;
	/** Redacts errors. The keys that are used are added to it. */
	redact: Redactor;
	/** To be set once jobs were read: a failure of something else does not lengthen the pause, or finished jobs would wait for it. */
	hasRead?: boolean;
}

/** Milliseconds that n8n gives a poll without a lease, one that its durable scheduler did not start. */
const UNLEASED_BUDGET = 300_000;
/** Milliseconds that one poll takes at most. */
const MAX_POLL_TIME = 40_000;
/** Milliseconds at the end of a poll that are kept for claiming jobs. */
const CLAIM_RESERVE = 2000;
/** Share of a poll's time in which requests are sent. */
const REQUEST_SHARE = 0.6;

/** Milliseconds before a trigger whose poll failed is polled again. Each further failure doubles it. */
const MIN_PAUSE = 60_000;
/** Milliseconds that such a pause lasts at most. */
const MAX_PAUSE = 30 * 60_000;
/** Milliseconds. n8n counts its minute from the start of the poll that failed. */
const PAUSE_TOLERANCE = 15_000;

/** Activations in which a user waits for the result. At n8n's start, or when another main process takes over, nobody waits. */
const INTERACTIVE_ACTIVATIONS = new Set(['activate', 'update', 'manual']);

/** Polls that are running in this process, by workflow and node. */
const runningPolls = new Set<string>();
/** Pauses after failed polls, by workflow and node; `until` in milliseconds since 1970. */
const pauses = new Map<string, { failures: number; until: number }>();

/** Contexts whose first poll is over. */
const activated = new WeakSet<IPollFunctions>();

/**
 * Runs one poll: never two of one node at a time, within its time budget, and so that no temporary failure deactivates the trigger.
 *
 * n8n polls once while it activates a workflow, by default also at each of its starts, and gives up a trigger for good if that poll
 * throws five times within 15 s (n8n 2.41.1, active-workflow-triggers.js:180, workflow-trigger-activator.js:482). So such a
 * poll throws only what a user can correct, and only if a user is waiting.
 *
 * By default n8n polls every minute however often a poll fails, with a failed execution each time. So the pauses are made here. With
 * durable polling n8n makes them, by the error's `failure`.
 *
 * @param work One poll.
 */
export async function runPoll(
	n8n: IPollFunctions,
	work: (poll: PollContext) => Promise<INodeExecutionData[]>,
): Promise<INodeExecutionData[][] | null> {
	requireN8n(n8n);
	const key = `${n8n.getWorkflow().id ?? ''}:${n8n.getNode().id}`;
	const budget = getPollBudget(n8n) ?? UNLEASED_BUDGET;
	// only a poll of the durable scheduler has less time, and that is never the poll of an activation
	const isLeased = budget < UNLEASED_BUDGET;
	const isFirst = !isLeased && !activated.has(n8n);
	const now = Date.now();
	if (runningPolls.has(key)) return null;
	if (!isLeased && !isFirst && isPaused(key, now)) return null;

	const end = now + Math.min(budget, MAX_POLL_TIME);
	const time = { asksUntil: now + (end - now) * REQUEST_SHARE, claimsUntil: end - CLAIM_RESERVE };
	const redact = createRedactor();
	const poll: PollContext = { time, redact, isFirst };
	runningPolls.add(key);
	try {
		const items = await work(poll);
		activated.add(n8n);
		pauses.delete(key);
		return items.length ? [items] : null;
	} catch (cause) {
		const error = toNodeError(n8n.getNode(), cause, undefined, redact);
		const hasUser = INTERACTIVE_ACTIVATIONS.has(n8n.getActivationMode());
		if (isFirst && !(hasUser && needsUserAction(cause))) {
			activated.add(n8n);
			n8n.logger.warn(toLogLine(`The first poll failed, and is retried: ${error.message}`), {
				node: n8n.getNode().name,
				workflow: n8n.getWorkflow().id,
			});
			return null;
		}
		if (!isFirst && !isLeased) pausePolling(key, cause, poll);
		throw error;
	} finally {
		runningPolls.delete(key);
	}
}

/** Whether a failure stays until the user acts: a rejected key, a mistake in the settings, a failed expression. */
function needsUserAction(cause: unknown): boolean {
	if (!(cause instanceof ServiceError)) return true;
	const { status, permanent } = cause.details;
	return cause.kind === 'invalid' || permanent === true || status === 401 || status === 403;
}

function isPaused(key: string, now: number): boolean {
	const left = (pauses.get(key)?.until ?? 0) - now;
	// a longer one is from before the clock was set back
	return left > 0 && left <= MAX_PAUSE;
}

function pausePolling(key: string, cause: unknown, { hasRead }: PollContext): void {
	const failures = hasRead ? 1 : (pauses.get(key)?.failures ?? 0) + 1;
	const asked = cause instanceof ServiceError ? (cause.details.retryAfter ?? 0) : 0;
	const doubled = Math.min(MIN_PAUSE * 2 ** (failures - 1), MAX_PAUSE);
	const wait = Math.max(doubled, Math.min(asked, MAX_PAUSE));
	pauses.set(key, { failures, until: Date.now() + wait - PAUSE_TOLERANCE });
}
