import { type INodeProperties, updateDisplayOptions } from 'n8n-workflow';

import type { Operation, Resource } from './operation';
import { requestSettings } from './requestSettings';

/**
 * The node's parameters: the list of resources, a list of operations per resource, the parameters of each operation, and the request
 * settings. Without a choice of resources or of operations, the list is left out.
 *
 * @param defaultResource Value of the resource that is selected at first. n8n does not store defaults: never change it.
 */
export function nodeProperties(
	resources: readonly Resource[],
	defaultResource: string,
): INodeProperties[] {
	const resourceList: INodeProperties = {
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
	};
	return [
		...(hasChoice(resources) ? [resourceList] : []),
		...resources.flatMap(({ value, operations, defaultOperation }) => {
			const shown = hasChoice(resources) ? { resource: [value] } : {};
			return resourceProperties(operations, defaultOperation, shown);
		}),
		withoutPeoplesResources(resources),
	];
}

/** What only people may use works with tables of this n8n, not with the service. */
function withoutPeoplesResources(resources: readonly Resource[]): INodeProperties {
	const hidden = resources.filter(({ notInTools }) => notInTools).map(({ value }) => value);
	return hidden.length
		? { ...requestSettings, displayOptions: { hide: { resource: hidden } } }
		: requestSettings;
}

/** An expression for the line under a node's name on the canvas: the operation by its label. */
export function operationSubtitle(resources: readonly Resource[]): string {
	const labels = resources.flatMap((resource) =>
		resource.operations.map((operation) =>
			hasChoice(resources)
				? [`${resource.value} ${operation.value}`, `${resource.name}: ${operation.name}`]
				: [operation.value, operation.name],
		),
	);
	const resourceValue = hasChoice(resources) ? '$parameter["resource"] + " " + ' : '';
	return labelSubtitle(Object.fromEntries(labels), `${resourceValue}$parameter["operation"]`);
}

/**
 * An expression for the line under a node's name on the canvas: what was chosen, by its label.
 *
 * @param labels By stored value.
 * @param value The code of the stored value.
 */
export const labelSubtitle = (labels: Readonly<Record<string, string>>, value: string): string =>
	`={{ (${JSON.stringify(labels)})[${value}] }}`;

/** Whether a list needs a parameter to choose from it. */
export const hasChoice = (entries: readonly unknown[]) => entries.length > 1;

function resourceProperties(
	operations: readonly Operation[],
	defaultOperation: string,
	shown: Record<string, string[]>,
): INodeProperties[] {
	const operationList: INodeProperties = {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		options: operations.map(({ name, value, action, description }) => ({
			name,
			value,
			action,
			description,
		})),
		default: defaultOperation,
	};
	// the node panel finds the actions of each resource in its list
	const isListed = hasChoice(operations) || 'resource' in shown;
	return [
		...(isListed ? showWhen(shown, [operationList]) : []),
		...operations.flatMap(({ value, params }) =>
			showWhen({ ...shown, ...(isListed && { operation: [value] }) }, params),
		),
	];
}

const showWhen = (
	show: Record<string, string[]>,
	params: readonly INodeProperties[],
): INodeProperties[] =>
	Object.keys(show).length ? updateDisplayOptions({ show }, [...params]) : [...params];
