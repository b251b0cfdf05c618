import type { INodeProperties } from 'n8n-workflow';

/** The address of a service and its key, in every credential. */
export const serviceFields = (
	baseUrl: Pick<INodeProperties, 'placeholder' | 'description'>,
	keyDescription: string,
): INodeProperties[] => [
	{
		displayName: 'Base URL',
		name: 'baseUrl',
		type: 'string',
		default: '',
		required: true,
		...baseUrl,
	},
	{
		displayName: 'API Key',
		name: 'apiKey',
		type: 'string',
		typeOptions: { password: true },
		default: '',
		required: true,
		description: keyDescription,
	},
];
