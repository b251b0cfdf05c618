import type { Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

import { additionalHeaderProperties } from '../src/n8n/additionalHeaders';
import {
	budgetProperties,
	createHeaderAuth,
	jobLedgerProperties,
	spendingProperties,
} from '../src/n8n/credential';

/** Shared by all nodes that use the model router. */
export class ModelRouterApi implements ICredentialType {
	name = 'modelRouterApi';

	displayName = 'Model Router API';

	icon: Icon = { light: 'file:../icons/router.svg', dark: 'file:../icons/router.dark.svg' };

	documentationUrl = 'https://github.com/example/n8n-nodes-agent-bridge#credentials';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://router.example.com',
			description: 'Address of the router. It begins with https:// and may end with /v1.',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description: 'Key of the model router, not the key of an agent or of the assistant',
		},
		...jobLedgerProperties,
		...budgetProperties,
		...spendingProperties,
		...additionalHeaderProperties,
	];

	authenticate = createHeaderAuth('X-API-KEY');
}
