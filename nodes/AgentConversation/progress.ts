import type { IExecuteFunctions } from 'n8n-workflow';

import type { Conversation } from '../../src/conversation/conversation';
import { recordConversation } from '../../src/n8n/recordIds';

/** Writes to the log and to the execution's custom data how far a conversation has come: after Stop, n8n keeps no output of the node. */
export function recordProgress(
	n8n: IExecuteFunctions,
	itemIndex: number,
	{ id, ids, turns, earlier, pending, ending }: Conversation,
): void {
	const last = turns.at(-1);
	const count = turns.length - earlier;
	const state = ending ? `ended: ${ending.kind}` : pending ? `asked: ${pending.speaker}` : '';
	const sessions = Object.entries(ids).map(([name, { sessionId, chatId }]) =>
		[name, chatId ?? sessionId].filter(Boolean).join(' '),
	);
	recordConversation(n8n, itemIndex, {
		progress: `${id}, turns: ${count}, ${state}`,
		sessions: sessions.join(', '),
		details: {
			conversationId: id,
			turns: count,
			...(last && { speaker: last.speaker, costUsd: last.costUsd, requestId: last.requestId }),
			...(pending && { asked: pending.speaker }),
			...(ending && { ended: ending.kind }),
			sessions: ids,
		},
	});
}
