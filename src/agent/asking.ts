import { readJson } from '../core/body';
import {
	invalidInputError,
	joinSentences,
	mapServiceError,
	ServiceError,
	shortenText,
	withDetails,
} from '../core/errors';
import type { Http, HttpRequest } from '../core/http';
import { encodePathSegment } from '../core/urls';
import type { Path } from './dialect';
import { textAt, valueAt } from './paths';
import type { AgentServer, Ask, RequestForm, Template, Values } from './server';
import { idAt } from './serverIds';

/** How an agent is asked. */
export interface Way {
	ask: Ask;
	/** The path that its card has, from the origin on. */
	cardPath?: string;
	/** As its card has it. */
	tenant?: string | undefined;
}

type AskRequest = Pick<HttpRequest, 'method' | 'path' | 'body' | 'headers' | 'fromOrigin'>;

/** Makes the request with which an agent is asked. @throws ServiceError `invalid` for an ID that cannot be part of a path. */
export function toAskRequest({ ask, cardPath, tenant }: Way, values: Values, newId: () => string) {
	const request: AskRequest = toRequest(ask, { ...values, tenant }, newId);
	if (ask.headers) request.headers = ask.headers;
	return cardPath === undefined ? request : { ...request, path: cardPath, fromOrigin: true };
}

/** Makes a request of a row. @throws ServiceError `invalid` for an ID that cannot be part of a path. */
export function toRequest(
	{ method = 'POST', path, body }: RequestForm,
	values: Values,
	newId: () => string,
): AskRequest {
	const encoded = path.replace('{session}', () =>
		// as the editor names it
		encodePathSegment(values.session ?? '', 'Session ID'),
	);
	if (body === undefined) return { method, path: encoded };
	return { method, path: encoded, body: fill(body, values, newId) as object };
}

const PLACEHOLDER = /\{(\w+)\}/g;
const ONLY_PLACEHOLDERS = /^\{\w+\}(\|\{\w+\})*$/;

