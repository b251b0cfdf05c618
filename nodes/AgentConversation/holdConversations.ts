import type {
	EngineRequest,
	EngineResponse,
	IExecuteFunctions,
	INodeExecutionData,
} from 'n8n-workflow';

import {
	approveTurn,
	askSpeaker,
	endConversation,
	receiveReply,
	type Conversation,
} from '../../src/conversation/conversation';
import { checkLimits } from '../../src/conversation/ending';
import {
	addressedSpeaker,
	composeMessage,
	type Moderation,
	nextInTurn,
} from '../../src/conversation/nextTurn';
import {
	isPassedOn,
	readDecision,
	readReply,
	type Question,
	type Reply,
} from '../../src/conversation/reply';
import { isAttached } from '../../src/n8n/attachedTools';
import { abortableSleep } from '../../src/n8n/n8nVersions';
import { markAsBegun } from '../../src/n8n/platform';
import { type Answer, type Answers, toAnswers, toRequest } from './request';
import { announceSpeaker, recordProgress, showEnding, showTurn, toOutput } from './output';
import { askModerator } from './moderator';
import { openConversations } from './openConversations';
import { isChat, isOurs } from './speakers';
import { actionId, reviewId, type Settings, type State, UNSTORED } from './state';

/**
 * One call of the node: it begins the conversations, or takes answers; then it asks n8n to run the next speakers, or returns what was
 * said.
 *
 * Once the first turn was asked for, it never fails: whatever happens, the turns so far are returned.
 */
export async function holdConversations(
	n8n: IExecuteFunctions,
	response: EngineResponse | undefined,
): Promise<INodeExecutionData[][] | EngineRequest> {
	const begun = findState(response);
	const state = begun ? copyState(begun) : await openConversations(n8n);
	const answers = toAnswers(response);
	for (const [itemIndex, item] of state.items.entries()) {
		if ('refusal' in item || item.conversation.ending) continue;
		const advance = async () => {
			if (begun) item.conversation = await takeAnswer(n8n, itemIndex, item, answers, state);
			const next = await askNextSpeaker(n8n, itemIndex, item.conversation, item.settings, state);
			item.conversation = endIfDetached(n8n, next, state);
			await showEnding(n8n, itemIndex, item.settings, item.conversation);
		};
		const end = (cause: unknown) => void (item.conversation = endByError(item, cause));
		await (begun ? advance().catch(end) : advance());
		recordProgress(n8n, itemIndex, item.conversation);
	}
	const request = toRequest(n8n, state);
	if (!request.actions.length) return [toOutput(n8n, state)];
	markAsBegun(n8n);
	return request;
}

function findState(response: EngineResponse | undefined): State | undefined {
	const state = response?.metadata as Partial<State> | undefined;
	return state?.items && (state as State);
}

/**
 * n8n hands over the stored object itself, and with every try of Retry On Fail the same one. Only what is assigned here is copied: a
 * conversation is never changed in place, and a deep copy of it would take longer with every turn.
 */
const copyState = (state: State): State => ({
	...state,
	items: state.items.map((item) => ({ ...item })),
});

/** Takes the answer to the turn in progress, or a person's decision on it. */
async function takeAnswer(
	n8n: IExecuteFunctions,
	itemIndex: number,
	{ conversation, settings }: { conversation: Conversation; settings: Settings },
	answers: Answers,
	{ speakers, ...state }: State,
): Promise<Conversation> {
	const { pending } = conversation;
	if (!pending) return conversation;
	const answer = answers.get(actionId(itemIndex, pending));
	const review = answers.get(reviewId(itemIndex, pending));
	const tool = speakers[pending.speaker];
	const given = { ...n8n.getInputData()[itemIndex]?.json, ...(answer ?? review)?.input };
	if (!answer && review && tool?.review) {
		const decision = readDecision(review.items, given);
		if (!decision.isApproved) return receiveReply(conversation, decision.reply, Date.now());
		await announceSpeaker(n8n, itemIndex, settings, tool);
		return approveTurn(conversation, decision.by ?? review.node);
	}
	const reply = answer
		? toReply(answer, {
				// a person may repeat the words with which the chat began
				sent:
					isChat(tool) && !answer.items.some(isPassedOn) ? { ...given, chatInput: null } : given,
				hasWaited: !state[UNSTORED],
				isOurs: isOurs(n8n, tool),
			})
		: NO_ANSWER;
	const heard = receiveReply(conversation, reply, Date.now());
	await showTurn(n8n, itemIndex, settings, tool, heard, reply);
	return heard;
}

