import { isPlainObject, tryParseJson } from '../core/json';
import { ServiceError } from '../core/errors';
import { applyUpdate, enterRow, type Ledger } from './ledger';
import { anyOf, chunks, findAllRows, MAX_CLAUSES, where } from '../tables/table';

/** The session whose chat is remembered. */
interface ChatSession {
	/** Identifies the credential. */
	credentialId: string;
	/** Identifies the session; no other row of the ledger has this as its key. */
	uniqueKey: string;
}

/** A chat as the ledger knows it. */
export interface RememberedChat {
	chatId: string;
	/** The row's ID. */
	id: number;
	/** The row's content, to be compared when it is replaced. */
	record: string;
}

/** Chats per credential. The least recently used ones are forgotten. */
export const MAX_CHATS = 1000;
/** Milliseconds after which the use of a chat is recorded again. */
const USE_INTERVAL = 3_600_000;
/** How many chats are added for each time that they are counted: n8n cannot count rows, so all of them are read. */
const ADDED_PER_COUNT = 50;

/**
 * Finds the chat of a session. Of several rows the first that can be read counts: they were added by questions that were asked at the same time.
 *
 * @throws ServiceError when the ledger cannot be used.
 */
export async function findChat(
	{ table, clock, executionId }: Ledger,
	session: ChatSession,
): Promise<RememberedChat | undefined> {
	const rows = await table.find(where({ ...session, state: 'chat' }));
	const row = rows.find(({ record }) => readChatId(record));
	const chatId = row && readChatId(row.record);
	if (!chatId) return undefined;
	const { id, record, startedAt } = row;
	const now = clock.now();
	if (Math.abs(now - startedAt) > USE_INTERVAL)
		await applyUpdate(table, 'changeChat', { id, record }, { startedAt: now, executionId });
	return { chatId, id, record };
}

/**
 * Remembers the chat of a session, unless it has one.
 *
 * @param refused A chat that the service no longer continues. It is replaced.
 * @returns whether there are more chats than are kept, because the key may not delete rows.
 * @throws ServiceError when the ledger cannot be used.
 */
export async function rememberChat(
	ledger: Ledger,
	session: ChatSession,
	chatId: string,
	refused?: RememberedChat,
): Promise<{ isOverfull: boolean }> {
	const { table, clock, executionId } = ledger;
	const entry = { record: JSON.stringify({ chatId }), startedAt: clock.now(), executionId };
	if (refused) {
		const { id, record } = refused;
		await applyUpdate(table, 'changeChat', { id, record }, entry);
		return { isOverfull: false };
	}
	if (await findChat(ledger, session)) return { isOverfull: false };
	await enterRow(table, 'enterChat', { ...session, ...entry });
	if (clock.random() * ADDED_PER_COUNT >= 1) return { isOverfull: false };
	return { isOverfull: !(await forgetUnusedChats(ledger, session.credentialId)) };
}

/** @returns false if n8n's API key may not delete rows. */
async function forgetUnusedChats({ table }: Ledger, credentialId: string): Promise<boolean> {
	const rows = await findAllRows(table, { state: 'chat', credentialId });
	const unused = rows
		.sort((one, other) => one.startedAt - other.startedAt)
		.slice(0, Math.max(0, rows.length - MAX_CHATS))
		.map(({ id }) => id);
	try {
		for (const chunk of chunks(unused, MAX_CLAUSES)) await table.remove(anyOf('id', chunk));
		return true;
	} catch (cause) {
		// other failures pass: a later question deletes the rows
		return !(cause instanceof ServiceError && cause.details.status === 403);
	}
}

/** @returns undefined for a row that a person has changed, and for a chat ID from which an API key was removed. */
function readChatId(record: string): string | undefined {
	const stored = tryParseJson(record);
	const chatId = isPlainObject(stored) ? stored['chatId'] : undefined;
	return typeof chatId === 'string' && !chatId.includes('***') ? chatId : undefined;
}
