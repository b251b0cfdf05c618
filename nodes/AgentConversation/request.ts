import {
	type EngineRequest,
	type EngineResponse,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	type ITaskData,
	NodeConnectionTypes,
} from 'n8n-workflow';

import type { Conversation, PendingTurn } from '../../src/conversation/conversation';
import type { AttachedTool } from '../../src/n8n/attachedTools';
import { toTurnInput } from './speakers';
import { actionId, reviewId, type State, UNSTORED } from './state';

type Action = EngineRequest['actions'][number];

/**
 * Asks n8n to run the speakers of all conversations that go on. It runs them one after another.
 *
 * @see n8n-core 2.41.1, requests-response.js
 */
export function toRequest(n8n: IExecuteFunctions, state: State): EngineRequest {
	const actions = state.items.flatMap((item, itemIndex): Action[] => {
		if ('refusal' in item || !item.conversation.pending) return [];
		const { conversation, settings } = item;
		const { pending } = conversation;
		const tool = pending && state.speakers[pending.speaker];
		if (!pending || !tool) return [];
		const showLive = settings.showLive && n8n.isStreaming();
		const input = toTurnInput(conversation, pending, tool, showLive);
		const needsReview = tool.review && pending.approvedBy === undefined;
		return [
			needsReview
				? toReviewAction(itemIndex, conversation, pending, tool)
				: toSpeakerAction(itemIndex, pending, tool, input),
		];
	});
	return { actions, metadata: { ...state, [UNSTORED]: true } };
}

const toSpeakerAction = (
	itemIndex: number,
	pending: PendingTurn,
	{ node, review }: AttachedTool,
	input: IDataObject,
): Action => ({
	actionType: 'ExecutionNodeAction',
	nodeName: node,
	type: NodeConnectionTypes.AiTool,
	id: actionId(itemIndex, pending),
	input,
	metadata: { itemIndex, ...(review && { parentNodeName: review.node }) },
});

/**
 * Asks a person first, by the review node above the speaker. The person sees the message, and nothing that identifies a session.
 *
 * @see @n8n/n8n-nodes-langchain 2.41, utils/agent-execution/createEngineRequests.js
 */
function toReviewAction(
	itemIndex: number,
	{ id }: Conversation,
	pending: PendingTurn,
	{ node, keys, review }: AttachedTool,
): Action {
	const { turn, message } = pending;
	const originalInput = Object.fromEntries(
		(keys.length ? keys : ['message']).map((key) => [key, message]),
	);
	const ofReview = Object.fromEntries((review?.keys ?? []).map((key) => [key, message]));
	// the review's default text contains it, where n8n would write an object as "[object Object]"
	const shown = { tool: review?.tool, toolParameters: message };
	return {
		actionType: 'ExecutionNodeAction',
		nodeName: review?.node ?? '',
		type: NodeConnectionTypes.AiTool,
		id: reviewId(itemIndex, pending),
		input: { ...ofReview, ...shown, conversationId: id, turn, message },
		metadata: {
			itemIndex,
			toolName: review?.tool,
			hitl: { gatedToolNodeName: node, toolName: review?.tool, originalInput },
		},
	};
}

/** What n8n brings back from a node that was asked to run. */
export interface Answer {
	node: string;
	/** What the node was given. */
	input: IDataObject;
	/** What it returned. A node that failed has one item with `error`. */
	items: IDataObject[];
}

export type Answers = ReadonlyMap<string, Answer>;

/** The answers by the ID of what was asked for. With every try of Retry On Fail, n8n gives the same ones once more. */
export function toAnswers(response: EngineResponse | undefined): Answers {
	return new Map(
		(response?.actionResponses ?? []).map(({ action, data }) => [
			action.id,
			{ node: action.nodeName, input: action.input, items: toItems(data) },
		]),
	);
}

/**
 * All that the node returned.
 *
 * After "Retry with currently saved workflow", n8n files the answer of the node that was running under `main` (n8n 2.41.1,
 * executions/execution.service.js:236).
 */
function toItems({ data, error }: ITaskData): IDataObject[] {
	const branches = data?.['ai_tool'] ?? data?.['main'] ?? [];
	const items = branches.flatMap((branch) => branch ?? []).map(toJson);
	const isReported = items.some((item) => item['error']);
	return error && !isReported ? [{ error: error.message }, ...items] : items;
}

const toJson = ({ json, error }: INodeExecutionData): IDataObject =>
	error ? { ...json, error: error.message } : json;