/** @returns undefined for a placeholder without a value. */
export function fill(template: Template, values: Values, newId: () => string): unknown {
	if (typeof template === 'string') {
		if (!ONLY_PLACEHOLDERS.test(template)) return template;
		const names = [...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
		if (names.includes('id')) return newId();
		return names.map((name) => values[name as keyof Values]).find(Boolean);
	}
	if (typeof template !== 'object' || template === null) return template;
	if (Array.isArray(template))
		return (template as readonly Template[]).map((one) => fill(one, values, newId));
	const filled = Object.entries(template).map(
		([name, one]) => [name, fill(one as Template, values, newId)] as const,
	);
	return Object.fromEntries(filled.filter(([, value]) => value !== undefined));
}

/** Bytes of a card, of a list, or of what waits in a session. */
export const MAX_BYTES = 1024 * 1024;

type Told = Pick<AgentServer, 'name' | 'value' | 'busy' | 'notTaken'>;

/** A failure of another server than a workspace, told as that, and what its refusal means. */
export function explain(error: ServiceError, { name, value, busy, notTaken }: Told): ServiceError {
	if (value === 'workspace') return error;
	const { kind, message, details } = error;
	const facts = factsOf(name);
	if (kind === 'refused' && busy && details.reason?.startsWith(busy))
		return new ServiceError(
			kind,
			`${name} still answers another message of this session (${details.status})`,
			{
				...details,
				...facts,
				outcome: 'not_started',
				advice: 'Send it again once that one is answered.',
			},
		);
	const told = message.replace(/\b([Tt]h)e service\b/, `$1e ${name} server`);
	const isNamed = told !== message || kind === 'invalid';
	return new ServiceError(kind, isNamed ? told : `${message} (${name})`, {
		...details,
		...facts,
		...(notTaken &&
			mayHaveRun(error, notTaken) && {
				outcome: 'unknown',
				advice: joinSentences(details.advice, RAN_BEFORE),
			}),
	});
}

/** What a failure says besides: a conversation reads it. */
export const factsOf = (server: string, more: object = {}) => ({ computed: { server, ...more } });

/** Whether a refusal may come from what has run. */
const mayHaveRun = (
	{ kind, details: { outcome, status = 0, code = '', reason = '' } }: ServiceError,
	{ codes = [], says = {} }: NonNullable<Told['notTaken']>,
) =>
	kind === 'refused' &&
	outcome === undefined &&
	!codes.includes(code) &&
	!says[status]?.test(reason);

const RAN_BEFORE =
	'What runs there may answer so after it has begun. So the message was not sent again.';

/**
 * Asks the server something that is free, before a message.
 *
 * @param read What may throw, too.
 * @throws ServiceError; no message was sent.
 */
export async function askBefore<Value>(
	http: Http,
	{ name, value }: AgentServer,
	request: AskRequest,
	read: (answer: unknown) => Value,
): Promise<Value> {
	try {
		return read(await readJson(await http.send(request), MAX_BYTES));
	} catch (cause) {
		throw mapServiceError(cause, (error) =>
			// what a refusal of a message means is none of its refusals
			withDetails(explain(error, { name, value }), { outcome: 'not_started' }),
		);
	}
}

/** The list in an answer to what is free. @throws ServiceError for an answer in another form, as of a proxy. */
export function readList(answer: unknown, at: Path, what: string, more = NOT_SENT): unknown[] {
	const list = valueAt(answer, at);
	if (Array.isArray(list)) return list as unknown[];
	throw new ServiceError('malformed', `The service answered, but not with ${what}`, {
		reason: shortenText(JSON.stringify(answer), 500),
		advice: `Check the base URL of the credential, and what is between n8n and it. ${more}`,
	});
}

const NOT_SENT = 'Nothing was sent.';

/** Finds the server's own ID of a conversation again. @returns undefined for a new one. @throws ServiceError; no message was sent. */
export async function findConversation(
	http: Http,
	server: AgentServer,
	session: string,
): Promise<string | undefined> {
	if (!server.finds) return undefined;
	const { list, id, ...form } = server.finds;
	const request = toRequest(form, { session }, () => '');
	return await askBefore(http, server, request, (answer) => {
		const [latest] = readList(answer, list, 'the conversations of this session');
		return idAt(latest, id) || undefined;
	});
}

/** An agent of a server. */
interface ListedAgent {
	id: string;
	name: string;
}

const MAX_AGENTS = 1000;

/** What to do where the list cannot be read. */
const BY_ID = 'In Agent, choose By ID, and enter the ID.';

/** The agents of a server; none of one that has no list. @throws ServiceError */
export async function listAgents(http: Http, { agents }: AgentServer): Promise<ListedAgent[]> {
	if (!agents) return [];
	const { list, id, label, ...form } = agents;
	const response = await http.send(toRequest(form, {}, () => ''));
	const answer = await readJson(response, MAX_BYTES).catch((cause: unknown) => {
		throw mapServiceError(cause, (error) =>
			error.kind === 'malformed' ? withDetails(error, { advice: BY_ID, ...error.details }) : error,
		);
	});
	const entries = readList(answer, list, 'a list of agents', BY_ID);
	return entries.slice(0, MAX_AGENTS).flatMap((entry) => {
		const found = idAt(entry, id);
		if (!found) return [];
		return [{ id: found, name: plainName(textAt(entry, label)) || found }];
	});
}

/** A stranger's words: one line, of a length that a list can show. */
const plainName = (text: string) =>
	shortenText(
		text
			.slice(0, 1000)
			.replace(/[\p{C}\p{Z}\s]+/gu, ' ')
			.trim(),
		100,
	);

/** The agent that is meant where none was chosen: the only one. @throws ServiceError `invalid` */
export function onlyAgent(agents: readonly ListedAgent[], server: string): string {
	const [only, ...others] = agents;
	if (only && !others.length) return only.id;
	const names = agents.map(({ name }) => name);
	const refusal = invalidInputError(
		'Agent is empty',
		only
			? `Choose one of the agents of the server: ${shortenText(names.join(', '), 500)}.`
			: `The ${server} server lists no agents.`,
	);
	throw withDetails(refusal, factsOf(server));
}
