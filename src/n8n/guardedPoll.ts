import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { ServiceError } from '../service/errors';
import { toNodeError } from './errors';
import { redactor, type Redactor } from './redact';

/** How much time one poll has; milliseconds since 1970. */
export interface PollTime {
	/** From then on nothing more is asked for. */
	asksUntil: number;
	/** From then on nothing more is claimed: it might come too late to be emitted. */
	claimsUntil: number;
}

/** What one poll works with. */
export interface Poll {
	time: PollTime;
	/** Whether it is that of an activation. */
	isFirst: boolean;
	/** Learns the keys that are used, and keeps them out of errors. */
	redact: Redactor;
}

/** Milliseconds: what n8n gives a poll that nobody waits for, what one takes at most, and what the claim needs. */
const [UNLEASED, LONGEST, LAST] = [300_000, 40_000, 2000];
/** Of the time of a poll, what is used to ask. */
const ASKING = 0.6;

/** Milliseconds after which a trigger whose polls fail is tried again; twice as long each time. */
const [FIRST_PAUSE, LONGEST_PAUSE] = [60_000, 30 * 60_000];
/** n8n counts its minute from the beginning of the poll that failed. */
const EARLY = 15_000;

/** In which a person waits for the answer. At n8n's start, or when another main process takes over, nobody does. */
const BY_PERSON = new Set(['activate', 'update', 'manual']);

/** By workflow and node: which of them are at work in this process, and which had better wait. */
const underWay = new Set<string>();
const pauses = new Map<string, { failures: number; until: number }>();

/** Contexts whose first poll is over. */
const activated = new WeakSet<IPollFunctions>();

/**
 * Runs one poll as n8n needs it: never two of one node at a time, within its time, and so that no temporary fault kills the trigger.
 *
 * n8n polls once while it activates a workflow, by default also at each of its starts, and gives a trigger up for good when that
 * poll throws five times within 15 s (n8n 2.41.1, active-workflow-triggers.js:180, workflow-trigger-activator.js:482). So then only
 * what a person can put right is thrown, and only when a person is there to read it.
 *
 * By default n8n comes back every minute however often a poll fails, with a failed execution each time: the pauses are ours. With
 * durable polling they are n8n's, which reads `failure` of the error.
 *
 * @param work One poll; null when there is nothing to emit.
 */
export async function guardedPoll(
	n8n: IPollFunctions,
	work: (poll: Poll) => Promise<INodeExecutionData[] | null>,
): Promise<INodeExecutionData[][] | null> {
	const key = `${n8n.getWorkflow().id ?? ''}:${n8n.getNode().id}`;
	const budget = n8n.getPollBudgetMs?.() ?? UNLEASED;
	// only a poll of the durable scheduler has less; it never is the one of an activation
	const isLeased = budget < UNLEASED;
	const isFirst = !isLeased && !activated.has(n8n);
	const now = Date.now();
	if (underWay.has(key)) return null;
	if (!isLeased && !isFirst && (pauses.get(key)?.until ?? 0) > now) return null;

	const end = now + Math.min(budget, LONGEST);
	const time = { asksUntil: now + (end - now) * ASKING, claimsUntil: end - LAST };
	const redact = redactor('');
	underWay.add(key);
	try {
		const items = await work({ time, redact, isFirst });
		activated.add(n8n);
		pauses.delete(key);
		return items?.length ? [items] : null;
	} catch (cause) {
		const error = toNodeError(n8n.getNode(), cause, undefined, redact);
		if (isFirst && !(BY_PERSON.has(n8n.getActivationMode()) && isForPerson(cause))) {
			activated.add(n8n);
			n8n.logger.warn(`The first poll failed, and is tried again: ${error.message}`, {
				node: n8n.getNode().name,
				workflow: n8n.getWorkflow().id,
			});
			return null;
		}
		if (!isFirst && !isLeased) pause(key, cause);
		throw error;
	} finally {
		underWay.delete(key);
	}
}

/** What does not get right by itself: a refused key, a mistake in the settings, an expression that fails. */
function isForPerson(cause: unknown): boolean {
	if (!(cause instanceof ServiceError)) return true;
	const { status, permanent } = cause.details;
	return cause.kind === 'invalid' || permanent === true || status === 401 || status === 403;
}

function pause(key: string, cause: unknown): void {
	const failures = (pauses.get(key)?.failures ?? 0) + 1;
	const asked = cause instanceof ServiceError ? (cause.details.retryAfter ?? 0) : 0;
	const doubled = Math.min(FIRST_PAUSE * 2 ** (failures - 1), LONGEST_PAUSE);
	const wait = Math.max(doubled, Math.min(asked, LONGEST_PAUSE));
	pauses.set(key, { failures, until: Date.now() + wait - EARLY });
}
