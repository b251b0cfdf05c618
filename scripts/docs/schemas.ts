import { existsSync, readFileSync } from 'node:fs';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { documentedNodes } from './nodePages';

/** What n8n reads of JSON Schema to show the fields of a node that has not run. */
export interface OutputSchema {
	type: string | string[];
	properties?: Record<string, OutputSchema>;
	items?: OutputSchema;
}

/** What somebody else decides the content of: a model, a schema of the user, the service. */
const ANY = ['string', 'object', 'array', 'number', 'boolean', 'null'];
const OPEN: Record<string, string[]> = {
	arguments: ['object', 'string'],
	body: ['object', 'string'],
	computed: ['object'],
	content: ['string', 'array', 'null'],
	events: ['array'],
	input: ['object', 'string'],
	job: ['object'],
	meta: ['object'],
	result: ['object'],
	// by language
	title: ['object'],
	unread: ['object', 'string'],
};

/** The schema that all samples satisfy, with every field that one of them has. */
export function schemaOf(samples: readonly unknown[], name = ''): OutputSchema {
	const open = OPEN[name];
	if (open) return typed(open);
	const types = [...new Set(samples.map(typeOf))].sort(nullLast);
	// the text of an answer, or what a schema of the user makes of it
	if (types.includes('object') && types.includes('string')) return typed(ANY);
	const lists = samples.filter((sample) => Array.isArray(sample)).flat() as unknown[];
	const objects = samples.filter(isObject);
	const keys = [...new Set(objects.flatMap((one) => Object.keys(one)))];
	const properties = keys.map((key) => {
		const values = objects.map((one) => one[key]).filter((one) => one !== undefined);
		return [key, schemaOf(values, key)] as const;
	});
	return {
		...typed(types),
		...(keys.length && { properties: Object.fromEntries(properties) }),
		...(lists.length && { items: schemaOf(lists) }),
	};
}

/** The editor shows the first type. */
const typed = (types: string[]): OutputSchema => ({ type: types.length > 1 ? types : types[0]! });

/** Fields of an item that tell of a failure, or have a figure as it came because it could not be read. */
const RARE = new Set(['cost', 'estimated_cost', 'failure']);

const typeOf = (value: unknown) =>
	value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;

const nullLast = (one: string, other: string) => Number(one === 'null') - Number(other === 'null');

const isObject = (value: unknown): value is IDataObject => typeOf(value) === 'object';

/**
 * Values that have another type than a schema says, and fields of the item that it does not have: a sentence each.
 *
 * @param isRaw Whether the node adds what the service sent, as it is.
 */
export function schemaProblems(
	value: unknown,
	schema: OutputSchema,
	isRaw: boolean,
	path = '',
): string[] {
	if (value === undefined) return [];
	const { type, properties, items } = schema;
	const types = [type].flat();
	if (!types.includes(typeOf(value)))
		return [`${path || 'the item'} is ${typeOf(value)}, not ${types.join(' or ')}`];
	if (Array.isArray(value))
		return items ? value.flatMap((one) => schemaProblems(one, items, isRaw, `${path}[]`)) : [];
	if (!isObject(value) || !properties) return [];
	return Object.entries(value).flatMap(([key, one]) => {
		const known = properties[key];
		if (known) return schemaProblems(one, known, isRaw, path ? `${path}.${key}` : key);
		// what is in an object may depend on the service, and so does what is not simplified
		return path || isRaw || key in OPEN || RARE.has(key) ? [] : [`${key} is not in the schema`];
	});
}

/** The files of all schemas, where n8n looks for them (n8n-core 2.41.1, output-schema-resolver.js). It asks for none of a trigger. */
export const schemaFiles = (): string[] =>
	documentedNodes.flatMap(({ description: { name, outputs }, resources }) => {
		if (resources.length)
			return resources.flatMap((resource) =>
				resource.operations.map((operation) =>
					schemaFile(name, { resource: resource.value, operation: operation.value }),
				),
			);
		const isAsked = !name.endsWith('Trigger') && outputs[0] === 'main';
		return isAsked ? [schemaFile(name, {})] : [];
	});

/** @param parameters Of the node: `resource` and `operation`, where they have not their defaults. */
export function schemaFile(node: string, parameters: INodeParameters): string {
	const folder = `${node[0]!.toUpperCase()}${node.slice(1)}`;
	const { resources, description } =
		documentedNodes.find((one) => one.description.name === node) ?? {};
	if (!resources || !description) throw new Error(`The package has no node "${node}"`);
	// a list with one choice is not among the parameters
	const preset = description.properties.find(({ name }) => name === 'resource')?.default;
	const resource = resources.find(({ value }) => value === (parameters['resource'] ?? preset));
	const { operations = [], defaultOperation } = resource ?? resources[0] ?? {};
	const operation = operations.find(
		({ value }) => value === (parameters['operation'] ?? defaultOperation),
	);
	const isChoice = operations.length > 1 || resources.length > 1;
	const parts = [resources.length > 1 && resource?.value, isChoice && operation?.value];
	return `${['nodes', folder, '__schema__', 'v1.0.0', ...parts].filter(Boolean).join('/')}.json`;
}

/** @returns undefined where n8n asks for none: of a trigger, and of what the node does not do */
export function readSchema(node: string, parameters: INodeParameters): OutputSchema | undefined {
	const path = schemaFile(node, parameters);
	return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as OutputSchema) : undefined;
}
