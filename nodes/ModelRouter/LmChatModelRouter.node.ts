import {
	type INodeType,
	type INodeTypeDescription,
	type ISupplyDataFunctions,
	NodeConnectionTypes,
	type SupplyData,
} from 'n8n-workflow';

import { LEFT_OUT } from '../fieldKinds.params';
import { testModelRouterApi } from './access';
import { chatModelParams } from './chatModel/chatModel.params';
import { supplyChatModel } from './chatModel/supplyChatModel';
import { searchModels } from './modelPicker';

export class LmChatModelRouter implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Model Router Chat Model',
		name: 'lmChatModelRouter',
		icon: { light: 'file:../../icons/router.svg', dark: 'file:../../icons/router.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: '={{ $parameter["model"]["value"] }}',
		description:
			'Text models of many vendors for AI agents and chains, with spending caps and the cost of every call',
		defaults: { name: 'Model Router Chat Model' },
		builderHint: {
			extraTypeDefContent: [{ content: LEFT_OUT }],
			searchHint:
				'The language model of an AI Agent, a chain or the moderator of an Agent Conversation, with a spending cap per call and per execution. Attach it as subnodes.model.',
		},
		inputs: [],
		outputs: [NodeConnectionTypes.AiLanguageModel],
		outputNames: ['Model'],
		// models cannot be tools; set explicitly because n8n's linter requires it
		usableAsTool: undefined as never,
		credentials: [{ name: 'modelRouterApi', required: true, testedBy: 'testModelRouterApi' }],
		properties: [...chatModelParams],
	};

	methods = { credentialTest: { testModelRouterApi }, listSearch: { searchModels } };

	async supplyData(this: ISupplyDataFunctions, itemIndex: number): Promise<SupplyData> {
		return await supplyChatModel(this, itemIndex, async () => await import('@n8n/ai-node-sdk'));
	}
}
