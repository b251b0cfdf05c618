import { hash } from 'crypto';

import { ServiceError } from '../../../src/core/errors';
import type { Ledger } from '../../../src/ledger/ledger';
import {
	findChat,
	MAX_CHATS,
	type RememberedChat,
	rememberChat,
} from '../../../src/ledger/sessionChats';
import type { OperationContext } from '../../../src/n8n/operation';
import { REMEMBERING, type ChatChoice } from './chat';

type ChatContext = Pick<
	OperationContext<{ chat: ChatChoice }>,
	'request' | 'flowState' | 'origin' | 'recordId' | 'addHint'
>;

/** The chat of one question. */
export interface Chat {
	/** The chat to continue; undefined for a new one. */
	chatId: string | undefined;
	/** Whether the ID was remembered by an earlier execution: the chat may be gone. */
	isRemembered: boolean;
	/** To be called with the chat's ID as soon as it is known. */
	onChat(chatId: string): void;
	/** The service refused the remembered chat. */
	forget(): void;
	/** Remembers the chat beyond the execution. To be called after the answer, or what arrived of it. Never fails. */
	remember(): Promise<void>;
}

/**
 * Finds the chat of a question, and remembers a new one: during the execution, and beyond it in the job ledger.
 *
 * The answer is paid for: whatever happens to the ledger, it is only a hint.
 *
 * @param openLedger Opens the job ledger; undefined when the credential has none.
 */
export async function openChat(
	context: ChatContext,
	openLedger: (() => Promise<Ledger>) | undefined,
): Promise<Chat> {
	const { request, flowState, recordId } = context;
	const { chatId, session } = request.chat;
	const noMemory = { isRemembered: false, forget() {}, async remember() {} };
	if (session === undefined) return { chatId, ...noMemory, onChat: (id) => recordId('chat', id) };

	const name = `chat ${session}`;
	const inExecution = flowState.get(name);
	const ledger = openLedger && createLedgerMemory(context, session, openLedger);
	const remembered = inExecution === undefined ? await ledger?.find() : undefined;
	/** A chat that the ledger does not know yet. */
	let newChat: string | undefined;
	let refused: RememberedChat | undefined;
	return {
		chatId: inExecution ?? remembered?.chatId,
		isRemembered: remembered !== undefined,
		onChat(id) {
			recordId('chat', id);
			if (inExecution === undefined && (refused || !remembered)) newChat = id;
			flowState.set(name, id);
		},
		forget() {
			refused = remembered;
		},
		async remember() {
			if (newChat === undefined) return;
			if (ledger) await ledger.remember(newChat, refused);
			else hintForgetfulness(context);
		},
	};
}

/** The job ledger as a memory that cannot fail. */
function createLedgerMemory(
	{ origin, addHint }: ChatContext,
	session: string,
	openLedger: () => Promise<Ledger>,
) {
	const key = {
		account: origin.credential,
		// a session may be long, or contain what the table must not: a phone number, a key
		startKey: `chat:${hash('sha256', session, 'base64url')}`,
	};
	return {
		async find(): Promise<RememberedChat | undefined> {
			try {
				return await findChat(await openLedger(), key);
			} catch (cause) {
				addHint(
					`The chat of this session could not be looked up, so a new chat was started. ${reasonOf(cause)}`,
				);
				return undefined;
			}
		},
		async remember(chatId: string, refused: RememberedChat | undefined): Promise<void> {
			try {
				const { isOverfull } = await rememberChat(await openLedger(), key, chatId, refused);
				if (isOverfull) addHint(OVERFULL_NOTICE);
			} catch (cause) {
				addHint(
					`The chat of this session could not be remembered: the next message starts a new chat. ${reasonOf(cause)}`,
				);
			}
		},
	};
}

function hintForgetfulness({ request, addHint }: ChatContext): void {
	// a key is for the execution, unless there is a ledger
	if (!request.chat.isMissedLater) return;
	addHint(
		`A new chat was started: the chat of this session is not remembered. To continue it with the next message, turn on ${REMEMBERING}.`,
	);
}

const OVERFULL_NOTICE = `The job ledger has more than ${MAX_CHATS} chats. To delete those that were unused for longest, the n8n API key needs the scope dataTableRow:delete.`;

/** The failure and what to do, as sentences. */
function reasonOf(cause: unknown): string {
	if (!(cause instanceof ServiceError)) return String(cause);
	const { message, details } = cause;
	return [`${message}.`, details.advice].filter(Boolean).join(' ');
}
