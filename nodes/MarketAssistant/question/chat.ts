import type { INodeProperties } from 'n8n-workflow';

import { invalidInputError } from '../../../src/core/errors';
import type { PrepareContext } from '../../../src/n8n/operation';
import { withFieldRules } from '../../../src/n8n/parameterFields';
import type { ParamValues } from '../../../src/n8n/parameters';
import {
	findSession,
	type FoundSession,
	itemSource,
	readSessionKey,
	sessionKeyParam,
	sessionModeParam,
	type SessionSource,
} from '../../../src/n8n/sessionMode.params';

/** Where the chats of sessions are remembered, in the words of the editor. */
export const REMEMBERING = '"Use a Job Ledger" in the Market Assistant API credential';

export const chatParams = [
	sessionModeParam({
		fromInput: `Continue the chat of the item: "chatId" of an earlier answer, or else the chat of its "sessionId". Without these, continue that of the Chat Trigger. If there is none, start a new chat. To remember the chat of a session, turn on ${REMEMBERING}. In a tool of an AI agent, that of the item does not count. A speaker keeps one chat per conversation.`,
		new: 'Start a new chat for every item',
		id: 'Continue the chat with this ID',
		key: `One chat per key, such as a customer or a channel. It lasts as long as the execution, and with ${REMEMBERING} beyond it.`,
	}),
	withFieldRules({ inTool: 'notFromModel' })({
		displayName: 'Chat ID',
		name: 'chatId',
		type: 'string',
		displayOptions: { show: { sessionMode: ['id'] } },
		default: '',
		required: true,
		placeholder: 'e.g. {{ $json.chatId }}',
		description:
			'Chat to continue, as in "chatId" of an earlier answer. It is sent back exactly as it is. Only the service can start a chat.',
	}),
	sessionKeyParam(
		'Any text that stays the same throughout a conversation. Upper and lower case matter, white space around it does not.',
	),
] as const satisfies INodeProperties[];

/** The chat of one item, and what decided on it. */
export interface ChatChoice {
	source: SessionSource;
	/** The chat to continue, where its ID is known at once. */
	chatId?: string;
	/** The session whose chat is to be found or remembered. */
	session?: string;
	/** Whether the user will miss the chat if it is forgotten when the execution ends. */
	isMissedLater?: boolean;
}

/** @throws ServiceError `invalid` for an empty key or ID. */
export function selectChat(
	{ sessionMode, chatId, sessionKey }: ParamValues<typeof chatParams>,
	{ handedOver }: PrepareContext,
): ChatChoice {
	switch (sessionMode) {
		case 'new':
			return { source: 'new' };
		case 'id':
			if (!chatId.trim()) throw invalidInputError('Chat ID is empty');
			return { source: 'id', chatId };
		case 'key':
			return toChoice(readSessionKey(sessionKey));
		case 'fromInput': {
			const ofItem = handedOver.readItem('chatId');
			if (ofItem && !handedOver.isFromVisitor('chatId'))
				return { source: itemSource(handedOver), chatId: ofItem };
			const found = findSession(handedOver);
			if (!found) return { source: 'new' };
			// a conversation hands over the chat within the execution, and only one in n8n's chat certainly goes on after it
			const isMissedLater =
				found.source !== 'conversation' || handedOver.readChatSession() !== undefined;
			return { ...toChoice(found), isMissedLater };
		}
	}
}

/** The same for every spelling of a UUID. */
const toChoice = ({ source, uuid, name }: FoundSession): ChatChoice => ({
	source,
	session: uuid?.toLowerCase() ?? name,
});
