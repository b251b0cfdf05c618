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
				'Lets agents, assistants and models talk in turn. The speakers go into subnodes.tools. The Moderator, for turnOrder moderator or a resultSchema, which it fills in, is subnodes.model. Two Remote Agents need two credentials: give newCredential their IDs. ended says why: one speaker alone can end it.',
			inputs: {
				ai_tool: { required: true },
				ai_languageModel: {
					required: true,
					// the path is a regular expression: either of two, the schema as a text or as an object (@n8n/workflow-sdk 2.41, validation/display-options.js)
					displayOptions: {
						show: {
							'turnOrder|options.resultSchema(.type)?': [
								'moderator',
								'object',
								{ _cnd: { regex: '^\\s*\\{' } },
							],
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
