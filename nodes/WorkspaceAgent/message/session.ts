import type { INodeProperties } from 'n8n-workflow';

import { invalidInputError } from '../../../src/core/errors';
import type { PrepareContext } from '../../../src/n8n/operation';
import { withFieldRules } from '../../../src/n8n/parameterFields';
import type { ParamValues } from '../../../src/n8n/parameters';
import {
	findSession,
	type FoundSession,
	readSessionKey,
	sessionKeyParam,
	sessionModeParam,
	type SessionSource,
} from '../../../src/n8n/sessionMode.params';
import { NAMESPACE_URL, uuidV5, parseUuid } from '../../../src/n8n/uuid';

export const sessionParams = [
	sessionModeParam({
		fromInput:
			'Continue the session of the item ("sessionId"), or else that of the Chat Trigger. If there is neither, start a new session. In a tool of an AI agent, that of the item does not count. A speaker keeps one session per conversation.',
		new: 'Start a new session for every item',
		id: 'Continue a session, or start it with an ID of your own',
		key: 'One session per key, such as a thread, a phone number or an order. The same key always continues the same session, and nothing has to be stored.',
	}),
	withFieldRules({ inTool: 'notFromModel' })({
		displayName: 'Session ID',
		name: 'sessionId',
		type: 'string',
		displayOptions: { show: { sessionMode: ['id'] } },
		default: '',
		required: true,
		placeholder: 'e.g. 6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90',
		description:
			'UUID of the session, with or without dashes, as in "sessionId" of an earlier answer. An unused UUID starts a new session.',
	}),
	sessionKeyParam(
		'Any text that stays the same throughout a conversation. Upper and lower case matter, white space around it does not. The session ID is made from it and the base URL of the credential.',
	),
] as const satisfies INodeProperties[];

/** The session of one item, and the source of its id. */
interface Session {
	/** Absent for a new session, which gets its id when the message is sent. */
	id?: string;
	source: SessionSource;
	/** The text from which the id was derived. */
	key?: string;
}

/** @throws ServiceError `invalid` if there is no id or no key. */
export function selectSession(
	{ sessionMode, sessionId, sessionKey }: ParamValues<typeof sessionParams>,
	{ baseUrl, handedOver }: PrepareContext,
): Session {
	switch (sessionMode) {
		case 'new':
			return { source: 'new' };
		case 'id':
			return { source: 'id', id: parseSessionId(sessionId) };
		case 'key':
			return toSession(baseUrl, readSessionKey(sessionKey));
		case 'fromInput': {
			const found = findSession(handedOver);
			return found ? toSession(baseUrl, found) : { source: 'new' };
		}
	}
}

function toSession(baseUrl: string, { source, uuid, name, text }: FoundSession): Session {
	if (uuid !== undefined) return { source, id: uuid };
	return { source, id: sessionIdOf(baseUrl, name), key: text };
}

/**
 * The ID of a named session: a UUID of version 5 over the name, in the namespace that is the UUID of the workspace's address.
 *
 * In Python: `uuid5(uuid5(NAMESPACE_URL, base_url), "key " + key)`.
 *
 * @param name Begins with who can choose it: `key `, `chat ` or `input `.
 */
export const sessionIdOf = (baseUrl: string, name: string): string =>
	uuidV5(uuidV5(NAMESPACE_URL, baseUrl), name);

function parseSessionId(input: string): string {
	const uuid = parseUuid(input.trim());
	if (uuid) return uuid;
	throw invalidInputError(
		'Session ID must be a UUID',
		`It reads "${input.trim().slice(0, 100)}". A UUID looks like 6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90. For any other text choose Session: From Key.`,
	);
}
