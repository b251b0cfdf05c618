import { randomUUID } from 'crypto';

import { type AskedServer, sendMessage } from '../../../src/agent/client';
import {
	type Directed,
	directMessage,
	findOpen,
	type KnownWait,
	tellWay,
	wordsFor,
} from '../../../src/agent/approvals';
import { findConversation } from '../../../src/agent/asking';
import type { Waiting } from '../../../src/agent/waiting';
import { readHistory } from '../../../src/agent/history';
import type { AgentServer } from '../../../src/agent/server';
import type { Decision } from '../../../src/core/decision';
import {
	joinSentences,
	mapServiceError,
	type ServiceError,
	withDetails,
} from '../../../src/core/errors';
import { omitMissing } from '../../../src/core/json';
import { messageTextParams, readMessageText } from '../../../src/n8n/chatInput.params';
import { type ItemOutput, operation, type OperationContext } from '../../../src/n8n/operation';
import { parseUuid } from '../../../src/n8n/uuid';
import { onIncompleteOption, partialAnswerOf } from '../../../src/n8n/partialAnswers';
import { optionsParam } from '../../fieldKinds.params';
import { type Chat, type ChatChoice, openChat } from '../../rememberedChats';
import { answerToApprovalOption, readDecision, recallWait, rememberWait } from './approval';
import { type Answer, noTextNotice, type Shown, toItem } from './answerItem';
import { agentOfParam, agentParam, findHow, readServer } from './anotherServer';
import { type HistoryRequest, type OpenHistory, openHistory } from './history';
import {
	findHandedOver,
	type Place,
	placeOf,
	selectSession,
	type Session,
	sessionParams,
} from './session';

const messageParams = messageTextParams({
	name: 'message',
	label: 'Message',
	description: 'The text to send to the agent',
	placeholder: 'e.g. What changed since yesterday?',
});

