import { isPlainObject } from './json';

/**
 * The fields that may have the text of an answer whose form no dialect knows, the likeliest first. The list is closed: a form beyond it is a
 * row of `src/agent/dialects.ts` with a source, or the user names its field.
 */
export const TEXT_FIELDS = [
	...['output_text', 'final_output', 'finalOutput'],
	...['answer', 'text', 'content', 'reply', 'response', 'output', 't', 'delta', 'token'],
	...['generated_text', 'choices', 'candidates', 'data', 'result', 'messages', 'parts', 'message'],
];

/** An answer without what a reasoning model thinks, if it writes that into its text. */
export const withoutThinking = (answer: string) =>
	answer.replace(/^\s*<think(ing)?>.*?<\/think(ing)?>/s, '');

/** How deep a text may be nested. */
const MAX_TEXT_DEPTH = 8;

/**
 * Finds the text in an answer whose form is not known: of the usual fields, the first that has one. In a list with roles, what the assistant
 * said after the last question counts. Parts of a message are joined, other entries of a list are paragraphs.
 *
 * @param question What was asked. It counts only if there is no other text.
 * @returns undefined if no field of the list has a text.
 */
export function extractText(value: unknown, question?: string): string | undefined {
	return (
		findText(value, question, 0)?.text ??
		(question === undefined ? undefined : findText(value, undefined, 0)?.text)
	);
}

/** As `extractText`, with the names of the fields in which the text is. */
export function findText(
	value: unknown,
	question: string | undefined,
	depth = 0,
	joint = '\n\n',
): { text: string; path: string } | undefined {
	if (typeof value === 'string') return value === question ? undefined : { text: value, path: '' };
	if (typeof value !== 'object' || value === null || depth > MAX_TEXT_DEPTH) return undefined;
	if (!Array.isArray(value)) {
		const fields = unwrapped(value) as Fields;
		return depth > 0 && isNoAnswer(fields) ? undefined : findInFields(fields, question, depth);
	}
	const entries = value.map(unwrapped);
	const list = answersIn(entries) ?? (joint ? withoutNames(entries) : textParts(entries));
	const texts = list.map((entry) => findText(entry, question, depth + 1)?.text).filter(Boolean);
	return texts.length ? { text: texts.join(joint), path: '' } : undefined;
}

/** A message as LangChain serializes it, with its class as the role. */
export function unwrapped(message: unknown): unknown {
	const { lc, id, kwargs } = isPlainObject(message) ? message : {};
	return lc === 1 && Array.isArray(id) && isPlainObject(kwargs)
		? { ...kwargs, role: id.at(-1) as unknown }
		: message;
}

/** A word beside an object is its name: `["values", {}]`. */
const withoutNames = (list: readonly unknown[]) =>
	list.some((entry) => typeof entry === 'object')
		? list.filter((entry) => typeof entry !== 'string')
		: list;

/** Of parts with types, those of a text, if there are any: a file beside them has its bytes in `data`. */
function textParts(parts: readonly unknown[]): readonly unknown[] {
	const texts = parts.filter((part) => isPlainObject(part) && /text/.test(String(part['type'])));
	return texts.length ? texts : parts;
}

function findInFields(value: Fields, question: string | undefined, depth: number) {
	let empty: { text: string; path: string } | undefined;
	for (const field of TEXT_FIELDS) {
		const inner = Object.hasOwn(value, field) ? value[field] : undefined;
		if (inner === undefined) continue;
		const first = ALTERNATIVES.test(field) && Array.isArray(inner) ? inner[0] : inner;
		const found = findText(first, question, depth + 1, PARTS.test(field) ? '' : '\n\n');
		if (found?.text) return { text: found.text, path: `${field}.${found.path}` };
		empty ??= found;
	}
	return empty;
}

type Fields = Record<string, unknown>;

/** Fields whose lists have a whole answer in each entry. */
const ALTERNATIVES = /^(choices|candidates)$/;

