import { readFileSync } from 'node:fs';

import type { EndingKind } from '../../src/conversation/ending';
import { LEFT_OUT } from '../../nodes/fieldKinds.params';
import { documentedNodes, nameOf, operationsOf, readOutputs } from './nodePages';
import { type OutputSchema, schemaFile, schemaOf } from './schemas';

type DocumentedNode = (typeof documentedNodes)[number];

/** Lines that n8n shows to language models, with a node or with one of its operations. */
interface Variation {
	content: string;
	displayOptions?: { show: { resource: string[]; operation: string[] } };
}

/** How to read the lines, said once per node. */
const LEGEND = [
	LEFT_OUT,
	'Output: fields of $json, where they apply; strings if not typed. A failed item: error, details {kind, outcome, reason, advice, IDs, partial.costUsd}.',
].join('\n');

const ENDINGS: Record<EndingKind, true> = {
	stopPhrase: true,
	stopPattern: true,
	moderator: true,
	turnLimit: true,
	timeLimit: true,
	spendingCap: true,
	speakerFailed: true,
	denied: true,
	emptyRound: true,
	waiting: true,
};

/** What names and types do not say, by the title of the operation or node. */
const WORDS: Record<string, Record<string, string>> = {
	'Model Router: Text: Message a Model': {
		output: 'text; with responseFormat json_object or json_schema the object itself',
		finishReason: 'length: cut off',
	},
	'Model Router: Job Ledger: Get Many': {
		state: 'of delivery',
		status: 'last seen by a trigger: ask getJob',
		outcome: 'completed, failed, lost, expired',
	},
	'Agent Conversation': {
		output: 'the last text',
		ended: `why: ${Object.keys(ENDINGS).join(', ')}`,
		reason: 'the same in words',
		result: 'of resultSchema',
		transcript: 'with outputMode turns, each is an item',
	},
};

/** Of every failed item, what the examples call a file, what only executions by hand have, when the ledger looks again, and how estimates are corrected. */
const NOT_TOLD = ['error', 'details', '(files)', 'reusedFrom', 'leaseUntil', 'checkAt', 'factors'];

/** Fields of a conversation that its turns have, too. */
const OF_BOTH = ['conversationId', 'costUsd', 'durationMs'];

/** An operation is said to have the fields of another that shares so many, and of which it has so many more or fewer. */
const SAME = { shared: 6, more: 3, fewer: 1 };

/** What n8n tells language models of the output of each node, by the node's name. A chat model has none. */
export const outputFields = (): Record<string, Variation[]> =>
	Object.fromEntries(
		documentedNodes
			.filter(({ description }) => description.outputs[0] === 'main')
			.map((node) => [node.description.name, variationsOf(node)]),
	);

/** n8n tells operations apart only where there are resources, too. */
function variationsOf(node: DocumentedNode): Variation[] {
	const operations = tellOperations(node);
	if (node.resources.length > 1)
		return [
			{ content: LEGEND },
			...operations.map(({ resource, operation, told }) => ({
				content: `Output: ${told}`,
				displayOptions: { show: { resource: [resource], operation: [operation] } },
			})),
		];
	const lines = operations.length
		? operations.map(({ operation, told }) => `Output of ${operation}: ${told}`)
		: [`Output: ${tellNode(node)}`];
	return [{ content: [LEGEND, ...lines].join('\n') }];
}

function tellNode({ description }: DocumentedNode): string {
	const title = nameOf(description);
	const samples = Object.entries(readOutputs()).flatMap(([key, sample]) =>
		key.split(': ')[0] === title ? [sample] : [],
	);
	const schema = description.polling ? schemaOf(samples) : read(schemaFile(description.name, {}));
	return tellFields(fieldsOf(schema, title)) + tellFile(samples);
}

