import { type IExecuteFunctions, type INodeProperties, updateDisplayOptions } from 'n8n-workflow';

import { groupByFields } from '../core/grouping';
import type { Operation, Resource } from './operation';
import { createParamReader } from './parameters';
import { defaultRequestSettings, type RequestSettings, requestSettings } from './requestSettings';

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
		...(resources.length > 1 ? [resourceList] : []),
		...resources.flatMap(({ value, operations, defaultOperation }) => {
			const shown = resources.length > 1 ? { resource: [value] } : {};
			return resourceProperties(operations, defaultOperation, shown);
		}),
		...settingsOf(resources),
	];
}

/**
 * The request settings of each operation that talks to the service. Operations for people alone have none: they work with tables of this n8n.
 *
 * The operations are named: n8n would describe the settings to language models once more for "Custom API Call", which it adds to each list.
 */
function settingsOf(resources: readonly Resource[]): INodeProperties[] {
	if (resources.length < 2) return [requestSettings];
	const all = resources.flatMap(({ value: resource, operations, notInTools }) =>
		operations
			.filter(({ readsAtMostCatalog }) => !notInTools && !readsAtMostCatalog)
			.map((operation) => ({
				resource,
				operation: operation.value,
				options: optionsFor(operation),
			})),
	);
	return groupByFields(all, ['options']).map((same) => ({
		...requestSettings,
		options: same[0]!.options,
		displayOptions: {
			show: {
				resource: [...new Set(same.map(({ resource }) => resource))],
				operation: [...new Set(same.map(({ operation }) => operation))],
			},
		},
	}));
}

/** The settings of an operation, without those that change nothing: only what costs money is not sent again by itself, and only a long answer needs timeouts. */
const optionsFor = ({ identify, mayTakeLong }: Operation) =>
	requestSettings.options.filter(
		({ name }) =>
			(name !== 'resendIfUnknown' || identify) && (!name.endsWith('Timeout') || mayTakeLong),
	);

/** What is set for an operation. n8n keeps what was set for an earlier one, which the editor no longer shows. */
export function readSettings(
	n8n: IExecuteFunctions,
	resources: readonly Resource[],
	operation: Operation,
): RequestSettings {
	const { requestSettings: stored } = createParamReader(n8n, [requestSettings])(0);
	const shown = resources.length > 1 ? optionsFor(operation) : requestSettings.options;
	const given = Object.entries(stored).filter(([name]) => shown.some((one) => one.name === name));
	return { ...defaultRequestSettings, ...(Object.fromEntries(given) as Partial<RequestSettings>) };
}

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
	const isListed = operations.length > 1 || 'resource' in shown;
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
