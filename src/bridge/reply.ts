import { extractText } from '../core/extractText';
import { isPlainObject } from '../core/json';

/** What came back from a speaker. */
export interface Reply {
	text: string;
	/** A field that was to hold the text, and is not there. */
	missing?: string;
	sessionId?: string;
	chatId?: string;
	/** Set when the speaker failed. */
	failure?: Failure;
}

export interface Failure {
	error: string;
	details?: unknown;
}

/**
 * Finds what a speaker said in the items that its node gave.
 *
 * `output` comes first, since n8n's own agents and the nodes of this pack name it so. The texts of several items are joined.
 *
 * @param sent What was handed to the speaker: where a node passes it on, it is no answer.
 * @param answerField Path of the field that holds the text; empty to look in all usual places.
 */
export function toReply(
	items: ReadonlyArray<Record<string, unknown>>,
	sent: Record<string, unknown>,
	answerField: string,
): Reply {
	const ids = {
		...idFrom(items, 'sessionId'),
		...idFrom(items, 'chatId'),
	};
	const failed = items.find(({ error }) => isError(error));
	if (failed) return { text: '', ...ids, failure: toFailure(failed) };
	const values = items.map((item) =>
		answerField ? valueAt(item, answerField) : ownAnswer(item, sent),
	);
	const missing = answerField && values.every((value) => value === undefined);
	const text = values
		.map(toText)
		.filter((said) => said.trim())
		.join('\n\n')
		// half a character, as a cut emoji leaves it, could not be sent on
		.toWellFormed();
	return { text, ...ids, ...(missing && { missing: answerField }) };
}

function ownAnswer(item: Record<string, unknown>, sent: Record<string, unknown>): unknown {
	if (item['output'] !== undefined && item['output'] !== null) return item['output'];
	const own = Object.entries(item).filter(([name, value]) => !isSame(value, sent[name]));
	return extractText(Object.fromEntries(own));
}

function valueAt(item: Record<string, unknown>, path: string): unknown {
	if (Object.hasOwn(item, path)) return item[path];
	return path
		.split('.')
		.reduce<unknown>(
			(value, name) =>
				typeof value === 'object' && value !== null && Object.hasOwn(value, name)
					? (value as Record<string, unknown>)[name]
					: undefined,
			item,
		);
}

function toText(value: unknown): string {
	if (typeof value === 'string') return value;
	if (value === undefined || value === null) return '';
	return extractText(value) ?? JSON.stringify(value);
}

/** As n8n has it, but that an empty text says nothing. */
const isError = (error: unknown) =>
	error !== undefined && error !== null && error !== false && error !== '';

function toFailure({ error, details }: Record<string, unknown>): Failure {
	const message = isPlainObject(error) ? error['message'] : error;
	return {
		error: typeof message === 'string' && message ? message : JSON.stringify(error),
		...(details !== undefined && { details }),
	};
}

function idFrom(items: ReadonlyArray<Record<string, unknown>>, name: 'sessionId' | 'chatId') {
	const found = items.map((item) => item[name]).find((id) => typeof id === 'string' && id !== '');
	return found === undefined ? {} : { [name]: found as string };
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
