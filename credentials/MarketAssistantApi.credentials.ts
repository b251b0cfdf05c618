import type { Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

import {
	additionalHeaderProperties,
	apiKeyField,
	baseUrlField,
	mayNeedItem,
} from '../src/n8n/headers';
import { createHeaderAuth, jobLedgerProperties } from '../src/n8n/credential';
import { X_API_KEY } from '../src/core/keyPlace';

/** Shared by all nodes that ask the market assistant. */
export class MarketAssistantApi implements ICredentialType {
	name = 'marketAssistantApi';

	displayName = 'Crypto Q&A API';

	icon: Icon = { light: 'file:../icons/assistant.svg', dark: 'file:../icons/assistant.dark.svg' };

	documentationUrl = 'https://github.com/example/n8n-nodes-agent-bridge#credentials';

	properties: INodeProperties[] = [
		{
			...baseUrlField,
			placeholder: 'e.g. https://host.example.com/api/ai-assistant/v1',
			description:
				'Address of the assistant. It begins with https:// and ends with /api/ai-assistant/v1.',
		},
		{
			...apiKeyField,
			description:
				'Get a free key from support, or register on the business platform and choose the free plan',
		},
		{
			displayName: 'Plan',
			name: 'plan',
			type: 'options',
			typeOptions: mayNeedItem,
			options: [
				{ name: 'Custom', value: 'custom', description: 'Your own limit' },
				{ name: 'Free', value: 'free', description: '60 requests per minute' },
				{ name: 'Pro', value: 'pro', description: '300 requests per minute' },
			],
			default: 'free',
			description:
				'How many requests per minute the key may send. All executions of this n8n wait for their turn, so that none is refused.',
		},
		{
			displayName: 'Requests per Minute',
			name: 'requestsPerMinute',
			type: 'number',
			typeOptions: { minValue: 1, ...mayNeedItem },
			displayOptions: { show: { plan: ['custom'] } },
			default: 60,
			description:
				'Limit of your plan. Do not divide it if several n8n workers use the key: they share it through the job ledger, or the service occasionally rejects a request.',
		},
		...jobLedgerProperties,
		{
			displayName: 'Share the Limit Through the Job Ledger',
			name: 'shareLimit',
			type: 'boolean',
			displayOptions: { show: { useJobLedger: [true] } },
			default: false,
			description:
				'Whether all processes of n8n, such as the workers of queue mode, share the limit of the plan. Each reserves time slots for its requests in the job ledger. While the ledger cannot be reached, each process uses the whole limit.',
		},
		...additionalHeaderProperties,
	];

	authenticate = createHeaderAuth(() => X_API_KEY);
}
