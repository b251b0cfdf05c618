import type { IExecuteFunctions, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { credentialTest } from '../../src/n8n/credentialTest';
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
			'Keep track of paid media jobs in an n8n Data Table: each is started once and its file is brought once',
		defaults: { name: 'Media Job Ledger' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		// no tool: what was paid, and what was not, is for people to decide. n8n's linter wants to read it here all the same.
		usableAsTool: undefined as never,
		credentials: [{ name: 'mediaJobLedgerApi', required: true, testedBy: 'testMediaJobLedgerApi' }],
		properties: nodeProperties(resources, 'entry'),
	};

	methods = {
		credentialTest: { testMediaJobLedgerApi: credentialTest(ledgerProbe) },
	};

	async execute(this: IExecuteFunctions) {
		return await runNode(this, resources, ledgerAccess);
	}
}
