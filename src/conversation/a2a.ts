import { isAside } from '../core/extractText';
import { isPlainObject } from '../core/json';
import { omitMissing } from '../core/missing';
import { createTextAccumulator } from '../core/textAccumulator';
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
		.map((artifact) => readParts(artifact['parts'], true))
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

/**
 * The text of a message or an artifact. Data is written as JSON; files, thoughts and calls of tools are left out.
 *
 * @param arePieces Whether texts may be pieces of one: @a2a-js/sdk adds to an artifact what an agent streams.
 */
function readParts(parts: unknown, arePieces = false): string {
	const said = createTextAccumulator();
	for (const { text, data } of listOf(parts).filter((part) => !isAside(part))) {
		const isPiece = arePieces && data === undefined;
		if (!isPiece) said.endMessage();
		said.append(typeof text === 'string' ? text : (JSON.stringify(data) ?? ''));
		if (!isPiece) said.endMessage();
	}
	return said.text();
}

const listOf = (values: unknown): Item[] =>
	Array.isArray(values) ? values.filter(isPlainObject) : [];
