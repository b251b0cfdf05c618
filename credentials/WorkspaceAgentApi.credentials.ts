import type { Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

import { additionalHeaderProperties, apiKeyField, baseUrlField } from '../src/n8n/headers';
import { createHeaderAuth } from '../src/n8n/credential';
import { BEARER } from '../src/core/keyPlace';

/** One per workspace: base URL and key belong together. */
export class WorkspaceAgentApi implements ICredentialType {
	name = 'workspaceAgentApi';

	displayName = 'Workspace Agent API';

	icon: Icon = { light: 'file:../icons/agent.svg', dark: 'file:../icons/agent.dark.svg' };

	documentationUrl = 'https://github.com/example/n8n-nodes-agent-bridge#credentials';

	properties: INodeProperties[] = [
		{
			...baseUrlField,
			placeholder: 'e.g. https://host.example.com/api/v1/workspaces/my-workspace',
			description:
				'Copy it from the API settings of the workspace. It begins with https:// and ends with the identifier of the workspace.',
		},
		{
			...apiKeyField,
			description:
				'Copy it from the API settings of the same workspace: each workspace has its own key',
		},
		{
			displayName:
				'Here, "Connection tested successfully" means that the address was reached and did not refuse the key. The key itself is not verified, because that would start a conversation.',
			name: 'testNotice',
			type: 'notice',
			default: '',
		},
		...additionalHeaderProperties,
	];

	authenticate = createHeaderAuth(() => BEARER);
}
