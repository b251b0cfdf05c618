import type { Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

import { createHeaderAuth } from '../src/n8n/connection';

/** For n8n itself, not for the service: the job ledger is a Data Table of the n8n that the workflows run in. */
export class MediaJobLedgerApi implements ICredentialType {
	name = 'mediaJobLedgerApi';

	displayName = 'Media Job Ledger API';

	icon: Icon = { light: 'file:../icons/ledger.svg', dark: 'file:../icons/ledger.dark.svg' };

	documentationUrl = 'https://github.com/example/n8n-nodes-agent-bridge#media-job-ledger';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: 'http://127.0.0.1:5678',
			required: true,
			description:
				'Where n8n itself is reached from within: by the main process, and by every worker. It may begin with http://, since it need not leave your network.',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description:
				'Made in n8n under Settings, n8n API. It needs the scopes dataTable:list, dataTable:create, dataTableColumn:create, dataTableRow:read, dataTableRow:create and dataTableRow:update.',
		},
		{
			displayName: 'Table',
			name: 'table',
			type: 'string',
			default: 'Media Jobs',
			required: true,
			description:
				'Name of the Data Table that is the ledger; "Set Up" of the Media Job Ledger node makes it. With its ID instead, the key need not be allowed to list tables.',
		},
	];

	authenticate = createHeaderAuth('X-N8N-API-KEY');
}
