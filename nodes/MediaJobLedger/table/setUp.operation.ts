import { operation } from '../../../src/n8n/operation';
import { setUpTable } from '../../../src/ledger/ledgerTable';

export const setUp = operation({
	name: 'Set Up',
	value: 'setUp',
	action: 'Set up the table of the ledger',
	description:
		'Make the Data Table that the credential names, or add the columns that it lacks. Once is enough, more does no harm.',
	params: [],

	prepare: () => undefined,

	async run({ http, field }) {
		const { tableId, name, created, addedColumns } = await setUpTable(http, field('table'));
		return { json: { tableId, name, created, addedColumns } };
	},
});
