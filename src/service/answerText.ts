import { isObject } from './json';

/**
 * Where the text of an answer may stand, the likeliest first. The specification shows neither the agent's events nor the
 * assistant's complete answer, so every plausible place is looked at, and the raw value is kept beside what was found.
 */
const PLACES = [
	'output_text',
	'answer',
	'text',
	'content',
	't',
	'delta',
	'token',
	'message',
	'output',
	'response',
	'analysis',
	'result',
	'reply',
	'completion',
	'summary',
	'parts',
	'choices',
	'messages',
	'data',
	'chunk',
	'value',
	'payload',
	'body',
];

/** What a service says of its answer in a `message` beside it. */
const ALL_WELL = /^(ok|okay|success|successful|done|completed)[.!]?$/i;

/** How deep a text may be hidden. */
const MAX_DEPTH = 8;

/**
 * Finds the text in an answer whose shape is not specified.
 *
 * Of a list of messages with roles only the assistant's count; several parts are joined.
 *
 * @returns undefined when there is no text in any known place.
 */
export function findAnswerText(value: unknown, depth = 0): string | undefined {
	if (typeof value === 'string') return value;
	if (depth > MAX_DEPTH) return undefined;
	if (Array.isArray(value)) return textOfList(value, depth);
	if (!isObject(value)) return undefined;
	/** Nothing, or only that all went well: it counts where there is no other text. */
	let poor: string | undefined;
	for (const place of PLACES) {
		const found = findAnswerText(value[place], depth + 1);
		if (found && !(place === 'message' && ALL_WELL.test(found))) return found;
		poor ??= found;
	}
	return poor;
}

/**
 * Finds the text at a place that the user named.
 *
 * @param path Field names with dots between them, e.g. `data.reply`; a number is a place in a list.
 * @returns undefined when there is nothing at that place; a text that has no fields is the text itself.
 */
export function textAt(value: unknown, path: string): string | undefined {
	if (typeof value === 'string') return value;
	let at = value;
	for (const name of path.split('.')) {
		if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
		at = (at as Record<string, unknown>)[name];
	}
	return findAnswerText(at);
}

function textOfList(list: unknown[], depth: number): string | undefined {
	const hasRoles = list.some((entry) => isObject(entry) && isAnswerRole(entry['role']));
	const texts = list
		.filter((entry) => !hasRoles || (isObject(entry) && isAnswerRole(entry['role'])))
		.map((entry) => findAnswerText(entry, depth + 1))
		.filter((text) => text !== undefined);
	return texts.length ? texts.join(hasRoles ? '\n\n' : '') : undefined;
}

const isAnswerRole = (role: unknown) => role === 'assistant' || role === 'agent' || role === 'bot';
