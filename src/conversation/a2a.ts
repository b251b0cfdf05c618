import { isPlainObject } from '../core/json';
import { omitMissing } from '../core/missing';
import { firstText } from './person';

/** The answer of a remote agent that speaks A2A, the Agent2Agent protocol. */
interface A2aAnswer {
	text: string;
	/** Why there is no answer, or only a part of one. */
	error?: string;
	/** What the reader of the transcript needs to know. */
	notice?: string;
	/** For the next message: the agent's own conversation, and its task if that waits for an answer. */
	ids: { sessionId?: string; taskId: string | undefined };
}

type Item = Readonly<Record<string, unknown>>;

/**
 * Reads a response to `message/send`: a message, or a task.
 *
 * @returns undefined for anything else.
 * @see A2A 0.3: @a2a-js/sdk 0.3.14, `SendMessageSuccessResponse`; 1.0: a2a.proto, `SendMessageResponse`
 */
export function readA2a({ jsonrpc, result }: Item): A2aAnswer | undefined {
	if (jsonrpc !== '2.0' || !isPlainObject(result)) return undefined;
	// version 1.0 puts the task or message into a field of its kind
	const [field, inner] = Object.entries(result).find(isTaskOrMessage) ?? [result['kind'], result];
	const { kind = field, contextId, id, status, parts, artifacts } = inner as Item;
	const ids = { ...omitMissing({ sessionId: firstText(contextId) }), taskId: undefined };
	if (kind === 'message') return { text: readParts(parts), ids };
	if (kind !== 'task' || !isPlainObject(status)) return undefined;
	const { message } = status;
	const state = String(status['state']).replace('TASK_STATE_', '').replace('_', '-').toLowerCase();
	const statusText = isPlainObject(message) ? readParts(message['parts']) : '';
	const artifactText = listOf(artifacts)
		.map((artifact) => readParts(artifact['parts']))
		.filter(Boolean)
		.join('\n\n');
	if (state === 'completed') return { text: artifactText || statusText, ids };
	if (state === 'input-required') {
		const notice = 'The agent needs an answer to continue.';
		return { text: statusText || artifactText, notice, ids: { ...ids, taskId: firstText(id) } };
	}
	const error = `The task of the agent is "${state}"${statusText && `: ${statusText}`}`;
	return { text: artifactText, error, ids };
}

const isTaskOrMessage = ([field, value]: [string, unknown]) =>
	isPlainObject(value) &&
	Boolean(field === 'task' ? value['status'] : field === 'message' && value['parts']);

/** The text of a message or an artifact. Data is written as JSON; files are left out. */
const readParts = (parts: unknown): string =>
	listOf(parts)
		.map(({ text, data }) => firstText(text) ?? (data === undefined ? '' : JSON.stringify(data)))
		.filter(Boolean)
		.join('\n\n');

const listOf = (values: unknown): Item[] =>
	Array.isArray(values) ? values.filter(isPlainObject) : [];
