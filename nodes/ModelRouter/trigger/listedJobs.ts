import type { IPollFunctions } from 'n8n-workflow';

import { readEntry, toRow, type Entry } from '../../../src/ledger/entry';
import { keptTable } from '../../../src/ledger/keptTable';
import type { Ledger } from '../../../src/ledger/ledger';
import type { Connection } from '../../../src/n8n/connection';
import { isObject, tryParseJson } from '../../../src/service/json';
import type { TriggerSettings } from './trigger.params';

/** In place of the job ledger: what the trigger keeps in the workflow itself. */
export interface KeptLedger {
	ledger: Ledger;
	/** Keeps what has become of it, and that what was claimed is told. */
	keep(): void;
}

/**
 * The jobs of a list, with what is known of them.
 *
 * n8n saves what a trigger keeps together with an execution that it starts, and by default not otherwise.
 */
export function keptLedger(
	n8n: IPollFunctions,
	{ clock, credentialId }: Connection,
	{ segment, jobIds, wantsJobs }: TriggerSettings,
	claim: string,
): KeptLedger {
	const data = n8n.getWorkflowStaticData('node') as { ledger?: unknown };
	const wanted = new Set(wantsJobs ? idsIn(jobIds) : []);
	const kept = readRows(data.ledger);
	if (data.ledger !== undefined && !kept)
		n8n.logger.warn('What the trigger had kept could not be read, and is begun anew', {
			node: n8n.getNode().name,
		});
	const rows = (kept ?? []).filter(
		(row) =>
			row.state === 'baseline' ||
			(row.account === credentialId && row.segment === segment && wanted.delete(row.jobId)),
	);
	const [now, account] = [clock.now(), credentialId];
	let lastId = Math.max(0, ...rows.map(({ id }) => id));
	for (const jobId of wanted) {
		const row = { jobId, segment, account, startedAt: now, checkAt: now };
		rows.push({ ...toRow({ ...row, state: 'pending' }), id: ++lastId });
	}
	return {
		ledger: {
			table: keptTable(rows),
			clock,
			steadyClock: clock,
			newClaim: () => claim,
			execution: '',
		},
		keep() {
			// n8n notices a change of the field itself only
			data.ledger = rows.map((row) => (row.claim === claim ? told(row) : row));
		},
	};
}

/** What was emitted counts as told: nothing could say later that it was. */
function told(row: Entry): Entry {
	if (row.state !== 'baseline') return { ...row, state: 'delivered', record: '', leaseUntil: 0 };
	const kept = tryParseJson(row.record);
	const offered = isObject(kept) ? kept['offered'] : undefined;
	return offered === undefined
		? row
		: { ...row, record: JSON.stringify({ told: offered }), leaseUntil: 0 };
}

/** Ids with commas, semicolons, blanks or lines between them, or a JSON list, as an expression's list arrives. */
export function idsIn(text: string): string[] {
	const list = tryParseJson(text);
	const ids = Array.isArray(list) ? list.map(String) : text.split(/[\s,;]+/);
	return ids.map((id) => id.trim()).filter(Boolean);
}

function readRows(kept: unknown): Entry[] | undefined {
	if (!Array.isArray(kept) || !kept.every(isObject)) return undefined;
	const rows = kept.map(readEntry);
	return rows.every(({ id }) => Number.isSafeInteger(id)) ? rows : undefined;
}
