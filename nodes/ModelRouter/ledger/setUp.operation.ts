import { setUpTable } from '../../../src/ledger/tableSetup';
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
		const n8n = connectLedger();
		return { json: { ...(await setUpTable(n8n, n8n.table)) } };
	},
});
