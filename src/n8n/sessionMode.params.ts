import type { INodeProperties } from 'n8n-workflow';

import { invalidInputError } from '../core/errors';
import type { HandedOver } from './caller';
import { withFieldRules } from './parameterFields';
import { parseUuid } from './uuid';

/** What is different in the editor texts of the nodes. */
interface SessionTexts {
	fromInput: string;
	new: string;
	id: string;
	key: string;
}

/** Which conversation an item belongs to. The same field in all nodes. */
export const sessionModeParam = (descriptions: SessionTexts) =>
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
	} as const satisfies INodeProperties);

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

/** What decided on the conversation, as the output says it. */
export type SessionSource = 'item' | 'conversation' | 'chatTrigger' | 'new' | 'id' | 'key';

/** What decides when an ID comes with the item. */
export const itemSource = ({ caller }: Pick<HandedOver, 'caller'>) =>
	caller === 'conversation' ? 'conversation' : 'item';

/** The session of an item, before it is known by which ID a service has it. */
export interface FoundSession {
	source: 'item' | 'conversation' | 'chatTrigger' | 'key';
	/** As it was given. */
	text: string;
	/**
	 * The text in the namespace of those who can choose it: the author of the workflow by a key, a visitor of a chat, or whoever fills the
	 * items. Nobody can name a session in the namespace of another.
	 */
	name: string;
	/** A session at the service, such as that of an earlier answer. Never from a visitor of a chat. */
	uuid?: string;
}

/** The session that comes with an item: its own, or else that of the workflow's Chat Trigger. */
export function findSession(handedOver: HandedOver): FoundSession | undefined {
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

/** @throws ServiceError `invalid` for an empty key. */
export function readSessionKey(sessionKey: string): FoundSession {
	const key = sessionKey.trim();
	if (key) return { source: 'key', text: key, name: `key ${key}` };
	throw invalidInputError(
		'Session Key is empty',
		'Enter a text that stays the same throughout a conversation.',
	);
}
