import { hash } from 'crypto';

import { ServiceError } from '../../../src/core/errors';
import { openLedger } from '../../../src/ledger/dataTable';
import {
	findChat,
	MAX_CHATS,
	type RememberedChat,
	rememberChat,
} from '../../../src/ledger/sessionChats';
import type { OperationContext } from '../../../src/n8n/operation';
import { REMEMBERING, type ChatChoice } from './chat';

type ChatContext = OperationContext<{ chat: ChatChoice }>;

/** The chat of one question. */
export interface Chat {
	/** The chat to continue; undefined for a new one. */
	chatId: string | undefined;
	/** Whether the ID was remembered by an earlier execution: the chat may be gone. */
	isRemembered: boolean;
	/** To be called with the chat's ID as soon as it is known. */
	onChat(chatId: string): void;
	/** Remembers the chat beyond the execution. To be called after the answer, or what arrived of it. Never fails. */
	remember(): Promise<void>;
}

/** Finds the chat of a question, and remembers a new one: during the execution, and beyond it in the job ledger. */
export async function openChat(context: ChatContext): Promise<Chat> {
	const { request, flowState, recordId } = context;
	const { chatId, session } = request.chat;
	if (session === undefined)
		return {
			chatId,
			isRemembered: false,
			onChat: (id) => recordId('chat', id),
			async remember() {},
		};

	const name = `chat ${session}`;
	const inExecution = flowState.get(name);
	const memory = createMemory(context, session);
	const remembered = inExecution === undefined ? await memory.find() : undefined;
	/** A chat that the ledger does not know yet. */
	let newChat: string | undefined;
	return {
		chatId: inExecution ?? remembered?.chatId,
		isRemembered: remembered !== undefined,
		onChat(id) {
			recordId('chat', id);
			if (inExecution === undefined && id !== remembered?.chatId) newChat = id;
			flowState.set(name, id);
		},
		async remember() {
			if (newChat !== undefined) await memory.remember(newChat, remembered);
		},
	};
}

/** The job ledger as a memory that cannot fail: the answer is paid for, whatever happens to the ledger is only a hint. */
function createMemory(
	{ request, usesLedger, connectLedger, clock, origin, addHint }: ChatContext,
	session: string,
) {
	const open = async () => await openLedger(connectLedger(), clock, origin.execution);
	const key = {
		account: origin.credential,
		// a session may be long, or contain what the table must not: a phone number, a key
		startKey: `chat:${hash('sha256', session, 'base64url')}`,
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
		/** @param replaced The chat that the service no longer continues. */
		async remember(chatId: string, replaced: RememberedChat | undefined): Promise<void> {
			if (!usesLedger) {
				if (request.chat.isMissedLater) addHint(FORGOTTEN_NOTICE);
				return;
			}
			try {
				const { isOverfull } = await rememberChat(await open(), key, chatId, replaced);
				if (isOverfull) addHint(OVERFULL_NOTICE);
			} catch (cause) {
				addHint(
					`The chat of this session could not be remembered: the next message starts a new chat. ${reasonOf(cause)}`,
				);
			}
		},
	};
}

const FORGOTTEN_NOTICE = `A new chat was started: the chat of this session is not remembered. To continue it with the next message, turn on ${REMEMBERING}.`;

const OVERFULL_NOTICE = `The job ledger has more than ${MAX_CHATS} chats. To delete those that were unused for longest, the n8n API key needs the scope dataTableRow:delete.`;

/** The failure and what to do, as sentences. */
function reasonOf(cause: unknown): string {
	if (!(cause instanceof ServiceError)) return String(cause);
	const { message, details } = cause;
	return [`${message}.`, details.advice].filter(Boolean).join(' ');
}
