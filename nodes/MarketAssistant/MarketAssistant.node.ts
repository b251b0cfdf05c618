import type { IExecuteFunctions, INodeType, INodeTypeDescription } from 'n8n-workflow';

import { createCredentialTest } from '../../src/n8n/credentialTest';
import { mainConnection } from '../../src/n8n/n8nVersions';
import { nodeProperties } from '../../src/n8n/nodeProperties';
import { runNode } from '../../src/n8n/runNode';
import { access, probe } from './access';
import { resources } from './resources';

export class MarketAssistant implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Market Assistant',
		name: 'marketAssistant',
		icon: { light: 'file:../../icons/assistant.svg', dark: 'file:../../icons/assistant.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
		description: 'Ask the crypto market assistant a question in plain words',
		defaults: { name: 'Market Assistant' },
		inputs: [mainConnection],
		outputs: [mainConnection],
		usableAsTool: true,
		credentials: [
			{ name: 'marketAssistantApi', required: true, testedBy: 'testMarketAssistantApi' },
		],
		properties: nodeProperties(resources, 'question'),
	};

	methods = { credentialTest: { testMarketAssistantApi: createCredentialTest(probe) } };

	async execute(this: IExecuteFunctions) {
		return await runNode(this, resources, access);
	}
}
