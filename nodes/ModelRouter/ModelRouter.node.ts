import type { IExecuteFunctions, INodeType, INodeTypeDescription } from 'n8n-workflow';

import { createCredentialTest } from '../../src/n8n/credentialTest';
import { mainConnection } from '../../src/n8n/n8nVersions';
import { nodeProperties } from '../../src/n8n/nodeProperties';
import { runNode } from '../../src/n8n/runNode';
import { ledgerProbe } from '../MediaJobLedger/access';
import { access, probe } from './access';
import { searchModels } from './modelPicker';
import { resources } from './resources';

export class ModelRouter implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Model Router',
		name: 'modelRouter',
		icon: { light: 'file:../../icons/router.svg', dark: 'file:../../icons/router.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
		description:
			'Ask text models, read the model catalog and make images, videos, music and speech',
		defaults: { name: 'Model Router' },
		inputs: [mainConnection],
		outputs: [mainConnection],
		usableAsTool: true,
		credentials: [
			{ name: 'modelRouterApi', required: true, testedBy: 'testModelRouterApi' },
			{
				name: 'mediaJobLedgerApi',
				required: true,
				testedBy: 'testMediaJobLedgerApi',
				displayOptions: { show: { useLedger: [true] } },
			},
		],
		properties: nodeProperties(resources, 'chat'),
	};

	methods = {
		credentialTest: {
			testModelRouterApi: createCredentialTest(probe),
			testMediaJobLedgerApi: createCredentialTest(ledgerProbe),
		},
		listSearch: { searchModels },
	};

	async execute(this: IExecuteFunctions) {
		return await runNode(this, resources, access);
	}
}
