import type {
	IExecuteFunctions,
	INodeType,
	INodeTypeDescription,
	IPollFunctions,
} from 'n8n-workflow';

import { createCredentialTest } from '../../src/n8n/credentialTest';
import { mainConnection } from '../../src/n8n/n8nVersions';
import { ledgerProbe } from '../MediaJobLedger/access';
import { probe } from './access';
import { deliver } from './trigger/deliver';
import { poll } from './trigger/poll';
import { triggerParams } from './trigger/trigger.params';

export class ModelRouterTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Model Router Trigger',
		name: 'modelRouterTrigger',
		icon: { light: 'file:../../icons/router.svg', dark: 'file:../../icons/router.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle: '={{ [$parameter["events"]].flat().join(", ") }}',
		description:
			'Starts the workflow when a media job is done, with its file, or when the model catalog changes',
		defaults: { name: 'Model Router Trigger' },
		polling: true,
		inputs: [],
		outputs: [mainConnection],
		credentials: [
			{ name: 'modelRouterApi', required: true, testedBy: 'testModelRouterApi' },
			{
				name: 'mediaJobLedgerApi',
				required: true,
				testedBy: 'testMediaJobLedgerApi',
				displayOptions: { show: { jobSource: ['ledger'] } },
			},
		],
		properties: [...triggerParams],
	};

	methods = {
		credentialTest: {
			testModelRouterApi: createCredentialTest(probe),
			testMediaJobLedgerApi: createCredentialTest(ledgerProbe),
		},
	};

	async poll(this: IPollFunctions) {
		return await poll(this);
	}

	/** n8n runs it in the execution that a poll has started, on what the poll has given, and for a test run in the editor. */
	async execute(this: IExecuteFunctions) {
		return await deliver(this);
	}
}
