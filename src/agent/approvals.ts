import type { Decision } from '../core/decision';
import { invalidInputError, ServiceError, shortenText, withDetails } from '../core/errors';
import type { Http } from '../core/http';
import { encodePathSegment } from '../core/urls';
import { askBefore, toRequest } from './asking';
import { textAt, valueAt } from './paths';
import type { AgentServer } from './server';
import { idAt, taskOf } from './serverIds';
import { requestsOf, toWaiting, type Waiting } from './waiting';

/** What is known to wait in a session, before the server is asked. */
export interface KnownWait {
	taskId?: string | undefined;
	kind?: Waiting['kind'] | undefined;
}

/** What is sent into a session. */
export interface Directed {
	content: string;
	/** The task that the message is for. */
	task?: string | undefined;
	/** By ID of what waits: the decision, for a server that takes values. */
	resume?: Readonly<Record<string, unknown>>;
}

interface Message {
	content: string;
	decision: Decision | undefined;
	/** Undefined for a new session, in which nothing waits. */
	session: string | undefined;
	known: KnownWait;
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
	{ content, decision, session, known }: Message,
): Promise<Directed> {
	const asked = session === undefined ? [] : await findAsked(http, server, session);
	const waiting = server.approvals ? toWaiting(asked.map(toWait)) : toKnown(known);
	const task = server.approvals ? taskOf(asked.map(({ id }) => id)) : known.taskId;
	if (waiting?.kind !== 'approval') {
		if (decision) throw refused('Nothing waits for approval in this session', HOW);
		return { content, task: server.approvals ? undefined : known.taskId };
	}
	const now = `It waits for: ${waiting.text}`;
	if (!decision) throw refused('The agent waits for the decision of a person', `${HOW} ${now}`);
	if (!known.taskId) throw refused('It is not known which approval is answered', `${WHICH} ${now}`);
	if (known.taskId !== task)
		throw refused('What waits for approval is not what was decided about', `${WHICH} ${now}`);
	if (!server.approvals) return { content: WORDS[decision] ?? content, task };
	const values = asked.map(({ id, value }) => [id, valueFor(value, decision, content)] as const);
	return { content, resume: Object.fromEntries(values) };
}

const HOW =
	'Nothing was sent. An approval takes only "Answer to Approval" of a Remote Agent in a workflow, after a person has decided.';
const WHICH =
	'Nothing was sent. Decide in the execution that was asked, or hand over the output that has "waitsFor", with its "sessionId", "taskId" and "sessionAt".';

const refused = (message: string, advice: string) =>
	withDetails(invalidInputError(message, advice), { outcome: 'not_started' });

/** For an agent that takes nothing but messages. */
const WORDS: Partial<Record<Decision, string>> = { approve: 'Approved', decline: 'Not approved' };

const toKnown = ({ taskId, kind }: KnownWait): Waiting | undefined =>
	kind && { kind, text: taskId ?? '' };

/** What waits in a session of a server. */
interface Asked {
	id: string;
	value: unknown;
}

/** Asks the server what waits for a decision: for free, and known to every process. @throws ServiceError */
async function findAsked(http: Http, server: AgentServer, session: string): Promise<Asked[]> {
	if (!server.approvals) return [];
	const { find, session: sessionAt, at } = server.approvals;
	// an ID that cannot be part of a path is sent nowhere
	encodePathSegment(session, 'Session ID');
	const request = toRequest(find, { session }, () => '');
	const found = await askBefore(http, server, request, readList);
	// a server that does not know the filter lists others
	const own = found.filter((one) => textAt(one, sessionAt) === session.toLowerCase());
	return own
		.flatMap((one) => valueAt(one, at))
		.flatMap((entry) => {
			const id = idAt(entry, 'id');
			return id ? [{ id, value: valueAt(entry, 'value') }] : [];
		});
}

function readList(found: unknown): unknown[] {
	if (Array.isArray(found)) return found as unknown[];
	throw new ServiceError('malformed', 'The service does not say what waits in this session', {
		reason: shortenText(JSON.stringify(found), 500),
		advice:
			'Nothing was sent. Check the base URL of the credential, and what is between n8n and it.',
	});
}

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
	const one = decision === 'approve' ? { type: 'approve' } : { type: 'reject' };
	return { decisions: requests.map(() => (decision === 'text' ? { ...one, message: text } : one)) };
}
