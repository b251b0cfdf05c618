import type { Decision } from '../core/decision';
import { invalidInputError, ServiceError, withDetails } from '../core/errors';
import type { Http } from '../core/http';
import { isPlainObject } from '../core/json';
import { encodePathSegment } from '../core/urls';
import { askBefore, factsOf, fill, readList, toRequest } from './asking';
import { textAt, valueAt } from './paths';
import type { AgentServer, Approvals, Values } from './server';
import { idAt, SEPARATOR, taskOf } from './serverIds';
import { requestsOf, toWaiting, type Waiting } from './waiting';

/** What is known to wait in a session, before the server is asked. */
export interface KnownWait {
	taskId?: string | undefined;
	kind?: Waiting['kind'] | undefined;
	onlyDecline?: true | undefined;
	/** What a person was shown; '' if that is nothing, and undefined if only a conversation knows. */
	text?: string | undefined;
	/** Set if the run of the node that gives the decision has caused it: nobody can have decided about it. */
	isUnseen?: boolean;
}

/** What is sent into a session. */
export interface Directed extends Pick<Values, 'task' | 'resume' | 'decisions'> {
	content: string;
	/** The task about which it decides, of a server that is not asked what waits. */
	decides?: string | undefined;
}

interface Message {
	content: string;
	decision: Decision | undefined;
	/** Undefined for a new session, in which nothing waits. */
	session: string | undefined;
	known: KnownWait;
	/** What an item says that it is about. What the execution knows may be newer. */
	shown?: KnownWait | undefined;
	/** What a person was shown has no key in it. */
	redact<Data>(value: Data): Data;
}

/** An approval that waits. */
interface OpenApproval {
	/** Empty where an approval has no way to it. */
	task: string;
	waitsFor: Waiting;
	/** Absent where it has no ID at a server that takes nothing else. */
	answer?: ((decision: Decision, content: string) => Directed) | undefined;
	/** Whether the agent says that it does not take a decision. LangGraph would keep it, and fail each time. */
	refuses?(decision: Decision): boolean;
}

/**
 * Decides what a message is for. An approval takes a decision and nothing else, and a decision goes to nothing else: what a person was
 * shown has to be what waits now.
 *
 * @throws ServiceError `invalid`: nothing was sent.
 */
export async function directMessage(
	http: Http,
	server: AgentServer,
	{ content, decision, session, known, shown = {}, redact }: Message,
): Promise<Directed> {
	const open =
		session === undefined ? undefined : redact(await findOpen(http, server, session, known));
	if (open) {
		const { task, waitsFor, answer } = open;
		const refusal = refusalOf(server, open, decision, known, shown);
		if (decision && answer && !refusal)
			return { ...answer(decision, content), decides: server.approvals ? undefined : task };
		const [message = '', ...advice] = refusal ?? [];
		throw withDetails(
			refused(message, advice.join(' ')),
			factsOf(server.name, { waitsFor, ...(task && { taskId: task }) }),
		);
	}
	if (decision)
		throw server.approvals
			? withDetails(refused('Nothing waits for approval in this session', HOW), {
					computed: { isGone: true },
				})
			: refused('It is not known that anything waits for approval in this session', WHICH);
	return { content, task: server.approvals ? undefined : known.taskId };
}

/** Why nothing is sent, and what to do. @returns undefined for a decision that is about what waits, and may be. */
function refusalOf(
	server: AgentServer,
	open: OpenApproval,
	decision: Decision | undefined,
	known: KnownWait,
	shown: KnownWait,
): string[] | undefined {
	const { waitsFor, answer, refuses } = open;
	const now = `It waits for: ${waitsFor.text}`;
	const isKnown = server.approvals ?? known.kind;
	if (!decision)
		return ['The agent waits for the decision of a person', isKnown ? HOW : UNKNOWN_KIND, now];
	if (!answer) return [`${server.name} does not say by which ID this is decided`, ELSEWHERE, now];
	if (refuses?.(decision)) return [`What waits does not take "${decision}"`, ELSEWHERE, now];
	if (known.isUnseen) return [UNKNOWN, WHICH, now];
	if (waitsFor.onlyDecline && decision !== 'decline')
		return ['More waits than a person can have been shown', TOO_MUCH];
	return doubtOf(server, open, decision, known, shown, now);
}

