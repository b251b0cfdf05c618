import { randomUUID } from 'crypto';
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
	type PendingTurn,
} from '../../src/conversation/conversation';
import { asDecision, decide } from '../../src/conversation/approval';
import { checkLimits, type Ending } from '../../src/conversation/ending';
import {
	addressedSpeaker,
	composeMessage,
	nextInRound,
	nextInTurn,
} from '../../src/conversation/nextTurn';
import {
	isPassedOn,
	readDecision,
	readReply,
	type Question,
	type Reply,
} from '../../src/conversation/reply';
import { joinSentences, messageOf } from '../../src/core/errors';
import { type AttachedTool, isAttached } from '../../src/n8n/attachedTools';
import { regexEngine } from '../../src/n8n/n8nVersions';
import { abortableSleep } from '../../src/n8n/deadline';
import { markAsBegun } from '../../src/n8n/platform';
import { askModerator, conclude } from './moderator';
import { type Next, nextForApproval, takesApproval } from './nextForApproval';
import { openConversations } from './openConversations';
import { createDisplay, recordProgress, toOutput } from './output';
import {
	actionId,
	type Answer,
	type Answers,
	reviewId,
	type Settings,
	type State,
	toAnswers,
	toRequest,
	UNSTORED,
} from './request';
import { findAsker, isChatReview, isKind, isOurs } from './speakers';

/**
 * One call of the node: starts the conversations or takes in answers, then asks n8n to run the next speakers or returns the results.
 *
 * After the first turn was requested it never fails: whatever happens, the turns so far are returned.
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
		const { settings } = item;
		const display = createDisplay(n8n, itemIndex, settings);
		const call = { n8n, itemIndex, settings, state, display };
		const record = () => recordProgress(n8n, itemIndex, item.conversation, state.speakers);
		const advance = async () => {
			if (begun) item.conversation = await takeAnswer(call, item.conversation, answers);
			item.conversation = endIfDetached(call, await askNextSpeaker(call, item.conversation));
			await display.showEnding(item.conversation);
			// recorded first: a kill while the model is asked for the result must not lose it
			const { ending, rules } = item.conversation;
			if (ending && rules.resultSchema) record();
			item.conversation = await conclude(n8n, itemIndex, item.conversation);
		};
		const end = (cause: unknown) => void (item.conversation = endByError(item.conversation, cause));
		await (begun ? advance().catch(end) : advance());
		record();
	}
	const request = toRequest(n8n, state);
	if (!request.actions.length) return [toOutput(n8n, state)];
	markAsBegun(n8n);
	return request;
}

/** What the steps of one conversation need in this call of the node. */
interface Call {
	n8n: IExecuteFunctions;
	itemIndex: number;
	settings: Settings;
	state: State;
	display: ReturnType<typeof createDisplay>;
}

function findState(response: EngineResponse | undefined): State | undefined {
	const state = response?.metadata as Partial<State> | undefined;
	return state?.items && (state as State);
}

/**
 * n8n hands over the stored object itself, and the same one on every try of Retry On Fail. Only what is assigned here is copied: a
 * conversation is never changed in place, and a deep copy would take longer with every turn.
 */
const copyState = (state: State): State => ({
	...state,
	items: state.items.map((item) => ({ ...item })),
});

/** Takes the answer to the turn in progress, or a person's decision on it. */
async function takeAnswer(
	call: Call,
	conversation: Conversation,
	answers: Answers,
): Promise<Conversation> {
	const { n8n, itemIndex, state, display } = call;
	const { pending } = conversation;
	if (!pending) return conversation;
	const answer = answers.get(actionId(itemIndex, pending));
	const review = answers.get(reviewId(itemIndex, pending));
	const tool = state.speakers[pending.speaker];
	const given = { ...n8n.getInputData()[itemIndex]?.json, ...(answer ?? review)?.input };
	if (!answer && review && tool?.review) {
		const decision = readDecision(review.items, given, isChatReview(n8n, tool.review));
		if (!decision.isApproved)
			return receiveReply(conversation, decision.reply, Date.now(), regexEngine);
		await display.announceSpeaker(tool);
		return approveTurn(conversation, decision.by ?? tool.review.node);
	}
	if (!answer) throw new Error('n8n has no answer from this speaker');
	const question = toQuestion(call, conversation, answer, given);
	const said = toReply(answer, question);
	const durationMs = durationOf(answer, pending, question.hasWaited);
	const { approval: asked } = conversation;
	const isDecision = pending.isForApproval && asked;
	const reply = isDecision ? asDecision(said) : said;
	const decided = isDecision
		? {
				...conversation,
				approval: decide(
					asked,
					said,
					question.hasWaited,
					takesApproval(conversation, asked.speaker),
				),
			}
		: conversation;
	const updated = receiveReply(decided, { ...reply, durationMs }, Date.now(), regexEngine);
	await display.showTurn(tool, updated, reply);
	return updated;
}

