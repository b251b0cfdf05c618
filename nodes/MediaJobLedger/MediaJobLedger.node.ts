import type { IExecuteFunctions, INodeType, INodeTypeDescription } from 'n8n-workflow';

import { createCredentialTest } from '../../src/n8n/credentialTest';
import { mainConnection } from '../../src/n8n/n8nVersions';
import { nodeProperties } from '../../src/n8n/nodeProperties';
import { runNode } from '../../src/n8n/runNode';
import { ledgerAccess, ledgerProbe } from './access';
import { resources } from './resources';

export class MediaJobLedger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Media Job Ledger',
		name: 'mediaJobLedger',
		icon: { light: 'file:../../icons/ledger.svg', dark: 'file:../../icons/ledger.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
		description:
			'Keep track of paid media jobs in an n8n Data Table: each is started once and its file is downloaded once',
		defaults: { name: 'Media Job Ledger' },
		inputs: [mainConnection],
		outputs: [mainConnection],
		// not a tool: only people decide whether a start was paid for. n8n's linter still requires the property.
		usableAsTool: undefined as never,
		credentials: [{ name: 'mediaJobLedgerApi', required: true, testedBy: 'testMediaJobLedgerApi' }],
		properties: nodeProperties(resources, 'entry'),
	};

	methods = {
		credentialTest: { testMediaJobLedgerApi: createCredentialTest(ledgerProbe) },
	};

	async execute(this: IExecuteFunctions) {
		return await runNode(this, resources, ledgerAccess);
	}
}