/** Fields whose lists are the parts of one text. */
const PARTS = /^(content|parts|text|delta)$/;

/** The text of a value: itself, or that of its parts. A part of another type than text is none, nor is a thought. */
export function textOf(value: unknown): string | undefined {
	if (typeof value === 'string') return value;
	if (Array.isArray(value)) return value.map((part) => textOf(part) ?? '').join('');
	if (!isPlainObject(value) || value['thought'] === true) return undefined;
	const { type, text } = value;
	const isText = type === undefined || type === 'text' || type === 'output_text';
	return isText && typeof text === 'string' ? text : undefined;
}

/** Names of events, and types of parts, that have no text for the reader. */
const NO_TEXT = /(^|[^a-z])(tool|think|thought|reason|metadata|ping|status)/;

/** Whether the text of an event with this name, or of a part of this type, is none of the answer. */
export const hasNoText = (name: string) =>
	NO_TEXT.test(name.replace(/([a-z])(?=[A-Z])/g, '$1_').toLowerCase());

/** The result of a tool, a thought, or a message of someone else. */
function isNoAnswer(value: Fields): boolean {
	const { type, thought } = value;
	return (
		thought === true || (typeof type === 'string' && hasNoText(type)) || isOtherRole(roleOf(value))
	);
}

const ASSISTANT_ROLE = /^(role_)?(assistant|agent|ai|model|bot)/i;
const OTHER_ROLE = /^(role_)?(user|human|system|developer|tool|function)/i;

/** Whether a role is one of those whose messages are not the answer. */
export const isOtherRole = (role: unknown): boolean =>
	typeof role === 'string' && OTHER_ROLE.test(role);

/** Some services send the role as `type`: `ai`, `human`. */
function roleOf({ role, type }: Fields): unknown {
	if (typeof role === 'string' && role) return role;
	return typeof type === 'string' && /^(ai|human|system|tool|AIMessage|HumanMessage)/.test(type)
		? type
		: undefined;
}

/**
 * The assistant's messages in a list with roles. A conversation may begin with earlier questions and their answers, the newest last or
 * first.
 *
 * @returns undefined for another list.
 */
export function answersIn(list: readonly unknown[]): unknown[] | undefined {
	const hasRole = (entry: unknown, role: RegExp) =>
		isPlainObject(entry) && role.test(String(roleOf(entry)));
	const isAnswer = (entry: unknown) => hasRole(entry, ASSISTANT_ROLE);
	if (!list.some(isAnswer)) return undefined;
	const isQuestion = (entry: unknown) => hasRole(entry, /^(role_)?(user|human)/i);
	const afterLast = list.slice(list.findLastIndex(isQuestion) + 1).filter(isAnswer);
	const beforeFirst = list.slice(0, Math.max(0, list.findIndex(isQuestion))).filter(isAnswer);
	return afterLast.length ? afterLast : beforeFirst;
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
		current = (current as Fields)[name];
	}
	return typeof current === 'number' || typeof current === 'boolean'
		? String(current)
		: textOf(current) || extractText(current);
}

/** Fields that describe an event or an answer, without any of its content. */
const METADATA_FIELDS = new Set(
	'type event kind object role index seq sequence model jsonrpc created created_at timestamp time usage metadata meta error status state success ok done finished is_final final finish_reason'.split(
		' ',
	),
);

/** Whether a value contains anything that could be an answer in an unknown format. */
export function hasContent(value: unknown, depth = 0): boolean {
	if (typeof value === 'string') return value.trim() !== '';
	if (typeof value !== 'object' || value === null) return depth > 0 && value !== null;
	if (depth > 4) return true;
	const entries = Object.entries(value);
	return entries.some(([field, inner]) => !isMetadataField(field) && hasContent(inner, depth + 1));
}

const isMetadataField = (field: string) =>
	METADATA_FIELDS.has(field) || /(^i|_i|I)[dD]$/.test(field);
