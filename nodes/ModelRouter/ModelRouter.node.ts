import {
	type IExecuteFunctions,
	type INodeType,
	type INodeTypeDescription,
	NodeConnectionTypes,
} from 'n8n-workflow';

import { nodeProperties } from '../../src/n8n/nodeProperties';
import { operationSubtitle } from '../../src/n8n/operation';
import { runNode } from '../../src/n8n/runNode';
import outputFields from '../outputFields.json';
import { access, testModelRouterApi } from './access';
import { description } from './acrossResources.params';
import { MODEL_HINT, searchModels } from './modelPicker';
import { resources } from './resources';

/** For language models: what would otherwise be said at each field of each operation. */
const HINTS = [
	`model: ${MODEL_HINT}`,
	'Spending caps: only the user may raise them. Duration, resolution and sound cost more. An item whose maximum no longer fits is refused: computed.reachedCap names the cap.',
	'uniqueKey: such as an order ID, never random; the trigger returns it. To retry a failed job, change it.',
	'Generate: the model chooses the format, see file.mimeType; it may ignore parameters. As a tool it returns no file: set useLedger, a Model Router Trigger delivers it.',
].join('\n');

export class ModelRouter implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Model Router',
		name: 'modelRouter',
		icon: { light: 'file:../../icons/router.svg', dark: 'file:../../icons/router.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: operationSubtitle(resources),
		description,
		defaults: { name: 'Model Router' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: true,
		builderHint: {
			extraTypeDefContent: [{ content: HINTS }, ...outputFields.modelRouter],
			searchHint: 'For long jobs: Start Job, and the Model Router Trigger.',
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-agent-bridge.modelRouterTrigger',
					relationHint: 'Starts a workflow with the file when a media job is done',
				},
				{
					nodeType: 'n8n-nodes-agent-bridge.lmChatModelRouter',
					relationHint: 'The same text models for an AI Agent or a chain',
				},
				{
					nodeType: 'n8n-nodes-agent-bridge.agentConversation',
					relationHint: 'Lets models, agents and people talk, with this node as a speaker',
				},
			],
		},
		credentials: [{ name: 'modelRouterApi', required: true, testedBy: 'testModelRouterApi' }],
		properties: nodeProperties(resources, 'text'),
	};

	methods = { credentialTest: { testModelRouterApi }, listSearch: { searchModels } };

	async execute(this: IExecuteFunctions) {
		return await runNode(this, resources, access);
	}
}
