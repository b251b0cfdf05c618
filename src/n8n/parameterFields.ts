import type { IExecuteFunctions, INodeProperties, INodePropertyCollection } from 'n8n-workflow';

import { invalidInputError } from '../core/errors';
import { isPlainObject } from '../core/json';

/** Rules of a field that n8n's declaration cannot express. */
export interface FieldRules {
	/** An expression may find nothing; the field then counts as not set. Its description says so. */
	mayBeEmpty?: true;
	/** Each `{{ }}` in the text has to find something: without it, the rest would be the same key for many items. */
	isKey?: true;
	/**
	 * In an AI agent's tool, for a field that the model must not choose: no expression at all, or only one that the model cannot
	 * influence. For a collection, it applies to each field that has no such rule itself.
	 */
	inTool?: 'fixed' | 'notFromModel';
	/** The options for which true and false stand, as an expression may give them. */
	yesAndNo?: readonly [string, string];
	/** A number need not be whole. n8n's own `numberPrecision` would show 1 as 1.000000. */
	isDecimal?: true;
}

/** A symbol, since n8n's declarations have no field for it. n8n neither copies it to the editor nor stores it. */
const FIELD_RULES = Symbol('rules of a field');

/** Declares a field with rules, and keeps the type of its literal. A copy by spreading keeps the rules. */
export const withFieldRules =
	(rules: FieldRules) =>
	<const P extends INodeProperties>(param: P): P => ({ ...param, [FIELD_RULES]: rules });

export function getFieldRules(param: INodeProperties): FieldRules {
	return (param as { [FIELD_RULES]?: FieldRules })[FIELD_RULES] ?? {};
}

/** A parameter of a node, a row of a fixed collection, or a field in one of these. */
export interface Field {
	param: INodeProperties;
	/** Its name in the editor, after the names of the collections that it is in. */
	path: string;
	/** As the workflow has it, with its expressions. */
	stored: unknown;
	/** After evaluation. */
	value: unknown;
	/** Values of the other fields in the same collection or row. */
	siblings?: Record<string, unknown>;
	/** The rule of the collection that it is in. */
	outerRule?: FieldRules['inTool'];
}

const getToolRule = ({ param, outerRule }: Field): FieldRules['inTool'] =>
	getFieldRules(param).inTool ?? outerRule;

const isCollection = ({ type }: INodeProperties): boolean =>
	type === 'collection' || type === 'fixedCollection';

/**
 * Walks over a parameter and the fields in it.
 *
 * @param visit Called for every field, and for a collection or row before the fields in it. Returns the value of the field, or
 *   undefined to leave it out, together with the fields in it.
 * @returns the values of the fields, in the form of the declaration.
 */
export function walkParam(field: Field, visit: (field: Field) => unknown): unknown {
	const { param, path } = field;
	const visited = visit(field);
	if (visited === undefined || !isCollection(param)) return visited;
	const outerRule = getToolRule(field);
	const siblings = isPlainObject(field.value) ? field.value : {};
	const storedFields = isPlainObject(field.stored) ? field.stored : {};
	const inner: Record<string, unknown> = {};
	for (const option of param.options as Array<INodeProperties | INodePropertyCollection>) {
		const { name, displayName } = option;
		const stored = storedFields[name];
		const value = siblings[name];
		// most of the fields in a collection are not set
		if (stored === undefined && !Object.hasOwn(siblings, name)) continue;
		if ('type' in option) {
			const at = { param: option, path: `${path}: ${displayName}`, stored, value };
			const walked = walkParam({ ...at, siblings, outerRule }, visit);
			if (walked !== undefined) inner[name] = walked;
		} else if (value !== undefined) {
			// a group of rows
			const row = { displayName, name, type: 'collection' as const, default: {} };
			const rowParam = { ...row, options: option.values };
			inner[name] = [value].flat().map((rowValue, index) => {
				// where only one row is possible, it has no number in the editor
				const rowPath = param.typeOptions?.multipleValues ? `${path} ${index + 1}` : path;
				const at = { param: rowParam, path: rowPath, stored: [stored].flat()[index] };
				return walkParam({ ...at, value: rowValue, outerRule }, visit);
			});
		}
	}
	return inner;
}

const getInner = (outer: unknown, name: string): unknown =>
	typeof outer === 'object' ? (outer as Record<string, unknown> | null)?.[name] : undefined;

/** As n8n sees it. */
const isExpression = (stored: unknown): stored is string =>
	typeof stored === 'string' && stored.startsWith('=');

/** Whether there is an expression in a stored value, however deep. */
export const hasExpression = (stored: unknown): boolean =>
	typeof stored === 'object'
		? Object.values(stored ?? {}).some(hasExpression)
		: isExpression(stored);

/**
 * The expressions of a field, each with its own value. Those of the fields in a collection are not among them.
 *
 * @returns paths that, in JSON that is stored as an object, also say where in it an expression is.
 */
