import { readFileSync } from 'node:fs';
import {
	NodeHelpers,
	type INodeParameters,
	type INodeProperties,
	type INodePropertyOptions,
	type INodeTypeDescription,
} from 'n8n-workflow';
import { packageName } from '../n8n/bridge.ts';
import type { Editor } from '../n8n/editor.ts';

export interface Operation {
	node: INodeTypeDescription;
	/** What chooses it: values of `resource` and `operation`, as far as the node has them, or a trigger's event. */
	values: INodeParameters;
	/** As the operation's dropdown has it. */
	name: string;
	/** As the list of nodes has it; a node with one operation has none. */
	action?: string;
}

/** The descriptions of the package's nodes, as n8n has loaded them. */
export async function nodeTypes(editor: Editor): Promise<INodeTypeDescription[]> {
	const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { n8n: { nodes: string[] } };
	const types = manifest.n8n.nodes.map((path) => {
		const [, name = ''] = /(\w+)\.node\.js$/.exec(path) ?? [];
		return `${packageName}.${name[0]?.toLowerCase()}${name.slice(1)}`;
	});
	return await Promise.all(
		types.map(async (type) => {
			const found = await editor.nodeType(type);
			if (!found) throw new Error(`n8n has not loaded ${type}`);
			return { ...(found as unknown as INodeTypeDescription), name: type };
		}),
	);
}

export const isTrigger = ({ group }: INodeTypeDescription) => group.includes('trigger');

/** As the list of nodes has it, where a trigger is part of the node of the same service. */
export const listedName = ({ displayName }: INodeTypeDescription) =>
	displayName.replace(/ Trigger$/, '');

/** Every operation of a node, every event of a trigger; of a node without either, the node itself. */
export function operationsOf(node: INodeTypeDescription): Operation[] {
	const choices = node.properties.filter(
		({ name, displayName }) => name === 'operation' || isTriggerOn(displayName),
	);
	const operations = choices.flatMap((property) =>
		optionsOf(property).map(({ name, value, action }) => ({
			node,
			values: {
				...resourceOf(property),
				[property.name]: property.type === 'multiOptions' ? [String(value)] : String(value),
			},
			name,
			action: action ?? `On ${name.toLowerCase()}`,
		})),
	);
	const { displayName: name } = node;
	return operations.length ? operations : [{ node, values: {}, name }];
}

/** The operation that a new node begins with. */
export function defaultOperation(node: INodeTypeDescription): Operation {
	const resource = node.properties.find(({ name }) => name === 'resource')?.default;
	const choice = node.properties.find(
		(property) => property.name === 'operation' && resourceOf(property)['resource'] === resource,
	);
	const found = operationsOf(node).find(
		({ values }) =>
			values['resource'] === resource && values['operation'] === String(choice?.default),
	);
	if (!found) throw new Error(`${node.displayName} begins with no operation`);
	return found;
}

/** The titles that the node's panel has to show with these values and nothing else set. */
export function shownTitles({ node, values }: Operation): string[] {
	const instance = { typeVersion: Number(node.version), type: node.name, parameters: {} };
	const all =
		NodeHelpers.getNodeParameters(node.properties, values, true, false, instance, node) ?? {};
	// n8n's list of credentials sets the field that decides which of them counts, and shows no other one for it
	const setByList = (node.credentials ?? []).flatMap(({ displayOptions }) =>
		Object.keys(displayOptions?.show ?? {}),
	);
	return node.properties
		.filter((property) => property.type !== 'hidden' && property.type !== 'notice')
		.filter(({ name }) => !setByList.includes(name))
		.filter((property) => NodeHelpers.displayParameter(all, property, instance, node))
		.map(({ displayName }) => displayName);
}

/** "Custom API Call", which n8n adds to every node that has a credential. */
const addedByN8n = '__CUSTOM_API_CALL__';

const optionsOf = ({ options = [] }: INodeProperties) =>
	options.filter(
		(option): option is INodePropertyOptions => 'value' in option && option.value !== addedByN8n,
	);

function resourceOf({ displayOptions }: INodeProperties): INodeParameters {
	const [resource] = displayOptions?.show?.['resource'] ?? [];
	return typeof resource === 'string' ? { resource } : {};
}

/** What n8n's list of nodes takes for a trigger's events: useActionsGeneration.ts of n8n 2.41's editor. */
const isTriggerOn = (title: string) =>
	['event', 'events', 'trigger on'].includes(title.toLowerCase());
