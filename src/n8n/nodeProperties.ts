import type { INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

import type { Resource } from './operation';
import { requestSettings } from './settings';

/**
 * The node's parameters: a resource list, an operation list per resource, each operation's own, and how requests are sent.
 *
 * @param defaultResource Value of the resource that is chosen at first. n8n does not store a default: never change it.
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
			options: resources.map(({ name, value }) => ({ name, value })),
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
