import { END, type Condition, type Dialect, type Meaning } from './dialect';

const TYPES = ['typing', 'message', 'event', 'trace', 'endOfConversation'];

/** The ID of a message is that of its first piece. */
const ID = ['channelData.streamId', 'entities[type=streaminfo].streamId', 'id'];

/** What a bot says of its work is no answer. */
const ASIDE: Condition = {
	'from.role': 'user',
	'channelData.streamType': 'informative',
	'entities.streamType': 'informative',
};

/** A piece has all that the message has said so far, or only what is new, as in Copilot Studio. */
const ACTIVITY: readonly Meaning[] = [
	// also where it is no answer
	{ if: { type: 'typing', text: '*' }, opens: 'message' },
	{
		if: { type: 'typing', 'channelData.chunkType': 'full' },
		unless: ASIDE,
		opens: 'message',
		piece: 'text',
		id: ID,
		repeats: {},
		isDraft: true,
	},
	{
		if: { type: 'typing' },
		unless: { ...ASIDE, 'channelData.chunkType': 'full' },
		opens: 'message',
		piece: 'text',
		id: ID,
		repeats: { 'channelData.chunkType': null },
		isDraft: true,
	},
	{
		if: { type: 'message' },
		unless: { 'from.role': 'user' },
		whole: 'text',
		id: ID,
		repeats: {},
		ends: 'step',
	},
	{
		if: {
			type: 'endOfConversation',
			code: ['agentTimedOut', 'agentIssuedInvalidMessage', 'channelFailed', 'userCancelled'],
		},
		fails: ['text', 'code'],
	},
];

/** What bots of Microsoft send: one activity an event, or all in one body. */
export const ACTIVITIES: readonly Dialect[] = [
	{
		name: 'Microsoft 365 Agents',
		source:
			'@microsoft/agents-hosting 1.8.1, @microsoft/agents-copilotstudio-client 1.5.2; https://github.com/microsoft/BotFramework-WebChat/blob/main/docs/LIVESTREAMING.md',
		by: 'line',
		listIn: 'activities',
		knownBy: [
			{ 'activities.type': TYPES },
			{ '#': 'activity', type: TYPES },
			{ 'from.id': '*', type: TYPES },
			{ 'conversation.id': '*', type: TYPES },
			{ 'channelData.streamType': '*', type: TYPES },
			{ 'entities.type': 'streaminfo', type: TYPES },
		],
		events: {
			'': ACTIVITY,
			activity: ACTIVITY,
			message: ACTIVITY,
			end: END,
			'[DONE]': END,
		},
	},
];
