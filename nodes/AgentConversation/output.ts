import {
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	NodeOperationError,
} from 'n8n-workflow';

import type { Conversation } from '../../src/conversation/conversation';
import { type EndingKind, failsNode, sumCosts } from '../../src/conversation/ending';
import { Big } from '../../src/core/money';
import type { Reply } from '../../src/conversation/reply';
import { listCosts, toResult } from '../../src/conversation/transcript';
import type { AttachedTool } from '../../src/n8n/attachedTools';
import { continuesOnFail, forVisitor } from '../../src/n8n/errors';
import { createExecutionCosts } from '../../src/n8n/memory/executionMemory';
import { createLiveOutput, speakerHeading } from '../../src/n8n/liveOutput';
import { recordConversation } from '../../src/n8n/recordIds';
import { getRunIndex } from '../../src/n8n/platform';
import { showHints } from './hints';
import type { ItemState, Settings, State } from './request';
import { isOurs, writesItself } from './speakers';

/**
 * The results of all conversations, linked to the items that began them.
 *
 * Never a field `error` in an item: with Retry On Fail n8n would call the node again without the answers, and all turns would be sent
 * again, endlessly (n8n-core 2.41.1, workflow-execute.js:1232). An item that could not start a conversation has an `error` next to its `json`,
 * which n8n turns into that field later.
 */
export function toOutput(
	n8n: IExecuteFunctions,
	{ items, speakers, source }: State,
): INodeExecutionData[] {
	rejectFailed(n8n, items);
	showHints(n8n, { items, speakers });
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
		if (failsNode(state.conversation) && !n8n.getNode().retryOnFail)
			return [
				{
					json: { error: describeFailure(state.conversation), details: { ...result } },
					pairedItem,
				},
			];
		const rows: object[] = state.settings.outputMode === 'turns' ? result.transcript : [result];
		return rows.map((json) => ({ json: json as IDataObject, pairedItem }));
	});
}

const describeFailure = ({ ending }: Conversation) =>
	[ending?.reason, ending?.failure?.error].filter(Boolean).join(': ');

/**
 * Fails the node if the user chose that. n8n then keeps no items, so the error contains all conversations. On Retry On Fail, n8n hands
 * over the same answers again: the node fails again, and nothing is sent.
 *
 * @throws NodeOperationError unless the node continues on failure.
 */
function rejectFailed(n8n: IExecuteFunctions, items: ItemState[]): void {
	const itemIndex = items.findIndex(
		(state) => 'conversation' in state && failsNode(state.conversation),
	);
	const failed = items[itemIndex];
	if (!failed || 'refusal' in failed || continuesOnFail(n8n)) return;
	const error = new NodeOperationError(n8n.getNode(), describeFailure(failed.conversation), {
		itemIndex,
		description: 'All turns are in the data of this error, under "conversations".',
	});
	const results: object[] = items.flatMap((state) =>
		'conversation' in state ? [toResult(state.conversation)] : [],
	);
	error.context['metadata'] = { conversations: results as IDataObject[] };
	throw forVisitor(n8n, error);
}

/** Writes the progress of a conversation to the log and the execution's custom data: after Stop, n8n keeps no output of the node. */
export function recordProgress(
	n8n: IExecuteFunctions,
	itemIndex: number,
	conversation: Conversation,
	speakers: State['speakers'],
): void {
	const { id, ids, turns, earlier, pending, ending } = conversation;
	const last = turns.at(-1);
	const count = turns.length - earlier;
	const state = ending ? `ended: ${ending.kind}` : pending ? `asked: ${pending.speaker}` : '';
	const sessions = Object.entries(ids).map(([name, { sessionId, chatId }]) =>
		[name, chatId ?? sessionId].filter(Boolean).join(' '),
	);
	// our own nodes count by themselves
	const others = turns.slice(earlier).filter(({ speaker }) => !isOurs(n8n, speakers[speaker]));
	const costs = listCosts({ turns: others });
	const key = [n8n.getNode().id, getRunIndex(n8n), itemIndex].join(' ');
	if (costs.length) createExecutionCosts(n8n, '').replace(key, new Big(sumCosts(costs)).times(1e6));
	recordConversation(n8n, itemIndex, {
		progress: `${id}, turns: ${count}, ${state}`,
		failure: ending?.failure && describeFailure(conversation),
		sessions: sessions.join(', '),
		facts: { conversationId: id, turns: count, ...(ending && { ended: ending.kind }) },
		details: {
			...(last && { speaker: last.speaker, costUsd: last.costUsd, requestId: last.requestId }),
			...(pending && { asked: pending.speaker }),
			sessions: ids,
		},
	});
}

/** Writes a conversation into the chat, or to the caller of a streaming webhook, unless the user hides its turns. */
export function createDisplay(n8n: IExecuteFunctions, itemIndex: number, { showLive }: Settings) {
	const write = async (text: string) => {
		if (!showLive || !n8n.isStreaming()) return;
		const output = createLiveOutput(n8n, itemIndex);
		await output.write(text);
		await output.end();
	};
	return {
		/** Names the speaker whose own node writes its answer into the chat without a name. */
		async announceSpeaker(tool: AttachedTool | undefined): Promise<void> {
			if (tool && writesItself(n8n, tool)) await write(speakerHeading(tool.node));
		},
		/** Says that a person is asked: n8n ends the chat's answer when an execution waits, and shows nothing of what follows. */
		async announceWait(asker: string): Promise<void> {
			await write(
				`Waiting for an answer from "${asker}". The conversation goes on without this chat.`,
			);
		},
		/** Shows what was said, unless the speaker's own node has written it. */
		async showTurn(
			tool: AttachedTool | undefined,
			{ turns, pending }: Conversation,
			{ text, failure, wasShown }: Reply,
		): Promise<void> {
			// a turn that is asked again shows nothing yet
			const turn = pending ? undefined : turns.at(-1);
			if (!tool || !turn || wasShown || (writesItself(n8n, tool) && !failure)) return;
			if (text.trim()) await write(`${speakerHeading(turn.speaker)}${text}`);
		},
		/**
		 * Says why a conversation ended, unless it ended as planned. Who reads along may be a stranger: addresses, IDs and advice are only in
		 * the output and the log.
		 */
		async showEnding({ ending }: Conversation): Promise<void> {
			if (!ending || EXPECTED.has(ending.kind)) return;
			const { kind, reason, failure } = ending;
			const isOurs = kind === 'speakerFailed' || kind === 'spendingCap';
			const why = isOurs ? 'The conversation could not continue' : reason;
			await write(failure ? `${failure.speaker} could not answer.` : `${why}.`);
		},
	};
}

const EXPECTED = new Set<EndingKind>(['moderator', 'stopPattern', 'stopPhrase', 'turnLimit']);
