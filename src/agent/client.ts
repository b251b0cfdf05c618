import { foldAnswer } from '../core/answerReader';
import { getRequestId } from '../core/errorResponses';
import {
	joinSentences,
	mapServiceError,
	ServiceError,
	withDetails,
	withOutcome,
} from '../core/errors';
import { contentTypeOf, type Http } from '../core/http';
import { omitMissing } from '../core/json';
import type { AnswerPiece } from '../core/sse';
import { createAnswerFold, type AgentAnswer, type PartialAnswer } from './answerFold';
import { explain, toAskRequest, type Way } from './asking';
import { explainGone, findGone, forgottenNotice, goneError } from './gone';
import { toMessages } from './history';
import { holds, type NamedEvent } from './paths';
import type { AgentServer, Said, Values } from './server';
import { createIdReader, type ServerIds } from './serverIds';
import { WORKSPACE } from './servers';
import { WITHOUT_WORDS } from './waiting';

export type { PartialAnswer } from './answerFold';

/** How another server than a workspace is asked. */
export interface AskedServer
	extends Pick<Values, 'agent' | 'chat' | 'task' | 'resume' | 'decisions'> {
	server: AgentServer;
	way: Way;
	newId(): string;
	/** Whether the session is new: a server with IDs of its own then gives one, since not each takes ours. */
	isNew?: boolean;
	/** Where the server remembers nothing: all messages, this one last. */
	history?: readonly Said[] | undefined;
	/** Called as soon as it is known by which ID of its own the server continues the conversation. */
	onChat?(chat: string): void;
}

export interface SendOptions {
	/** Called with every text chunk as it arrives, and awaited. */
	onText?: (text: string) => void | Promise<void>;
	/** Keeps every event. Default: only the first ones of an answer without text. */
	includeRawEvents?: boolean;
	/** Path of the text in an event, e.g. `data.reply`. Unset, all usual fields are tried. */
	answerPath?: string | undefined;
}

export type SentAnswer = AgentAnswer & ServerIds & { requestId?: string };
type Send = [
	http: Http,
	message: { sessionId: string; content: string },
	options?: SendOptions,
	other?: AskedServer,
];

/**
 * Sends a message into a session and reads the streamed answer in any format.
 *
 * An unused session ID, a UUID, starts a new conversation; a used one continues it. An answer is complete when its end mark has arrived or, in a format without one, when the HTTP body ended regularly.
 *
 * @param other Another server than a workspace.
 * @returns also the IDs with which the conversation goes on, if the server has IDs of its own.
 * @throws ServiceError with an outcome; `truncated` when the connection broke or the agent reported an error (what arrived is in
 *   `details.partial`).
 * @see POST {agent_base_url}/session/{session_id}/messages
 */
export async function sendMessage(...[http, message, options, other]: Send): Promise<SentAnswer> {
	try {
		return await sendOnce(http, message, options, other);
	} catch (cause) {
		// in the middle of an answer, it may be what a model says
		const isRefused = cause instanceof ServiceError && cause.kind === 'refused';
		const isUnsent = isRefused && cause.details.outcome === 'not_started';
		const isGone = other && isUnsent && findGone(other.server, other, cause) === 'chat';
		if (!isGone) throw mapServiceError(cause);
		// a decision is for what was said before
		if (other.decisions) throw goneError(cause, other.server);
		const answer = await sendOnce(http, message, options, { ...other, chat: undefined });
		const notice = joinSentences(forgottenNotice(other.server), answer.notice);
		return { ...answer, notice };
	}
}

