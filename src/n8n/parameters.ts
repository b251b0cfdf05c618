import {
	deepCopy,
	extractFromAICalls,
	type IDataObject,
	type IExecuteFunctions,
	type INodeParameters,
	type INodeProperties,
	type IPollFunctions,
	isToolType,
} from 'n8n-workflow';

import { shortenText, invalidInputError, type ServiceError } from '../core/errors';
import { findCaller } from './caller';
import {
	definedByModel,
	type Field,
	getExpressions,
	getFieldRules,
	hasExpression,
	rejectModelControlledFields,
	splitExpression,
	walkParam,
} from './parameterFields';
import { validateField, validateParam } from './parameterValidation';

/** The values of a list of parameters, typed from their own literals. */
export type ParamValues<P extends readonly INodeProperties[]> = {
	[Param in P[number] as Param['name']]: Param['type'] extends keyof ValueByType<Param>
		? ValueByType<Param>[Param['type']]
		: unknown;
};

interface ValueByType<P extends INodeProperties> {
	string: string;
	dateTime: string;
	resourceLocator: string;
	number: number;
	boolean: boolean;
	options: P extends { options: ReadonlyArray<{ value: infer V }> } ? V : unknown;
	multiOptions: P extends { options: ReadonlyArray<{ value: infer V }> } ? V[] : unknown;
	json: P extends { default: `[${string}` } ? unknown[] : IDataObject;
	collection: P extends { options: infer O extends readonly INodeProperties[] }
		? Partial<ParamValues<O>>
		: unknown;
	fixedCollection: P extends { options: ReadonlyArray<infer G extends RowGroup> }
		? { [Group in G as Group['name']]?: Array<ParamValues<Group['values']>> }
		: unknown;
}

type RowGroup = { name: string; values: readonly INodeProperties[] };

/**
 * Makes a parameter reader for one execution. It checks every value against its declaration, nested ones included: an expression
 * can give any type, and n8n's own `ensureType` neither checks collections nor distinguishes "false" from true. A parameter that
 * its `displayOptions` hide reads as its default.
 *
 * Rejects an expression that finds nothing, and in an AI agent's tool one that the model must not influence.
 *
 * A parameter without an expression is the same for every item, and read once. A parameter with `noDataExpression` rejects
 * expressions: n8n leaves those that an AI model fills (n8n-workflow 2.41.0, node-helpers.js:730).
 *
 * @returns a function that throws ServiceError `invalid`, naming the parameter.
 */
export function createParamReader<const P extends readonly INodeProperties[]>(
	n8n: IExecuteFunctions,
	params: P,
) {
	const { parameters: stored, type } = n8n.getNode();
	const asTool = isToolType(type);
	const isSpeaker = findCaller(n8n) === 'conversation';
	return createReader(params, {
		stored,
		asTool,
		read(param, itemIndex) {
			if (asTool) rejectModelControlledFields(n8n, param, stored[param.name]);
			// n8n's "Retry" loses what $fromAI reads, from the second turn on (n8n-workflow 2.41.0, workflow-data-proxy.js:905)
			return isSpeaker && stored[param.name] === definedByModel(param.displayName)
				? n8n.getInputData()[itemIndex]?.json['message']
				: n8n.getNodeParameter(param.name, itemIndex, deepCopy(param.default));
		},
		evaluate: (code, itemIndex) => n8n.evaluateExpression(code, itemIndex),
	});
}

/**
 * Reads the parameters of a poll, each checked against its declaration. They are evaluated for every poll. Rejects an expression
 * that finds nothing or fails (n8n then gives nothing).
 *
 * @throws ServiceError `invalid`, naming the parameter.
 */
export const readPollParams = <const P extends readonly INodeProperties[]>(
	n8n: IPollFunctions,
	params: P,
): ParamValues<P> =>
	createReader(params, {
		stored: n8n.getNode().parameters,
		asTool: false,
		read: ({ name, default: preset }) => n8n.getNodeParameter(name, deepCopy(preset)),
	})(0);

/** Where the values of parameters come from. */
interface ParamSource {
	/** As the workflow has them, with their expressions. */
	stored: INodeParameters;
	/** Whether an AI agent calls the node as its tool, and reads the errors. */
	asTool: boolean;
	/** The value after evaluation, not checked. */
	read(param: INodeProperties, itemIndex: number): unknown;
	/** Evaluates `{{ }}` for an item. A poll cannot, and has no parameters that are checked part by part. */
	evaluate?(code: string, itemIndex: number): unknown;
}

