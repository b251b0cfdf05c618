import type {
	INodeParameters,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	INodeType,
	NodeParameterValueType,
} from 'n8n-workflow';
import { readFileSync } from 'node:fs';

import { type FieldRules, getFieldRules } from '../../../src/n8n/parameterFields';
import { sources } from './pack';

/** A field of a node: one place in the editor where somebody can type an expression. */
export interface Field {
	/** As tests name it. */
	title: string;
	node: string;
	/** What an error calls it. */
	label: string;
	type: INodeProperties['type'];
	description: string;
	takesNoExpression: boolean;
	isRequired: boolean;
	rules: FieldRules;
	/** The rules of the collection that it is in. */
	outerRules: FieldRules;
	/** Something that the field takes. */
	good: NodeParameterValueType;
	/** The node's parameters with something stored in this field, and everything else valid. */
	stored(value: string): INodeParameters;
}

/** What fields need where their default is not enough, by name. */
const VALID: Record<string, NodeParameterValueType> = {
	message: 'hello',
	question: 'hello',
	prompt: 'hello',
	content: 'hello',
	sessionId: '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90',
	sessionKey: 'key',
	chatId: 'chat-1',
	messageSource: 'define',
	questionSource: 'define',
	uniqueKey: 'key',
	jobId: 'job-1',
	entryId: 1,
	reservationId: 'run:1',
	request: 'month:2026-11-01:3f2a',
	amount: 1,
	reason: 'It loops',
	url: 'https://example.com/picture.png',
	model: 'northwind/quill-2.5',
	name: 'image',
	useLedger: true,
	messages: { message: [{ role: 'user', content: 'hello' }] },
	messagesJson: [{ role: 'user', content: 'hello' }] as never,
	openingMessage: 'hello',
	openingMessageSource: 'define',
	conversationId: '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90',
	speaker: 'Ada',
	editors: 'Ada',
	mediaType: 'images',
	executionId: '7',
	from: '2026-11-01',
	to: '2026-11-30',
};

/** What a field of a collection needs beside it, by name. */
const BESIDE: Record<string, INodeParameters> = {
	continueAfterTurn: { transcript: '[{ "speaker": "Ada", "text": "a" }]' },
};

const NODES: Record<string, () => INodeType> = Object.fromEntries(
	nodeNames().map((name) => [
		name,
		() => sources.nodeTypes.getByName(`n8n-nodes-agent-bridge.${name}`) as INodeType,
	]),
);

/** Those that n8n loads. */
function nodeNames() {
	const { n8n } = JSON.parse(readFileSync('package.json', 'utf8')) as { n8n: { nodes: string[] } };
	return n8n.nodes.map((path) => {
		const name = /(\w+)\.node\.js$/.exec(path)?.[1] ?? '';
		return name.charAt(0).toLowerCase() + name.slice(1);
	});
}

/** Every field of every operation of every node of the package. */
export function allFields(): Field[] {
	const fields = Object.entries(NODES).flatMap(([node, type]) =>
		type().description.properties.flatMap((param) => fieldsOf(node, param, type().description)),
	);
	// a field for tools is declared a second time
	return fields.filter(({ title }, at) => fields.findIndex((one) => one.title === title) === at);
}

interface Place {
	node: string;
	title: string;
	/** What stands before the label. */
	path: string;
	outer: FieldRules;
	/** Puts a value into the place, among what is chosen beside it. */
	put(name: string, value: NodeParameterValueType, chosen: INodeParameters): INodeParameters;
}

