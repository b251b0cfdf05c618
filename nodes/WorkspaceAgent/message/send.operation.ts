import { randomUUID } from 'crypto';
import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { type PartialAnswer, sendMessage } from '../../../src/agent/client';
import { mapServiceError } from '../../../src/core/errors';
import { omitMissing } from '../../../src/core/missing';
import {
	findSession,
	messageTextParams,
	readMessageText,
	sessionKeyParam,
	sessionModeParam,
	type SessionSource,
} from '../../../src/n8n/chatInput.params';
import { operation, type PrepareContext } from '../../../src/n8n/operation';
import { withFieldRules } from '../../../src/n8n/parameterFields';
import type { ParamValues } from '../../../src/n8n/parameters';
import { onIncompleteOption, partialAnswerOf } from '../../../src/n8n/partialAnswers';
import { NAMESPACE_URL, readUuid, uuidV5 } from '../../../src/n8n/uuid';
import { optionsParam } from '../../fieldKinds.params';

const messageParams = messageTextParams({
	name: 'message',
	label: 'Message',
	description: 'The text to send to the agent',
	placeholder: 'e.g. What changed since yesterday?',
});

const sessionParams = [
	sessionModeParam({
		fromInput:
			'Continue the session of the item ("sessionId"), or otherwise that of the Chat Trigger. If there is neither, start a new session. As a tool of an AI agent, the node ignores the session of the item. A speaker keeps one session per conversation.',
		new: 'Start a new session for every item',
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
			'UUID of the session, with or without dashes, such as the "sessionId" of an earlier answer. An unused UUID starts a new session.',
	}),
	sessionKeyParam(
		'Any text that stays the same throughout a conversation. Case matters; surrounding whitespace does not. The session ID is derived from it and the base URL of the credential.',
	),
] as const satisfies INodeProperties[];

export const send = operation({
	name: 'Send',
	value: 'send',
	action: 'Send message to workspace agent',
	description: 'Send a message to a workspace agent and get its answer',
	params: [
		...messageParams,
		...sessionParams,
		optionsParam([
			{
				displayName: 'Answer Field Path',
				name: 'answerPath',
				type: 'string',
				default: '',
				placeholder: 'e.g. data.reply.text',
				description:
					'Path to the text in the response of the agent, if the node does not find it: field names separated by dots. Include Raw Events shows the fields.',
			},
			{
				displayName: 'Include Raw Events',
				name: 'includeRawEvents',
				type: 'boolean',
				default: true,
				description: 'Whether to add everything that the agent sent, unchanged, as "events"',
			},
			onIncompleteOption,
		]),
	],

	prepare: ({ messageSource, message, options, ...session }, context) => ({
		session: selectSession(session, context),
		content: readMessageText('Message', messageSource, message, context.handedOver),
		includeRawEvents: options.includeRawEvents ?? false,
		answerPath: options.answerPath?.trim() || undefined,
		onIncomplete: options.onIncomplete ?? 'error',
	}),

	sequenceKey: ({ session }) => session.id?.toLowerCase(),

	identify: ({ session, content }) => ({ given: session.id, content }),

	async run({ request, http, payOnce, reserveUnknown, recordId, stream, addHint }) {
		const { session, content, includeRawEvents, answerPath } = request;
		const toItem = (
			sessionId: string,
			{ text, format, dialect, events = [], requestId, durationMs }: Answer,
			more: { complete: boolean; notice?: string },
		) => ({
			json: {
				output: text,
				sessionId,
				...omitMissing({ sessionSource: session.source, sessionKey: session.key }),
				...more,
				format,
				...omitMissing({ dialect, durationMs, requestId }),
				...((includeRawEvents || !text) && { events: events as IDataObject[] }),
			},
		});

		try {
			const send = async () => {
				const sessionId = session.id ?? randomUUID();
				if (!session.id) recordId('session', sessionId);
				const listening = { onText: stream, includeRawEvents, answerPath };
				const answer = await sendMessage(http, { sessionId, content }, listening);
				return { result: { sessionId, ...answer } };
			};
			const { sessionId, ...answer } = await payOnce<Answer & { sessionId: string }>(
				async (startPaid) => await startPaid({ reserve: reserveUnknown, send }),
			);
			const warning = answer.notice ?? (answer.text ? undefined : noTextNotice(answerPath));
			if (warning) addHint(warning);
			return toItem(sessionId, answer, { complete: true, ...(warning && { notice: warning }) });
		} catch (cause) {
			const partialAnswer = partialAnswerOf<Answer>(cause);
			if (!partialAnswer || request.onIncomplete === 'error') throw mapServiceError(cause);
			const { partial, extras, notice, ids, requestId } = partialAnswer;
			addHint(notice);
			const sessionId = ids['sessionId'] ?? '';
			const answer = { ...partial, ...(requestId && { requestId }) };
			return toItem(sessionId, answer, { complete: false, notice, ...extras });
		}
	},
});

type Answer = PartialAnswer & { durationMs?: number; requestId?: string };

const noTextNotice = (answerPath: string | undefined) =>
	answerPath
		? `No text was found in the field "${answerPath}". In an event with a name, the path begins inside of "data".`
		: 'No text was found in the answer; "events" contains what arrived. If it contains the text, enter the path to it in the option "Answer Field Path".';

/** The session of one item, and the source of its id. */
interface Session {
	/** Absent for a new session, which gets its id when the message is sent. */
	id?: string;
	source: SessionSource;
	/** The text from which the id was derived. */
	key?: string;
}

/** @throws ServiceError `invalid` if there is no id or no key. */
function selectSession(
	{ sessionMode, sessionId, sessionKey }: ParamValues<typeof sessionParams>,
	{ sessionSpace, handedOver }: PrepareContext,
): Session {
	if (sessionMode === 'id') return { source: 'id', id: readUuid('Session ID', sessionId) };
	const found = findSession({ sessionMode, sessionKey }, handedOver);
	if (!found) return { source: 'new' };
	const { source, uuid, name, text } = found;
	if (uuid !== undefined) return { source, id: uuid };
	return { source, id: sessionIdOf(sessionSpace, name), key: text };
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
