import type { Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

import { SERVERS } from '../src/agent/servers';
import {
	additionalHeaderProperties,
	apiKeyField,
	baseUrlField,
	chosenKeyPlace,
	keyPlaceOptions,
} from '../src/n8n/headers';
import { createHeaderAuth, jobLedgerProperties } from '../src/n8n/credential';

/** For agents of any other server than a workspace. */
export class AgentServerApi implements ICredentialType {
	name = 'agentServerApi';

	displayName = 'Agent Server API';

	icon: Icon = { light: 'file:../icons/agent.svg', dark: 'file:../icons/agent.dark.svg' };

	documentationUrl = 'https://github.com/example/n8n-nodes-agent-bridge#credentials';

	properties: INodeProperties[] = [
		{
			displayName: 'Server',
			name: 'server',
			type: 'options',
			options: SERVERS.slice(1)
				.map(({ name, value }) => ({ name, value }))
				.sort((one, other) => one.name.localeCompare(other.name)),
			default: 'a2a',
			description: 'What the agent runs on. That decides how it is asked.',
		},
		{
			...baseUrlField,
			placeholder: 'e.g. https://agent.example.com',
			description:
				'A2A: what comes before /.well-known/agent-card.json. LangGraph: the address of the server. n8n Chat: the Chat URL of the Chat Trigger. AG-UI and AI SDK: the address of the agent itself. OpenAI Responses and Dify: up to /v1. It begins with https://. In your own network, http:// is fine.',
		},
		{
			displayName: 'Key In',
			name: 'keyIn',
			type: 'options',
			options: [
				...keyPlaceOptions,
				{ name: 'None', value: 'none', description: 'The server takes no key' },
			],
			default: 'bearer',
			description: 'Where the server takes its key. Its documentation says so.',
		},
		{
			...apiKeyField,
			displayOptions: { hide: { keyIn: ['none'] } },
			description: 'It is only sent to the server of the base URL',
		},
		...jobLedgerProperties,
		...additionalHeaderProperties,
	];

	authenticate = createHeaderAuth(chosenKeyPlace);
}