/** Whether a decision is about something else than what waits. */
function doubtOf(
	{ name, decides }: AgentServer,
	{ task, waitsFor }: OpenApproval,
	decision: Decision,
	known: KnownWait,
	shown: KnownWait,
	now: string,
): string[] | undefined {
	const { taskId, text } = known;
	const isSeen = decision === 'decline' || text !== '';
	// to decline what has no ID goes on in words, where no entry is needed
	if (!task && !decides)
		return isSeen && decision !== 'approve'
			? undefined
			: [`${name} takes no approval from this node`, NO_WAY];
	// as far as it is known. The ID may be that of the next question (LangGraph for Python)
	const isShown = (one: KnownWait) =>
		(one.taskId ?? task) === task && (!one.text || one.text === waitsFor.text);
	if (task && taskId && isSeen && isShown(known) && isShown(shown)) return undefined;
	if (!taskId || text === '') return [UNKNOWN, WHICH, now];
	return ['What waits for approval is not what was decided about', WHICH, now];
}

/** An approval that has no way back is told as such. */
export const tellWay = (
	waiting: Waiting | undefined,
	task: string | undefined,
	server: AgentServer | undefined,
): Waiting | undefined =>
	waiting?.kind !== 'approval' || !server || server.approvals || task
		? waiting
		: { ...waiting, text: `${server.decides ? ONLY_ELSEWHERE : ONLY_DECLINED}\n${waiting.text}` };

const HOW =
	'Nothing was sent. An approval takes only "Answer to Approval" of a Remote Agent in a workflow, after a person has decided.';
const UNKNOWN_KIND =
	'Nothing was sent. It is not known whether the task waits for an answer or for approval: beside "taskId", hand over "waitsFor" of the same output.';
const UNKNOWN = 'It is not known which approval is answered';
const WHICH =
	'Nothing was sent. Decide in the execution that was asked, or hand over the output that has "waitsFor", with its "sessionId", "taskId" and "sessionAt".';
const ONLY_DECLINED = 'It can be declined here, but approved only in the app of the agent itself.';
const ONLY_ELSEWHERE = 'It can be decided only in an app of the agent itself.';
const NO_WAY =
	'Nothing was sent. Approve in the app of the agent itself, or decline here: the agent then gets "Not approved" as a message, and the session goes on.';
const ELSEWHERE = 'Nothing was sent. Decide in an app of the agent itself.';
const TOO_MUCH =
	'Nothing was sent. Decline it, and ask the agent for less at once, or decide in an app of the agent itself.';

const refused = (message: string, advice: string) =>
	withDetails(invalidInputError(message, advice), { outcome: 'not_started' });

const NO_ID = () => '';

/** What is said for a decision to an agent that takes nothing but messages. @returns undefined for one in words. */
export function wordsFor({ approvals, decides }: AgentServer, decision: Decision | undefined) {
	if (decision !== 'approve' && decision !== 'decline') return undefined;
	if (approvals ?? decides) return '';
	return decision === 'approve' ? 'Approved' : 'Not approved';
}

/** What is known to wait in a task, or anywhere in the session. A task that is not surely a question waits for approval. */
function knownOpen(
	{ decides }: AgentServer,
	{ taskId = '', kind, onlyDecline, text: shown }: KnownWait,
): OpenApproval | undefined {
	if (taskId ? kind === 'input' : kind !== 'approval') return undefined;
	return {
		task: taskId,
		waitsFor: {
			kind: 'approval',
			text: shown || (taskId ? `task ${taskId}` : 'approval in this session'),
			...(onlyDecline && { onlyDecline }),
		},
		answer: (decision, content) => {
			if (!decides || !taskId) return { content, ...(taskId && { task: taskId }) };
			const toEntry = (task: string) =>
				fill(decides.each[decision], { task, message: content }, NO_ID);
			return { content, decisions: taskId.split(SEPARATOR).map(toEntry) };
		},
	};
}

