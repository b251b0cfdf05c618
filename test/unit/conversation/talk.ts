import {
	askSpeaker,
	receiveReply,
	startConversation,
	type Conversation,
	type Rules,
	type Turn,
} from '../../../src/conversation/conversation';
import { checkLimits } from '../../../src/conversation/ending';
import {
	addressedSpeaker,
	composeMessage,
	nextInRound,
	nextInTurn,
} from '../../../src/conversation/nextTurn';
import type { Reply } from '../../../src/conversation/reply';
import { toResult } from '../../../src/conversation/transcript';
import { ownRegex } from '../../support/regex';

/** Rules under which two speakers exchange six answers. */
export const rulesWith = (more: Partial<Rules> = {}): Rules => ({
	opening: 'Hello',
	turnOrder: 'inTurn',
	hearing: 'auto',
	instructions: {},
	turnLimit: 6,
	stopPhrase: '',
	stopPattern: '',
	removeStop: false,
	spendingCap: 1000,
	onFailure: 'end',
	onDenial: 'end',
	editors: [],
	...more,
});

export const said = (speaker: string, text: string, more: Partial<Turn> = {}): Turn => ({
	turn: 1,
	speaker,
	text,
	at: '',
	...more,
});

export const begun = (
	rules: Partial<Rules> = {},
	speakers: string[] = ['Ada', 'Bob'],
	earlier: Turn[] = [],
): Conversation =>
	startConversation(
		{
			id: 'conversation',
			rules: rulesWith(rules),
			speakers,
			ids: Object.fromEntries(speakers.map((name) => [name, { sessionId: `session of ${name}` }])),
		},
		earlier,
		0,
	);

/** Answers one after the other, a second apart, until the conversation has ended. A text, or a whole reply. */
export function talk(
	rules: Partial<Rules>,
	replies: Array<string | Partial<Reply>>,
	speakers?: string[],
	earlier?: Turn[],
	regex = ownRegex,
) {
	let conversation = begun(rules, speakers, earlier);
	const told: string[] = [];
	let at = 0;
	for (const reply of replies) {
		if (conversation.ending || checkLimits(conversation, at)) break;
		if (!conversation.pending) {
			const { turnOrder } = conversation.rules;
			const next = turnOrder === 'sameMessage' ? nextInRound : nextInTurn;
			const choice =
				turnOrder === 'addressed'
					? addressedSpeaker(conversation)
					: { speaker: next(conversation) };
			const { message } = composeMessage(conversation, choice.speaker);
			const asked = { ...choice, message, messageId: `${at}`, askedAt: at };
			conversation = askSpeaker(conversation, asked);
		}
		told.push(`${conversation.pending?.speaker}: ${conversation.pending?.message}`);
		const given = typeof reply === 'string' ? { text: reply } : reply;
		conversation = receiveReply(
			conversation,
			{ text: '', facts: {}, ...given },
			(at += 1000),
			regex,
		);
	}
	return { conversation, told, result: toResult(conversation) };
}
