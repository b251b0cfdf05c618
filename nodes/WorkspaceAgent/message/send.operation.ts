import { randomUUID } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

import { sendMessage, type ArrivedAnswer } from '../../../src/agent/messages';
import { onIncompleteOption, whatArrived } from '../../../src/n8n/incomplete';
import { operation } from '../../../src/n8n/operation';
import { explained } from '../../../src/service/errors';
import { chosenSession } from './session';
import { sessionParams } from './session.params';

export const send = operation({
	name: 'Send',
	value: 'send',
	action: 'Send a message to a workspace agent',
	description: 'Send a message into a session of the workspace agent and read its answer',
	params: [
		...sessionParams,
		{
			displayName: 'Message',
			name: 'message',
			type: 'string',
			typeOptions: { rows: 4 },
			default: '',
			required: true,
			placeholder: 'e.g. What changed since yesterday?',
			description: 'What the agent is told',
		},
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add Option',
			default: {},
			options: [
				{
					displayName: 'Include Events',
					name: 'includeEvents',
					type: 'boolean',
					default: false,
					description: 'Whether to add everything that the agent sent, as it came, as "events"',
				},
				onIncompleteOption,
				{
					displayName: 'Text Field',
					name: 'textField',
					type: 'string',
					default: '',
					placeholder: 'e.g. data.reply.text',
					description:
						'Where the text is in what the agent sends, when it is not found by itself: names with dots between them. Include Events shows them.',
				},
			],
		},
	],

	prepare: ({ message, options, ...session }, surroundings) => ({
		session: chosenSession(session, surroundings),
		content: message,
		keepEvents: options.includeEvents ?? false,
		textField: options.textField?.trim() || undefined,
		onIncomplete: options.onIncomplete ?? 'error',
	}),

	lane: ({ session }) => session.id?.toLowerCase(),

	async run({ request, http, once, note, live, hint }) {
		const { session, content, keepEvents, textField } = request;
		const toItem = (
			sessionId: string,
			{ text, format, events = [], requestId }: ArrivedAnswer,
			more: { complete: boolean; notice?: string },
		) => {
			const { source, key } = session;
			const from = { sessionSource: source, ...(key !== undefined && { sessionKey: key }) };
			return {
				json: {
					output: text,
					sessionId,
					...from,
					...more,
					format,
					...(requestId && { requestId }),
					...((keepEvents || !text) && { events: events as IDataObject[] }),
				},
			};
		};

		try {
			const { sessionId, ...answer } = await once({ given: session.id, content }, async () => {
				const sessionId = session.id ?? randomUUID();
				if (!session.id) note('session', sessionId);
				const listening = { onText: live, keepEvents, textField };
				return { sessionId, ...(await sendMessage(http, { sessionId, content }, listening)) };
			});
			const lost = !answer.text && noText(textField);
			if (lost) hint(lost);
			return toItem(sessionId, answer, { complete: true, ...(lost && { notice: lost }) });
		} catch (cause) {
			const arrived = whatArrived<ArrivedAnswer>(cause);
			if (!arrived || request.onIncomplete === 'error') throw explained(cause);
			const { partial, notice, ids, requestId } = arrived;
			hint(notice);
			const sessionId = ids['sessionId'] ?? '';
			const answer = { ...partial, ...(requestId && { requestId }) };
			return toItem(sessionId, answer, { complete: false, notice });
		}
	},
});

const noText = (textField: string | undefined) =>
	textField
		? `No text was found in the field "${textField}".`
		: 'No text was found in the answer; "events" holds what came. If there is one, name its place in the option "Text Field".';
