import type { Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

import {
	additionalHeaderProperties,
	apiKeyField,
	baseUrlField,
	keyPlaceOptions,
	mayNeedItem,
} from '../src/n8n/headers';
import { budgetProperties } from '../src/n8n/budgetFields';
import { createHeaderAuth, jobLedgerProperties, spendingProperties } from '../src/n8n/credential';
import { keyPlaceOf } from '../src/router/services';

/** Where a team decides once which models its workflows use. */
const modelListsProperty = {
	displayName: 'Model Lists',
	name: 'modelLists',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true, ...mayNeedItem },
	placeholder: 'Add Model List',
	default: {},
	description:
		'Models to choose from, by a name that nodes use in place of a model. The first that can is asked. A change counts from the next run of every workflow.',
	options: [
		{
			displayName: 'Model List',
			name: 'list',
			values: [
				{
					displayName: 'Name',
					name: 'name',
					type: 'string',
					default: '',
					placeholder: 'e.g. support',
				},
				{
					displayName: 'Models',
					name: 'models',
					type: 'string',
					typeOptions: { rows: 3 },
					default: '',
					placeholder: 'e.g. vendor/small-model',
					description: 'One that the catalog does not have is passed over',
					hint: 'IDs of models, one per line',
				},
				{
					displayName: 'Order',
					name: 'order',
					type: 'options',
					options: [
						{ name: 'As Listed', value: 'asListed' },
						{
							name: 'Cheapest First',
							value: 'cheapestFirst',
							description: 'By the most that the request could cost; for media, by the least',
						},
					],
					default: 'asListed',
				},
			],
		},
	],
} as const satisfies INodeProperties;

/** Caps and budgets need prices, and most services do not say them. */
const ownPricesProperty = {
	displayName: 'Prices',
	name: 'ownPrices',
	type: 'string',
	typeOptions: { rows: 3 },
	default: '',
	placeholder: 'e.g. gpt-5-mini 0.25 2',
	hint: 'One model per line: its ID, then USD per million tokens in and out',
	description:
		'For models whose price the catalog of the service does not have. A line also names a model that no catalog lists. * is any other model. Zero counts in your own network.',
} as const satisfies INodeProperties;

/** Shared by all nodes that use the model router. */
export class ModelRouterApi implements ICredentialType {
	name = 'modelRouterApi';

	displayName = 'Model Router API';

	icon: Icon = { light: 'file:../icons/router.svg', dark: 'file:../icons/router.dark.svg' };

	documentationUrl = 'https://github.com/example/n8n-nodes-agent-bridge#credentials';

	properties: INodeProperties[] = [
		{
			...baseUrlField,
			placeholder: 'e.g. https://openrouter.ai/api/v1',
			description:
				'Address of the router, or of a service with the same protocol, as its documentation has it. It begins with https://. In your own network, http:// is fine.',
		},
		{
			displayName: 'Key In',
			name: 'keyIn',
			type: 'options',
			options: [
				{
					name: 'Automatic',
					value: 'automatic',
					description: 'By the address of a known service, else X-API-KEY',
				},
				...keyPlaceOptions,
				{ name: 'None', value: 'none', description: 'The service takes no key' },
			],
			default: 'automatic',
			description: 'Where the service takes its key. Its documentation says so.',
		},
		{
			...apiKeyField,
			displayOptions: { hide: { keyIn: ['none'] } },
			description: 'Key of the model router, not the key of an agent or of the assistant',
		},
		ownPricesProperty,
		modelListsProperty,
		...jobLedgerProperties,
		...budgetProperties,
		...spendingProperties,
		...additionalHeaderProperties,
	];

	authenticate = createHeaderAuth(keyPlaceOf);
}