interface ItemContext extends ParamSource {
	itemIndex: number;
	/** Values of the node's parameters that have been read so far. */
	topLevel: Record<string, unknown>;
}

function createReader<const P extends readonly INodeProperties[]>(params: P, source: ParamSource) {
	const changing = new Set<INodeProperties>();
	for (const param of params) if (hasExpression(source.stored[param.name])) changing.add(param);
	const fixed = new Map<string, unknown>();

	return (itemIndex: number): ParamValues<P> => {
		const values: Record<string, unknown> = {};
		const context = { ...source, itemIndex, topLevel: values };
		for (const param of params) {
			const { name } = param;
			const isHidden = param.displayOptions !== undefined && !isShown(param, values, context);
			// declared twice, for a tool and for other nodes: the one that is shown counts
			if (isHidden && Object.hasOwn(values, name)) continue;
			const key = isHidden ? `hidden ${name}` : name;
			if (fixed.has(key)) values[name] = fixed.get(key);
			else values[name] = isHidden ? readDefault(param) : readParam(param, context, changing);
			if (isHidden || !changing.has(param)) fixed.set(key, values[name]);
		}
		return values as ParamValues<P>;
	};
}

const readDefault = (param: INodeProperties): unknown =>
	validateParam(param, deepCopy(param.default), param.displayName);

/** @param changing Those with an expression. */
function readParam(
	param: INodeProperties,
	context: ItemContext,
	changing: ReadonlySet<INodeProperties>,
): unknown {
	const { name, displayName: path, noDataExpression } = param;
	const stored = context.stored[name];
	const isChanging = changing.has(param);
	if (noDataExpression && isChanging)
		throw invalidInputError(`${path} cannot be an expression`, 'Choose it in the node.');
	const value = context.read(param, context.itemIndex);
	if (isEmptyValue(value) && getFieldRules(param).mayBeEmpty) return readDefault(param);
	if (isChanging && isLeftToDefault({ param, stored, value })) return readDefault(param);
	return walkParam({ param, path, stored, value }, (field) => {
		const { siblings = context.topLevel } = field;
		if (field.param.displayOptions && !isShown(field.param, siblings, context)) return undefined;
		if (isChanging && field.siblings && isLeftToDefault(field)) return undefined;
		if (isChanging) rejectEmptyExpressions(field, context);
		return validateField(field);
	});
}

/** Whether a field is shown, given the values of the fields next to it. A name with a slash is that of a parameter of the node. */
function isShown(
	{ displayOptions: { show = {} } = {} }: INodeProperties,
	siblings: Record<string, unknown>,
	{ topLevel, asTool }: ItemContext,
): boolean {
	for (const [name, wanted = []] of Object.entries(show)) {
		const ofNode = name.startsWith('/') ? topLevel[name.slice(1)] : siblings[name];
		const value = name === '@tool' ? asTool : ofNode;
		// one of several chosen values is enough
		const isWanted = Array.isArray(value)
			? value.some((one) => wanted.includes(one as string))
			: value === undefined || wanted.includes(value as string);
		if (!isWanted) return false;
	}
	return true;
}

/**
 * Rejects expressions that find nothing: without a field that the user filled in, something else than intended would be sent. An
 * empty field without an expression counts as not set.
 *
 * In a text, n8n replaces `{{ }}` that finds nothing with an empty text. In a message that is allowed. In a key, or in a JSON value
 * that consists of one expression, it is not.
 */
function rejectEmptyExpressions(field: Field, context: ItemContext): void {
	const { param } = field;
	const { isKey = false, mayBeEmpty } = getFieldRules(param);
	for (const { path, stored, value } of getExpressions(field)) {
		const isList = isKey || param.type === 'multiOptions';
		const isEmpty = [isList ? value : [value]].flat().every(isEmptyValue);
		if (isEmpty && (mayBeEmpty || isLeftToDefault({ param, stored, value }))) continue;
		if (isEmpty) throw foundNothingError(`${path} is empty`, stored, context);
		if (isKey && typeof value === 'string' && EMPTY_AS_TEXT.test(value))
			throw foundNothingError(`${path} reads "${shortenText(value, 100)}"`, stored, context);
		const gap = (isKey || param.type === 'json') && findGap(stored, isKey, context);
		if (gap)
			throw foundNothingError(`${path} contains ${shortenText(gap, 100)}`, `=${gap}`, context);
	}
}

