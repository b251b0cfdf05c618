import type { Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

import { keyInHeader } from '../src/n8n/authenticate';

/** Shared by all nodes that ask the market assistant. */
export class MarketAssistantApi implements ICredentialType {
	name = 'marketAssistantApi';

	displayName = 'Market Assistant API';

	icon: Icon = { light: 'file:../icons/assistant.svg', dark: 'file:../icons/assistant.dark.svg' };

	documentationUrl = 'https://github.com/example/n8n-nodes-agent-bridge#the-three-keys';

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
	];

	authenticate = keyInHeader('X-API-Key');
}