/** What waits for approval: what the server says or, if it says nothing, what is known. */
export async function findOpen(
	http: Http,
	server: AgentServer,
	session: string,
	known: KnownWait,
): Promise<OpenApproval | undefined> {
	if (!server.approvals) return knownOpen(server, known);
	const asked = await findAsked(http, server.approvals, server, session);
	const waitsFor = toWaiting(asked.map(toWait));
	if (!waitsFor) return undefined;
	return {
		task: taskOf(asked.map(({ id }) => id)),
		waitsFor,
		refuses: (decision) => asked.some(({ value }) => isRefused(value, decision)),
		answer: asked.every(({ id }) => id)
			? (decision, content) => ({
					content,
					resume: Object.fromEntries(
						asked.map(({ id, value }) => [id, valueFor(value, decision, content)]),
					),
				})
			: undefined,
	};
}

/** What waits in a session of a server. */
interface Asked {
	/** Empty if it has none: older versions of LangGraph. */
	id: string;
	value: unknown;
}

/** Asks the server what waits for a decision: for free, and known to every process. @throws ServiceError */
async function findAsked(
	http: Http,
	{ find, session: sessionAt, at }: Approvals,
	server: AgentServer,
	session: string,
): Promise<Asked[]> {
	// an ID that cannot be part of a path is sent nowhere
	encodePathSegment(session, 'Session ID');
	const request = toRequest(find, { session }, NO_ID);
	const own = await askBefore(http, server, request, (answer) => {
		const found = readList(answer, '', 'what waits in this session');
		const ofSession = found.filter((one) => plain(textAt(one, sessionAt)) === plain(session));
		if (found.length && !ofSession.length)
			throw new ServiceError('malformed', 'The service tells what waits in other sessions', {
				advice: 'It has to know the filter "ids". Nothing was sent.',
			});
		return ofSession;
	});
	// a list of each task, one or more of which may be there
	return own
		.flatMap((one) => [valueAt(one, at)].flat(2))
		.filter(isPlainObject)
		.map((entry) => ({ id: idAt(entry, 'id'), value: entry['value'] }));
}

/** A UUID may be written without dashes. */
const plain = (id: string) => id.toLowerCase().replaceAll('-', '');

const toWait = ({ value }: Asked) => ({
	for: 'approval' as const,
	tool: '',
	input: undefined,
	reason: value,
	isAsked: true,
});

/**
 * The middleware of LangChain takes a decision for each action. Text refuses it, with the reason: to "respond" would pass for the result
 * of the tool. Any other graph takes what its author wants; the documentation has true and false.
 *
 * @see langchain 1.5.14, humanInTheLoopMiddleware
 * @see https://docs.langchain.com/oss/python/langgraph/interrupts
 */
function valueFor(value: unknown, decision: Decision, text: string): unknown {
	const requests = requestsOf(value);
	if (!requests.length) return decision === 'text' ? text : decision === 'approve';
	const one = { type: verdictFor(decision) };
	return { decisions: requests.map(() => (decision === 'text' ? { ...one, message: text } : one)) };
}

/** Whether the middleware of LangChain says that it does not take a decision. */
function isRefused(value: unknown, decision: Decision): boolean {
	const given = isPlainObject(value) && (value['reviewConfigs'] ?? value['review_configs']);
	return [given].flat().some((config: unknown) => {
		const { allowedDecisions, allowed_decisions: taken = allowedDecisions } = isPlainObject(config)
			? config
			: {};
		return Array.isArray(taken) && !taken.includes(verdictFor(decision));
	});
}

const verdictFor = (decision: Decision) => (decision === 'approve' ? 'approve' : 'reject');
