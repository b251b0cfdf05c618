import type { INodeProperties } from 'n8n-workflow';

import { invalidInputError } from '../../../src/core/errors';
import type { PrepareContext } from '../../../src/n8n/operation';
import { withFieldRules } from '../../../src/n8n/parameterValidation';
import type { ParamValues } from '../../../src/n8n/parameters';
import { NAMESPACE_URL, uuidV5, parseUuid } from '../../../src/n8n/uuid';

/** Which conversation a message belongs to. */
export const sessionParams = [
	withFieldRules({ inTool: 'notFromModel' })({
		displayName: 'Session',
		name: 'session',
		type: 'options',
		options: [
			{
				name: 'New Session',
				value: 'new',
				description: 'Begin a new conversation for every item',
			},
			{
				name: 'Existing Session',
				value: 'existing',
				description: 'Continue a conversation, or begin it under an ID of your own',
			},
			{
				name: 'From Chat Trigger',
				value: 'chatTrigger',
				description:
					'One conversation per chat: takes the "sessionId" of the item, or of the Chat Trigger of the workflow; in a tool of an AI agent, of the Chat Trigger only',
			},
			{
				name: 'From Key',
				value: 'key',
				description:
					'One conversation per key: a thread, a phone number, an order. The same key always continues the same conversation, and nothing has to be stored.',
			},
		],
		default: 'new',
		description: 'Which conversation the message belongs to',
	}),
	withFieldRules({ inTool: 'notFromModel' })({
		displayName: 'Session ID',
		name: 'sessionId',
		type: 'string',
		displayOptions: { show: { session: ['existing'] } },
		default: '',
		required: true,
		placeholder: 'e.g. 6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90',
		description:
			'UUID of the session, with or without dashes, as an earlier message put it into "sessionId". An unused UUID begins a new session.',
	}),
	withFieldRules({ isKey: true, inTool: 'notFromModel' })({
		displayName: 'Session Key',
		name: 'sessionKey',
		type: 'string',
		displayOptions: { show: { session: ['key'] } },
		default: '',
		required: true,
		placeholder: 'e.g. {{ $json.thread_ts }}',
		description:
			'Any text that stays the same through a conversation; upper and lower case matter, white space around it does not. The session ID is made from it and the base URL of the credential. A UUID is taken as it is.',
	}),
] as const satisfies INodeProperties[];

/** The session of one item, and the source of its id. */
interface Session {
	/** Absent for a new session, which gets its id when the message is sent. */
	id?: string;
	/** The value of the Session parameter. */
	source: 'new' | 'existing' | 'chatTrigger' | 'key';
	/** The text from which the id was derived. */
	key?: string;
}

/** @throws ServiceError `invalid` if there is no id, no key, or no chat. */
export function selectSession(
	{ session: source, sessionId, sessionKey }: ParamValues<typeof sessionParams>,
	{ baseUrl, chatSession }: PrepareContext,
): Session {
	if (source === 'new') return { source };
	if (source === 'existing') return { source, id: parseSessionId(sessionId) };
	const text = source === 'key' ? sessionKey.trim() : chatSession();
	if (!text) throw source === 'key' ? missingKeyError() : missingChatError();
	const uuid = parseUuid(text);
	return uuid ? { source, id: uuid } : { source, id: sessionIdFromKey(baseUrl, text), key: text };
}

/**
 * The session id of a key: a UUID of version 5 over the key, in the namespace that is the UUID of the workspace's address.
 *
 * In Python: `uuid5(uuid5(NAMESPACE_URL, base_url), key)`.
 */
export function sessionIdFromKey(baseUrl: string, key: string): string {
	return uuidV5(uuidV5(NAMESPACE_URL, baseUrl), key);
}

function parseSessionId(input: string): string {
	const uuid = parseUuid(input.trim());
	if (uuid) return uuid;
	throw invalidInputError(
		'Session ID must be a UUID',
		`It reads "${input.trim().slice(0, 100)}". A UUID looks like 6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90. For any other text choose Session: From Key.`,
	);
}

const missingKeyError = () =>
	invalidInputError(
		'Session Key is empty',
		'Enter a text that stays the same throughout a conversation.',
	);

const missingChatError = () =>
	invalidInputError(
		'No chat was found to take the session from',
		'No Chat Trigger with a session has run in this workflow, and the item has no "sessionId" (that of an item does not count in a tool of an AI agent). Choose Session: From Key for a key of your own.',
	);
