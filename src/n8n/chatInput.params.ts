import type { INodeProperties } from 'n8n-workflow';

import { invalidInputError } from '../core/errors';
import type { HandedOver } from './caller';
import { labelSubtitle } from './operation';
import { definedByModel, withFieldRules } from './parameterFields';
import { validateParam } from './parameterValidation';
import { parseUuid } from './uuid';

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
					description: 'Use "chatInput" of the item, or "message" if it has none',
				},
				{
					name: 'Define Below',
					value: 'define',
					description: 'Enter a text, or an expression that refers to data of earlier nodes',
				},
			],
			default: 'fromInput',
			description: 'Where the text comes from. A Chat Trigger hands it over as "chatInput".',
			hint: 'If there is no chat before this node, choose Define Below',
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
			displayName: `As a speaker in an Agent Conversation, leave ${field.label} and Session as they are: the conversation fills them in.`,
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

/**
 * Which conversation an item belongs to. The same field in all nodes.
 *
 * @param descriptions Of its values, which differ between the nodes.
 */
export const sessionModeParam = (descriptions: Record<SessionMode, string>) =>
	withFieldRules({ inTool: 'notFromModel' })({
		displayName: 'Session',
		name: 'sessionMode',
		type: 'options',
		options: [
			{ name: 'From Input', value: 'fromInput', description: descriptions.fromInput },
			{ name: 'New', value: 'new', description: descriptions.new },
			{ name: 'By ID', value: 'id', description: descriptions.id },
			{ name: 'From Key', value: 'key', description: descriptions.key },
		],
		default: 'fromInput',
		description: 'Which conversation the item belongs to',
		builderHint: {
			propertyHint:
				'fromInput for a chat; key for everything else that has a stable ID, such as a thread, a phone number or an order. With new, nothing is remembered.',
		},
	} as const satisfies INodeProperties);

/** The line under a node's name on the canvas. */
export const sessionSubtitle = labelSubtitle(
	{
		fromInput: 'Session From Input',
		new: 'New Session',
		id: 'Session by ID',
		key: 'Session From Key',
	},
	'$parameter["sessionMode"]',
);

export const sessionKeyParam = (description: string) =>
	withFieldRules({ isKey: true, inTool: 'notFromModel' })({
		displayName: 'Session Key',
		name: 'sessionKey',
		type: 'string',
		displayOptions: { show: { sessionMode: ['key'] } },
		default: '',
		required: true,
		placeholder: 'e.g. {{ $json.thread_ts }}',
		description,
	} as const satisfies INodeProperties);

type SessionMode = 'fromInput' | 'new' | 'id' | 'key';

/** What determined the conversation, as shown in the output. */
export type SessionSource = 'item' | 'conversation' | 'chatTrigger' | 'new' | 'id' | 'key';

/** What determines it when an ID comes with the item. */
export const itemSource = ({ caller }: Pick<HandedOver, 'caller'>) =>
	caller === 'conversation' ? 'conversation' : 'item';

/** The session of an item, before the ID that a service uses for it is known. */
interface FoundSession {
	source: 'item' | 'conversation' | 'chatTrigger' | 'key';
	/** As it was given. */
	text: string;
	/**
	 * The text, prefixed with who can choose it: the author of the workflow by a key, a visitor of a chat, or the source of the items. So
	 * none of them can name a session of another.
	 */
	name: string;
	/** A session at the service, such as that of an earlier answer. Never from a visitor of a chat. */
	uuid?: string;
}

/**
 * The session that a node is to use, unless it was chosen by its ID.
 *
 * @returns undefined for a new one.
 * @throws ServiceError `invalid` for an empty key.
 */
export function findSession(
	{ sessionMode, sessionKey }: { sessionMode: SessionMode; sessionKey: string },
	handedOver: HandedOver,
): FoundSession | undefined {
	if (sessionMode === 'key') return readSessionKey(sessionKey);
	return sessionMode === 'fromInput' ? findInInput(handedOver) : undefined;
}

/** The session that comes with an item: its own, or else that of the workflow's Chat Trigger. */
function findInInput(handedOver: HandedOver): FoundSession | undefined {
	const { readItem, isFromVisitor, readChatSession } = handedOver;
	const ofItem = readItem('sessionId')?.trim();
	if (ofItem && !isFromVisitor('sessionId')) return sessionOfItem(ofItem, itemSource(handedOver));
	const ofChat = ofItem ?? readChatSession()?.trim();
	return ofChat ? { source: 'chatTrigger', text: ofChat, name: `chat ${ofChat}` } : undefined;
}

export function sessionOfItem(
	text: string,
	source: 'item' | 'conversation' = 'item',
): FoundSession {
	const uuid = parseUuid(text);
	return { source, text, name: `input ${text}`, ...(uuid && { uuid }) };
}

function readSessionKey(sessionKey: string): FoundSession {
	const key = sessionKey.trim();
	if (key) return { source: 'key', text: key, name: `key ${key}` };
	throw invalidInputError(
		'Session Key is empty',
		'Enter a text that stays the same throughout a conversation.',
	);
}
