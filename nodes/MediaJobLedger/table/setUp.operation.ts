import { setUpTable } from '../../../src/ledger/dataTable';
import { operation } from '../../../src/n8n/operation';

export const setUp = operation({
	name: 'Set Up',
	value: 'setUp',
	action: 'Set up the table of the ledger',
	description:
		'Create the Data Table named in the credential, or add its missing columns. Once is enough; you can safely repeat it.',
	params: [],

	prepare: () => undefined,

	async run({ http, credentialField }) {
		const { tableId, name, created, addedColumns } = await setUpTable(
			http,
			credentialField('table'),
		);
		return { json: { tableId, name, created, addedColumns } };
	},
});
