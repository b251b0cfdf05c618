import { PackageDirectoryLoader } from 'n8n-core';
import {
	CHAT_NODE_TYPE,
	CHAT_TRIGGER_NODE_TYPE,
	NodeHelpers,
	type ICredentialType,
	type INodeType,
	type INodeTypes,
	type IVersionedNodeType,
} from 'n8n-workflow';

import { MarketAssistantApi } from '../../../credentials/MarketAssistantApi.credentials';
import { ModelRouterApi } from '../../../credentials/ModelRouterApi.credentials';
import { WorkspaceAgentApi } from '../../../credentials/WorkspaceAgentApi.credentials';
import { AgentConversation } from '../../../nodes/AgentConversation/AgentConversation.node';
import { MarketAssistant } from '../../../nodes/MarketAssistant/MarketAssistant.node';
import { LmChatModelRouter } from '../../../nodes/ModelRouter/LmChatModelRouter.node';
import { ModelRouter } from '../../../nodes/ModelRouter/ModelRouter.node';
import { ModelRouterTrigger } from '../../../nodes/ModelRouter/ModelRouterTrigger.node';
import { WorkspaceAgent } from '../../../nodes/WorkspaceAgent/WorkspaceAgent.node';

export interface Pack {
	nodeTypes: INodeTypes;
	credentialTypes: Record<string, ICredentialType>;
}

/** A stand-in for the trigger that workflows begin with. */
const start = {
	description: {
		displayName: 'Start',
		name: 'start',
		group: ['input'],
		version: 1,
		description: '',
		defaults: { name: 'Start' },
		inputs: [],
		outputs: ['main'],
		properties: [],
	},
	async execute() {
		return [this.getInputData()];
	},
} as INodeType;

/** Gives on what it gets: where the output of a node can be looked at. */
const sink = { ...start, description: { ...start.description, inputs: ['main'] } } as INodeType;

/** A stand-in for a speaker of a conversation. */
const speaker = {
	...start,
	description: { ...start.description, outputs: ['ai_tool'] },
	async execute() {
		return [[{ json: { output: 'said' } }]];
	},
} as INodeType;

/** A stand-in for the moderator of a conversation, whose answer is not clear. */
const model = {
	description: { ...start.description, outputs: ['ai_languageModel'] },
	async supplyData() {
		return { response: { invoke: async () => await Promise.resolve({ content: '' }) } };
	},
} as INodeType;

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
	[new WorkspaceAgentApi(), new MarketAssistantApi(), new ModelRouterApi()],
);

/** The pack as n8n loads it: from the built dist/. */
export async function built(): Promise<Pack> {
	const loader = new PackageDirectoryLoader(process.cwd());
	await loader.loadAll();
	const nodes = Object.entries(loader.nodeTypes).map(([name, { type }]) => [name, type] as const);
	return packOf(
		Object.fromEntries(nodes),
		Object.values(loader.credentialTypes).map(({ type }) => type),
	);
}

function packOf(
	own: Record<string, INodeType | IVersionedNodeType>,
	credentials: ICredentialType[],
): Pack {
	const nodes: Record<string, INodeType | IVersionedNodeType> = {
		'test.start': start,
		'test.sink': sink,
		'test.speakerTool': speaker,
		'test.model': model,
		[CHAT_NODE_TYPE]: start,
		[CHAT_TRIGGER_NODE_TYPE]: start,
	};
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