/** What a speaker said. Its node may return what is no JSON, such as a list that contains itself. */
function toReply({ items }: Answer, question: Question) {
	try {
		return readReply(items, question);
	} catch (cause) {
		const reason = cause instanceof Error ? cause.message : String(cause);
		return failedReply(`The answer cannot be read: ${reason}`);
	}
}

const failedReply = (error: string): Reply => ({
	text: '',
	facts: {},
	failure: { error, isCertainlyNotReceived: false },
});

const NO_ANSWER = failedReply(
	'n8n has no answer of this speaker. It is not known whether it received its message.',
);

/** A conversation whose next speaker is gone ends: n8n would fail, and the turns so far would not be in the output. */
function endIfDetached(
	n8n: IExecuteFunctions,
	conversation: Conversation,
	{ speakers }: State,
): Conversation {
	const { pending, ...others } = conversation;
	const tool = pending && speakers[pending.speaker];
	if (!pending || (tool && isAttached(n8n, tool))) return conversation;
	const { turn, speaker, message } = pending;
	const reason = `${speaker} is no longer connected`;
	const failure = { turn, speaker, message, error: NOT_SENT };
	return endConversation(others, { kind: 'speakerFailed', reason, failure }, Date.now());
}

const NOT_SENT =
	'It was removed, renamed or disabled while the conversation went on. Nothing was sent to it.';

/** What was said so far is never lost to a defect, of this package or of n8n. The answer to the turn in progress may be. */
function endByError({ conversation }: { conversation: Conversation }, cause: unknown) {
	const { pending, ...others } = conversation;
	if (others.ending) return others;
	const error = cause instanceof Error ? cause.message : String(cause);
	const failure = pending && {
		turn: pending.turn,
		speaker: pending.speaker,
		message: pending.message,
		error: `Its answer could not be taken. It has probably received its message: ${error}`,
	};
	const reason = `The conversation could not go on: ${error}`;
	const ending = { kind: 'speakerFailed' as const, reason, ...(failure && { failure }) };
	return endConversation(others, ending, Date.now());
}

/** Hands the turn to the next speaker, unless somebody has it or the conversation has ended. */
async function askNextSpeaker(
	n8n: IExecuteFunctions,
	itemIndex: number,
	conversation: Conversation,
	settings: Settings,
	{ speakers }: State,
): Promise<Conversation> {
	const { pending, ending, turns, earlier } = conversation;
	if (pending || ending) return conversation;
	const reached = checkLimits(conversation, Date.now());
	if (reached) return endConversation(conversation, reached, Date.now());
	if (turns.length > earlier && settings.pause)
		await abortableSleep(settings.pause, n8n.getExecutionCancelSignal());
	const choice = await choose(n8n, conversation, settings, speakers);
	if ('isDone' in choice) {
		const reason = 'The moderator ended the conversation';
		return endConversation(conversation, { kind: 'moderator', reason }, Date.now());
	}
	const { speaker } = choice;
	const { message, note } = composeMessage(conversation, speaker);
	const notes = [choice.note, note].filter(Boolean).join(' ');
	const asked = askSpeaker(conversation, { speaker, message, note: notes });
	if (!speakers[speaker]?.review)
		await announceSpeaker(n8n, itemIndex, settings, speakers[speaker]);
	return asked;
}

async function choose(
	n8n: IExecuteFunctions,
	conversation: Conversation,
	{ moderatorInstructions }: Settings,
	speakers: State['speakers'],
): Promise<Moderation> {
	switch (conversation.rules.turnOrder) {
		case 'inTurn':
			return { speaker: nextInTurn(conversation) };
		case 'addressed':
			return addressedSpeaker(conversation);
		case 'moderator':
			return await askModerator(n8n, conversation, moderatorInstructions, speakers);
	}
}
