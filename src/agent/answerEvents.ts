import { findAnswerText } from '../service/answerText';
import { isObject } from '../service/json';

/** What one event of an agent's answer says. */
export interface Said {
	/** A piece of the answer. */
	text?: string;
	/** The whole answer said again at the end; counts only where no piece came before. */
	summary?: string;
	/** The agent's own error. */
	error?: unknown;
	/** The end of the stream, or of a message after which more may follow. */
	end?: 'stream' | 'message';
}

const ERROR = /(^|[._-])(error|failed|failure)$/i;
const STREAM_END = /^(stream[._-]?)?(done|end|finish|finished|complete|completed|close|closed)$/i;
const MESSAGE_END =
	/(^|[._-])(done|end|ended|finish|finished|complete|completed|final|stop|stopped)$/i;
/** Events beside the answer: they may hold a text, but not one meant for the reader. */
const NO_TEXT =
	/tool|function|status|think|reason|meta|ping|heart|alive|session|usage|log$|debug|progress|step|init|ack|title|source|citation|suggest/i;

/**
 * Reads one event, whose form the specification does not show.
 *
 * Names are taken from the event line, or from a field `type`, `event` or `kind`; anything unknown that holds a text in a
 * usual place is a piece of the answer.
 */
export function readEvent(value: unknown, eventName?: string): Said {
	if (!isObject(value)) {
		const name = eventName ?? '';
		if (ERROR.test(name)) return { error: value };
		if (STREAM_END.test(name)) return ended('stream', value);
		if (MESSAGE_END.test(name)) return ended('message', value);
		return NO_TEXT.test(name) ? {} : textOf(value);
	}
	const name = [eventName, value['type'], value['event'], value['kind']].find(
		(candidate) => typeof candidate === 'string' && candidate !== 'message',
	) as string | undefined;
	if (value['error'] || ERROR.test(name ?? '')) return { error: value };
	if (isFromUser(value)) return {};
	if (name && STREAM_END.test(name)) return ended('stream', value);
	if (name && MESSAGE_END.test(name)) return ended('message', value);
	const last = value['done'] === true || value['is_final'] === true || value['finished'] === true;
	const piece = name && NO_TEXT.test(name) ? {} : textOf(value);
	return last ? { ...piece, end: 'message' } : piece;
}

function ended(end: 'stream' | 'message', value: unknown): Said {
	const summary = findAnswerText(value);
	return summary ? { end, summary } : { end };
}

function textOf(value: unknown): Said {
	const text = findAnswerText(value);
	return text === undefined ? {} : { text };
}

function isFromUser(value: Record<string, unknown>): boolean {
	const message = value['message'];
	return value['role'] === 'user' || (isObject(message) && message['role'] === 'user');
}
