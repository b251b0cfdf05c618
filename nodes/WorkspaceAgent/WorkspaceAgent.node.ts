import type { IExecuteFunctions, INodeType, INodeTypeDescription } from 'n8n-workflow';

import { createCredentialTest } from '../../src/n8n/credentialTest';
import { mainConnection } from '../../src/n8n/n8nVersions';
import { nodeProperties } from '../../src/n8n/nodeProperties';
import { runNode } from '../../src/n8n/runNode';
import { access, probe } from './access';
import { resources } from './resources';

export class WorkspaceAgent implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Workspace Agent',
		name: 'workspaceAgent',
		icon: { light: 'file:../../icons/agent.svg', dark: 'file:../../icons/agent.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
		description: 'Send a message into a session of a workspace agent and read its answer',
		defaults: { name: 'Workspace Agent' },
		inputs: [mainConnection],
		outputs: [mainConnection],
		usableAsTool: true,
		credentials: [{ name: 'workspaceAgentApi', required: true, testedBy: 'testWorkspaceAgentApi' }],
		properties: nodeProperties(resources, 'message'),
	};

	methods = { credentialTest: { testWorkspaceAgentApi: createCredentialTest(probe) } };

	async execute(this: IExecuteFunctions) {
		return await runNode(this, resources, access);
	}
}
