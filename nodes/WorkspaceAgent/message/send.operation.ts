import { randomUUID } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

import { sendMessage, type PartialAnswer } from '../../../src/agent/client';
import { mapServiceError } from '../../../src/core/errors';
import { operation } from '../../../src/n8n/operation';
import { messageTextParams, readMessageText } from '../../../src/n8n/messageText.params';
import { onIncompleteOption, partialAnswerOf } from '../../../src/n8n/partialAnswers';
import { selectSession, sessionParams } from './session';

const messageParams = messageTextParams({
	name: 'message',
	label: 'Message',
	description: 'The text to send to the agent',
	placeholder: 'e.g. What changed since yesterday?',
});

export const send = operation({
	name: 'Send',
	value: 'send',
	action: 'Send message to workspace agent',
	description: 'Send a message to a workspace agent and get its answer',
	params: [
		...messageParams,
		...sessionParams,
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add Option',
			default: {},
			options: [
				{
					displayName: 'Include Raw Events',
					name: 'includeRawEvents',
					type: 'boolean',
					default: true,
					description: 'Whether to add everything that the agent sent, unchanged, as "events"',
				},
				onIncompleteOption,
				{
					displayName: 'Answer Field Path',
					name: 'answerPath',
					type: 'string',
					default: '',
					placeholder: 'e.g. data.reply.text',
					description:
						'Where the text is in what the agent sends, if the node does not find it: field names with dots between them. Include Raw Events shows the fields.',
				},
			],
		},
	],

	prepare: ({ messageSource, message, options, ...session }, context) => ({
		session: selectSession(session, context),
		content: readMessageText('Message', messageSource, message, context.handedOver),
		includeRawEvents: options.includeRawEvents ?? false,
		answerPath: options.answerPath?.trim() || undefined,
		onIncomplete: options.onIncomplete ?? 'error',
	}),

	sequenceKey: ({ session }) => session.id?.toLowerCase(),

	async run({ request, http, startPaid, recordId, stream, addHint }) {
		const { session, content, includeRawEvents, answerPath } = request;
		const toItem = (
			sessionId: string,
			{ text, format, events = [], requestId }: PartialAnswer,
			more: { complete: boolean; notice?: string },
		) => {
			const { source, key } = session;
			const origin = { sessionSource: source, ...(key !== undefined && { sessionKey: key }) };
			return {
				json: {
					output: text,
					sessionId,
					...origin,
					...more,
					format,
					...(requestId && { requestId }),
					...((includeRawEvents || !text) && { events: events as IDataObject[] }),
				},
			};
		};

		try {
			const { sessionId, ...answer } = await startPaid({
				request: { given: session.id, content },
				async send() {
					const sessionId = session.id ?? randomUUID();
					if (!session.id) recordId('session', sessionId);
					const listening = { onText: stream, includeRawEvents, answerPath };
					return { sessionId, ...(await sendMessage(http, { sessionId, content }, listening)) };
				},
			});
			const warning = !answer.text && noTextNotice(answerPath);
			if (warning) addHint(warning);
			return toItem(sessionId, answer, { complete: true, ...(warning && { notice: warning }) });
		} catch (cause) {
			const partialAnswer = partialAnswerOf<PartialAnswer>(cause, ({ text }) => text);
			if (!partialAnswer || request.onIncomplete === 'error') throw mapServiceError(cause);
			const { partial, extras, notice, ids, requestId } = partialAnswer;
			addHint(notice);
			const sessionId = ids['sessionId'] ?? '';
			const answer = { ...partial, ...(requestId && { requestId }) };
			return toItem(sessionId, answer, { complete: false, notice, ...extras });
		}
	},
});

const noTextNotice = (answerPath: string | undefined) =>
	answerPath
		? `No text was found in the field "${answerPath}".`
		: 'No text was found in the answer; "events" contains what arrived. If there is a text in it, enter its path in the option "Answer Field Path".';
