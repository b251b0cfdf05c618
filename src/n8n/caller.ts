import {
	type IExecuteData,
	type IExecuteFunctions,
	isHitlToolType,
	isToolType,
} from 'n8n-workflow';

import { invalidInputError } from '../core/errors';
import { mayStream } from './n8nVersions';
import {
	getNodeType,
	getRunData,
	getTypesServedBy,
	isStreamEnabled,
	listOutputs,
} from './platform';
import { parseUuid } from './uuid';

/**
 * Who runs the node: the workflow, an AI agent whose tool it is, or an Agent Conversation in which it speaks. Everything that may
 * call tools and is not a conversation counts as an AI agent.
 */
type Caller = 'workflow' | 'aiAgent' | 'conversation';

/**
 * Finds out who runs the node, from what n8n's engine recorded, and never from the item: n8n copies all that the model of an AI agent
 * gives into the item of its tool (n8n-core 2.41.1, requests-response.js:67).
 *
 * A person's review between a conversation and its speaker counts as the conversation if nothing else could have used it.
 */
export function findCaller(n8n: IExecuteFunctions): Caller {
	const { name, type } = n8n.getNode();
	if (!isToolType(type)) return 'workflow';
	const previous = findSource(n8n, name)?.previousNode;
	if (previous === undefined) return 'aiAgent';
	const callers = isReview(n8n, previous)
		? getTypesServedBy(n8n, previous)
		: [getNodeType(n8n, previous)];
	// the prefix of all types of a package is the same
	const conversation = `${type.slice(0, type.lastIndexOf('.') + 1)}agentConversation`;
	const isConversation = callers.length > 0 && callers.every((caller) => caller === conversation);
	return isConversation ? 'conversation' : 'aiAgent';
}

/**
 * What a conversation says about the turn in which the node speaks. No model of an AI agent can have written it.
 *
 * @returns undefined unless a conversation runs the node.
 */
export function readSpeakerTurn(n8n: IExecuteFunctions) {
	if (findCaller(n8n) !== 'conversation') return undefined;
	// a turn is one item
	const { json = {} } = n8n.getInputData()[0] ?? {};
	return {
		conversationId: String(json['conversationId'] ?? ''),
		/** From 1. */
		turn: Number(json['turn'] ?? 0),
		/** The speaker's own conversation. */
		sessionId: String(json['sessionId'] ?? ''),
		/**
		 * The item of the conversation node. Several items of one chat are conversations with the same ID. n8n puts the ID of the action
		 * there, whatever else is in the item (n8n-core 2.41.1, requests-response.js:70).
		 */
		itemIndex: Number.parseInt(String(json['toolCallId']), 10) || 0,
		/** The conversation node and its run. In a loop, the next run begins with turn 1 again. */
		conversationRun: findConversation(n8n),
		/** Whether the turn is written into the chat while it is spoken. */
		showLive: json['showLive'] === true,
	};
}

/**
 * Whether somebody reads the output as it is written. Never for an AI agent's tool: there the stream is the agent's, although n8n
 * reports streaming for both (n8n-core 2.41.1, base-execute-context.js:160). For a speaker in a conversation, only if the conversation
 * says so.
 */
export function isLive(n8n: IExecuteFunctions): boolean {
	if (!n8n.isStreaming()) return false;
	return findCaller(n8n) === 'workflow' || (readSpeakerTurn(n8n)?.showLive ?? false);
}

/** Whether a visitor of a chat reads along. */
export const hasVisitor = (n8n: IExecuteFunctions): boolean =>
	mayStream(n8n) && listOutputs(n8n, TRIGGER_TYPES).length > 0;

/**
 * Whether a visitor may read why a node fails. A sub-workflow has no stream itself, but n8n ends the execution that has called it with the same
 * error (n8n-nodes-base 2.41, ExecuteWorkflow.node.js:506).
 */
export const isErrorRead = (n8n: IExecuteFunctions): boolean =>
	hasVisitor(n8n) || (isStreamEnabled(n8n) && !mayStream(n8n));

/** Whether n8n's engine discards all items of the node, as of a tool with an error output (n8n-core 2.41.1, workflow-execute.js:1656). */
export function isDiscarded(n8n: IExecuteFunctions): boolean {
	const { name, type, onError } = n8n.getNode();
	return onError === 'continueErrorOutput' && isToolType(type) && Boolean(findSource(n8n, name));
}

