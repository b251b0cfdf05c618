import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { invalidInputError } from '../../src/core/errors';
import type { ParamValues } from '../../src/n8n/parameters';
import { simplifyParam } from './simplify.params';

/*
 * How much of a response goes into the output. A workflow has a switch; the tool of an AI agent has a choice, because everything in
 * its output is read, and paid for, by the agent's model.
 */

const toolOutputParam = {
	displayName: 'Output',
	name: 'toolOutput',
	type: 'options',
	displayOptions: { show: { '@tool': [true] } },
	options: [
		{ name: 'Raw', value: 'raw', description: 'Everything that the service returned' },
		{
			name: 'Selected Fields',
			value: 'selectedFields',
			description: 'Only the fields that you name',
		},
		{
			name: 'Simplified',
			value: 'simplified',
			description: 'The fields that are needed most often',
		},
	],
	default: 'simplified',
	description: 'What the AI agent gets. It reads all of it, which costs tokens.',
} as const satisfies INodeProperties;

const toolFieldsParam = {
	displayName: 'Fields',
	name: 'toolFields',
	type: 'string',
	displayOptions: { show: { '@tool': [true], toolOutput: ['selectedFields'] } },
	default: '',
	placeholder: 'e.g. state, costUsd',
	description: 'Names of output fields, separated by commas. IDs are always in the output.',
} as const satisfies INodeProperties;

export const outputParams = [
	{ ...simplifyParam, displayOptions: { hide: { '@tool': [true] } } },
	toolOutputParam,
	toolFieldsParam,
] as const satisfies INodeProperties[];

/** What goes into the output of one item. */
export interface OutputChoice {
	simplify: boolean;
	toolOutput: 'raw' | 'selectedFields' | 'simplified';
	/** Names of fields. */
	toolFields: readonly string[];
}

/** @throws ServiceError `invalid` without a field. */
export function toOutputChoice({
	simplify,
	toolOutput,
	toolFields,
}: ParamValues<typeof outputParams>): OutputChoice {
	const names = toolFields.split(',').map((name) => name.trim());
	const fields = names.filter(Boolean);
	if (toolOutput === 'selectedFields' && !fields.length)
		throw invalidInputError(
			`${toolFieldsParam.displayName} is empty`,
			`Enter the names of output fields, or choose another ${toolOutputParam.displayName}.`,
		);
	return { simplify, toolOutput, toolFields: fields };
}

/**
 * The output that was chosen.
 *
 * @param toJson Makes the output, simplified or not. Selected fields may be of either.
 * @param kept Names of fields that are always in the output: IDs, and what tells of a failure.
 */
export function selectOutput(
	{ simplify, toolOutput, toolFields }: OutputChoice,
	asTool: boolean,
	toJson: (simplify: boolean) => IDataObject,
	kept: readonly string[],
): IDataObject {
	if (!asTool) return toJson(simplify);
	if (toolOutput !== 'selectedFields') return toJson(toolOutput === 'simplified');
	const all = { ...toJson(false), ...toJson(true) };
	const names = new Set([...kept, ...toolFields]);
	return Object.fromEntries(Object.entries(all).filter(([name]) => names.has(name)));
}
