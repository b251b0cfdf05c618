import type { INodeProperties } from 'n8n-workflow';

import { invalidInputError } from '../core/errors';
import { definedByModel } from './parameterFields';
import type { HandedOver } from './caller';
import { validateParam } from './parameterValidation';

interface TextField<Name extends string> {
	/** Name of the parameter that contains the text, e.g. `message`. */
	name: Name;
	/** The same in the editor. */
	label: string;
	description: string;
	placeholder: string;
}

/** A text that a chat hands over, or that is defined in the node. */
export function textSourceParams<const Name extends string>(field: TextField<Name>) {
	const { name, label } = field;
	return [
		{
			displayName: `Source for ${label}`,
			name: `${name}Source` as const,
			type: 'options',
			displayOptions: { show: { '@tool': [false] } },
			options: [
				{
					name: 'From Input',
					value: 'fromInput',
					description: 'Take "chatInput" of the item, or "message" if there is none',
				},
				{
					name: 'Define Below',
					value: 'define',
					description: 'Enter a text, or an expression that refers to data of earlier nodes',
				},
			],
			default: 'fromInput',
			description: 'Where the text comes from. A Chat Trigger hands it over as "chatInput".',
			hint: 'Without a chat before this node, choose Define Below',
		},
		{
			...textParam(field),
			displayOptions: { show: { [`${name}Source`]: ['define'], '@tool': [false] } },
		},
	] as const satisfies INodeProperties[];
}

/**
 * The same for a node that can be a tool.
 *
 * Below an AI agent or a conversation, the text is always defined in the node.
 */
export const messageTextParams = <const Name extends string>(field: TextField<Name>) =>
	[
		...textSourceParams(field),
		{
			displayName: `As a speaker of an Agent Conversation, leave ${field.label} and Session as they are: the conversation fills them in.`,
			name: 'speakerNotice',
			type: 'notice',
			displayOptions: { show: { '@tool': [true] } },
			default: '',
		},
		{
			...textParam(field),
			default: definedByModel(field.label),
			displayOptions: { show: { '@tool': [true] } },
		},
	] as const satisfies INodeProperties[];

const textParam = <const Name extends string>({
	name,
	label,
	description,
	placeholder,
}: TextField<Name>) =>
	({
		displayName: label,
		name,
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		required: true,
		placeholder,
		description,
	}) as const satisfies INodeProperties;

/**
 * The text to send.
 *
 * @param label The field's name in the editor.
 * @throws ServiceError `invalid` if there is none.
 */
export function readMessageText(
	label: string,
	source: 'fromInput' | 'define',
	defined: string,
	{ caller, readItem }: Pick<HandedOver, 'caller' | 'readItem'>,
): string {
	if (caller !== 'workflow' || source === 'define') {
		if (!defined.trim()) throw invalidInputError(`${label} is empty`);
		return defined;
	}
	const text = readItem('chatInput') ?? readItem('message');
	if (text === undefined)
		throw invalidInputError(
			`${label}: the item has no text in 'chatInput'`,
			`Connect a Chat Trigger ("On chat message"), or choose Define Below in Source for ${label}.`,
		);
	const anyText = { displayName: label, name: '', type: 'string', default: '' } as const;
	return String(validateParam(anyText, text, label));
}
