import { invalidInputError } from '../core/errors';
import { isPlainObject } from '../core/json';
import { fill } from './asking';
import type { AgentServer, Said } from './server';

/** Of all messages in a request. */
const MAX_MESSAGES = 200;
/** Of their texts and IDs. What a row adds to 200 messages is far less than what is missing to 1 MiB. */
const MAX_BYTES = 1_000_000;

/**
 * Reads what an item hands over.
 *
 * @throws ServiceError `invalid` for anything that is no list of messages.
 */
export function readHistory(value: unknown): Said[] {
	if (value === undefined || value === null) return [];
	if (!Array.isArray(value)) throw malformedError('It is no list');
	return value.map((entry: unknown, index) => {
		const { role, text, id } = isPlainObject(entry) ? entry : {};
		if ((role !== 'user' && role !== 'agent') || typeof text !== 'string')
			throw malformedError(`Entry ${index + 1} has no "role" (user or agent) and "text"`);
		return { role, text, ...(typeof id === 'string' && id && { id }) };
	});
}

const malformedError = (what: string) =>
	invalidInputError(
		'"history" of the item is not the history of a conversation',
		`${what}. Nothing was sent. Hand over the "history" of an earlier answer unchanged, or leave it out.`,
	);

/**
 * The messages that fit into a request, the last of which is the one to send. The oldest are left out as a whole, so that those that remain
 * begin with one of the user.
 */
export function limitHistory(all: readonly Said[]): { history: readonly Said[]; omitted: number } {
	let bytes = 0;
	const tooMuch = all.findLastIndex((said, index) => {
		bytes += Buffer.byteLength(JSON.stringify(said));
		return index < all.length - 1 && (bytes > MAX_BYTES || all.length - index > MAX_MESSAGES);
	});
	const fitting = all.slice(tooMuch + 1);
	const first = tooMuch < 0 ? 0 : fitting.findIndex(({ role }) => role === 'user');
	const history = fitting.slice(first);
	return { history, omitted: all.length - history.length };
}

/** Each message as the row has it. @returns undefined for a server that remembers. */
export const toMessages = (
	{ history: forms }: AgentServer,
	history: readonly Said[] = [],
	newId: () => string,
): unknown[] | undefined =>
	forms &&
	history.map(({ role, text, id }) => fill(forms[role], { message: text }, () => id ?? newId()));
