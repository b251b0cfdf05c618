import { hash } from 'crypto';

import { sentencesOf, withFullStop } from '../src/core/errors';
import { openLedger } from '../src/ledger/openLedger';
import { findChat, MAX_CHATS, rememberChat, type RememberedChat } from '../src/ledger/sessionChats';
import type { OperationContext } from '../src/n8n/operation';
import type { SessionSource } from '../src/n8n/chatInput.params';

/** The chat of one item, and why it was chosen. */
export interface ChatChoice {
	source: SessionSource;
	/** The chat to continue, if its ID is known at once. */
	chatId?: string;
	/** The session whose chat is looked up and remembered. */
	session?: string;
	/** Whether the user will miss the chat if it is forgotten when the execution ends. */
	isMissedLater?: boolean;
}

type ChatContext = OperationContext<{ chat: ChatChoice }>;

/** The chat of one question. */
export type Chat = Awaited<ReturnType<typeof openChat>>;

/**
 * Finds the chat of a question, and remembers a new one: during the execution, and beyond it in the job ledger.
 *
 * @param remembering What does that, as the editor names it.
 */
export async function openChat(context: ChatContext, remembering: string) {
	const { request, flowState, recordId } = context;
	const { source, chatId, session } = request.chat;
	if (session === undefined)
		return {
			chatId,
			isRemembered: false,
			onChat: (id: string) => recordId('chat', id),
			async remember() {},
		};

	const name = `chat ${session}`;
	const inExecution = flowState.get(name);
	const memory = createMemory(context, session, remembering);
	/** A new session is known to this execution alone. */
	const isKept = source !== 'new';
	// what an item hands over may be older than this execution; a conversation says where it goes on
	const isNamed = source === 'key' || source === 'id';
	const known =
		source === 'conversation'
			? (chatId ?? inExecution)
			: (inExecution ?? (isNamed ? undefined : chatId));
	const remembered = isKept && known === undefined ? await memory.find() : undefined;
	const recorded = known ?? remembered?.chatId;
	// an item may be from any earlier message of a session that the node names
	const before = recorded ?? chatId;
	/** A chat that the ledger does not know yet. */
	let newChat: string | undefined;
	return {
		/** The chat to continue; undefined for a new one. */
		chatId: before,
		/** Whether the ID was remembered by an earlier execution: the chat may be gone. */
		isRemembered: remembered !== undefined,
		/** To be called with the chat's ID as soon as it is known. */
		onChat(id: string) {
			recordId('chat', id);
			if (id !== recorded) newChat = id;
			flowState.set(name, id);
		},
		/** Remembers the chat beyond the execution. To be called after the answer, complete or not. Never fails. */
		async remember() {
			if (isKept && newChat !== undefined)
				await memory.remember(newChat, known === undefined ? remembered : 'last');
		},
	};
}

/** The job ledger as a memory that never fails: the answer is paid for, so a problem with the ledger is only a hint. */
function createMemory(
	{ request, usesLedger, connectLedger, clock, origin, addHint }: ChatContext,
	session: string,
	remembering: string,
) {
	const open = async () => await openLedger(connectLedger(), clock, origin.executionId);
	const key = {
		credentialId: origin.credentialId,
		// a session may be long, or contain what must not be in the table: a phone number, a key
		uniqueKey: `chat:${hash('sha256', ofAccount(origin, session), 'base64url')}`,
	};
	return {
		async find(): Promise<RememberedChat | undefined> {
			if (!usesLedger) return undefined;
			try {
				return await findChat(await open(), key);
			} catch (cause) {
				addHint(
					`The chat of this session could not be looked up, so a new chat was started. ${reasonOf(cause)}`,
				);
				return undefined;
			}
		},
		/**
		 * @param replaced The chat that the service no longer continues, or the last one of those whose answers have a new ID each.
		 */
		async remember(chatId: string, replaced: RememberedChat | undefined | 'last'): Promise<void> {
			if (!usesLedger) {
				if (replaced !== 'last' && !request.chat.chatId && request.chat.isMissedLater)
					addHint(forgottenNotice(remembering));
				return;
			}
			try {
				const ledger = await open();
				const known = replaced === 'last' ? await findChat(ledger, key) : replaced;
				const { isOverfull } = await rememberChat(ledger, key, chatId, known);
				if (isOverfull) addHint(OVERFULL_NOTICE);
			} catch (cause) {
				addHint(
					`The chat of this session could not be remembered: the next message starts a new chat. ${reasonOf(cause)}`,
				);
			}
		},
	};
}

/** The chat of an account that comes from an item is not that of another item's account. */
const ofAccount = ({ credentialId, scope }: ChatContext['origin'], session: string) =>
	scope === credentialId ? session : `${scope}\n${session}`;

const forgottenNotice = (remembering: string) =>
	`A new chat was started: the chat of this session is not remembered. To continue it with the next message, turn on ${remembering}.`;

const OVERFULL_NOTICE = `The job ledger has more than ${MAX_CHATS} chats. To delete the least recently used ones, the n8n API key needs the scope dataTableRow:delete.`;

/** The failure and what to do, as sentences. */
const reasonOf = (cause: unknown) => withFullStop(sentencesOf(cause, 'advice'));
