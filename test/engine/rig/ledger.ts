import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { toRow } from '../../../src/ledger/entry';
import type { ServiceOptions } from '../../service/service';
import { job, ledger, PICTURE, secretsWithLedger, SKETCH, withAccount } from './calls';
import { letPass, startDataTables, type DataTables } from './dataTables';
import { activated, executed, type TriggerOptions } from './poll';
import { run, type RunOptions } from './run';
import { serviceForTests } from './service';

export const MINUTE = 60_000;
export const json = (items: INodeExecutionData[] | null) => (items ?? []).map((item) => item.json);
export const idsOf = (items: INodeExecutionData[] | null) => json(items).map(({ jobId }) => jobId);

type Activation = Pick<Parameters<typeof activated>[0], 'activation' | 'budget'>;

let workflows = 0;

/** For the tests of a file: the service, and n8n's Data Tables beside it. Jobs are done at once. @param options Those of the service. */
export function startLedgerRig(options: ServiceOptions = {}) {
	const rig = {
		service: serviceForTests({}, options),
		n8n: undefined as unknown as DataTables,
		/** @param changes Of the fields of the ledger. */
		secrets: (changes: object = {}) =>
			secretsWithLedger(rig.service, { ledgerFields: { ...rig.n8n.ledgerFields, ...changes } }),

		/** The same, with fields of the Model Router's. */
		account: (fields: object) => withAccount(rig.secrets(), fields),

		/** A job of the Model Router that the ledger knows of. */
		ledgered: (
			operation: string,
			parameters: INodeParameters,
			more: Partial<RunOptions> = {},
		): RunOptions => ({
			...job(operation, { useLedger: true, ...parameters }),
			secrets: rig.secrets(),
			...more,
		}),

		/** @param parameters Options, and the unique key. */
		starting: (
			text: string,
			{ uniqueKey = '', ...options }: INodeParameters = {},
			more: Partial<RunOptions> = {},
		) => {
			const picture = { ...PICTURE, prompt: text };
			return rig.ledgered('start', { ...picture, uniqueKey, options }, more);
		},

		/** An operation of the resource Job Ledger. */
		ledger: (operation: string, parameters: INodeParameters = {}, more: Partial<RunOptions> = {}) =>
			run({ ...ledger(operation, parameters), secrets: rig.secrets(), ...more }),

		/** A trigger of its own: what is known of one workflow is not known of another. */
		trigger: (
			parameters: INodeParameters = {},
			more: Partial<TriggerOptions> = {},
		): TriggerOptions => ({
			parameters,
			secrets: rig.secrets(),
			workflowId: `workflow-${++workflows}`,
			...more,
		}),

		/** A trigger that is active, whose polls start executions. */
		watching: (parameters?: INodeParameters, more: Partial<TriggerOptions> & Activation = {}) => {
			const options = rig.trigger(parameters, more);
			const active = activated(options);
			const execute = async (
				items: INodeExecutionData[] | null,
				execution: Partial<Parameters<typeof executed>[0]> = {},
			) => await executed({ ...options, items: items ?? [], ...execution });
			/** A poll, and the execution that it starts. */
			const deliver = async () => {
				const { items } = await active.poll();
				return items ? (await execute(items)).items : [];
			};
			return { ...active, execute, deliver };
		},

		/** Starts a job at the service. @returns its ID */
		startJob: async (prompt: string) => {
			const answer = await fetch(`${rig.service.url}/v1/images/jobs`, {
				method: 'POST',
				headers: { 'content-type': 'application/json', 'X-API-KEY': rig.service.router.keys.main },
				body: JSON.stringify({ model: SKETCH.value, prompt }),
			});
			return ((await answer.json()) as { id: string }).id;
		},

		/** Enters a job, as Start does. */
		enter: (jobId: string, more: IDataObject = {}) =>
			void rig.n8n.rows.push({
				...toRow({
					state: 'pending',
					jobId,
					mediaType: 'images',
					model: 'm',
					startedAt: Date.now(),
				}),
				id: rig.n8n.rows.length + 1,
				credentialId: 'modelRouterApi',
				requestId: 'start-1',
				...more,
			}),

		/** Both. */
		started: async (prompt: string, more?: IDataObject) => {
			const jobId = await rig.startJob(prompt);
			rig.enter(jobId, more);
			return jobId;
		},

		states: () => rig.n8n.entries().map(({ state }) => state),
		/** Lets time go by in the ledger. */
		pass: (milliseconds: number) => letPass(rig.n8n, milliseconds),
	};
	beforeAll(async () => (rig.n8n = await startDataTables()));
	beforeEach(() => {
		rig.service.forms.jobSteps = 0;
		rig.n8n.reset();
	});
	afterAll(async () => await rig.n8n.stop());
	return rig;
}
