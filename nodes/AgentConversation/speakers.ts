import { type IDataObject, type IExecuteFunctions, SEND_AND_WAIT_OPERATION } from 'n8n-workflow';

import type { AgentServer } from '../../src/agent/server';
import { SERVERS } from '../../src/agent/servers';
import type { Conversation, PendingTurn, Turn } from '../../src/conversation/conversation';
import { sumCosts } from '../../src/conversation/ending';
import { toHistory } from '../../src/conversation/nextTurn';
import type { WaitingIds } from '../../src/conversation/waiting';
import type { AttachedTool } from '../../src/n8n/attachedTools';
import { findNode, getNodeType } from '../../src/n8n/platform';

/** Whether it is the type of a node of this package: they share a prefix. */
export const isOurType = (n8n: IExecuteFunctions, type: string | undefined) => {
	const { type: own } = n8n.getNode();
	return type?.startsWith(own.slice(0, own.lastIndexOf('.') + 1)) === true;
};

export const isOurs = (n8n: IExecuteFunctions, tool: AttachedTool | undefined) =>
	isOurType(n8n, tool?.type);

/** What a speaker is, as far as that matters. */
type Kind =
	// n8n's agent
	| 'agentTool'
	// a person in n8n's chat
	| 'chatTool'
	// its service assigns the IDs of its chats
	| 'marketAssistantTool'
	// a model has no session and no memory: its input includes the earlier messages
	| 'modelRouterTool'
	// for the end of a workflow, the execution may wait
	| 'toolWorkflow'
	// its credential is that of one agent
	| 'workspaceAgentTool';

export const isKind = (tool: AttachedTool | undefined, kind: Kind) =>
	tool?.type.slice(tool.type.lastIndexOf('.') + 1) === kind;

/** Whether a speaker writes its answer into the chat itself, word by word, without its name: n8n's agent, unless its option says no. */
export function writesItself(n8n: IExecuteFunctions, tool: AttachedTool): boolean {
	const options = findNode(n8n, tool.node)?.parameters['options'] as IDataObject | undefined;
	return isKind(tool, 'agentTool') && options?.['enableStreaming'] !== false;
}

/** The node that asks a person when the speaker has its turn, for which the execution waits: its review, or the speaker itself. */
export function findAsker(n8n: IExecuteFunctions, { node, review }: AttachedTool) {
	if (review) return review.node;
	const isPerson = findNode(n8n, node)?.parameters['operation'] === SEND_AND_WAIT_OPERATION;
	return isPerson ? node : undefined;
}

/** Whether a person is asked in n8n's chat for the approval of a turn. */
export const isChatReview = (n8n: IExecuteFunctions, { node }: { node: string }) =>
	/\.chatHitlTool$/.test(getNodeType(n8n, node) ?? '');

/**
 * What a speaker's node is given for one turn, on top of the conversation's own item.
 *
 * Each field is set for its recipient, even if empty: a field of the same name in the conversation's item must not get through.
 */
export function toTurnInput(
	conversation: Conversation,
	pending: PendingTurn,
	tool: AttachedTool,
	{ showLive, spendingLabel }: { showLive: boolean; spendingLabel: string },
): IDataObject {
	const { id, ids, turns, rules } = conversation;
	const { speaker, turn, message, messageId } = pending;
	const { sessionId = '', chatId = '' } = ids[speaker] ?? {};
	const byKey = tool.keys.map((key) => [key, /session/i.test(key) ? sessionId : message] as const);
	return {
		...Object.fromEntries(byKey),
		message,
		input: message,
		conversationId: id,
		turn,
		messageId,
		sessionId,
		taskId: '',
		showLive,
		...((isKind(tool, 'marketAssistantTool') || isKind(tool, 'workspaceAgentTool')) && { chatId }),
		...(isKind(tool, 'workspaceAgentTool') && toRemoteInput(conversation, pending)),
		...(isKind(tool, 'modelRouterTool') && {
			history: toHistory(conversation, speaker) as unknown as IDataObject[],
			spendingLabel,
			budget: { cap: rules.spendingCap, spent: sumCosts(turns) },
		}),
		...(tool.tool !== undefined && { tool: tool.tool }),
	};
}

/** What a remote agent is given on top of that. What its server says counts in a check, not what is known here. */
function toRemoteInput(
	conversation: Conversation,
	{ speaker, decision, isCheck }: PendingTurn,
): IDataObject {
	const { ids, rules, approval } = conversation;
	const { sessionAt = '', ...waits } = ids[speaker] ?? {};
	const { taskId = '', waiting }: WaitingIds = isCheck ? {} : waits;
	return {
		sessionAt,
		taskId,
		// a decision is for what was shown
		waitsFor: { kind: waiting ?? '', ...(decision && { text: approval?.text }) },
		decision: isCheck ? 'check' : (decision ?? ''),
		// a message with everything in it needs nothing else
		history: (rules.hearing !== 'all' || !!decision) && toRemoteHistory(conversation, speaker),
	};
}

/**
 * What was said before to an agent that remembers nothing, in an earlier conversation: of this one, its node knows it, so that not each turn
 * stores it again.
 */
function toRemoteHistory(conversation: Conversation, speaker: string): IDataObject[] {
	const { turns, earlier, rules } = conversation;
	const hasAll = rules.hearing === 'all';
	const last = turns.findLastIndex((turn) => turn.speaker === speaker && !turn.failed);
	const row = rowOf(turns[last]);
	// a table may not have the column
	if ((last >= earlier && !hasAll) || (row && !row.history)) return [];
	const heard = hasAll ? { ...rules, hearing: 'sinceOwnTurn' as const } : rules;
	// its node leaves out what is too much, and says so
	return toHistory({ ...conversation, rules: heard }, speaker, Infinity).map(
		({ role, content }) => ({
			role: role === 'user' ? role : 'agent',
			text: content,
		}),
	);
}

/** What a turn says about the server of its speaker. */
export const rowOf = (turn: Turn | undefined): AgentServer | undefined =>
	SERVERS.find(({ name }) => name === turn?.server);
