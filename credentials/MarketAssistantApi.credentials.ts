import type { Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

import { createHeaderAuth, jobLedgerProperties } from '../src/n8n/credential';

/** Shared by all nodes that ask the market assistant. */
export class MarketAssistantApi implements ICredentialType {
	name = 'marketAssistantApi';

	displayName = 'Market Assistant API';

	icon: Icon = { light: 'file:../icons/assistant.svg', dark: 'file:../icons/assistant.dark.svg' };

	documentationUrl = 'https://github.com/example/n8n-nodes-agent-bridge#credentials';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://host.example.com/api/ai-assistant/v1',
			description:
				'Address of the assistant. It begins with https:// and ends with /api/ai-assistant/v1.',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description:
				'A free key is given by support, or by registering on the business platform and choosing the free plan',
		},
		{
			displayName: 'Plan',
			name: 'plan',
			type: 'options',
			options: [
				{ name: 'Custom', value: 'custom', description: 'A limit of your own' },
				{ name: 'Free', value: 'free', description: '60 requests a minute' },
				{ name: 'Pro', value: 'pro', description: '300 requests a minute' },
			],
			default: 'free',
			description:
				'How many requests a minute the key may send. All executions of this n8n wait for their turn, so that none is refused.',
		},
		{
			displayName: 'Requests per Minute',
			name: 'requestsPerMinute',
			type: 'number',
			typeOptions: { minValue: 1 },
			displayOptions: { show: { plan: ['custom'] } },
			default: 60,
			description:
				'Limit of your plan. Do not divide it where several n8n workers use the key. They share it through the job ledger, or the service rejects a request now and then.',
		},
		...jobLedgerProperties,
		{
			displayName: 'Share the Limit Through the Job Ledger',
			name: 'shareLimit',
			type: 'boolean',
			displayOptions: { show: { useJobLedger: [true] } },
			default: false,
			description:
				'Whether all processes of n8n, such as the workers of queue mode, share the limit of the plan. Each reserves the times of its requests in the job ledger. While the ledger cannot be reached, each process uses the whole limit by itself.',
		},
	];

	authenticate = createHeaderAuth('X-API-Key');
}