export const sendOperation = operation({
	name: 'Send',
	value: 'send',
	action: 'Send message to remote agent',
	description: 'Send a message to a remote agent and get its answer',
	params: [
		agentOfParam,
		agentParam,
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
			answerToApprovalOption,
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

	prepare({ agentOf, agent, messageSource, message, options, ...choice }, context): SendRequest {
		const server = agentOf === 'server' ? readServer(context.server) : undefined;
		const place = placeOf(context.sessionSpace, server, agent.trim());
		const session = selectSession(choice, context, place, server);
		const decision = server && readDecision(options.answerToApproval, context);
		const { chatId, history, ...known } = server ? findHandedOver(session, context, place) : {};
		const isCheck = context.handedOver.readTurn('decision') === 'check';
		const words = server && wordsFor(server, decision);
		const sessionId = session.id ?? randomUUID();
		return {
			...(server && {
				server,
				agent: agent.trim(),
				known,
				decision,
				place: place.id,
			}),
			...(server?.history && { history: readTold(session, history) }),
			isCheck,
			isCarriedOn: context.handedOver.caller === 'workflow',
			session,
			sessionId,
			chat: toChat({ ...session, id: sessionId }, server, place, chatId),
			content: words ?? readMessageText('Message', messageSource, message, context.handedOver),
			includeRawEvents: options.includeRawEvents ?? false,
			answerPath: options.answerPath?.trim() || undefined,
			onIncomplete: options.onIncomplete ?? 'error',
		};
	},

	check: async ({ request: { server, agent = '' }, ...context }) =>
		server && (await findHow(context, server, agent)),

	sequenceKey: ({ session }) => session.id?.toLowerCase(),

	identify: ({ session, content, agent, decision }) => ({
		given: session.id,
		content,
		...(agent && { agent }),
		...(decision && { decision }),
	}),

	async run(context) {
		const { server, session } = context.request;
		if (context.request.isCheck) return await tellWait(context);
		if (!server) return await send(context, undefined);
		const ask = async () => await send(context, await openChat(context, REMEMBERING));
		return session.id === undefined ? await ask() : await context.inSession(session.id, ask);
	},
});

/** A message, and how to output its answer. */
interface SendRequest extends HistoryRequest, Shown {
	/** Which agent of the server, what is known to wait, and what a person has decided about it. */
	agent?: string;
	known?: KnownWait;
	decision?: Decision | undefined;
	/** Whether a conversation only asks for what a speaker waits. */
	isCheck: boolean;
	/** What remembers the ID that a server gives to the session. */
	chat: ChatChoice;
	answerPath: string | undefined;
	onIncomplete: 'error' | 'partial';
}

/** @returns false where a conversation has nothing of it to tell. */
const readTold = ({ source }: Session, history: unknown) =>
	source === 'conversation' && history === false ? false : readHistory(history);

/** An ID by which the server replaces that of a session is handed over, or looked up and remembered. */
function toChat(
	{ source, id }: Session & { id: string },
	server: AgentServer | undefined,
	place: Place,
	handedOver: string | undefined,
): ChatChoice {
	// in a transcript, it stands in the place of ours
	const isOwn = source === 'conversation' && !parseUuid(id);
	const chatId = handedOver ?? (isOwn ? id : undefined);
	const known = { source, ...(chatId && { chatId }) };
	if (!server?.chatAt || isOwn) return known;
	const session = `${place.id} ${id}`;
	return { ...known, session, isMissedLater: source !== 'conversation' && source !== 'new' };
}

type SendContext = OperationContext<SendRequest, How | undefined>;
type How = Awaited<ReturnType<typeof findHow>>;

/** For what a speaker waits, asked for free: a transcript may say something else. */
async function tellWait({ request, http }: SendContext): Promise<ItemOutput> {
	const { server, session, known = {} } = request;
	if (!server || !session.id) return { json: { output: '' } };
	const open = await findOpen(http, server, session.id, known);
	const told = open && { waitsFor: { ...open.waitsFor }, taskId: open.task };
	return { json: { output: '', ...(server.approvals && { server: server.name }), ...told } };
}

/** Sends a message once, and turns the answer into an item. */
async function send(context: SendContext, chat: Chat | undefined): Promise<ItemOutput> {
	const { request, payOnce, reserveUnknown, addHint } = context;
	const { answerPath, onIncomplete } = request;
	const said = openHistory(context);
	let isRemembered = true;
	try {
		const { sessionId, ...answer } = await payOnce<Answer & { sessionId: string }>(
			async (startPaid) => {
				isRemembered = false;
				const send = async () => ({ result: await sendInSession(context, chat, said) });
				return await startPaid({ reserve: reserveUnknown, send });
			},
		);
		const warning = answer.notice ?? (answer.text ? undefined : noTextNotice(answerPath));
		if (warning) addHint(warning);
		const more = { complete: true, ...(warning && { notice: warning }) };
		return toItem(request, sessionId, answer, more);
	} catch (cause) {
		const partialAnswer = partialAnswerOf<Answer>(cause);
		if (!partialAnswer || onIncomplete === 'error') throw mapServiceError(cause, atPlace(request));
		const { partial, extras, notice, ids, requestId } = partialAnswer;
		addHint(notice);
		const { sessionId = '', chatId, taskId, runningTaskId } = ids;
		const history = said?.add(partial.text, undefined, isRemembered);
		const answer = { ...partial, ...omitMissing({ requestId, chatId, taskId, history }) };
		const more = { ...extras, ...omitMissing({ runningTaskId }) };
		return toItem(request, sessionId, answer, { complete: false, notice, ...more });
	} finally {
		await chat?.remember();
	}
}

/** An ID in an error says where it counts, too. */
const atPlace =
	({ place: sessionAt }: SendRequest) =>
	(error: ServiceError) =>
		sessionAt && error.details.ids?.['sessionId']
			? withDetails(error, { ids: { sessionAt } })
			: error;

/** @returns the answer, with the ID by which its session goes on. */
async function sendInSession(context: SendContext, chat: Chat | undefined, said: OpenHistory) {
	const { request, http, recordId, stream } = context;
	const { session, sessionId, content, includeRawEvents, answerPath, place } = request;
	if (!session.id) recordId('session', sessionId);
	const listening = { onText: stream, includeRawEvents, answerPath };
	const other = chat && (await askOther(context, chat, sessionId, said?.history));
	const message = { sessionId, content: other?.content ?? content };
	const answering = sendMessage(http, message, listening, other);
	const {
		chat: chatId,
		task,
		message: id,
		...answer
	} = await (other ? rememberWait(context, `${place} ${sessionId}`, answering, other) : answering);
	const { text, notice, waitsFor } = answer;
	return {
		...answer,
		sessionId,
		...omitMissing({
			notice: joinSentences(tellForgotten(session, said), said?.notice, notice) || undefined,
			waitsFor: tellWay(waitsFor, task, request.server),
			chatId: chatId === sessionId ? undefined : chatId,
			taskId: taskFor(request, waitsFor, task),
			history: said?.add(text, id),
		}),
	};
}

/** The ID of what waits. A later conversation does not know what was not shown, so it gets none of that. */
const taskFor = (
	{ server, session }: SendRequest,
	waitsFor: Waiting | undefined,
	task: string | undefined,
) =>
	session.source === 'conversation' && server?.decides && waitsFor?.onlyDecline ? undefined : task;

const tellForgotten = ({ isOfAnother, source }: Session, said: OpenHistory) =>
	isOfAnother &&
	source === 'conversation' &&
	!said &&
	'The session of the transcript is that of another agent, so this agent began a new one.';

/** How another server is asked in a session, and what is kept of its answer. */
async function askOther(
	context: SendContext,
	{ chatId, onChat }: Chat,
	sessionId: string,
	history: AskedServer['history'],
): Promise<(AskedServer & Directed) | undefined> {
	const { request, checked, http, redact } = context;
	const { server, agent = '', decision, content, session, place } = request;
	if (!server) return undefined;
	const how = checked ?? (await findHow(context, server, agent));
	const name = `${place} ${sessionId}`;
	const known = recallWait(context, name, request.known ?? {}, session.source);
	const message = { content, decision, session: session.id, known, shown: request.known, redact };
	const directed = await directMessage(http, server, message);
	const isNew = session.id === undefined;
	return {
		...how,
		...directed,
		chat: chatId ?? (isNew ? undefined : await findConversation(http, server, sessionId)),
		history,
		isNew,
		onChat: (id) => {
			if (id !== sessionId) onChat(id);
		},
	};
}

/** What remembers the IDs that a server gives, as the editor names it. */
const REMEMBERING = '"Use a Job Ledger" in the Agent Server API credential';
