import {
	type IExecuteFunctions,
	type INodeType,
	type INodeTypeDescription,
	NodeConnectionTypes,
} from 'n8n-workflow';

import { checkLedgerKey } from '../../src/ledger/openLedger';
import { createCredentialTest } from '../../src/n8n/credentialTest';
import { sessionSubtitle } from '../../src/n8n/chatInput.params';
import { nodeProperties } from '../../src/n8n/nodeProperties';
import { runNode } from '../../src/n8n/runNode';
import outputFields from '../outputFields.json';
import { searchAgents } from './agentPicker';
import { access, createServerProbe, probe, resources, serverAccess } from './resources';

export class WorkspaceAgent implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Remote Agent',
		name: 'workspaceAgent',
		icon: { light: 'file:../../icons/agent.svg', dark: 'file:../../icons/agent.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: sessionSubtitle,
		description: 'Send a message to a remote agent and get its answer',
		defaults: { name: 'Remote Agent' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: true,
		builderHint: {
			extraTypeDefContent: outputFields.workspaceAgent,
			searchHint:
				'An agent of a workspace, or (agentOf: server) another server, like A2A or Dify. A credential is one agent, unless its server has several: give newCredential its ID.',
			relatedNodes: [
				{
					nodeType: '@n8n/n8n-nodes-langchain.chatTrigger',
					relationHint: 'Hands over the message and the session of the chat',
				},
			],
		},
		credentials: [
			{
				name: 'workspaceAgentApi',
				required: true,
				testedBy: 'testWorkspaceAgentApi',
				displayOptions: { show: { agentOf: ['workspace'] } },
			},
			{
				name: 'agentServerApi',
				required: true,
				testedBy: 'testAgentServerApi',
				displayOptions: { show: { agentOf: ['server'] } },
			},
		],
		properties: nodeProperties(resources, 'message'),
	};

	methods = {
		credentialTest: {
			testWorkspaceAgentApi: createCredentialTest(access, probe),
			testAgentServerApi: createCredentialTest(serverAccess, createServerProbe, checkLedgerKey),
		},
		listSearch: { searchAgents },
	};

	async execute(this: IExecuteFunctions) {
		// an expression is none of its values
		const isOther = this.getNode().parameters['agentOf'] === 'server';
		return await runNode(this, resources, isOther ? serverAccess : access);
	}
}
