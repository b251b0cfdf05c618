import { isPlainObject, type JsonObject } from './json';

/**
 * The fields that may have the text of an answer whose form no dialect knows, the likeliest first. The list is closed: a form beyond it is a
 * row of `src/agent/dialects.ts` with a source, or the user names its field.
 */
export const TEXT_FIELDS = [
	'output_text',
	'final_output',
	'finalOutput',
	'answer',
	'text',
	'content',
	'reply',
	'response',
	'output',
	't',
	'delta',
	'token',
	'generated_text',
	'choices',
	'candidates',
	'data',
	'result',
	'messages',
	'parts',
	'message',
];

/** Fields whose lists have a whole answer in each entry. */
const ALTERNATIVES = /^(choices|candidates)$/;

/** Fields whose lists are the parts of one text. */
const PARTS = /^(content|parts|text|delta)$/;

/** How deep a text may be nested. */
const MAX_TEXT_DEPTH = 8;

/** An answer without what a reasoning model thinks, if it writes that into its text. */
export const withoutThinking = (answer: string) =>
	answer.replace(/^\s*<think(ing)?>.*?<\/think(ing)?>/s, '');

/**
 * Finds the text in an answer whose form is not known: of the usual fields, the first that has one. In a list with roles, what the assistant
 * said after the last question counts. Parts of a message are joined, other entries of a list are paragraphs.
 *
 * @returns undefined if no field of the list has a text.
 */
export const extractText = (value: unknown): string | undefined => findText(value)?.text;

/**
 * As `extractText`, with the names of the fields in which the text is.
 *
 * @param question What was asked, which is no answer.
 */
export function findText(
	value: unknown,
	question?: string,
	depth = 0,
	joint = '\n\n',
): { text: string; path: string } | undefined {
	if (typeof value === 'string') return value === question ? undefined : { text: value, path: '' };
	if (typeof value !== 'object' || value === null || depth > MAX_TEXT_DEPTH) return undefined;
	if (!Array.isArray(value)) {
		const fields = unwrapped(value) as JsonObject;
		return depth > 0 && isNoAnswer(fields) ? undefined : findInFields(fields, question, depth);
	}
	const entries = value.map(unwrapped);
	const list = answersIn(entries) ?? textsIn(entries, joint === '');
	// a part of a text may say what was asked
	const asked = joint ? question : undefined;
	const texts = list.map((entry) => findText(entry, asked, depth + 1)?.text).filter(Boolean);
	const text = texts.join(joint);
	return text && text !== question ? { text, path: '' } : undefined;
}

function findInFields(fields: JsonObject, question: string | undefined, depth: number) {
	let empty: { text: string; path: string } | undefined;
	for (const field of TEXT_FIELDS) {
		const inner = Object.hasOwn(fields, field) ? fields[field] : undefined;
		if (inner === undefined) continue;
		const first = ALTERNATIVES.test(field) && Array.isArray(inner) ? inner[0] : inner;
		const found = findText(first, question, depth + 1, PARTS.test(field) ? '' : '\n\n');
		if (found?.text) return { text: found.text, path: `${field}.${found.path}` };
		empty ??= found;
	}
	return empty;
}

/** A message as LangChain serializes it, with its class as the role. */
export function unwrapped(message: unknown): unknown {
	const { lc, id, kwargs } = (message ?? {}) as JsonObject;
	return lc === 1 && Array.isArray(id) && isPlainObject(kwargs)
		? { ...kwargs, role: id.at(-1) as unknown }
		: message;
}

/**
 * The entries of a list that may have a text. A word beside an object is its name: `["values", {}]`. Of parts with types, those of a text
 * count, if there are any: a file beside them has its bytes in `data`.
 */
function textsIn(list: readonly unknown[], areParts: boolean): readonly unknown[] {
	const isObject = (entry: unknown) => typeof entry === 'object';
	const isText = (entry: unknown) => isPlainObject(entry) && /text/.test(typeOf(entry));
	const kept = list.filter(areParts ? isText : isObject);
	return kept.length ? kept : list;
}

const typeOf = ({ type }: JsonObject): string => (typeof type === 'string' ? type : '');

/** The text of a value: itself, or that of its parts. A part of another type than text is none, nor is a thought. */
export function textOf(value: unknown): string | undefined {
	if (typeof value === 'string') return value;
	if (Array.isArray(value)) return textOfParts(value);
	if (!isPlainObject(value) || isAside(value)) return undefined;
	const { type, text } = value;
	const isText = type === undefined || type === 'text' || type === 'output_text';
	return isText && typeof text === 'string' ? text : undefined;
}

