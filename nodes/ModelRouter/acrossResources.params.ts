import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { capLabels, createConversationCap } from '../../src/core/caps';
import { invalidInputError } from '../../src/core/errors';
import { isPlainObject } from '../../src/core/json';
import { readKeyText } from '../../src/core/keyText';
import { withFieldRules } from '../../src/n8n/parameterFields';
import { checkUrl } from '../../src/router/messages';
import { capFields } from '../fieldKinds.params';

/** n8n lists the node and its trigger as one, with the text of the trigger (`generateMergedNodesAndActions`): that begins with this one. */
export const description =
	'Text, image, video, music and speech models of many vendors, with spending caps';

export const simplifyParam = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	noDataExpression: true,
	default: true,
	description: 'Whether to return only usual fields',
} as const satisfies INodeProperties;

/** Of every operation that lists something. */
export const returnAllParam = {
	displayName: 'Return All',
	name: 'returnAll',
	type: 'boolean',
	noDataExpression: true,
	default: false,
	description: 'Whether to return all results or only up to a given limit',
} as const satisfies INodeProperties;

export const limitParam = {
	displayName: 'Limit',
	name: 'limit',
	type: 'number',
	typeOptions: { minValue: 1 },
	displayOptions: { show: { returnAll: [false] } },
	default: 50,
	description: 'Max number of results to return',
} as const satisfies INodeProperties;

/** Of every operation that finds something by one of several fields. */
export const findByParam = <const Options extends INodePropertyOptions[]>(
	preset: Options[number]['value'],
	options: Options,
) =>
	({
		displayName: 'Find By',
		name: 'findBy',
		type: 'options',
		noDataExpression: true,
		options,
		default: preset,
	}) as const;

/** Of everything that is paid per item. Each kind of request has its own description of how the cost is calculated. */
export const spendingCapPerItemParam = withFieldRules({ inTool: 'fixed', isDecimal: true })({
	displayName: capLabels.item,
	name: 'spendingCapPerItem',
	...capFields,
	default: 1,
});

/** Of everything that is paid per item, for all items together. Each kind of request has its own description. */
export const spendingCapPerExecutionOption = withFieldRules({ inTool: 'fixed', isDecimal: true })({
	displayName: capLabels.execution,
	name: 'spendingCapPerExecution',
	...capFields,
	default: 10,
});

export const allowUnknownCostOption = withFieldRules({ inTool: 'fixed' })({
	displayName: 'Allow Unknown Cost',
	name: 'allowUnknownCost',
	type: 'boolean',
	noDataExpression: true,
	default: true,
	description: 'Whether to send without a known cost. No spending cap limits it then.',
});

/** Where a file of a request comes from. */
export const fileField = {
	displayName: 'Input Binary Field or URL',
	name: 'file',
	type: 'string',
	default: 'data',
	placeholder: 'e.g. data, or https://example.com/picture.png',
	description: 'A binary field (at most 50 MiB) or a URL',
} as const satisfies INodeProperties;

/** A file as entered in the editor. It is not read yet. */
interface FileSource {
	/** Its label in the editor, for error messages. */
	path: string;
	url?: string;
	binaryProperty?: string;
}

/**
 * @param list The label of the list that the file is in.
 * @returns none where an AI agent's model has left out the file.
 * @throws ServiceError `invalid` for an empty field, and for a URL that the service could not read.
 */
export function toFileSources(
	list: string,
	index: number,
	{ file }: { file?: string },
): FileSource[] {
	if (file === undefined) return [];
	const path = `${list} ${index + 1}`;
	const entered = file.trim();
	if (!entered) throw invalidInputError(`${path}: ${fileField.displayName} is empty`);
	return /^(\w+:|\/\/)/.test(entered)
		? [{ path, url: checkUrl(entered, `${path}: URL`) }]
		: [{ path, binaryProperty: entered }];
}

/** The address of a file, or the file in the input. @param open Finds or reads the file. */
export const openSource = <File>(
	{ path, url, binaryProperty = '' }: FileSource,
	open: (property: string, path: string) => File,
): File | { url: string } => (url === undefined ? open(binaryProperty, path) : { url });

/** Of everything that pays. */
export const spendingLabelOption = withFieldRules({ isKey: true, inTool: 'notFromModel' })({
	displayName: 'Spending Label',
	name: 'spendingLabel',
	type: 'string',
	default: '',
	placeholder: 'e.g. {{ $json.customer }}',
	description: 'Such as a customer. Limits nothing.',
});

const MAX_LABEL_LENGTH = 100;

/** @param ofConversation What the conversation hands over in which the node speaks. @throws ServiceError `invalid`. */
export function readSpendingLabel(own = '', ofConversation?: unknown): string {
	const given = (typeof ofConversation === 'string' && ofConversation) || own;
	const label = readKeyText('Spending Label', given);
	if (label.length <= MAX_LABEL_LENGTH) return label;
	throw invalidInputError(
		`Spending Label is longer than ${MAX_LABEL_LENGTH} characters`,
		'Nothing was sent. Use an ID or a short name.',
	);
}

/** The spending cap of the conversation in which the node speaks. @param budget As the conversation hands it over. */
export function readConversationCap(budget: unknown) {
	const { cap, spent } = isPlainObject(budget) ? budget : {};
	return typeof cap === 'number' && typeof spent === 'number'
		? createConversationCap(cap, spent)
		: undefined;
}