/** To be thrown: that is what n8n does not discard. */
export const discardedError = () =>
	invalidInputError(
		'"Continue (using error output)" is not possible for a tool of an AI agent',
		'Nothing was sent, because n8n would discard the answer. Tell the user to set On Error to Continue in the settings of this tool.',
	);

/**
 * Where the engine says that the input came from.
 *
 * An AI agent that calls its tools by itself (one that is a tool, an MCP Server Trigger) hands over its own execution data: their
 * node is the agent, and their source is what ran before the agent.
 */
function findSource(n8n: IExecuteFunctions, toolName: string) {
	const data: Partial<IExecuteData> | undefined = n8n.getExecuteData();
	if (!data?.node || data.node.name !== toolName) return undefined;
	return data.source?.['main']?.[0];
}

/** The conversation node and its run. If there is a review in between, which runs again for every turn, both are in its record. */
function findConversation(n8n: IExecuteFunctions): string {
	const source = findSource(n8n, n8n.getNode().name);
	if (!source) return '';
	const { previousNode, previousNodeRun = 0 } = source;
	const caller = isReview(n8n, previousNode)
		? getRunData(n8n)?.[previousNode]?.[previousNodeRun]?.source[0]
		: source;
	return `${caller?.previousNodeRun ?? 0} ${caller?.previousNode ?? ''}`;
}

const isReview = (n8n: IExecuteFunctions, name: string) =>
	isHitlToolType(getNodeType(n8n, name) ?? '');

/** What comes with an item from the nodes before: a chat, a conversation, an earlier answer. */
export type HandedOver = ReturnType<typeof readHandedOver>;

export function readHandedOver(n8n: IExecuteFunctions, itemIndex: number) {
	const caller = findCaller(n8n);
	const item = caller === 'aiAgent' ? undefined : n8n.getInputData()[itemIndex]?.json;
	return {
		caller,
		/**
		 * Reads a text or a number from the item.
		 *
		 * For an AI agent's tool, the item does not count: n8n copies all that the model gives into it, and the model could choose whose
		 * conversation is continued (n8n-core 2.41.1, requests-response.js:67). That of a speaker in a conversation does: no model gives it.
		 *
		 * @returns undefined for anything else, and for a blank text.
		 */
		readItem: (field: string) => toText(item?.[field]),
		/** The same for a value of any kind. */
		readValue: (field: string): unknown => item?.[field],
		/**
		 * Whether a visitor of n8n's chat wrote that value, and the item has it directly or through other nodes: n8n's Chat Trigger hands
		 * over all that the visitor's program sends (n8n-nodes-langchain 2.41, ChatTrigger.node.js:1049).
		 */
		isFromVisitor(field: string) {
			if (caller !== 'workflow') return false;
			const value = toComparable(item?.[field]);
			return listOutputs(n8n, CHAT_TYPES).some((output) => toComparable(output[field]) === value);
		},
		/**
		 * Reads what the conversation hands over in which the node speaks: what was said before, what it may cost, for whom it is, or what a
		 * person has decided.
		 *
		 * @returns whatever is in the item; undefined unless a conversation runs the node.
		 */
		readTurn: (field: 'history' | 'budget' | 'spendingLabel' | 'decision'): unknown =>
			caller === 'conversation' ? item?.[field] : undefined,
		/**
		 * Reads the session ID from the Chat Trigger that started the execution, as n8n's memory nodes do with "Connected
		 * Chat Trigger Node".
		 *
		 * @returns undefined when no Chat Trigger has run.
		 * @see n8n-nodes-langchain 2.41, utils/helpers.js, getSessionId
		 */
		readChatSession: () => toText(listOutputs(n8n, TRIGGER_TYPES)[0]?.['sessionId']),
	};
}

const TRIGGER_TYPES = /^@n8n\/n8n-nodes-langchain\.(chatTrigger|manualChatTrigger)$/;
/** All nodes whose items a visitor writes, including the one that continues a chat. */
const CHAT_TYPES = /^@n8n\/n8n-nodes-langchain\.(chat|chatTrigger|manualChatTrigger)$/;

function toText(value: unknown): string | undefined {
	const text = typeof value === 'string' || Number.isFinite(value) ? String(value) : '';
	return text.trim() ? text : undefined;
}

/** The same for every spelling that leads to the same session. */
function toComparable(value: unknown): string | undefined {
	if (typeof value === 'object' && value !== null) return JSON.stringify(value);
	const text = toText(value)?.trim();
	return text && (parseUuid(text)?.toLowerCase() ?? text);
}
