import { isNonAnswerName, splitWords, toSet } from './eventNames';
import { isPlainObject } from './json';

/**
 * Fields that may contain the text of an answer, the likeliest first. The specification shows neither the agent's events nor
 * the assistant's complete answer, so every plausible field is tried, and the raw value is kept as well. In an analysis, `token` may be
 * the name of a coin.
 */
const TEXT_FIELDS = toSet(`
	output_text answer text content reply response output completion analysis t delta message
	result markdown parts choices candidates generations artifacts artifact messages data chunk
	payload body summary value results outputs responses replies answers msg part item task
	attributes queryResult _embedded conversation history report speech html chunks segments txt
	token generated_text`);

/** An answer without what a reasoning model thinks, if it writes that into its text. */
export const withoutThinking = (answer: string) =>
	answer.replace(/^\s*<think(ing)?>.*?<\/think(ing)?>/s, '');

/** Fields in which a number or boolean is the answer if there is no text. */
const NUMBER_FIELDS = ['answer', 'reply', 'text', 'content'];

/** Lists in which each entry is a complete answer: the first one counts. */
const ALTERNATIVE_LIST_FIELDS = new Set(['choices', 'candidates', 'generations']);

/** A status word that comes with the answer. */
const SUCCESS_WORD =
	/^(ok|okay|success|successful|successfully|done|complete|completed|finished)[.!]?$/i;

/** A sentence about the request, which some services send with the answer. */
const STATUS_SENTENCE =
	/\b(success(ful(ly)?)?|succeeded|processed|completed|received|accepted|delivered|executed|retrieved|fetched|generated|created|sent)\b/i;

/** Whether a text is such a sentence, in the field for it. */
export const isStatusSentence = (value: unknown, text: string) =>
	isPlainObject(value) && value['message'] === text && STATUS_SENTENCE.test(text);

/** Fields of the object that contains the answer, with the status of the request. */
const STATUS_FIELDS = ['success', 'ok', 'status', 'code', 'statusCode', 'status_code', 'error'];

/** Last words of field names that may contain the text, e.g. `final_answer`. */
const TEXT_FIELD_SUFFIXES = toSet(`
	answer reply response output text content message completion delta chunk block fragment`);
const NON_TEXT_FIELD_WORD =
	/^(input|user|system|prompt|query|question|request|error|status|code|id|type|role|name|previous|original|context|raw|no|has|is)$/;

/** Roles whose messages are the answer, and roles whose messages are not. */
const ASSISTANT_ROLE = /^(assistant|agent|bot|chatbot|model|ai|ai ?message( ?chunk)?)$/i;
const OTHER_ROLE =
	/^(user|human|customer|client|system|developer|tool|function|(human|user|system|tool)[ _-]?message( ?chunk)?)$/i;

/** Fields that describe an event or an answer, without any of its content. */
const METADATA_FIELDS = toSet(`
	type event kind object role index seq sequence model jsonrpc created created_at timestamp time
	usage metadata meta error status state success ok done finished is_final final finish_reason`);

/** How deep a text may be nested. */
const MAX_TEXT_DEPTH = 8;

/**
 * Finds the text in an answer whose shape is not specified.
 *
 * In a list of messages with roles, only the assistant's count; several parts are joined. Tool results and reasoning are not
 * text, and a sentence about the status of the request only counts if there is no other text.
 *
 * @returns undefined if no known field contains a text.
 */
export function extractText(value: unknown, depth = 0): string | undefined {
	if (typeof value === 'string') return value;
	if (depth > MAX_TEXT_DEPTH) return undefined;
	if (Array.isArray(value)) return extractListText(value, depth);
	if (!isPlainObject(value) || (depth > 0 && isNonAnswer(value))) return undefined;
	const text = extractFromTextFields(value, depth);
	return text || (extractFromSimilarFields(value, depth) ?? extractNumber(value) ?? text);
}

function extractFromTextFields(value: Record<string, unknown>, depth: number): string | undefined {
	/** An empty text or a status word, used if there is no other text. */
	let fallback: string | undefined;
	let sentence: string | undefined;
	for (const field of TEXT_FIELDS) {
		if (!Object.hasOwn(value, field)) continue;
		const inner = value[field];
		const text = extractFieldText(field, inner, depth);
		if (!text) fallback ??= text;
		else if (isStatusWord(field, text)) fallback = fallback || text;
		else if (field === 'message' && typeof inner === 'string') sentence = text;
		else if (sentence === undefined || isBetterThanSentence(inner, sentence, value)) return text;
		else return sentence;
	}
	return sentence ?? (fallback || (extractStatusMessage(value, depth) ?? fallback));
}

const extractFieldText = (field: string, inner: unknown, depth: number) =>
	ALTERNATIVE_LIST_FIELDS.has(field)
		? extractFirstText(inner, depth)
		: extractText(inner, depth + 1);

