import { CONVERSATION_CAP } from '../core/caps';
import { extractText } from '../core/extractText';
import { isMissing, isPlainObject, omitMissing } from '../core/json';
import { readTokenCounts } from '../core/tokenCounts';
import { sumOf } from './amounts';
import {
	type AnswerPlace,
	firstText,
	type Item,
	nameOf,
	personsAnswer,
	readEdit,
	readFields,
	readPerson,
	readVerdict,
	type Verdict,
} from './person';
import { type Asked, readApproval, readRefusal, readWaiting, type WaitingIds } from './waiting';

/** What a speaker reports besides its text. */
export interface TurnFacts {
	/** The speaker's own conversation at its service. */
	sessionId?: string;
	/** The same, for a service that assigns the IDs of its chats. */
	chatId?: string;
	/** Where these IDs count: at another agent, they are nothing. */
	sessionAt?: string;
	/** What a remote agent runs on, unless that is a workspace. */
	server?: string;
	model?: string;
	/** USD. */
	costUsd?: number;
	/** USD, if the cost is not known: the most that a model of this package can have cost. */
	reservedUsd?: number;
	inputTokens?: number;
	outputTokens?: number;
	requestId?: string;
	/** When a person answered: an ISO date, as n8n gives it. */
	respondedAt?: string;
	/** The person who answered, if n8n says so. */
	respondedBy?: string;
}

/** The result of a turn. */
export interface Reply extends Pick<Verdict, 'decision'>, Asked {
	/** What was said; if the speaker failed, the part that had arrived. */
	text: string;
	facts: TurnFacts;
	/** Milliseconds that the speaker's node ran or, if it is a person, from the message to the answer. */
	durationMs?: number;
	/** Why the answer is not complete or has no text, in the speaker's words. */
	notice?: string;
	/** Whether the speaker has written its answer into the chat itself. */
	wasShown?: true;
	failure?: Failure;
	/** Set if a person did not approve the turn: what the person wrote, or that nobody answered in time. */
	denial?: { words?: string; isUnanswered?: true };
	/** Whether the speaker is a person who was asked for approval, and refused it. */
	isRefusal?: true;
	/** What a remote agent waits with; it replaces the earlier one. */
	ids?: WaitingIds;
	/** Whether the text replaces the turn before it. */
	replacesTurn?: true;
}

/**
 * The IDs of a turn that its reply does not name. They count at their place: what refuses elsewhere has another session, and no chat yet.
 *
 * @param ids Those of the speaker.
 */
export const idsOfTurn = <Ids extends Pick<TurnFacts, 'sessionAt'>>(ids: Ids, facts: TurnFacts) =>
	facts.sessionId !== undefined && facts.sessionAt !== ids.sessionAt ? {} : ids;

export interface Failure {
	error: string;
	details?: unknown;
	/** Whether the speaker's service certainly did not receive the message. */
	isCertainlyNotReceived: boolean;
	/** Whether the message was refused before it was sent: the same one would be refused again. */
	isInvalid?: true;
	/** Whether what waited is gone at its server. */
	isGone?: true;
	/** Whether the turn was not sent because it could have exceeded the conversation's spending cap. */
	isOverBudget?: true;
}

/** How a speaker was asked. */
export interface Question {
	/** The input of its node. If the node passes it on, that is not an answer: a stranger may have written it. */
	sent: Item;
	/** Whether the execution waited for this answer, as it does for a person. */
	hasWaited: boolean;
	/** Where the answer may be. Default: where n8n puts that of a person, in `data`. */
	place?: AnswerPlace;
	/** Whether the speaker is a node of this package, which knows whether its service received the message. */
	isOurs: boolean;
	/** Whether the speaker is a person who decides about the turn before. */
	isEditor?: boolean;
	/** Whether the speaker is a person who decides about what an agent waits for. */
	isForApproval?: boolean;
}

/**
 * Finds what a speaker said in the items that its node returned.
 *
 * `output` comes first, since n8n's own agents and the nodes of this package name it so. The texts of several items are joined.
 *
 * When a person does not answer in time, n8n passes on the node's input (n8n-core 2.41.1, workflow-execute.js:513): nobody has approved
 * anything then.
 */
