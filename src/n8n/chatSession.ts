import type { IExecuteFunctions } from 'n8n-workflow';

/**
 * The id of the chat session that an item belongs to, found as n8n's memory nodes find it under "Connected Chat Trigger Node":
 * in the item itself, or else in what the workflow's Chat Trigger gave.
 *
 * @returns undefined when there is none.
 * @see n8n-nodes-langchain 2.41, utils/helpers.js, getSessionId
 */
export function chatSession(n8n: IExecuteFunctions, itemIndex: number): string | undefined {
	return (
		sessionIn(n8n.getInputData()[itemIndex]?.json['sessionId']) ??
		sessionIn(fromTrigger(n8n, itemIndex))
	);
}

function fromTrigger(n8n: IExecuteFunctions, itemIndex: number): unknown {
	const trigger = n8n.getChatTrigger();
	if (!trigger) return undefined;
	try {
		const first = `{{ $(${JSON.stringify(trigger.name)}).first().json.sessionId }}`;
		return n8n.evaluateExpression(first, itemIndex);
	} catch {
		// the workflow was begun by another trigger
		return undefined;
	}
}

function sessionIn(value: unknown): string | undefined {
	const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
	return text || undefined;
}
