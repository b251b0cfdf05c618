import { type INodeProperties, updateDisplayOptions } from 'n8n-workflow';

import type { Resource } from './operation';
import { requestSettings } from './requestSettings';

/**
 * The node's parameters: the list of resources, a list of operations per resource, the parameters of each operation, and the request
 * settings.
 *
 * @param defaultResource Value of the resource that is selected at first. n8n does not store defaults: never change it.
 */
export function nodeProperties(
	resources: readonly Resource[],
	defaultResource: string,
): INodeProperties[] {
	return [
		{
			displayName: 'Resource',
			name: 'resource',
			type: 'options',
			noDataExpression: true,
			options: resources.map(({ name, value, notInTools }) => ({
				name,
				value,
				...(notInTools && { displayOptions: { hide: { '@tool': [true] } } }),
			})),
			default: defaultResource,
		},
		...resources.flatMap(({ value: resource, operations, defaultOperation }): INodeProperties[] => [
			{
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				noDataExpression: true,
				displayOptions: { show: { resource: [resource] } },
				options: operations.map(({ name, value, action, description }) => ({
					name,
					value,
					action,
					description,
				})),
				default: defaultOperation,
			},
			...operations.flatMap(({ value, params }) =>
				updateDisplayOptions({ show: { resource: [resource], operation: [value] } }, [...params]),
			),
		]),
		requestSettings,
	];
}
