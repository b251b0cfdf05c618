/** A set of words. */
export const toSet = (words: string) => new Set(words.trim().split(/\s+/));

/**
 * Words in the names of events, or of parts of an answer, that are not part of the answer's text: they may contain a text, but
 * not one for the reader. Names are split into words first: `dialog` does not contain `log`, nor `definition` `init`.
 */
const NON_ANSWER_WORDS = toSet(`
	think thinking thought thoughts reason reasoning status progress typing usage title titles
	meta metadata ping pong heart heartbeat heartbeats alive keepalive debug log logs trace
	telemetry ack acknowledge acknowledged source sources citation citations suggest suggested
	suggestion suggestions related verbose billing cost annotation annotations reference
	references state activity scratchpad reflection monologue rationale loading processing waiting
	analyzing id ids version`);

/** `tool`, `tool_call`, or as one word `toolcall`. */
const TOOL_WORD = /^(tool|function)(s|calls?|use|results?|response|output|input|error)?$/;

/** Words in names of events of both kinds: `session.created` is not part of the answer, `session.message.delta` is. */
const AMBIGUOUS_WORDS = toSet(`
	session init step steps start started begin connect connected connection open opened ready
	created accepted received queue queued info notice notification warning context document
	documents search searching retrieval retrieved memory history input prompt query plan planning
	action observation handoff node flow custom raw lifecycle intermediate moderation guardrail
	follow retry`);
const TEXT_WORDS = toSet(`
	text message messages delta content answer token chunk output response reply part`);

/** The words of a name, in lower case. They may be separated by `.`, `_`, `-` and the like, or written `inCamelCase`. */
export function splitWords(name: string): string[] {
	const cached = wordsByName.get(name);
	if (cached) return cached;
	const words = name
		.replace(/([a-z0-9])([A-Z])/g, '$1 $2')
		.toLowerCase()
		.split(/[^\p{L}\p{N}]+/u)
		.filter(Boolean);
	// a stream has few names, but may have ten thousand events
	if (wordsByName.size >= MAX_CACHED_NAMES) wordsByName.clear();
	if (name.length < MAX_CACHED_NAME_LENGTH) wordsByName.set(name, words);
	return words;
}

const wordsByName = new Map<string, string[]>();
const MAX_CACHED_NAMES = 200;
const MAX_CACHED_NAME_LENGTH = 100;

/** Whether an event or field of this name is known not to be part of the answer's text. */
export const isNonAnswerName = (name: string): boolean =>
	isOutside(splitWords(name)) || isAmbiguousName(name);

const isOutside = (words: string[]) =>
	words.some((word) => NON_ANSWER_WORDS.has(word) || TOOL_WORD.test(word));

/** Whether an event of this name is not part of the answer, although a whole answer may have the name: `search`, `document`. */
export function isAmbiguousName(name: string): boolean {
	const words = splitWords(name);
	// `data-weather`, a part of an application's own
	const isAmbiguous = words.some((word) => AMBIGUOUS_WORDS.has(word)) || /^data-./.test(name);
	return isAmbiguous && !isOutside(words) && !words.some((word) => TEXT_WORDS.has(word));
}

/** Whether the event is about a tool or an intermediate step. A failure there does not fail the answer. */
export const isToolName = (name: string): boolean =>
	splitWords(name).some((word) => TOOL_WORD.test(word) || STEP_WORD.test(word));

const STEP_WORD = /^(steps?|progress|node|retry|logs?|warning)$/;

const STREAM_END =
	/^(stream )?(done|end|ended|eos|eof|end of stream|finish|finished|complete|completed|close|closed)$/;
const MESSAGE_END = /(^| )(done|end|ended|finish|finished|complete|completed|final|stop|stopped)$/;

/** Whether a text is an end mark: `[DONE]`, or a similar one such as `<|end|>`. A word without brackets may be part of an answer. */
export const isEndMark = (text: string) =>
	/^\s*(\[|<\|?)(done|end|eos|eof|stop|finish(ed)?|complete(d)?)(\]|\|?>)\s*$/i.test(text);

/** What an event of this name ends, if anything. */
export function detectEnd(name: string): 'stream' | 'message' | undefined {
	const phrase = splitWords(name).join(' ');
	if (STREAM_END.test(phrase)) return 'stream';
	return MESSAGE_END.test(phrase) ? 'message' : undefined;
}

export const isErrorName = (name: string) => ERROR_END.test(splitWords(name).join(' '));

const ERROR_END =
	/(^| )(error( event)?|err|fail|failed|failure|fatal|fault|exception|timeout|abort|aborted|interrupted|canceled|cancelled)$/;