export function getExpressions(field: Field): Array<Field & { stored: string }> {
	const { param, path, stored, value } = field;
	if (isExpression(stored)) return [{ ...field, stored }];
	if (typeof stored !== 'object' || stored === null || isCollection(param)) return [];
	const isJsonObject = param.type === 'json' && !Array.isArray(stored);
	return Object.entries(stored).flatMap(([name, inner]) =>
		getExpressions({
			...field,
			path: isJsonObject ? `${path}: ${name}` : path,
			stored: inner,
			value: getInner(value, name),
		}),
	);
}

/**
 * Splits an expression into texts, at even places, and the code between `{{` and `}}`, at odd places. Code that is not closed ends
 * with the expression.
 */
export const splitExpression = (expression: string): string[] =>
	expression.slice(1).split(/\{\{(.*?)(?:\}\}|$)/s);

/**
 * The default of a text in a tool: the model of the AI agent writes it, or the conversation hands it over. The editor shows it as
 * "Defined automatically by the model", because it is what n8n itself stores for that (n8n-workflow 2.41.0, constants.js:168).
 *
 * @param label The field's name in the editor, one word. It is the name of the model's argument.
 */
export const definedByModel = <const Label extends string>(label: Label) =>
	`={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('${label}', \`\`, 'string') }}` as const;

type WorkflowGraph = Pick<IExecuteFunctions, 'getNode' | 'getParentNodes' | 'getChildNodes'>;

/**
 * In an AI agent's tool, rejects expressions in fields that the model must not choose: sessions, keys, caps and permissions.
 *
 * A model can give more than `$fromAI` asks for. n8n copies all that it gives into the item, unchecked, where `$json` reads it
 * (n8n-core 2.41.1, requests-response.js:67).
 *
 * @param stored The parameter as the workflow has it.
 * @throws ServiceError `invalid`, naming the field.
 */
export function rejectModelControlledFields(
	n8n: WorkflowGraph,
	param: INodeProperties,
	stored: unknown,
): void {
	walkParam({ param, path: param.displayName, stored, value: stored }, (field) => {
		// an expression for a whole collection is one for all fields in it, whatever their rules are
		const isFixed = isCollection(field.param) || field.param.noDataExpression;
		const rule = isFixed ? 'fixed' : getToolRule(field);
		for (const { path, stored: expression } of rule ? getExpressions(field) : []) {
			if (rule === 'fixed')
				throw invalidInputError(
					`${path} cannot be an expression in a tool: the model of an AI agent could choose its value`,
					`${TELL_USER} to enter a fixed value there, in the node of this tool.`,
				);
			if (!isIndependentOfModel(expression, (node) => runsBeforeAgent(n8n, node)))
				throw invalidInputError(
					`${path} has an expression that the model of an AI agent could fill`,
					`${TELL_USER} what it may read in a tool. It may read nodes that run before the AI agent, such as {{ $('When chat message received').item.json.sessionId }}. It may also read $execution.id, $workflow, $vars, $now and $today. To calculate with these, use a node before the AI agent.`,
				);
		}
		return field.stored;
	});
}

const TELL_USER = 'Nothing was sent. Do not call this tool again: tell the user';

/**
 * Whether a node runs before the agent that the tool belongs to, and is not one of its tools or after it. The agent's model cannot
 * have changed the output of such a node.
 */
function runsBeforeAgent(n8n: WorkflowGraph, name: string): boolean {
	const tool = n8n.getNode().name;
	const isServed = (other: string) =>
		n8n.getParentNodes(other, { connectionType: 'ai_tool' }).some((node) => node.name === tool);
	const above = n8n.getParentNodes(name).map((node) => node.name);
	const below = n8n.getChildNodes(name).map((node) => node.name);
	return below.some(isServed) && ![name, ...above].some(isServed);
}

const TEXT = String.raw`'(?:[^'\\{}\r\n]|\\['"\\])+'|"(?:[^"\\{}\r\n]|\\['"\\])+"`;

/** All that code between `{{` and `}}` may be. Text has no braces, so that its end is where n8n sees it, too. */
const INDEPENDENT_CODE = new RegExp(
	String.raw`^\s*(?:\$execution\.id|` +
		String.raw`(?:\$(?:workflow|vars|now|today)|\$\((?<node>${TEXT})\)\.(?:item|first\(\)|last\(\))\.json)` +
		String.raw`(?:\.[\w$]+|\[(?:${TEXT})\])*)\s*$`,
);

/**
 * Whether an expression reads only what the model cannot change. All that is not known counts as unsafe.
 *
 * @param mayRead Whether a node may be read by `$('its name')`.
 */
export function isIndependentOfModel(
	expression: string,
	mayRead: (node: string) => boolean,
): boolean {
	const codes = splitExpression(expression).filter((_text, index) => index % 2);
	return codes.every((code) => {
		const read = INDEPENDENT_CODE.exec(code);
		const node = read?.groups?.['node'];
		return read && (!node || mayRead(node.slice(1, -1).replace(/\\(.)/g, '$1')));
	});
}
