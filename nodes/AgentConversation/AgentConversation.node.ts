import {
	type EngineResponse,
	type IExecuteFunctions,
	type INodeType,
	type INodeTypeDescription,
	NodeConnectionTypes,
} from 'n8n-workflow';

import { requireN8n } from '../../src/n8n/n8nVersions';
import { requireResponse } from '../../src/n8n/attachedTools';
import { labelSubtitle } from '../../src/n8n/operation';
import outputFields from '../outputFields.json';
import { conversationParams } from './conversation.params';
import { holdConversations } from './holdConversations';

export class AgentConversation implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Agent Conversation',
		name: 'agentConversation',
		icon: {
			light: 'file:../../icons/conversation.svg',
			dark: 'file:../../icons/conversation.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle: labelSubtitle(
			{
				addressed: 'By Name',
				inTurn: 'In Turn',
				moderator: 'Moderated',
				sameMessage: 'Same Message to All',
			},
			'$parameter["turnOrder"]',
		),
		builderHint: {
			extraTypeDefContent: outputFields.agentConversation,
			searchHint:
				'Lets two or more agents, assistants or models talk to each other, turn by turn. Attach them as Speakers, as tools are attached to an AI Agent. Two Remote Agents need two credentials, or two agents of one server. The field ended says whether they agreed.',
			inputs: {
				ai_tool: { required: true },
				ai_languageModel: {
					required: true,
					// a path with | stands for either of two (@n8n/workflow-sdk 2.41, validation/display-options.js)
					displayOptions: {
						show: {
							'turnOrder|options.resultSchema': ['moderator', { _cnd: { startsWith: '{' } }],
						},
					},
				},
			},
			relatedNodes: [
				{
					nodeType: '@n8n/n8n-nodes-langchain.chatTrigger',
					relationHint: 'Hands over the opening message and the session of the chat',
				},
			],
		},
		description: 'Let agents, assistants and models talk to each other, turn by turn',
		defaults: { name: 'Agent Conversation' },
		inputs: [
			NodeConnectionTypes.Main,
			{ type: NodeConnectionTypes.AiTool, displayName: 'Speakers', required: true },
			{ type: NodeConnectionTypes.AiLanguageModel, displayName: 'Moderator', maxConnections: 1 },
		],
		outputs: [NodeConnectionTypes.Main],
		// as a tool it would lose its inputs (n8n 2.41.1, tool-generation/ai-tools.js:18). Set explicitly because n8n's linter requires it.
		usableAsTool: undefined as never,
		properties: [...conversationParams],
	};

	async execute(this: IExecuteFunctions, response?: EngineResponse) {
		requireN8n(this);
		requireResponse(this, response);
		return await holdConversations(this, response);
	}
}
