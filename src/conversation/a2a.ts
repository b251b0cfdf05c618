import { isPlainObject, omitMissing } from '../core/json';
import { firstText } from './person';

/** What an agent elsewhere answers by A2A, the protocol that agents of different makers speak with each other. */
interface A2aAnswer {
	text: string;
	/** Why the answer is none, or not whole. */
	error?: string;
	/** What the reader of the transcript has to know. */
	notice?: string;
	/** By which the agent continues: its own conversation, and the task that waits for the next message, if one does. */
	ids: { sessionId?: string; taskId: string | undefined };
}

type Item = Readonly<Record<string, unknown>>;

/**
 * Reads a response to `message/send`: a message, or a task.
 *
 * @returns undefined for anything else.
 * @see A2A 0.3: @a2a-js/sdk 0.3.14, `SendMessageSuccessResponse`
 */
export function readA2a({ jsonrpc, result }: Item): A2aAnswer | undefined {
	if (jsonrpc !== '2.0' || !isPlainObject(result)) return undefined;
	const { kind, contextId, id, status, parts, artifacts } = result;
	const ids = { ...omitMissing({ sessionId: firstText(contextId) }), taskId: undefined };
	if (kind === 'message') return { text: readParts(parts), ids };
	if (kind !== 'task' || !isPlainObject(status)) return undefined;
	const { state, message } = status;
	const words = isPlainObject(message) ? readParts(message['parts']) : '';
	const made = listOf(artifacts)
		.map((artifact) => readParts(artifact['parts']))
		.filter(Boolean)
		.join('\n\n');
	if (state === 'completed') return { text: made || words, ids };
	if (state === 'input-required') {
		const notice = 'The agent needs an answer to go on.';
		return { text: words || made, notice, ids: { ...ids, taskId: firstText(id) } };
	}
	const error = `The task of the agent is "${String(state)}"${words && `: ${words}`}`;
	return { text: made, error, ids };
}

/** The texts of a message or of a result. Data are written as JSON, files left out. */
const readParts = (parts: unknown): string =>
	listOf(parts)
		.map(({ text, data }) => firstText(text) ?? (data === undefined ? '' : JSON.stringify(data)))
		.filter(Boolean)
		.join('\n\n');

const listOf = (values: unknown): Item[] =>
	Array.isArray(values) ? values.filter(isPlainObject) : [];