/** A word of success, or a key for something, as opposed to a piece of a text. */
const isStatusWord = (field: string, text: string) =>
	SUCCESS_WORD.test(text) || (field === 'token' && /^\S{20,}$/.test(text));

/** Whether an inner value is the answer, and the sentence next to it only the status of the request. */
function isBetterThanSentence(
	inner: unknown,
	sentence: string,
	parent: Record<string, unknown>,
): boolean {
	if (STATUS_FIELDS.some((field) => Object.hasOwn(parent, field))) return true;
	return isPlainObject(inner) || STATUS_SENTENCE.test(sentence);
}

/** The state of a task may come with a message. */
function extractStatusMessage(
	{ status }: Record<string, unknown>,
	depth: number,
): string | undefined {
	return isPlainObject(status) ? extractText(status['message'], depth + 1) : undefined;
}

function extractFromSimilarFields(
	value: Record<string, unknown>,
	depth: number,
): string | undefined {
	for (const [name, inner] of Object.entries(value)) {
		const words = splitWords(name);
		const lastWord = words.at(-1) ?? '';
		// a known field in another case, or a name of several words
		const isTextField =
			words.length > 1
				? TEXT_FIELD_SUFFIXES.has(lastWord)
				: name !== lastWord && TEXT_FIELDS.has(lastWord);
		if (!isTextField) continue;
		if (words.some((word) => NON_TEXT_FIELD_WORD.test(word)) || isNonAnswerName(name)) continue;
		const text = extractText(inner, depth + 1);
		if (text) return text;
	}
	return undefined;
}

function extractNumber(value: Record<string, unknown>): string | undefined {
	const found = NUMBER_FIELDS.map((place) => value[place]).find(
		(given) => typeof given === 'number' || typeof given === 'boolean',
	);
	return found === undefined ? undefined : String(found);
}

function extractFirstText(list: unknown, depth: number): string | undefined {
	if (!Array.isArray(list)) return extractText(list, depth + 1);
	const [first] = list.map((entry) => extractText(entry, depth + 1)).filter(Boolean);
	return first;
}

/** The result of a tool, the reasoning of the model, or a message of someone else. */
function isNonAnswer(value: Record<string, unknown>): boolean {
	const names = [value['type'], value['kind']].filter((given) => typeof given === 'string');
	return value['thought'] === true || names.some(isNonAnswerName) || isOtherRole(findRole(value));
}

/** Some services send the role as `type`: `ai`, `human`. */
function findRole({ role, type, sender, author }: Record<string, unknown>): unknown {
	const typed =
		typeof type === 'string' && (ASSISTANT_ROLE.test(type) || OTHER_ROLE.test(type)) ? type : '';
	return [role, typed, sender, author].find((given) => typeof given === 'string' && given !== '');
}

/**
 * Finds the text at a path that the user entered.
 *
 * @param path Field names separated by dots, e.g. `data.reply`; a number is an index in a list.
 * @returns undefined if the path does not exist. A value that is a text itself is returned whatever the path.
 */
export function extractTextAt(value: unknown, path: string): string | undefined {
	if (typeof value === 'string') return value;
	let current = value;
	for (const name of path.split('.')) {
		if (typeof current !== 'object' || current === null || !Object.hasOwn(current, name))
			return undefined;
		current = (current as Record<string, unknown>)[name];
	}
	return extractText(current);
}

function extractListText(list: unknown[], depth: number): string | undefined {
	const answers = findAnswers(list);
	const texts = (answers ?? list)
		.map((entry) => extractText(entry, depth + 1))
		.filter((text) => (answers ? text : text !== undefined));
	return texts.length ? texts.join(answers ? '\n\n' : '') : undefined;
}

/**
 * The assistant's messages in a list with roles. A thread may come with earlier questions and their answers, the newest last or first.
 *
 * @returns undefined for another list.
 */
function findAnswers(list: unknown[]): unknown[] | undefined {
	const hasRole = (entry: unknown, role: RegExp) =>
		isPlainObject(entry) && role.test(String(findRole(entry)));
	const isAnswer = (entry: unknown) => hasRole(entry, ASSISTANT_ROLE);
	if (!list.some(isAnswer)) return undefined;
	const isQuestion = (entry: unknown) => hasRole(entry, /^(user|human)/i);
	const afterLast = list.slice(list.findLastIndex(isQuestion) + 1).filter(isAnswer);
	const beforeFirst = list.slice(0, Math.max(0, list.findIndex(isQuestion))).filter(isAnswer);
	return afterLast.length ? afterLast : beforeFirst;
}

/** Whether a role is one of those whose messages are not the answer. */
export const isOtherRole = (role: unknown) => typeof role === 'string' && OTHER_ROLE.test(role);

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
