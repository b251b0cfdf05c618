import {
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	NodeOperationError,
} from 'n8n-workflow';

import type { Conversation } from '../../src/conversation/conversation';
import type { EndingKind } from '../../src/conversation/ending';
import type { Reply } from '../../src/conversation/reply';
import { toResult } from '../../src/conversation/transcript';
import type { AttachedTool } from '../../src/n8n/attachedTools';
import { createLiveOutput, speakerHeading } from '../../src/n8n/liveOutput';
import { recordConversation } from '../../src/n8n/recordIds';
import { isAgentTool } from './speakers';
import type { Settings, State } from './state';

/**
 * The results of all conversations, linked to the items that began them.
 *
 * Never a field `error` in an item: with Retry On Fail n8n would call the node again without the answers, and all turns would be sent
 * again, endlessly (n8n-core 2.41.1, workflow-execute.js:1232). An item that began no conversation has an `error` beside its `json`,
 * which n8n turns into that field later.
 */
export function toOutput(n8n: IExecuteFunctions, { items, source }: State): INodeExecutionData[] {
	return items.flatMap((state, item): INodeExecutionData[] => {
		const pairedItem = { item, ...(source && { sourceOverwrite: source }) };
		if ('refusal' in state) {
			const { message, description } = state.refusal;
			const error = new NodeOperationError(n8n.getNode(), message, {
				itemIndex: item,
				...(description && { description }),
			});
			return [{ json: {}, error, pairedItem }];
		}
		const result = toResult(state.conversation);
		const rows: object[] = state.settings.outputMode === 'turns' ? result.transcript : [result];
		return rows.map((json) => ({ json: json as IDataObject, pairedItem }));
	});
}

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

/** Names the speaker whose own node writes its answer into the chat without a name. */
export async function announceSpeaker(
	n8n: IExecuteFunctions,
	itemIndex: number,
	settings: Settings,
	tool: AttachedTool | undefined,
): Promise<void> {
	if (tool && isAgentTool(tool)) await write(n8n, itemIndex, settings, speakerHeading(tool.node));
}

/** Shows what was said, unless the speaker's own node has written it. */
export async function showTurn(
	n8n: IExecuteFunctions,
	itemIndex: number,
	settings: Settings,
	tool: AttachedTool | undefined,
	{ turns, pending }: Conversation,
	{ text, failure, wasShown }: Reply,
): Promise<void> {
	// a turn that is asked once more shows nothing yet
	const turn = pending ? undefined : turns.at(-1);
	if (!tool || !turn || wasShown || (isAgentTool(tool) && !failure)) return;
	if (text.trim()) await write(n8n, itemIndex, settings, `${speakerHeading(turn.speaker)}${text}`);
}

/** Says why a conversation ended, unless it has come to an end that was to be expected. */
export async function showEnding(
	n8n: IExecuteFunctions,
	itemIndex: number,
	settings: Settings,
	{ ending }: Conversation,
): Promise<void> {
	if (!ending || EXPECTED_ENDINGS.has(ending.kind)) return;
	const { reason, failure } = ending;
	await write(n8n, itemIndex, settings, failure ? `${reason}. ${failure.error}` : `${reason}.`);
}

const EXPECTED_ENDINGS = new Set<EndingKind>([
	'moderator',
	'stopPattern',
	'stopPhrase',
	'turnLimit',
]);

async function write(
	n8n: IExecuteFunctions,
	itemIndex: number,
	{ showLive }: Settings,
	text: string,
): Promise<void> {
	if (!showLive || !n8n.isStreaming()) return;
	const output = createLiveOutput(n8n, itemIndex);
	await output.write(text);
	await output.end();
}
