import { randomUUID } from 'crypto';

import { sendMessage } from '../../../src/agent/messages';
import { operation } from '../../../src/n8n/operation';
import { invalid } from '../../../src/service/errors';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const send = operation({
	name: 'Send',
	value: 'send',
	action: 'Send a message to an agent',
	description: 'Send a message into a session of the workspace agent and read its answer',
	params: [
		{
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
			],
			default: 'new',
			description: 'Which conversation the message belongs to',
		},
		{
			displayName: 'Session ID',
			name: 'sessionId',
			type: 'string',
			displayOptions: { show: { session: ['existing'] } },
			default: '',
			required: true,
			placeholder: 'e.g. 6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90',
			description:
				'UUID of the session, as an earlier message put it into "sessionId". An unused UUID begins a new session.',
		},
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
			],
		},
	],

	prepare({ session, sessionId, message, options }) {
		const given = session === 'existing' ? sessionId.trim() : undefined;
		if (given !== undefined && !UUID.test(given)) {
			throw invalid(
				'Session ID must be a UUID',
				`It reads "${given.slice(0, 100)}". A UUID looks like 6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90.`,
			);
		}
		return { sessionId: given, content: message, keepEvents: options.includeEvents ?? false };
	},

	lane: ({ sessionId }) => sessionId?.toLowerCase(),

	async run({ request: { sessionId: given, content, keepEvents }, http, once, note }) {
		const { sessionId, text, format, events, requestId } = await once(
			{ given, content },
			async () => {
				const sessionId = given ?? randomUUID();
				if (!given) note('session', sessionId);
				return { sessionId, ...(await sendMessage(http, { sessionId, content }, { keepEvents })) };
			},
		);
		return {
			json: {
				output: text,
				sessionId,
				complete: true,
				format,
				...(requestId && { requestId }),
				...((keepEvents || !text) && { events }),
			},
		};
	},
});
