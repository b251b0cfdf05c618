import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { startService, type Service } from '../../service/service';
import { secretsWithLedger } from './calls';
import { startDataTables, type DataTables } from './dataTables';
import type { TriggerOptions } from './poll';

/** A service and a ledger for tests of the trigger. */
export interface TriggerRig {
	service: Service;
	n8n: DataTables;
	/** A trigger of its own: what is known of one workflow is not known of another. */
	trigger(parameters?: INodeParameters, more?: Partial<TriggerOptions>): TriggerOptions;
	/** Starts a job at the service. @returns its id */
	startJob(prompt: string): Promise<string>;
	/** Enters a job, as Start does. */
	enter(jobId: string, more?: IDataObject): void;
	/** Both. */
	started(prompt: string, more?: IDataObject): Promise<string>;
	states(): string[];
	/** Lets time go by in the ledger. */
	pass(milliseconds: number): void;
	reset(): void;
	stop(): Promise<void>;
}

let workflows = 0;

export async function triggerRig(): Promise<TriggerRig> {
	const service = await startService();
	const n8n = await startDataTables();

	const startJob: TriggerRig['startJob'] = async (prompt) => {
		const answer = await fetch(`${service.url}/v1/images/jobs`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', 'X-API-KEY': service.router.keys.main },
			body: JSON.stringify({ model: 'canvas/sketch-1', prompt }),
		});
		return ((await answer.json()) as { id: string }).id;
	};

	const enter: TriggerRig['enter'] = (jobId, more = {}) => {
		n8n.rows.push({
			...{ id: n8n.rows.length + 1, startKey: '', state: 'pending', jobId, segment: 'images' },
			...{ model: 'm', account: 'modelRouterApi', label: '', claim: '', proposal: '' },
			...{ leaseUntil: 0, checkAt: 0, outcome: '', failures: 0, startedAt: Date.now() },
			...{ requestId: 'start-1', execution: '', note: '', record: '' },
			...more,
		});
	};

	return {
		...{ service, n8n, startJob, enter },
		trigger: (parameters = {}, more = {}) => ({
			parameters,
			secrets: secretsWithLedger(service, n8n),
			workflowId: `workflow-${++workflows}`,
			...more,
		}),
		async started(prompt, more) {
			const jobId = await startJob(prompt);
			enter(jobId, more);
			return jobId;
		},
		states: () => n8n.entries().map(({ state }) => state),
		pass(milliseconds) {
			for (const row of n8n.rows)
				for (const column of ['leaseUntil', 'checkAt', 'startedAt'])
					if (Number(row[column])) row[column] = Number(row[column]) - milliseconds;
		},
		reset() {
			service.reset();
			service.forms.jobSteps = 0;
			n8n.service.reset();
			n8n.rows.length = 0;
		},
		async stop() {
			await service.stop();
			await n8n.stop();
		},
	};
}

export const MINUTE = 60_000;
export const json = (items: INodeExecutionData[] | null) => (items ?? []).map((item) => item.json);
export const idsOf = (items: INodeExecutionData[] | null) => json(items).map(({ jobId }) => jobId);
