import {
	CHAT_NODE_TYPE,
	CHAT_TRIGGER_NODE_TYPE,
	NodeHelpers,
	type ICredentialType,
	type INodeType,
	type INodeTypes,
	type IVersionedNodeType,
} from 'n8n-workflow';

import { AgentServerApi } from '../../../credentials/AgentServerApi.credentials';
import { MarketAssistantApi } from '../../../credentials/MarketAssistantApi.credentials';
import { ModelRouterApi } from '../../../credentials/ModelRouterApi.credentials';
import { WorkspaceAgentApi } from '../../../credentials/WorkspaceAgentApi.credentials';
import { AgentConversation } from '../../../nodes/AgentConversation/AgentConversation.node';
import { MarketAssistant } from '../../../nodes/MarketAssistant/MarketAssistant.node';
import { LmChatModelRouter } from '../../../nodes/ModelRouter/LmChatModelRouter.node';
import { ModelRouter } from '../../../nodes/ModelRouter/ModelRouter.node';
import { ModelRouterTrigger } from '../../../nodes/ModelRouter/ModelRouterTrigger.node';
import { WorkspaceAgent } from '../../../nodes/WorkspaceAgent/WorkspaceAgent.node';
import { standIn } from './standIns';

export interface Pack {
	nodeTypes: INodeTypes;
	credentialTypes: Record<string, ICredentialType>;
}

const passOn = {
	async execute() {
		return [this.getInputData()];
	},
} as Pick<INodeType, 'execute'>;
/** The trigger that workflows begin with. */
const start = standIn(passOn, { inputs: [] });

const STAND_INS: Record<string, INodeType> = {
	'test.start': start,
	// where the output of a node can be looked at
	'test.sink': standIn(passOn),
	'test.speakerTool': standIn({ execute: async () => [[{ json: { output: 'said' } }]] }),
	// a moderator whose answer is not clear
	'test.model': standIn(
		{ supplyData: async () => ({ response: { invoke: async () => ({ content: '' }) } }) },
		{ inputs: [], outputs: ['ai_languageModel'] },
	),
	[CHAT_NODE_TYPE]: start,
	[CHAT_TRIGGER_NODE_TYPE]: start,
};

/** The pack from its sources. */
export const sources: Pack = packOf(
	{
		workspaceAgent: new WorkspaceAgent(),
		marketAssistant: new MarketAssistant(),
		modelRouter: new ModelRouter(),
		modelRouterTrigger: new ModelRouterTrigger(),
		lmChatModelRouter: new LmChatModelRouter(),
		agentConversation: new AgentConversation(),
	},
	[new WorkspaceAgentApi(), new AgentServerApi(), new MarketAssistantApi(), new ModelRouterApi()],
);

function packOf(
	own: Record<string, INodeType | IVersionedNodeType>,
	credentials: ICredentialType[],
): Pack {
	const nodes: Record<string, INodeType | IVersionedNodeType> = { ...STAND_INS };
	for (const [name, type] of Object.entries(own)) {
		nodes[`n8n-nodes-agent-bridge.${name}`] = type;
		nodes[`n8n-nodes-agent-bridge.${name}Tool`] = type;
	}
	const byName = (name: string) => {
		const found = nodes[name];
		if (!found) throw new Error(`unknown node type ${name}`);
		return found;
	};
	return {
		nodeTypes: {
			getByName: byName,
			getByNameAndVersion: (name, version) =>
				NodeHelpers.getVersionedNodeType(byName(name), version),
			getKnownTypes: () => ({}),
		},
		credentialTypes: Object.fromEntries(credentials.map((type) => [type.name, type])),
	};
}
