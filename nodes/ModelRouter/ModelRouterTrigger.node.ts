import {
	type IExecuteFunctions,
	type INodeType,
	type INodeTypeDescription,
	type IPollFunctions,
	NodeConnectionTypes,
} from 'n8n-workflow';

import outputFields from '../outputFields.json';
import { testModelRouterApi } from './access';
import { description } from './acrossResources.params';
import { deliver } from './trigger/deliver';
import { poll } from './trigger/poll';
import { eventsSubtitle, triggerParams } from './trigger/trigger.params';

export class ModelRouterTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Model Router Trigger',
		name: 'modelRouterTrigger',
		icon: { light: 'file:../../icons/router.svg', dark: 'file:../../icons/router.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle: eventsSubtitle,
		description: `${description}. The trigger gets finished jobs`,
		defaults: { name: 'Model Router Trigger' },
		polling: true,
		builderHint: {
			extraTypeDefContent: outputFields.modelRouterTrigger,
			searchHint:
				'Starts a workflow when an image, video, music or speech job of the Model Router is done or has failed. A finished job has its file. If several triggers match a job, one of them gets it.',
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-agent-bridge.modelRouter',
					relationHint:
						'Media: Start Job with Track in Job Ledger starts the jobs that it waits for',
				},
			],
		},
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'modelRouterApi', required: true, testedBy: 'testModelRouterApi' }],
		properties: [...triggerParams],
	};

	methods = { credentialTest: { testModelRouterApi } };

	async poll(this: IPollFunctions) {
		return await poll(this);
	}

	/** n8n runs it in the execution that a poll started, with the items of the poll, and for a test run in the editor. */
	async execute(this: IExecuteFunctions) {
		return await deliver(this);
	}
}
