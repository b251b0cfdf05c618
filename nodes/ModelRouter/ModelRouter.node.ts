import {
	type IExecuteFunctions,
	type INodeType,
	type INodeTypeDescription,
	NodeConnectionTypes,
} from 'n8n-workflow';

import { checkLedgerKey } from '../../src/ledger/keyCheck';
import { createCredentialTest } from '../../src/n8n/credentialTest';
import { nodeProperties } from '../../src/n8n/nodeProperties';
import { runNode } from '../../src/n8n/runNode';
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
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: true,
		credentials: [{ name: 'modelRouterApi', required: true, testedBy: 'testModelRouterApi' }],
		properties: nodeProperties(resources, 'text'),
	};

	methods = {
		credentialTest: { testModelRouterApi: createCredentialTest(probe, checkLedgerKey) },
		listSearch: { searchModels },
	};

	async execute(this: IExecuteFunctions) {
		return await runNode(this, resources, access);
	}
}
