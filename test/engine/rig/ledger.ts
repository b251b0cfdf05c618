import type { INodeParameters } from 'n8n-workflow';

import { startService, type Service } from '../../service/service';
import { job, secretsOf } from './calls';
import { startDataTables, type DataTables } from './dataTables';
import { run, type RunOptions } from './run';

export const sketch = { __rl: true, mode: 'id', value: 'canvas/sketch-1' };
const credentials = {
	modelRouterApi: { id: 'modelRouterApi', name: 'Router' },
	mediaJobLedgerApi: { id: 'mediaJobLedgerApi', name: 'Ledger' },
};

/** For the tests of a file: the service, and n8n's Data Tables beside it. Jobs are done at once. */
export function startLedgerRig() {
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
			secrets: { ...secretsOf(rig.service), ...rig.n8n.secrets },
			...more,
			settings: { credentials, ...more.settings },
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

		/** An operation of the node Media Job Ledger. */
		ledger: (resource: string, operation: string, parameters: INodeParameters = {}) =>
			run({
				node: 'mediaJobLedger',
				credential: 'mediaJobLedgerApi',
				parameters: { resource, operation, ...parameters },
				secrets: { ...rig.n8n.secrets },
			}),
	};
	beforeAll(async () => {
		rig.service = await startService();
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
