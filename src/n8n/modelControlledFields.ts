import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { invalidInputError } from '../core/errors';
import { isPlainObject } from '../core/json';
import { findExpressions, splitExpression } from './expressions';
import { getFieldRules, type FieldRules } from './parameterValidation';

type WorkflowGraph = Pick<IExecuteFunctions, 'getNode' | 'getParentNodes' | 'getChildNodes'>;

/**
 * In an AI agent's tool, rejects expressions in fields that the model must not choose: sessions, keys, caps and permissions.
 *
 * A model can give more than `$fromAI` asks for. n8n copies all that it gives into the item, unchecked, where `$json` reads it
 * (n8n-core 2.41.1, requests-response.js:67).
 *
 * @throws ServiceError `invalid`, naming the field.
 */
export function rejectModelControlledFields(
	n8n: WorkflowGraph,
	param: INodeProperties,
	stored: unknown,
	path = param.displayName,
	inherited?: FieldRules['inTool'],
): void {
	const rule = getFieldRules(param).inTool ?? inherited;
	if (param.type === 'collection' && isPlainObject(stored)) {
		for (const field of param.options as INodeProperties[])
			rejectModelControlledFields(
				n8n,
				field,
				stored[field.name],
				`${path}: ${field.displayName}`,
				rule,
			);
		return;
	}
	const expressions = rule ? findExpressions(stored) : [];
	if (rule === 'fixed' && expressions.length) {
		throw invalidInputError(
			`${path} takes no expression in a tool: the model of an AI agent could choose it`,
			`${TELL_USER} to type a fixed value there, in the node of this tool.`,
		);
	}
	if (
		expressions.every((expression) =>
			isIndependentOfModel(expression, (name) => runsBeforeAgent(n8n, name)),
		)
	)
		return;
	throw invalidInputError(
		`${path} has an expression that the model of an AI agent could fill`,
		`${TELL_USER} what it may read in a tool. It may read nodes that run before the AI agent, such as {{ $('When chat message received').item.json.sessionId }}. It may also read $execution.id, $workflow, $vars, $now and $today.`,
	);
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

/**
 * The tokens that are understood: strings, numbers, names and operators. No functions and no templates, which contain code, and no
 * slash, which may begin a comment or a regular expression with quotes in it.
 */
const TOKEN =
	/\s+|'(?:[^'\\\r\n]|\\['"\\])*'|"(?:[^"\\\r\n]|\\['"\\])*"|\d+(?:\.\d+)?|[A-Za-z_$][\w$]*|\?\.|\.(?!\.)|[()[\],+\-*%?:=!&|]/y;

/**
 * Whether an expression reads only what the model cannot change. An expression that is not understood counts as unsafe.
 *
 * @param mayRead Whether a node may be read by `$('its name')`.
 */
export function isIndependentOfModel(
	expression: string,
	mayRead: (node: string) => boolean,
): boolean {
	return splitExpression(expression).every(
		({ isCode, text, isOpen }) => !isCode || (!isOpen && isCodeIndependent(text, mayRead)),
	);
}

function isCodeIndependent(code: string, mayRead: (node: string) => boolean): boolean {
	const tokens = tokenize(code);
	return (
		tokens?.every((token, index) => {
			if (!/^[A-Za-z_$]/.test(token)) return true;
			const before = tokens[index - 1];
			// a field or method of the value before it
			if (before === '.' || before === '?.') return true;
			const after = tokens.slice(index + 1, index + 4);
			if (token === '$')
				return after[0] === '(' && after[2] === ')' && isReadableNode(after[1], mayRead);
			if (token === '$execution') return after[0] === '.' && /^(id|mode)$/.test(after[1] ?? '');
			return SAFE_NAMES.has(token);
		}) ?? false
	);
}

const SAFE_NAMES = new Set('$workflow $vars $now $today true false null undefined'.split(' '));

function isReadableNode(quoted: string | undefined, mayRead: (node: string) => boolean): boolean {
	const name = /^(['"])(.*)\1$/s.exec(quoted ?? '')?.[2];
	return name !== undefined && mayRead(name.replace(/\\(.)/g, '$1'));
}

/** @returns undefined if the code has anything else. */
function tokenize(code: string): string[] | undefined {
	const tokens: string[] = [];
	TOKEN.lastIndex = 0;
	while (TOKEN.lastIndex < code.length) {
		const token = TOKEN.exec(code)?.[0];
		if (token === undefined) return undefined;
		if (token.trim()) tokens.push(token);
	}
	return tokens;
}
