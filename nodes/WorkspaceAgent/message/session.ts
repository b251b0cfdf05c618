import type { INodeProperties } from 'n8n-workflow';

import type { KnownWait } from '../../../src/agent/approvals';
import type { AgentServer } from '../../../src/agent/server';
import { invalidInputError } from '../../../src/core/errors';
import { isPlainObject, tryParseJson, omitMissing } from '../../../src/core/json';
import { MAX_SEGMENT_LENGTH } from '../../../src/core/urls';
import {
	findSession,
	sessionKeyParam,
	sessionModeParam,
	type SessionSource,
} from '../../../src/n8n/chatInput.params';
import type { PrepareContext } from '../../../src/n8n/operation';
import { withFieldRules } from '../../../src/n8n/parameterFields';
import type { ParamValues } from '../../../src/n8n/parameters';
import { NAMESPACE_URL, readUuid, uuidV5 } from '../../../src/n8n/uuid';

export const sessionParams = [
	sessionModeParam({
		fromInput:
			'Continue the session of the item ("sessionId"), or otherwise that of the Chat Trigger. If there is neither, start a new session. As a tool of an AI agent, the node ignores the session of the item. A speaker keeps one session per conversation.',
		new: 'Start a new session for every item. A speaker gets one for each turn, and remembers none of the others.',
		id: 'Continue a session, or start one with your own ID',
		key: 'One session per key, such as a thread, a phone number or an order. The same key always continues the same session, without storing anything.',
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
			'UUID of the session, such as the "sessionId" of an earlier answer. An unused UUID starts a new session. An ID that another server gave may be any text.',
	}),
	sessionKeyParam(
		'Any text that stays the same throughout a conversation. Case matters; surrounding whitespace does not. The session ID is derived from it and the base URL of the credential.',
	),
] as const satisfies INodeProperties[];

/** The session of one item, and the source of its id. */
export interface Session {
	/** Absent for a new session, which gets its id when the message is sent. */
	id?: string;
	source: SessionSource;
	/** The text from which the id was derived. */
	key?: string;
	/** Set if that text is the ID of a session of another agent. */
	isOfAnother?: true;
}

/**
 * @param place Whose the IDs are.
 * @param server Another one than a workspace. What it calls a session may be any text.
 * @throws ServiceError `invalid` if there is no id or no key.
 */
export function selectSession(
	{ sessionMode, sessionId, sessionKey }: ParamValues<typeof sessionParams>,
	{ handedOver }: PrepareContext,
	place: Place,
	server?: AgentServer,
): Session {
	if (sessionMode === 'id')
		return { source: 'id', id: server ? readId(sessionId) : readUuid('Session ID', sessionId) };
	const found = findSession({ sessionMode, sessionKey }, handedOver);
	if (!found) return { source: 'new' };
	const { source, uuid, name, text } = found;
	const madeAt = source === 'key' ? undefined : handedOver.readItem('sessionAt');
	const isOfAnother = madeAt !== undefined && madeAt !== place.id;
	if (uuid !== undefined && !isOfAnother) return { source, id: uuid };
	// of the transcript of an earlier conversation
	if (server?.chatAt && source === 'conversation' && madeAt === place.id)
		return { source, id: text };
	const id = sessionIdOf(place.space, name);
	return { source, id, key: text, ...(isOfAnother && { isOfAnother }) };
}

/** Where the IDs of an agent count: nowhere else, since a stranger has made them, and another agent would mix up what was said. */
export interface Place {
	/** What the IDs of named sessions are made for. */
	space: string;
	/** As outputs have it. */
	id: string;
}

export function placeOf(sessionSpace: string, server?: AgentServer, agent = ''): Place {
	const space = server ? [sessionSpace, server.value, agent].join(' ').trim() : sessionSpace;
	return { space, id: uuidV5(NAMESPACE_URL, space) };
}

/** What the item hands over of an earlier answer. It counts only beside the place that has made it; what was said is no ID. */
export function findHandedOver(
	{ source, id }: Session,
	{ handedOver }: PrepareContext,
	place: Place,
): KnownWait & { chatId?: string | undefined; history?: unknown } {
	const isHandedOver = (field: string) => !handedOver.isFromVisitor(field);
	const read = (field: string) => (isHandedOver(field) ? handedOver.readItem(field) : undefined);
	const history = isHandedOver('history') ? handedOver.readValue('history') : undefined;
	const isFromItem = source === 'conversation' || source === 'item';
	// of an output of the session that the fields of the node name
	const isSame = id !== undefined && read('sessionId') === id;
	if (!(isFromItem || isSame) || read('sessionAt') !== place.id)
		return source === 'conversation' ? { history } : {};
	const waitsFor = isHandedOver('waitsFor') && handedOver.readValue('waitsFor');
	return {
		chatId: read('chatId'),
		history,
		...omitMissing({ taskId: read('taskId'), ...readWait(waitsFor, source) }),
	};
}

function readWait(waitsFor: unknown, source: Session['source']): KnownWait {
	// a table may keep it as text
	const found = typeof waitsFor === 'string' ? tryParseJson(waitsFor) : waitsFor;
	const { kind, onlyDecline, text } = isPlainObject(found) ? found : {};
	const shown = source === 'conversation' ? undefined : '';
	return {
		kind: kind === 'approval' || kind === 'input' ? kind : undefined,
		onlyDecline: onlyDecline === true || undefined,
		text: typeof text === 'string' ? text : shown,
	};
}

function readId(text: string): string {
	const id = text.trim();
	if (id && id.length <= MAX_SEGMENT_LENGTH) return id;
	throw invalidInputError(
		id ? `Session ID is longer than ${MAX_SEGMENT_LENGTH} characters` : 'Session ID is empty',
		'Enter the "sessionId" of an earlier answer, or choose Session: New.',
	);
}

/**
 * The ID of a named session: a UUID of version 5 over the name, in the namespace that is the UUID of the workspace's address.
 *
 * In Python: `uuid5(uuid5(NAMESPACE_URL, base_url), "key " + key)`.
 *
 * @param name Begins with its origin: `key `, `chat ` or `input `.
 */
export const sessionIdOf = (space: string, name: string): string =>
	uuidV5(uuidV5(NAMESPACE_URL, space), name);
