import { findAnswerText, textAt } from '../service/answerText';
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
const OF_A_TOOL = /tool|function|step|progress/i;
/** Roles of those who are not the agent. */
const OTHERS = /^(user|human|customer|system|developer|tool|function)$/i;
/** Events beside the answer: they may hold a text, but not one meant for the reader. */
const NO_TEXT =
	/tool|function|status|think|reason|meta|ping|heart|alive|session|usage|log$|debug|progress|step|init|ack|title|source|citation|suggest/i;

/**
 * Reads one event, whose form the specification does not show.
 *
 * Names are taken from the event line, or from a field `type`, `event` or `kind`; anything unknown that holds a text in a
 * usual place is a piece of the answer.
 *
 * @param textField Where the user says that the text is. Then nothing else counts, and it counts whatever the event is called.
 */
export function readEvent(value: unknown, eventName?: string, textField?: string): Said {
	const find = textField ? (from: unknown) => textAt(from, textField) : findAnswerText;
	const silent = (name: string) => !textField && NO_TEXT.test(name);
	if (!isObject(value)) {
		const name = eventName ?? '';
		if (ERROR.test(name)) return { error: value };
		if (STREAM_END.test(name)) return ended('stream', find(value));
		if (MESSAGE_END.test(name)) return ended('message', find(value));
		return silent(name) ? {} : piece(find(value));
	}
	const name = [eventName, value['type'], value['event'], value['kind']].find(
		(candidate) => typeof candidate === 'string' && candidate !== 'message',
	) as string | undefined;
	const failed = value['error'] || ERROR.test(name ?? '') || saysItFailed(value);
	// a tool that failed is the agent's to deal with
	if (failed && !OF_A_TOOL.test(name ?? '')) return { error: value };
	if (isFromOthers(value)) return {};
	if (name && STREAM_END.test(name)) return ended('stream', find(value));
	if (name && MESSAGE_END.test(name)) return ended('message', find(value));
	const last = value['done'] === true || value['is_final'] === true || value['finished'] === true;
	const said = name && silent(name) ? {} : piece(find(value));
	return last ? { ...said, end: 'message' } : said;
}

/** The events of an answer that came as one list of them; any other answer is one itself. */
export function eventsIn(value: unknown): unknown[] {
	const list = isObject(value) && !findAnswerText(value) ? value['events'] : value;
	const areEvents =
		Array.isArray(list) &&
		list.every(isObject) &&
		list.some(({ type, event, kind }) => [type, event, kind].some(isName)) &&
		!list.some((entry) => 'role' in entry);
	return areEvents ? list : [value];
}

function ended(end: 'stream' | 'message', summary: string | undefined): Said {
	return summary ? { end, summary } : { end };
}

const piece = (text: string | undefined): Said => (text === undefined ? {} : { text });

function saysItFailed({ success, ok, status }: Record<string, unknown>): boolean {
	return success === false || ok === false || /^(error|failed|failure)$/i.test(String(status));
}

function isFromOthers(value: Record<string, unknown>): boolean {
	return [value, value['message'], value['data']]
		.filter(isObject)
		.flatMap(({ role, sender, author }) => [role, sender, author])
		.some((who) => typeof who === 'string' && OTHERS.test(who));
}

const isName = (value: unknown) => typeof value === 'string' && value !== '';