export function readReply(items: readonly Item[], question: Question): Reply {
	const { sent, hasWaited, isOurs, place = 'data' } = question;
	const given = hasWaited ? items.map((item) => withoutVisitor(item, sent, place)) : items;
	const added = given.map((item) => withoutSent(item, sent));
	if (hasWaited && !added.some((item) => isAnswer(item, question)))
		return { text: '', facts: {}, denial: { isUnanswered: true } };
	// the whole item if the node created it: a service may repeat its input
	const own = given.map((item, index) => (isPassedOn(item) ? (added[index] ?? {}) : item));
	// in a chat, the visitor's program could claim to be anybody
	const facts = { ...readFacts(own), ...(hasWaited && place === 'data' && readPerson(added)) };
	const shown = wasShown(own, isOurs) && { wasShown: true as const };
	const failed = own.find(({ error }) => isError(error));
	if (failed)
		return { text: partialTextOf(failed), facts, ...shown, ...readFailure(failed, isOurs) };
	const edit = findEdit(added, question);
	if (edit) return { ...edit, facts };
	const isRefusal = added.some(({ data }) => isPlainObject(data) && data['approved'] === false);
	const text = own
		.map((item, index) => toText(findAnswer(item, added[index] ?? {}, question)))
		.filter((answer) => answer.trim())
		.join('\n\n')
		// half of a cut emoji could not be sent
		.toWellFormed();
	const notice = readNotice(own, text, isOurs);
	const ids = isOurs ? { ids: readWaiting(own[0]), ...readApproval(own[0]) } : {};
	return {
		text,
		facts,
		...ids,
		...shown,
		...(notice && { notice }),
		...(isRefusal && { isRefusal }),
	};
}

function readFailure(failed: Item, isOurs: boolean) {
	const failure = toFailure(failed, isOurs);
	const { details } = failed;
	// a task that has failed, or is over or gone, waits for nothing
	const isTold = isOurs && (!failure.isCertainlyNotReceived || failure.isGone);
	return {
		failure,
		...(isTold && { ids: readWaiting(details) }),
		...(isOurs && readRefusal(details)),
	};
}

/** Whether a speaker has written into the chat itself. Any other node could hide from it what it says. */
const wasShown = (own: readonly Item[], isOurs: boolean) =>
	isOurs && own.some(({ shownLive }) => shownLive === true);

/** Why an answer is not complete; of our own nodes, also why it has no text, or was cut off by its token cap. */
function readNotice(own: readonly Item[], text: string, isOurs: boolean): string | undefined {
	const incomplete = own.find((item) => item['complete'] === false || (isOurs && item['notice']));
	if (incomplete) return String(incomplete['notice'] ?? 'The answer is not complete.');
	const calledTools = isOurs && !text && own.some((item) => Array.isArray(item['toolCalls']));
	return calledTools ? 'The model only called tools, which nobody runs.' : undefined;
}

/** A person's decision about what an agent waits for, or about the turn before, if the speaker is a person who decides about it. */
const findEdit = (added: readonly Item[], { isEditor, isForApproval, hasWaited }: Question) =>
	hasWaited && (isForApproval ? readVerdict(added) : isEditor && readEdit(added));

/** A person's decision about a turn: who approved it, if that is known, or the reply that ends it. */
type Review = { isApproved: true; by?: string } | { isApproved: false; reply: Reply };

/**
 * Reads the answer of one of n8n's human-review tools. Fields that repeat its input do not count, and anything but a clear yes is a no.
 *
 * @param sent The input of the review.
 * @param isChat Whether n8n's Chat node asked.
 * @see @n8n/n8n-nodes-langchain 2.41, utils/agent-execution/processHitlResponses.js
 */
export function readDecision(items: readonly Item[], sent: Item, isChat = false): Review {
	const given = withoutVisitor(items[0] ?? {}, sent, isChat ? 'chat' : 'any');
	const item = withoutSent(given, sent);
	if (isError(item['error'])) {
		const failure = toFailure(item, false);
		return { isApproved: false, reply: { text: '', facts: {}, failure } };
	}
	const data = isPlainObject(item['data']) ? item['data'] : {};
	if ((item['approved'] ?? data['approved']) === true) {
		const by = nameOf(item['responder'] ?? data['responder']);
		return { isApproved: true, ...(by && { by }) };
	}
	const words = firstText(item['chatInput'], data['chatInput']);
	const denial = { ...(words && { words }), ...(isEmpty(item) && { isUnanswered: true as const }) };
	return { isApproved: false, reply: { text: '', facts: {}, denial } };
}