function fieldsOf(
	node: string,
	param: INodeProperties,
	{ properties }: { properties: INodeProperties[] },
): Field[] {
	if (param.type === 'notice') return [];
	const { resource = properties.find(({ name }) => name === 'resource')?.default, ...chosen } =
		shownFor(param);
	const ofResource = ({ displayOptions: { show = {} } = {} }: INodeProperties) =>
		!show['resource'] || show['resource'].includes(resource as string);
	const operations = properties.find((one) => one.name === 'operation' && ofResource(one));
	const { operation = operations?.default, ...beside } = chosen;
	const isChosen = ({ displayOptions: { show = {} } = {} }: INodeProperties) =>
		[resource, undefined].includes(show['resource']?.[0] as string | undefined) &&
		[operation, undefined].includes(show['operation']?.[0] as string | undefined);
	const valid = Object.fromEntries(
		properties
			.filter(isChosen)
			.flatMap((one) => (one.name in VALID ? [[one.name, good(one)]] : [])),
	) as INodeParameters;
	const put: Place['put'] = (name, value, chosen) => ({
		...(resource !== undefined && { resource, operation: operation ?? 'none' }),
		...valid,
		...beside,
		...Object.fromEntries(Object.entries(chosen).map(([key, one]) => [key.replace('/', ''), one])),
		[name]: value,
	});
	const title = [node, resource, operation].filter(Boolean).join(' ');
	return inside(param, { node, title, path: '', outer: {}, put });
}

function inside(param: INodeProperties, place: Place): Field[] {
	const { name, type, displayName, options = [], typeOptions = {} } = param;
	const chosen = shownFor(param);
	const label = place.path + displayName;
	const outer = { ...place.outer, ...getFieldRules(param) };
	if (type === 'collection') {
		const put: Place['put'] = (field, value, beside) => {
			const above = Object.entries(beside).filter(([key]) => key.startsWith('/'));
			const own = Object.entries(beside).filter(([key]) => !key.startsWith('/'));
			const fields = { ...Object.fromEntries(own), ...BESIDE[field], [field]: value };
			return place.put(name, fields as INodeParameters, {
				...chosen,
				...Object.fromEntries(above),
			});
		};
		return (options as INodeProperties[]).flatMap((field) =>
			inside(field, { ...place, path: `${label}: `, outer, put }),
		);
	}
	if (type === 'fixedCollection') {
		return (options as INodePropertyCollection[]).flatMap((group) => {
			const valid = Object.fromEntries(
				group.values.flatMap((one) => (one.name in VALID ? [[one.name, good(one)]] : [])),
			) as INodeParameters;
			const put: Place['put'] = (field, value, beside) => {
				const row = { ...valid, ...beside, [field]: value };
				return place.put(name, { [group.name]: typeOptions.multipleValues ? [row] : row }, chosen);
			};
			const path = typeOptions.multipleValues ? `${label} 1: ` : `${label}: `;
			return group.values.flatMap((field) => inside(field, { ...place, path, outer, put }));
		});
	}
	const locator = (value: string) => ({ __rl: true, mode: 'id', value });
	return [
		{
			title: `${place.title}: ${label}`,
			node: place.node,
			label,
			type,
			description: param.description ?? '',
			takesNoExpression: param.noDataExpression ?? false,
			isRequired: param.required ?? false,
			rules: getFieldRules(param),
			outerRules: place.outer,
			good: good(param, true),
			stored: (value) =>
				place.put(name, type === 'resourceLocator' ? (locator(value) as never) : value, chosen),
		},
	];
}

/** What has to be chosen elsewhere for a field to be shown. */
function shownFor({ displayOptions: { show = {} } = {} }: INodeProperties): INodeParameters {
	return Object.fromEntries(
		Object.entries(show).flatMap(([name, values]) =>
			name.startsWith('@') ? [] : [[name, values?.[0] as NodeParameterValueType]],
		),
	);
}

function good(
	{ name, type, options = [], default: preset, typeOptions }: INodeProperties,
	bare = false,
) {
	const values = (options as INodePropertyOptions[]).map(({ value }) => value);
	const known = VALID[name];
	if (type === 'resourceLocator' && !bare)
		return { __rl: true, mode: 'id', value: known } as NodeParameterValueType;
	if (type === 'options' && values.includes(known as never)) return known!;
	if (type === 'options') return preset === '' ? values[1]! : preset;
	if (type === 'multiOptions') return [values[0] as string];
	if (type === 'number') return known ?? Math.max(Number(preset), typeOptions?.minValue ?? 0);
	if (known !== undefined) return type === 'json' && !bare ? JSON.stringify(known) : known;
	if (type === 'json') return JSON.parse(String(preset)) as INodeParameters;
	return type === 'string' ? String(preset || 'hello') : preset;
}
