import { setUpTable } from '../../../src/ledger/dataTable';
import { operation } from '../../../src/n8n/operation';

export const setUp = operation({
	name: 'Set Up',
	value: 'setUp',
	action: 'Set up job ledger table',
	description:
		'Create the Data Table named in the credential, or add its missing columns. This also happens when the job ledger is first used.',
	params: [],

	prepare: () => undefined,

	async run({ connectLedger }) {
		const { http, table } = connectLedger();
		const { tableId, name, created, addedColumns } = await setUpTable(http, table);
		return { json: { tableId, name, created, addedColumns } };
	},
});
