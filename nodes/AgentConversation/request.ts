import {
	type EngineRequest,
	type EngineResponse,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	type ISourceData,
	type ITaskData,
	NodeConnectionTypes,
} from 'n8n-workflow';

import type { Conversation, PendingTurn } from '../../src/conversation/conversation';
import type { AttachedTool } from '../../src/n8n/attachedTools';
import { toTurnInput } from './speakers';

/** How an item's conversation is shown and returned. */
export interface Settings {
	showLive: boolean;
	/** Milliseconds before each turn except the first. */
	pause: number;
	outputMode: 'conversation' | 'turns';
	moderatorInstructions: string;
	spendingLabel: string;
}

/** The conversation of one item, or why the item could not begin one. */
export type ItemState =
	| { conversation: Conversation; settings: Settings }
	| { refusal: { message: string; description?: string } };

export const UNSTORED = Symbol('unstored');

/** What n8n carries from call to call of the node, and stores while the execution waits: plain data. */
export interface State {
	items: ItemState[];
	/** By the name of the speaker: the tool that speaks. */
	speakers: Record<string, AttachedTool>;
	/** Set until n8n stores the state, as it does while the execution waits for a person: a symbol is not stored. */
	[UNSTORED]?: true;
	/** Where the items come from. When n8n calls the node again, it says output 0 (n8n-core 2.41.1, requests-response.js:144). */
	source?: ISourceData;
}

/**
 * Identifies the request of a turn. On every try of Retry On Fail, n8n hands over the same answers again.
 *
 * It begins with the index of the item: our own speakers read that from it (`readSpeakerTurn`, src/n8n/caller.ts).
 */
export const actionId = (itemIndex: number, { turn, attempt }: PendingTurn) =>
	`${itemIndex}.${turn}.${attempt}`;

export const reviewId = (itemIndex: number, pending: PendingTurn) =>
	`${actionId(itemIndex, pending)}.review`;

type Action = EngineRequest['actions'][number];

/**
 * Asks n8n to run the next speakers of all conversations that have not ended. It runs them one after another.
 *
 * @see n8n-core 2.41.1, requests-response.js
 */
export function toRequest(n8n: IExecuteFunctions, state: State): EngineRequest {
	const actions = state.items.flatMap((item, itemIndex): Action[] => {
		if ('refusal' in item) return [];
		const { conversation, settings } = item;
		const { pending } = conversation;
		const tool = pending && state.speakers[pending.speaker];
		if (!pending || !tool) return [];
		const showLive = settings.showLive && n8n.isStreaming();
		const { node, review } = tool;
		if (review && pending.approvedBy === undefined)
			return [toReviewAction(itemIndex, conversation, pending, tool)];
		return [
			{
				actionType: 'ExecutionNodeAction',
				nodeName: node,
				type: NodeConnectionTypes.AiTool,
				id: actionId(itemIndex, pending),
				input: toTurnInput(conversation, pending, tool, { ...settings, showLive }),
				metadata: { itemIndex, ...(review && { parentNodeName: review.node }) },
			},
		];
	});
	return { actions, metadata: { ...state, [UNSTORED]: true } };
}

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
	// a text, because the review's default text contains it, and n8n would write an object as "[object Object]"
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

/** What n8n returns from a node that was asked to run. */
export interface Answer {
	/** What the node was given. */
	input: IDataObject;
	/** Since it was resumed, if the execution has waited for it. */
	ran: Pick<ITaskData, 'startTime' | 'executionTime'>;
	/** Whether an execution that has waited can have waited for it. */
	isResumed: boolean;
	/** What it returned. A node that failed has one item with `error`. */
	items: IDataObject[];
}

export type Answers = ReadonlyMap<string, Answer>;

/**
 * The answers by the ID of their request. On every try of Retry On Fail, n8n hands over the same ones again.
 *
 * When an execution goes on, n8n counts what it runs from 0 again, and first runs the node for which it has waited (n8n-core 2.41.1,
 * workflow-execute.js:887). Should another n8n count otherwise, each answer may be that of a person: silence is no approval.
 */
export function toAnswers(response: EngineResponse | undefined): Answers {
	const all = response?.actionResponses ?? [];
	const isFirst = ({ data }: (typeof all)[number]) => data.executionIndex === 0;
	const isCounted = all.some(isFirst);
	return new Map(
		all.map((each) => {
			const { action, data } = each;
			const isResumed = !isCounted || isFirst(each);
			return [action.id, { input: action.input, ran: data, isResumed, items: toItems(data) }];
		}),
	);
}

/**
 * Everything that the node returned.
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