/** @param given What the speaker's node was given. */
function toQuestion(
	{ n8n, state }: Call,
	{ pending, rules }: Conversation,
	answer: Answer,
	given: Question['sent'],
): Question {
	const { speaker = '' } = pending ?? {};
	const tool = state.speakers[speaker];
	// a person may repeat the message that started the chat
	const mayRepeat = isKind(tool, 'chatTool') && !answer.items.some(isPassedOn);
	return {
		sent: mayRepeat ? { ...given, chatInput: null } : given,
		// none of our own nodes waits for a person
		hasWaited: answer.isResumed && !state[UNSTORED] && !isOurs(n8n, tool),
		place: placeOfAnswer(n8n, tool),
		isOurs: isOurs(n8n, tool),
		isEditor: rules.editors.includes(speaker),
		isForApproval: pending?.isForApproval === true,
	};
}

/** A workflow that was called, and a speaker that "Retry" has run again, answer in any form. */
function placeOfAnswer(n8n: IExecuteFunctions, tool: AttachedTool | undefined) {
	if (isKind(tool, 'chatTool')) return 'chat';
	return isKind(tool, 'toolWorkflow') || n8n.getMode() === 'retry' ? 'any' : 'data';
}

/** How long a turn took. If it waited for a person, n8n's own figure does not include that. */
function durationOf({ ran }: Answer, { askedAt }: PendingTurn, hasWaited: boolean) {
	const end = ran.startTime + ran.executionTime;
	return hasWaited ? Math.max(0, end - askedAt) : ran.executionTime;
}

/** What a speaker said. Its node may return something that is not JSON, such as a list that contains itself. */
function toReply({ items }: Answer, question: Question): Reply {
	try {
		return readReply(items, question);
	} catch (cause) {
		const error = `The answer cannot be read: ${messageOf(cause)}`;
		return { text: '', facts: {}, failure: { error, isCertainlyNotReceived: false } };
	}
}

/** Ends a conversation whose next speaker is gone: n8n would fail, and the turns so far would be lost. */
function endIfDetached({ n8n, state }: Call, conversation: Conversation): Conversation {
	const { pending } = conversation;
	const tool = pending && state.speakers[pending.speaker];
	if (!pending || (tool && isAttached(n8n, tool))) return conversation;
	return endByFailure(conversation, `${pending.speaker} is no longer connected`, NOT_SENT);
}

const NOT_SENT =
	'It was removed, renamed or disabled during the conversation. Nothing was sent to it.';

/** A defect in this package or in n8n never loses the turns so far. It may lose the answer to the turn in progress. */
function endByError(conversation: Conversation, cause: unknown): Conversation {
	if (conversation.ending) return conversation;
	const error = messageOf(cause);
	return endByFailure(
		forgetSent(conversation),
		`The conversation could not continue: ${error}`,
		`Its answer could not be processed. It has probably received its message: ${error}`,
	);
}

/** The answer to the turn in progress is lost: nobody knows whether its decision was sent. */
function forgetSent(conversation: Conversation): Conversation {
	const { pending, approval } = conversation;
	if (!pending?.decision || !approval) return conversation;
	const { speaker, text } = approval;
	return { ...conversation, approval: { speaker, text } };
}

/** @param error What became of the turn in progress, if there is one. */
function endByFailure({ pending, ...others }: Conversation, reason: string, error: string) {
	const ending = { kind: 'speakerFailed' as const, reason };
	if (!pending) return endConversation(others, ending, Date.now());
	const { turn, speaker, message } = pending;
	const failure = { turn, speaker, message, error };
	return endConversation(others, { ...ending, failure }, Date.now());
}

/** Gives the turn to the next speaker, unless one is in progress or the conversation has ended. */
async function askNextSpeaker(call: Call, conversation: Conversation): Promise<Conversation> {
	const { n8n, settings, state, display } = call;
	const { pending, ending, turns, earlier } = conversation;
	if (pending || ending) return conversation;
	const reached = checkLimits(conversation, Date.now());
	if (reached) return endConversation(conversation, reached, Date.now());
	if (turns.length > earlier && settings.pause)
		await abortableSleep(settings.pause, n8n.getExecutionCancelSignal());
	const next = conversation.approval
		? nextForApproval(n8n, state.speakers, conversation, conversation.approval)
		: await nextToSpeak(call, conversation);
	if ('kind' in next) return endConversation(conversation, next, Date.now());
	const asked = askSpeaker(conversation, {
		...next,
		messageId: randomUUID(),
		askedAt: Date.now(),
	});
	const tool = state.speakers[next.speaker];
	const asker = tool && findAsker(n8n, tool);
	if (next.isCheck) return asked;
	await (asker ? display.announceWait(asker) : display.announceSpeaker(tool));
	return asked;
}

async function nextToSpeak(call: Call, conversation: Conversation): Promise<Next | Ending> {
	const choice = await choose(call, conversation);
	if ('isDone' in choice)
		return { kind: 'moderator', reason: 'The moderator ended the conversation' };
	const { speaker } = choice;
	const { message, note } = composeMessage(conversation, speaker);
	return { speaker, message, note: joinSentences(choice.note, note) };
}

async function choose({ n8n, settings, state }: Call, conversation: Conversation) {
	switch (conversation.rules.turnOrder) {
		case 'inTurn':
			return { speaker: nextInTurn(conversation) };
		case 'addressed':
			return addressedSpeaker(conversation);
		case 'sameMessage':
			return { speaker: nextInRound(conversation) };
		case 'moderator':
			return await askModerator(n8n, conversation, settings.moderatorInstructions, state.speakers);
	}
}