/** Whether n8n or the node passed on its input, which has the ID of n8n's action (n8n-core 2.41.1, requests-response.js:70). */
export const isPassedOn = (item: Item) => ACTION_ID in item;

const ACTION_ID = 'toolCallId';

const withoutSent = (item: Item, sent: Item): Item =>
	Object.fromEntries(
		Object.entries(item).filter(
			([name, value]) => name !== ACTION_ID && !isSame(value, sent[name]),
		),
	);

/** The part of an item that the person who was asked may have written: not a visitor of a chat, unless that is where the answer may be. */
function withoutVisitor(item: Item, sent: Item, place: AnswerPlace): Item {
	if (place === 'chat') return item;
	if (place === 'any') return 'chatInput' in withoutSent(item, sent) ? {} : item;
	// an error is n8n's own
	const names = ['data', 'error', ACTION_ID];
	return Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)));
}

/** Whether there is more than the message, which a called workflow may return under any name. */
const isAnswer = (added: Item, { sent: { message }, place }: Question) =>
	personsAnswer(added, place) !== undefined ||
	Object.values(added).some((value) => value !== message);

const isEmpty = (item: Item) => Object.keys(item).length === 0;

const findAnswer = (
	{ output, text, refusal = output }: Item,
	added: Item,
	{ sent: { message }, place }: Question,
): unknown =>
	// of a structured answer, what was said is its text
	((typeof output === 'object' && firstText(text)) || output || refusal) ??
	personsAnswer(added, place) ??
	extractText(added) ??
	readFields(added, message);

const toText = (value: unknown): string =>
	value === undefined ? '' : (extractText(value) ?? JSON.stringify(value));

/** As in n8n, except that an empty text is not an error. */
const isError = (error: unknown) => !isMissing(error) && error !== false;

function toFailure({ error, details }: Item, isOurs: boolean): Failure {
	const message = isPlainObject(error) ? error['message'] : error;
	const { kind, outcome, computed } = isPlainObject(details) ? details : {};
	const { reachedCap, isGone } = isOurs && isPlainObject(computed) ? computed : {};
	return {
		error: typeof message === 'string' && message ? message : JSON.stringify(error),
		...(details !== undefined && { details }),
		// only our own nodes are trusted: another one could claim that nothing was sent, and be paid twice
		isCertainlyNotReceived: isOurs && (outcome === 'not_started' || kind === 'invalid'),
		...(isOurs && kind === 'invalid' && { isInvalid: true }),
		...(isGone === true && { isGone }),
		...(reachedCap === CONVERSATION_CAP && { isOverBudget: true }),
	};
}

function partialTextOf({ details }: Item): string {
	const partial = isPlainObject(details) ? details['partial'] : undefined;
	return (isPlainObject(partial) && firstText(partial['text'])) || '';
}

/** What a speaker's items report besides the text. A failed item has it in `details` and in the partial answer there. */
function readFacts(items: readonly Item[]): TurnFacts {
	const places = items.flatMap((item) => {
		const details = isPlainObject(item['details']) ? item['details'] : {};
		const partial = isPlainObject(details['partial']) ? details['partial'] : {};
		const computed = isPlainObject(details['computed']) ? details['computed'] : {};
		return [item, details, partial, computed];
	});
	const text = (name: string) => firstText(...places.map((place) => place[name]));
	// as this package, n8n's agents and the services' protocols report them
	const tokens = places.map((place) => ({
		...readTokenCounts(place),
		...readTokenCounts(place['tokenUsage']),
		...readTokenCounts(place['usage']),
	}));
	return omitMissing({
		sessionId: text('sessionId'),
		chatId: text('chatId'),
		sessionAt: text('sessionAt'),
		server: text('server'),
		model: text('model'),
		requestId: text('requestId'),
		costUsd: sumOf(places.map(({ costUsd }) => costUsd)),
		reservedUsd: sumOf(places.map(({ reservedUsd }) => reservedUsd)),
		inputTokens: sumOf(tokens.map(({ input }) => input)),
		outputTokens: sumOf(tokens.map(({ output }) => output)),
	});
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
