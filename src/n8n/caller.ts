import {
	type IExecuteData,
	type IExecuteFunctions,
	isHitlToolType,
	isToolType,
} from 'n8n-workflow';

import { getNodeType, getRunData, getTypesServedBy } from './platform';

/**
 * Who runs the node: the workflow, an AI agent whose tool it is, or an Agent Conversation in which it speaks. Everything that may
 * call tools and is not a conversation counts as an AI agent.
 */
export type Caller = 'workflow' | 'aiAgent' | 'conversation';

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
	const conversation = conversationType(type);
	const isConversation = callers.length > 0 && callers.every((caller) => caller === conversation);
	return isConversation ? 'conversation' : 'aiAgent';
}

/** What a conversation says of the turn in which the node speaks. The model of no AI agent can have written it. */
export interface SpeakerTurn {
	conversationId: string;
	/** From 1. */
	turn: number;
	/** The speaker's own conversation. */
	sessionId: string;
	/** The item of the conversation node. Several items of one chat are conversations with the same ID. */
	itemIndex: number;
	/** The conversation node and its run. In a loop, the next run begins with turn 1 again. */
	heldBy: string;
	/** Whether the turn is to be written into the chat while it is spoken. */
	showLive: boolean;
}

/** @returns undefined unless a conversation runs the node. */
export function readSpeakerTurn(n8n: IExecuteFunctions): SpeakerTurn | undefined {
	if (findCaller(n8n) !== 'conversation') return undefined;
	// a turn is one item
	const { json = {} } = n8n.getInputData()[0] ?? {};
	return {
		conversationId: String(json['conversationId'] ?? ''),
		turn: Number(json['turn'] ?? 0),
		sessionId: String(json['sessionId'] ?? ''),
		// n8n puts the ID of the action there, whatever else is in the item (n8n-core 2.41.1, requests-response.js:70)
		itemIndex: Number.parseInt(String(json['toolCallId']), 10) || 0,
		heldBy: findConversation(n8n),
		showLive: json['showLive'] === true,
	};
}

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

/** The type of this package's conversation node. The prefix of all types of a package is the same. */
const conversationType = (toolType: string) =>
	`${toolType.slice(0, toolType.lastIndexOf('.') + 1)}agentConversation`;

/** The conversation node and its run. Behind a review, which runs anew for every turn, both are in the record of the review. */
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
