import type { INodeProperties } from 'n8n-workflow';

import { invalidInputError } from '../../../src/core/errors';
import type { PrepareContext } from '../../../src/n8n/operation';
import { withFieldRules } from '../../../src/n8n/parameterFields';
import type { ParamValues } from '../../../src/n8n/parameters';
import type { ChatChoice } from '../../rememberedChats';
import {
	findSession,
	itemSource,
	sessionKeyParam,
	sessionModeParam,
} from '../../../src/n8n/chatInput.params';

/** What remembers the chats of sessions, as the editor names it. */
export const REMEMBERING = '"Use a Job Ledger" in the Crypto Q&A API credential';

export const chatParams = [
	sessionModeParam({
		fromInput: `Continue the chat of the item: the "chatId" of an earlier answer, or otherwise the chat of its "sessionId". Without these, continue that of the Chat Trigger. If there is none, start a new chat. To remember the chat of a session, turn on ${REMEMBERING}. As a tool of an AI agent, the node ignores the chat of the item. A speaker keeps one chat per conversation.`,
		new: 'Start a new chat for every item. A speaker gets one for each turn, and remembers none of the others.',
		id: 'Continue the chat with this ID',
		key: `One chat per key, such as a customer or a channel. It lasts for the execution, or longer with ${REMEMBERING}.`,
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
			'The "chatId" of an earlier answer. It is sent back unchanged. Only the service can start a chat.',
	}),
	sessionKeyParam(
		'Any text that stays the same throughout a conversation. Case matters; surrounding whitespace does not.',
	),
] as const satisfies INodeProperties[];

/** @throws ServiceError `invalid` for an empty key or ID. */
export function selectChat(
	{ sessionMode, chatId, sessionKey }: ParamValues<typeof chatParams>,
	{ handedOver }: PrepareContext,
): ChatChoice {
	if (sessionMode === 'id') {
		if (!chatId.trim()) throw invalidInputError('Chat ID is empty');
		return { source: 'id', chatId };
	}
	const ofItem = sessionMode === 'fromInput' && handedOver.readItem('chatId');
	if (ofItem && !handedOver.isFromVisitor('chatId'))
		return { source: itemSource(handedOver), chatId: ofItem };
	const found = findSession({ sessionMode, sessionKey }, handedOver);
	if (!found) return { source: 'new' };
	const { source, uuid, name } = found;
	// a conversation hands over the chat within the execution, and only one in n8n's chat certainly continues after it
	const isContinued = source !== 'conversation' || handedOver.readChatSession() !== undefined;
	return {
		source,
		// the same for every spelling of a UUID
		session: uuid?.toLowerCase() ?? name,
		isMissedLater: source !== 'key' && isContinued,
	};
}