function tellOperations(node: DocumentedNode) {
	const outputs = readOutputs();
	const all = operationsOf(node).map(({ resource, operation, title }) => {
		const choice = { resource: resource.value, operation: operation.value };
		const fields = fieldsOf(read(schemaFile(node.description.name, choice)), title);
		return { ...choice, title, fields, isDefault: resource.defaultOperation === operation.value };
	});
	/** Said in full, and so referred to: the default first. */
	const full: typeof all = [];
	const [isFirst, isLater] = [true, false].map((wanted) =>
		all.filter(({ isDefault }) => isDefault === wanted),
	);
	const told = new Map<string, string>();
	for (const one of [...isFirst!, ...isLater!]) {
		const like = full.find(
			({ resource, fields }) => resource === one.resource && isLike(one.fields, fields),
		);
		if (!like) full.push(one);
		const more = like && tellFields(without(one.fields, like.fields));
		const text = like ? `as ${like.operation}${more && `, and ${more}`}` : tellFields(one.fields);
		told.set(one.title, text + tellFile([outputs[one.title]]));
	}
	return all.map((one) => ({ ...one, told: told.get(one.title) ?? '' }));
}

const read = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as OutputSchema;

interface Field {
	name: string;
	/** Empty for a string. */
	type: string;
	words: string | undefined;
}

const without = (fields: readonly Field[], others: readonly Field[]): Field[] =>
	fields.filter((field) => !others.some(({ name }) => name === field.name));

function isLike(fields: readonly Field[], others: readonly Field[]): boolean {
	const more = without(fields, others).length;
	return (
		fields.length - more >= SAME.shared &&
		more <= SAME.more &&
		without(others, fields).length <= SAME.fewer
	);
}

/** The fields of an item, but those of the rows that a conversation can give in its place. */
function fieldsOf({ properties = {} }: OutputSchema, title: string): Field[] {
	const rows = Object.keys(properties['transcript']?.items?.properties ?? {});
	const isTold = (name: string) =>
		!NOT_TOLD.includes(name) && (!rows.includes(name) || OF_BOTH.includes(name));
	return Object.entries(properties)
		.filter(([name]) => isTold(name))
		.map(([name, schema]) => {
			const words = WORDS[title]?.[name];
			const type = typeOf(schema);
			return { name, type: words && type === 'any' ? '' : type, words };
		});
}

/** Types that many fields have, each with what is before their names. */
const GROUPS: Record<string, string> = {
	'': '',
	number: 'numbers ',
	boolean: 'booleans ',
	object: 'objects ',
	'object|string': 'objects or texts ',
};

/** What has words first, then strings, then the other types. */
function tellFields(fields: readonly Field[]): string {
	const isGrouped = ({ type, words }: Field) => !words && type in GROUPS;
	const [worded, typed] = [true, false].map((hasWords) =>
		fields
			.filter((field) => !isGrouped(field) && Boolean(field.words) === hasWords)
			.map(({ name, type, words }) => `${name}${type && `: ${type}`}${words ? ` (${words})` : ''}`),
	);
	const grouped = Object.entries(GROUPS).map(([type, label]) => {
		const names = fields.filter((field) => isGrouped(field) && field.type === type);
		return names.length ? label + names.map(({ name }) => name).join(', ') : '';
	});
	return [worded!.join(', '), ...grouped, typed!.join(', ')].filter(Boolean).join('; ');
}

/** A type as in TypeScript. What does not apply is missing or null. */
function typeOf(schema: OutputSchema): string {
	const types = [schema.type].flat().filter((type) => type !== 'null');
	if (types.length > 3) return 'any';
	const names = types.map((type) => {
		if (type !== 'array') return (type === 'object' && tellObject(schema)) || type;
		return schema.items ? `${tellObject(schema.items) ?? schema.items.type}[]` : 'array';
	});
	const text = names.join('|');
	return text === 'string' ? '' : text;
}

/** The fields of an object, unless one of them has fields itself. */
function tellObject({ properties }: OutputSchema): string | undefined {
	if (!properties) return undefined;
	const entries = Object.entries(properties);
	if (entries.some(([, { properties: inner, items }]) => inner ?? items?.properties))
		return undefined;
	const fields = entries.map(([name, schema]) => {
		const type = typeOf(schema);
		return type ? `${name}: ${type}` : name;
	});
	return `{${fields.join(', ')}}`;
}

/** @param samples Of the output. */
function tellFile(samples: ReadonlyArray<Record<string, unknown> | undefined>): string {
	const names = samples.flatMap((sample) => sample?.['(files)'] ?? []);
	return names.length ? `; file in binary field ${String(names[0])}` : '';
}
