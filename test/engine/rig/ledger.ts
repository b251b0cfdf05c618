import type { INodeParameters } from 'n8n-workflow';

import { startService, type Service, type ServiceOptions } from '../../service/service';
import { job, secretsWithLedger } from './calls';
import { startDataTables, type DataTables } from './dataTables';
import { run, type RunOptions } from './run';

export const sketch = { __rl: true, mode: 'id', value: 'canvas/sketch-1' };

/** For the tests of a file: the service, and n8n's Data Tables beside it. Jobs are done at once. @param options Those of the service. */
export function startLedgerRig(options: ServiceOptions = {}) {
	const rig = {
		service: undefined as unknown as Service,
		n8n: undefined as unknown as DataTables,

		/** A job of the Model Router that the ledger knows of. */
		ledgered: (
			operation: string,
			parameters: INodeParameters,
			more: Partial<RunOptions> = {},
		): RunOptions => ({
			...job(operation, { useLedger: true, ...parameters }),
			secrets: secretsWithLedger(rig.service, rig.n8n),
			...more,
		}),

		/** @param parameters Options, and the unique key. */
		starting: (
			text: string,
			{ idempotencyKey = '', ...options }: INodeParameters = {},
			more: Partial<RunOptions> = {},
		) => {
			const picture = { mediaType: 'images', model: sketch, prompt: text };
			return rig.ledgered('start', { ...picture, idempotencyKey, options }, more);
		},

		/** An operation of the resource Job Ledger. */
		ledger: (operation: string, parameters: INodeParameters = {}, more: Partial<RunOptions> = {}) =>
			run({
				node: 'modelRouter',
				credential: 'modelRouterApi',
				parameters: { resource: 'ledger', operation, ...parameters },
				secrets: secretsWithLedger(rig.service, rig.n8n),
				...more,
			}),
	};
	beforeAll(async () => {
		rig.service = await startService(options);
		rig.n8n = await startDataTables();
	});
	beforeEach(() => {
		rig.service.reset();
		rig.service.forms.jobSteps = 0;
		rig.n8n.service.reset();
		rig.n8n.rows.length = 0;
	});
	afterAll(async () => {
		await rig.service.stop();
		await rig.n8n.stop();
	});
	return rig;
}