/** What stands between two parts of a text, as the call of a tool, makes them paragraphs. */
function textOfParts(parts: readonly unknown[]): string {
	let text = '';
	let isApart = false;
	for (const part of parts) {
		const said = textOf(part) ?? '';
		isApart ||= isOtherPart(part);
		if (!said) continue;
		text += (isApart && text ? '\n\n' : '') + said;
		isApart = false;
	}
	return text;
}

/** Whether a part is something else than text, and no mark inside one: a citation may be in the middle of a sentence. */
export const isOtherPart = (part: unknown): boolean =>
	isPlainObject(part) &&
	textOf(part) === undefined &&
	!/reference|citation|source/.test(typeOf(part));

/**
 * Whether a part is what a model thinks, as of Gemini; over A2A, Google's ADK has that in the metadata, and beside it calls of tools
 * (google/adk-python#4676, a2a/converters/part_converter.py).
 */
const isAside = ({ thought, metadata }: JsonObject): boolean =>
	thought === true ||
	(isPlainObject(metadata) && (metadata['adk_thought'] === true || 'adk_type' in metadata));

/** Names of events, and types of parts, that have no text for the reader. */
const NO_TEXT = /(^|[^a-z])(tool|function_call|think|thought|reason|metadata|ping|status)/;

/** Whether the text of an event with this name, or of a part of this type, is none of the answer. */
export const hasNoText = (name: string) => NO_TEXT.test(inWords(name));

/** A name with its words apart: `RunError` as `run_error`. */
export const inWords = (name: string) => name.replace(/([a-z])(?=[A-Z])/g, '$1_').toLowerCase();

/** The result of a tool, a thought, or a message of someone else. */
const isNoAnswer = (fields: JsonObject): boolean =>
	isAside(fields) || hasNoText(typeOf(fields)) || OTHER_ROLE.test(roleOf(fields));

const ASSISTANT_ROLE = /^(role_)?(assistant|agent|ai|model|bot)/i;

/** One of these roles, one a line, is of someone whose messages are not the answer. */
export const OTHER_ROLE = /^(role_)?(user|human|system|developer|tool|function)/im;
const QUESTION_ROLE = /^(role_)?(user|human)/i;

/** LangChain sends the role as `type`: `ai`, `human`. Empty if there is none. */
function roleOf(message: unknown): string {
	if (!isPlainObject(message)) return '';
	const { role } = message;
	if (typeof role === 'string' && role) return role;
	const type = typeOf(message);
	return /^(ai|human|system|tool|AIMessage|HumanMessage)/.test(type) ? type : '';
}

/** What the class of a message of LangChain is called. */
const nameIn = (id: readonly unknown[]): string => {
	const name = id.at(-1);
	return typeof name === 'string' ? name : '';
};

/** Whether a message, or an event with a piece of one, says itself that it is of someone else than the agent. */
export function isOthers(message: unknown): boolean {
	if (!isPlainObject(message)) return false;
	const { role, lc, id } = message;
	if (lc === 1 && Array.isArray(id)) return OTHER_ROLE.test(nameIn(id));
	return typeof role === 'string' && role
		? OTHER_ROLE.test(role)
		: OTHER_TYPE.test(typeOf(message));
}

/** Of messages of LangChain, whose role is their type. */
const OTHER_TYPE = /^(human|system|tool|function)$/;

/** What the assistant said after the last question, in a list with roles. @returns undefined for another list. */
export function answersIn(list: readonly unknown[]): unknown[] | undefined {
	const isAnswer = (entry: unknown) => ASSISTANT_ROLE.test(roleOf(entry));
	const isQuestion = (entry: unknown) => QUESTION_ROLE.test(roleOf(entry));
	return list.some(isAnswer)
		? list.slice(list.findLastIndex(isQuestion) + 1).filter(isAnswer)
		: undefined;
}

/**
 * Finds the text at a path that the user entered.
 *
 * @param path Field names separated by dots, e.g. `data.reply`; a number is an index in a list.
 * @returns undefined if the path does not exist, as in a value that is a text itself.
 */
export function extractTextAt(value: unknown, path: string): string | undefined {
	let current = value;
	for (const name of path.split('.')) {
		if (typeof current !== 'object' || current === null || !Object.hasOwn(current, name))
			return undefined;
		current = (current as JsonObject)[name];
	}
	return typeof current === 'number' || typeof current === 'boolean'
		? String(current)
		: textOf(current) || extractText(current);
}
