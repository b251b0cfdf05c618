import type { Decision } from '../core/decision';
import { isPlainObject, isEmptyValue, isPresent, omitMissing } from '../core/json';

export type Item = Readonly<Record<string, unknown>>;

/** The text that replaces the turn before, or a decision about it. */
interface Edit {
	text: string;
	isRefusal?: true;
	replacesTurn?: true;
}

/**
 * Where an answer may be that an execution has waited for. Before n8n 2.38.2, a visitor who writes into the chat meanwhile puts
 * `{ sessionId, action, chatInput }` in place of the answer, no matter who was asked. From then on, n8n resumes only what has asked in
 * the chat (n8n 2.38.1 and 2.38.2, chat/chat-execution-manager.js, runWorkflow; also in 2.37.7).
 *
 * - `chat`: in the words of a visitor, since n8n's Chat node has asked.
 * - `data`: a person was asked in any other way, and n8n puts the answer there.
 * - `any`: anywhere but in the words of a visitor. It may not have been a person who was asked.
 */
export type AnswerPlace = 'chat' | 'data' | 'any';

/** A person's answer to one of n8n's "Send and Wait for Response" operations. */
export function personsAnswer({ data, chatInput }: Item, place?: AnswerPlace): string | undefined {
	const { text, approved, chatInput: typed } = isPlainObject(data) ? data : {};
	const written = firstText(text, place === 'chat' ? chatInput : undefined, typed);
	if (written !== undefined || typeof approved !== 'boolean') return written;
	return approved ? APPROVED : NOT_APPROVED;
}

/** The fields of a form, or of any answer that has no text. @param told What the speaker was told: repeating it is no answer. */
export function readFields(item: Item, told: unknown): Item | undefined {
	const given = listFields(isPlainObject(item['data']) ? item['data'] : item);
	const fields = Object.fromEntries(given.filter(([, value]) => value !== told));
	const isGiven = (value: unknown) =>
		typeof value === 'string' ? isText(value) : isPresent(value);
	return Object.values(fields).some(isGiven) ? fields : undefined;
}

/**
 * A person's decision about the turn before: "approve", "decline", or a text that replaces it. A form may offer the choice "replace", which
 * needs a text. Anything else counts as declined.
 *
 * @param answers Without what a visitor may have written in place of the person.
 * @returns undefined if the person used buttons: their answer is read elsewhere.
 */
export function readEdit(answers: readonly Item[]): Edit | undefined {
	const isDecided = ({ data, chatInput }: Item) =>
		!firstText(chatInput) && isPlainObject(data) && 'approved' in data;
	if (answers.some(isDecided)) return undefined;
	const words = answers.flatMap(listWords);
	const decisions = words.map((word) => DECISION.exec(word.trim())?.[1]?.toLowerCase());
	const text = words.filter((_, index) => !decisions[index]).join('\n\n');
	if (decisions.includes('approve') && !decisions.includes('decline')) return { text: APPROVED };
	if (decisions.includes('decline') || !text) return { text: NOT_APPROVED, isRefusal: true };
	return { text: text.toWellFormed(), replacesTurn: true };
}

/** What a person has said about what an agent waits for. Without a decision, it is unclear. */
export interface Verdict {
	decision?: Decision;
	text: string;
}

/**
 * A person's decision about what an agent waits for: a button, or one of the words that the person was told, and nothing beside it. What
 * approves is never guessed. A form may offer the choice "replace" or "text", and has the words in another field.
 *
 * @param answers Without what a visitor may have written in place of the person.
 */
export function readVerdict(answers: readonly Item[]): Verdict {
	const words = answers.flatMap(listWords).map((word) => word.trim());
	const buttons = answers.flatMap(({ data }) => (isPlainObject(data) ? [data['approved']] : []));
	const others = answers.flatMap(listOthers);
	const chosen = words.map((word) => CHOICE.exec(word)?.[1]?.toLowerCase());
	const isIn = (...names: string[]) => names.some((name) => chosen.includes(name));
	const rest = words.filter((_, index) => !chosen[index]).join('\n\n');
	const [, inWords] = IN_WORDS.exec(rest) ?? [];
	if (isIn('decline') || buttons.includes(false))
		return { decision: 'decline', text: NOT_APPROVED };
	const text = (inWords ?? (isIn('replace', 'text') ? rest : '')).toWellFormed();
	if (text && !isIn('approve')) return { decision: 'text', text };
	const isApproved = isIn('approve') || buttons.includes(true);
	if (isApproved && !rest && !others.length && !isIn('replace', 'text'))
		return { decision: 'approve', text: APPROVED };
	return { text: [...words, ...others].join('\n\n').toWellFormed() };
}

/** What is in a form besides texts, such as a number: a condition, maybe. */
const listOthers = ({ data }: Item): string[] =>
	listFields(isPlainObject(data) ? data : {})
		.flatMap(([name, value]) => (name === 'approved' ? [] : [value].flat()))
		.filter(
			(value) => typeof value === 'number' || (typeof value !== 'string' && !isEmptyValue(value)),
		)
		.map((value) => JSON.stringify(value));

const DECISION = /^(approve|decline|replace)d?[.!]?$/i;
/** The same for what an agent waits for. */
const CHOICE = /^(approve|decline|replace|text)d?[.!]?$/i;
const IN_WORDS = /^text\s*:\s*(\S.*)$/is;
const APPROVED = 'Approved';
const NOT_APPROVED = 'Not approved';

/**
 * What a person wrote or chose: a free text, a chat message, or the fields of a form. With a chat message, other fields do not count: the
 * visitor's program may send anything.
 */
function listWords({ data, chatInput }: Item): string[] {
	const written = listFields(isPlainObject(data) ? data : {});
	return (firstText(chatInput) ? [chatInput] : written.map(([, value]) => value))
		.flat()
		.filter(isText);
}

/** Without those that n8n adds. */
const listFields = (data: Item) =>
	Object.entries(data).filter(([name]) => !['respondedAt', 'responder'].includes(name));

/** Who answered, and when, as n8n reports it for its "Send and Wait for Response" operations. */
export function readPerson(added: readonly Item[]) {
	const [data = {}] = added.flatMap((item) => (isPlainObject(item['data']) ? [item['data']] : []));
	return omitMissing({
		respondedAt: firstText(data['respondedAt']),
		respondedBy: nameOf(data['responder']),
	});
}

export function nameOf(responder: unknown): string | undefined {
	if (!isPlainObject(responder)) return firstText(responder);
	const { name, username, email, id } = responder;
	return firstText(name, username, email, id);
}

export const firstText = (...values: unknown[]) => values.find(isText);

const isText = (value: unknown): value is string =>
	typeof value === 'string' && value.trim() !== '';
