import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { invalidInputError } from '../core/errors';
import {
	getExpressions,
	getToolRule,
	isCollection,
	splitExpression,
	walkParam,
} from './parameterFields';

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
		const rule = isCollection(field.param) ? 'fixed' : getToolRule(field);
		for (const { path, stored: expression } of rule ? getExpressions(field) : []) {
			if (rule === 'fixed')
				throw invalidInputError(
					`${path} takes no expression in a tool: the model of an AI agent could choose it`,
					`${TELL_USER} to type a fixed value there, in the node of this tool.`,
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
