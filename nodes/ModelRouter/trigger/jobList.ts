import { randomUUID } from 'crypto';
import type { IPollFunctions } from 'n8n-workflow';

import { invalidInputError } from '../../../src/core/errors';
import { isPlainObject, tryParseJson } from '../../../src/core/json';
import type { Clock } from '../../../src/core/retry';
import { type Entry, ledgerFormat, readEntry, toRow } from '../../../src/ledger/entry';
import type { Ledger } from '../../../src/ledger/ledger';
import { transitions } from '../../../src/ledger/transitions';
import { createMemoryTable } from '../../../src/tables/memoryTable';
import type { Connection } from '../../../src/n8n/connection';
import { findJobId } from '../../../src/router/jobRecord';
import type { TriggerSettings } from './trigger.params';

/**
 * Opens the jobs of a list with their state, which the trigger stores in the workflow instead of the job ledger.
 *
 * By default, n8n saves a trigger's state only together with an execution that the trigger starts.
 */
export function openJobList(
	n8n: IPollFunctions,
	{ clock, credentialId }: Connection,
	{ mediaType, jobIds }: TriggerSettings,
) {
	const data = n8n.getWorkflowStaticData('node') as { ledger?: unknown };
	const stored = Array.isArray(data.ledger) ? data.ledger.filter(isPlainObject).map(readEntry) : [];
	const ofList = stored.filter(
		(row) => row.credentialId === credentialId && row.mediaType === mediaType,
	);
	const known = new Map(ofList.map((row) => [row.jobId, row]));
	const now = clock.now();
	const { to: state } = transitions.registerJob;
	const fields = { mediaType, credentialId, startedAt: now, checkAt: now, state };
	const rows = [...new Set(parseJobIds(jobIds))].map((jobId, index) => ({
		...(known.get(jobId) ?? toRow({ jobId, ...fields })),
		id: index + 1,
	}));
	return {
		ledger: openInMemory(rows, clock, randomUUID),
		/** Saves the state. All jobs of a claim are marked as reported. */
		save(claim: string): void {
			// an emitted job counts as reported, because no later step could record it
			const emitted = { state: transitions.emitListedJob.to, record: '', leaseUntil: 0 };
			// n8n only detects an assignment to the field itself
			data.ledger = rows.map((row) => (row.claim === claim ? { ...row, ...emitted } : row));
		},
	};
}

/** A ledger in the memory of this process. */
export const openInMemory = (rows: Entry[], clock: Clock, newClaim: () => string): Ledger => ({
	table: createMemoryTable(rows, ledgerFormat),
	clock,
	uncancellableClock: clock,
	n8nTime: clock.now,
	newClaim,
	executionId: '',
});

/**
 * Reads ids separated by commas, semicolons, spaces or line breaks, or a JSON list, which is how n8n passes a list from an expression.
 * A URL without a job ID is kept: the service does not know it, and the other jobs are not held up.
 *
 * @throws ServiceError `invalid` for a list of objects.
 */
export function parseJobIds(text: string): string[] {
	const list = tryParseJson(text);
	const ids: unknown[] = list instanceof Object ? [list].flat() : text.split(/[\s,;]+/);
	if (ids.some(isPlainObject))
		throw invalidInputError(
			'Job IDs has an object in place of an ID',
			'Let the expression return only the IDs, for example with .map((job) => job.jobId).',
		);
	const texts = ids.map((id) => String(id ?? ''));
	return texts.map((id) => findJobId(id) ?? id.trim()).filter(Boolean);
}
