import type { IExecuteFunctions } from 'n8n-workflow';

import { findCaller, type Caller } from './caller';
import { listOutputs } from './platform';
import { parseUuid } from './uuid';

/** What comes with an item from the nodes before: a chat, a conversation, an earlier answer. */
export interface HandedOver {
	caller: Caller;
	/**
	 * Reads a text or a number from the item.
	 *
	 * For an AI agent's tool, the item does not count: n8n copies all that the model gives into it, and the model could choose whose
	 * conversation is continued (n8n-core 2.41.1, requests-response.js:67). That of a speaker in a conversation does: no model gives it.
	 *
	 * @returns undefined for anything else, and for a blank text.
	 */
	readItem(field: string): string | undefined;
	/**
	 * Whether a visitor of n8n's chat wrote that value, and the item has it directly or through other nodes: n8n's Chat Trigger hands over
	 * all that the visitor's program sends (n8n-nodes-langchain 2.41, ChatTrigger.node.js:1049).
	 */
	isFromVisitor(field: string): boolean;
	/**
	 * Reads what was said before in the conversation in which the node speaks.
	 *
	 * @returns whatever is in the item; undefined unless a conversation runs the node.
	 */
	readHistory(): unknown;
	/**
	 * Reads the session ID that the Chat Trigger gave out by which the execution was started, as n8n's memory nodes do with "Connected Chat
	 * Trigger Node".
	 *
	 * @returns undefined when no Chat Trigger has run.
	 * @see n8n-nodes-langchain 2.41, utils/helpers.js, getSessionId
	 */
	readChatSession(): string | undefined;
}

export function readHandedOver(n8n: IExecuteFunctions, itemIndex: number): HandedOver {
	const caller = findCaller(n8n);
	const item = caller === 'aiAgent' ? undefined : n8n.getInputData()[itemIndex]?.json;
	return {
		caller,
		readItem: (field) => toText(item?.[field]),
		isFromVisitor(field) {
			if (caller !== 'workflow') return false;
			const value = toComparable(item?.[field]);
			return listOutputs(n8n, CHAT_TYPES).some((said) => toComparable(said[field]) === value);
		},
		readHistory: () => (caller === 'conversation' ? item?.['history'] : undefined),
		readChatSession: () => toText(listOutputs(n8n, TRIGGER_TYPES)[0]?.['sessionId']),
	};
}

const TRIGGER_TYPES = /^@n8n\/n8n-nodes-langchain\.(chatTrigger|manualChatTrigger)$/;
/** All nodes whose items a visitor writes: also the one by which a chat goes on. */
const CHAT_TYPES = /^@n8n\/n8n-nodes-langchain\.(chat|chatTrigger|manualChatTrigger)$/;

function toText(value: unknown): string | undefined {
	const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
	return text.trim() ? text : undefined;
}

/** The same for every spelling that leads to the same session. */
function toComparable(value: unknown): string | undefined {
	const text = toText(value)?.trim();
	return text && (parseUuid(text)?.toLowerCase() ?? text);
}
