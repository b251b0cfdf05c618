import { randomUUID } from 'crypto';
import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { connect, type Connection } from '../../../src/n8n/connection';
import { guardedPoll, type Poll } from '../../../src/n8n/guardedPoll';
import { pollParams } from '../../../src/n8n/pollParams';
import { defaultSettings } from '../../../src/n8n/settings';
import type { Ledger } from '../../../src/ledger/ledger';
import { listModels } from '../../../src/router/models';
import { explained, invalid, ServiceError } from '../../../src/service/errors';
import { ledgerAccess } from '../../MediaJobLedger/access';
import { openLedger } from '../../MediaJobLedger/openLedger';
import { access } from '../access';
import { jobItem } from './jobItem';
import { keptLedger } from './listedJobs';
import { toSettings, triggerParams, type TriggerSettings } from './trigger.params';
import { watchedCatalog } from './watchedCatalog';
import { watchedJobs } from './watchedJobs';

/** Seconds: a poll is over soon, and another one comes soon. */
const impatient = { ...defaultSettings, silenceLimit: 6, totalLimit: 12, longestWait: 0 };

/** What one part of a poll has found. */
interface Part {
	items: IDataObject[];
	trouble?: unknown;
}

/** Looks for what has happened, and claims it. The execution that it starts marks it, and brings the files: `deliver`. */
export async function poll(n8n: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	return await guardedPoll(n8n, async (polled) => {
		refuseOtherEngine(n8n);
		const settings = toSettings(pollParams(n8n, triggerParams), n8n.getNode().parameters);
		const { redact } = polled;
		const router = await connect(n8n, access, impatient, { redact });
		// without a job to ask for, nobody would notice that the key is wrong
		if (polled.isFirst) await listModels(router.httpOnce);
		if (settings.jobSource === 'ledger') {
			const opened = await connect(n8n, ledgerAccess, impatient, { redact });
			const ledger = await openLedger(opened, opened.clock, '');
			const claim = ledger.newClaim();
			return await look(n8n, { ledger, claim }, router, settings, polled);
		}
		const claim = randomUUID();
		const kept = keptLedger(n8n, router, settings, claim);
		try {
			return await look(n8n, { ledger: kept.ledger, claim }, router, settings, polled);
		} finally {
			kept.keep();
		}
	});
}

async function look(
	n8n: IPollFunctions,
	{ ledger, claim }: { ledger: Ledger; claim: string },
	router: Connection,
	settings: TriggerSettings,
	polled: Poll,
): Promise<INodeExecutionData[]> {
	const isLedger = settings.jobSource === 'ledger';
	const owner = `${n8n.getWorkflow().id ?? ''} ${n8n.getNode().id}`;
	const jobs = async (): Promise<Part> => {
		const { jobs: found, ...rest } = await watchedJobs(ledger, router, settings, polled, claim);
		const items = found.flatMap(([entry]) => (entry ? [jobItem(entry, isLedger)] : []));
		if (rest.answered) logTrouble(n8n, polled, rest.trouble);
		return { items, ...(!rest.answered && { trouble: rest.trouble }) };
	};
	const catalog = async (): Promise<Part> => ({
		items: await watchedCatalog(ledger, router, settings, owner, claim),
	});
	const parts = await Promise.all(
		[...(settings.wantsJobs ? [jobs] : []), ...(settings.wantsCatalog ? [catalog] : [])].map(
			async (part) => await part().catch((trouble: unknown): Part => ({ items: [], trouble })),
		),
	);
	const items = parts.flatMap((part) => part.items);
	const troubles = parts.flatMap(({ trouble }) => (trouble === undefined ? [] : [trouble]));
	if (!items.length && troubles.length === parts.length) throw explained(troubles[0]);
	for (const trouble of troubles) logTrouble(n8n, polled, trouble);
	// what no ledger knows of cannot be marked
	const handover = isLedger ? { claim } : {};
	return items.map((json) => ({ json: polled.redact.data({ ...json, ...handover }) }));
}

/** One part of what was to be looked for could not be; the rest could. */
function logTrouble(n8n: IPollFunctions, { redact }: Poll, trouble: unknown): void {
	if (trouble === undefined) return;
	const words = trouble instanceof ServiceError ? trouble.message : String(trouble);
	n8n.logger.warn(`A part of the poll failed: ${redact.text(words)}`, {
		node: n8n.getNode().name,
		workflow: n8n.getWorkflow().id,
	});
}

/** There n8n takes what a trigger emits as it is: nothing would be marked, and all be emitted again and again. */
function refuseOtherEngine(n8n: IPollFunctions): void {
	if (n8n.getWorkflowSettings().engineType !== 'v2') return;
	throw invalid(
		'This trigger does not work with version 2 of the workflow engine',
		'Choose version 1 in the settings of the workflow.',
	);
}
