import type { IExecuteFunctions } from 'n8n-workflow';

import { findCaller, type Caller } from './caller';

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
	 * Reads what was said before in the conversation in which the node speaks.
	 *
	 * @returns whatever is in the item; undefined unless a conversation runs the node.
	 */
	readHistory(): unknown;
	/**
	 * Reads the session ID that the workflow's Chat Trigger gave out, as n8n's memory nodes do with "Connected Chat Trigger Node".
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
		readHistory: () => (caller === 'conversation' ? item?.['history'] : undefined),
		readChatSession: () => toText(readTriggerSession(n8n, itemIndex)),
	};
}

function readTriggerSession(n8n: IExecuteFunctions, itemIndex: number): unknown {
	const trigger = n8n.getChatTrigger();
	if (!trigger) return undefined;
	try {
		const first = `{{ $(${JSON.stringify(trigger.name)}).first().json.sessionId }}`;
		return n8n.evaluateExpression(first, itemIndex);
	} catch {
		// another trigger started the workflow
		return undefined;
	}
}

function toText(value: unknown): string | undefined {
	const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
	return text.trim() ? text : undefined;
}