/** Text that JavaScript makes of a missing value, as in "order-undefined". */
const EMPTY_AS_TEXT =
	/(?<![\p{L}\p{N}])undefined(?![\p{L}\p{N}])|^(?:null|NaN)(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])(?:null|NaN)$|\[object Object\]/u;

/** The first `{{ }}` that finds nothing, in a key or as the whole of a JSON value. */
function findGap(expression: string, isKey: boolean, { evaluate, itemIndex }: ItemContext) {
	const parts = splitExpression(expression);
	// an expression without a text around it has been checked as a whole
	if (!evaluate || parts.join('') === parts[1]) return undefined;
	const codes = parts.flatMap((text, index) => {
		const isWholeValue = parts[index - 1]?.endsWith('"') && parts[index + 1]?.startsWith('"');
		return index % 2 && (isKey || isWholeValue) ? [`{{${text}}}`] : [];
	});
	return codes.find(
		(code) =>
			[evaluate(code, itemIndex)].flat().every(isEmptyValue) && !hasEmptyDefault(`=${code}`),
	);
}

/**
 * Whether a model of an AI agent has left a field out that need not be set, and whose `$fromAI()` then gives nothing on purpose. A field that
 * the model fills in by default has to be set.
 */
const isLeftToDefault = ({ param, stored, value }: Pick<Field, 'param' | 'stored' | 'value'>) =>
	typeof stored === 'string' &&
	isEmptyValue(value) &&
	!(param.required || hasExpression(param.default)) &&
	hasEmptyDefault(stored);

/** Whether an expression is one `$fromAI()`, with an empty default. n8n reads that of a number as 0. */
function hasEmptyDefault(expression: string): boolean {
	const [code = '', ...more] = splitExpression(expression).filter((part) => part.trim());
	if (more.length || !FROM_AI.test(code)) return false;
	const [call, ...others] = extractFromAICalls(code);
	const { defaultValue } = call ?? {};
	return !others.length && (defaultValue === 0 || defaultValue?.toString().trim() === '');
}

/** With the mark of a field that the editor has filled in. */
const FROM_AI = /^\s*(\/\*.*?\*\/\s*)?\$fromAI\s*\(.*\)\s*$/is;

/** Whether a value is what an expression that finds nothing gives. */
function isEmptyValue(value: unknown): boolean {
	// a date that is not valid gives null
	if (typeof value === 'object' && value !== null && 'toJSON' in value)
		return typeof value.toJSON === 'function' && isEmptyValue(value.toJSON());
	if (typeof value === 'string') return !value.trim();
	return value === undefined || value === null || Number.isNaN(value);
}

function foundNothingError(
	problem: string,
	expression: string,
	context: ItemContext,
): ServiceError {
	const { asTool, evaluate } = context;
	const asked = [...expression.matchAll(/\$fromAI\s*\(\s*(['"`])([\w-]+)\1/gi)];
	if (asTool && asked.length) {
		const names = asked.map(([, , name]) => `"${name}"`).join(', ');
		return invalidInputError(
			`${problem}: nothing was given for ${names}`,
			`Nothing was sent. Call the tool again with a value for ${names}.`,
		);
	}
	const isText = findsEmptyText(expression, context);
	const found = isText ? 'gave an empty text' : 'found nothing';
	const remedy = isText
		? 'filter such items out'
		: `give it a fallback, such as {{ ${evaluate ? '$json' : '$vars'}.x ?? 'text' }}`;
	return invalidInputError(
		`${problem}: its expression ${found}${evaluate ? ' for this item' : ''}`,
		asTool
			? 'Nothing was sent. Do not call this tool again: tell the user to correct the expression in its node.'
			: `Correct the expression, or ${remedy}. To leave the field out, remove the expression.`,
	);
}

/** Whether it is one expression that gives an empty text itself: of several, and with a text around them, n8n makes a text anyway. */
function findsEmptyText(expression: string, { evaluate, itemIndex }: ItemContext): boolean {
	const [, code = ''] = splitExpression(expression);
	if (!evaluate || `={{${code}}}` !== expression) return false;
	const value = evaluate(`{{${code}}}`, itemIndex);
	return typeof value === 'string' && isEmptyValue(value);
}