async function sendOnce(
	...[http, { sessionId, content }, options = {}, other]: Send
): Promise<SentAnswer> {
	const { onText = () => {}, includeRawEvents = false, answerPath } = options;
	const accept = 'text/event-stream, application/x-ndjson, application/json, text/plain';
	const asked: Partial<AskedServer> = other ?? {};
	const { server = WORKSPACE, way = OF_WORKSPACE, newId = () => '' } = asked;
	const { ids, read } = createIdReader(server);
	try {
		const session = asked.isNew && server.chatAt ? undefined : sessionId;
		const history = toMessages(server, asked.history, newId);
		const values: Values = { ...asked, message: content, session, history };
		const response = await http.send({
			...toAskRequest(wayOf(server, way, values), values, newId),
			accept,
			...(server.notTaken && { isUnsureAfter429: true }),
		});
		const type = contentTypeOf(response);
		const folding = { question: content, includeRawEvents, answerPath, type };
		const fold = createAnswerFold(folding);
		const repeated: AnswerPiece[] = [];
		let isSilent = true;
		const add: typeof fold.add = (piece) => {
			const { event: name, value } = piece;
			if (isRepeated(server, { name, value })) {
				if (isSilent && repeated.push(piece) > MAX_REPEATED) repeated.shift();
				return '';
			}
			const { chat: before } = ids;
			read(value);
			if (ids.chat && ids.chat !== before) asked.onChat?.(ids.chat);
			const added = fold.add(piece);
			isSilent &&= !added;
			return added;
		};
		const end: typeof fold.end = (...ended) =>
			(isSilent ? repeated.map(fold.add).join('') : '') + fold.end(...ended);
		const partial = () => withRepeated(fold.partial(), repeated, folding);
		// a workspace has no IDs of its own, and an answer may have many pieces
		const reading = other ? { ...fold, add, end, partial } : fold;
		// beside a question, another branch of LangGraph may be silent for long, and the body ends with the last of them
		if (server.approvals) reading.isWhole = () => false;
		await foldAnswer(response, reading, (text) => (text ? onText(text) : undefined));
		const answer = fold.answer();
		return {
			...withWait(server, answer, knownIds(server, asked, ids)),
			...getRequestId(response.headers),
		};
	} catch (cause) {
		throw mapServiceError(cause, (error) =>
			withOutcome(
				withDetails(explainGone(explain(error, server), server, other ?? {}, ids), {
					ids: toErrorIds(server, sessionId, knownIds(server, asked, ids)),
					...(ids.running && error.kind === 'malformed' && WORKS_ON),
				}),
				'message',
			),
		);
	}
}

/** An answer that breaks off may have no ID by which to go on: that of the one before counts. */
const knownIds = ({ chatAt }: AgentServer, { chat }: Values, ids: ServerIds): ServerIds => ({
	...(chatAt && chat && { chat }),
	...ids,
});

/** What the state of a task says is told, even where the text has a path of its own. What is not told has no ID to be approved by. */
function withWait({ decides }: AgentServer, answer: AgentAnswer, ids: ServerIds) {
	const { kind } = ids;
	const waitsFor = answer.waitsFor ?? (kind && { kind, text: WITHOUT_WORDS[kind] });
	if (decides && !waitsFor) delete ids.task;
	return { ...answer, ...ids, ...(waitsFor && { waitsFor }) };
}

/** A decision goes another way than a message. */
const wayOf = ({ approvals }: AgentServer, way: Way, { resume }: Values): Way =>
	resume && approvals ? { ask: approvals.answer } : way;

const isRepeated = ({ repeats }: AgentServer, event: NamedEvent): boolean =>
	repeats !== undefined && holds(event, repeats);

/** What arrived, or what is repeated where nothing else did: after a failure, the fold of an answer reads no more. */
function withRepeated(
	arrived: PartialAnswer,
	repeated: readonly AnswerPiece[],
	folding: Parameters<typeof createAnswerFold>[0],
): PartialAnswer {
	if (arrived.text || !repeated.length) return arrived;
	const rest = createAnswerFold({ ...folding, includeRawEvents: false });
	repeated.forEach(rest.add);
	return { ...arrived, ...rest.partial() };
}

/** The last of them may have the whole state of a graph, each. */
const MAX_REPEATED = 20;

/** A task without a text, of an agent that does not wait for its end. */
const WORKS_ON = {
	advice:
		'The agent has answered before its work was done, and goes on with its task. Ask it in this session later.',
};

const OF_WORKSPACE: Way = { ask: WORKSPACE.asks[0]! };

const toErrorIds = (
	{ decides }: AgentServer,
	sessionId: string,
	{ chat, task, running }: ServerIds,
) =>
	omitMissing({
		sessionId,
		chatId: chat === sessionId ? undefined : chat,
		// of an answer that has failed, nobody was shown what waits
		taskId: decides ? undefined : task,
		// the only handle of work that goes on
		runningTaskId: running,
	});
