import {
	CHAT_TRIGGER_NODE_TYPE,
	type EngineRequest,
	type EngineResponse,
	type IDataObject,
	type IExecuteFunctions,
	type INode,
	type INodeType,
	type ITaskData,
} from 'n8n-workflow';

import type { InvokedTool } from './agentTool';
import type { paying } from './calls';
import { made, ours, runFlow, type Execution, type Flow, type Wire } from './flow';
import { CHAT, CHATTED } from './run';
import { standIn } from './standIns';

/** One use of a tool. */
export interface Call {
	tool: string;
	/** What the root node gives it. */
	input: IDataObject;
	/** The item of the root for which it is used. The ID of the action begins with it, as that of our conversation. */
	itemIndex?: number;
	/** A review node that is asked first. */
	reviewedBy?: string;
}

export interface Root {
	type: typeof CONVERSATION | 'test.agent';
	calls: Call[];
	/** Whether it calls its tools within its own run, as an agent that is a tool does, and not by n8n's engine. */
	byItself?: boolean;
}

export interface Wiring
	extends Pick<Flow, 'secrets' | 'onChunk' | 'retry' | 'data' | 'input' | Execution> {
	/** Root nodes by name; each runs after the one before. */
	roots: Record<string, Pick<Root, 'type'>>;
	tools: Record<string, ReturnType<(typeof paying)[number][1]> & { settings?: Partial<INode> }>;
	/** The nodes that a tool or review hangs below. Without it, below all roots. */
	below?: Record<string, string[]>;
	/** Whether the item reaches the first root by two ways, so that it runs twice. */
	twice?: boolean;
	/** What a Chat Trigger gave before Start, whose items are others. */
	chatted?: IDataObject;
}

export interface Talk extends Wiring {
	roots: Record<string, Root>;
}

export const CONVERSATION = 'n8n-nodes-agent-bridge.agentConversation';
const REVIEW = 'test.reviewHitlTool';

/** A root only asks its tools, one after another, and keeps their answers. */
export async function talk({ roots, ...options }: Talk) {
	const calls = Object.values(roots).flatMap((root) => root.calls);
	const reviews = [...new Set(calls.flatMap(({ reviewedBy = [] }) => reviewedBy))];
	const answers: Record<string, IDataObject[]> = {};
	const execute: Execute = async function (response) {
		const { name } = this.getNode();
		const { calls: own, byItself } = roots[name]!;
		const request = byItself ? undefined : requestNext(own, response);
		if (request) return request;
		answers[name] = byItself ? await callByItself(this, own) : keptIn(response);
		return [this.getInputData()];
	};
	const run = await runRoots(execute, { roots, ...options }, reviews);
	return { answers, run, error: run.data.resultData.error };
}

export type Execute = NonNullable<INodeType['execute']>;

/** Runs root nodes that use tools. @param reviews Names of nodes that review calls of tools. */
export async function runRoots(
	execute: Execute,
	{ roots, tools, below = {}, twice, chatted, ...options }: Wiring,
	reviews: string[] = [],
) {
	const names = Object.keys(roots);
	const ways = twice ? ['One Way', 'Another Way'] : [];
	const root = standIn({ execute }, { inputs: ['main', { type: 'ai_tool', displayName: 'Tool' }] });
	const used = [...Object.keys(tools), ...reviews];
	return await runFlow({
		...options,
		nodes: [
			made('Start', 'test.start'),
			...names.map((name) => made(name, roots[name]!.type)),
			...reviews.map((name) => made(name, REVIEW)),
			...Object.entries(tools).map(([name, tool]) => ours(name, `${tool.node}Tool`, tool)),
			...(chatted ? [made(CHAT, CHAT_TRIGGER_NODE_TYPE)] : []),
			...ways.map((name) => made(name, 'test.sink')),
		],
		wires: [
			...(chatted ? CHATTED : []),
			...(twice ? ways : ['Start']).map((way): Wire => [way, names[0]!]),
			...ways.map((way): Wire => ['Start', way]),
			...names.slice(1).map((name, at): Wire => [names[at]!, name]),
			...used.flatMap((name) =>
				(below[name] ?? names).map((above): Wire => [name, above, 'ai_tool']),
			),
		],
		types: {
			'test.agent': root,
			[CONVERSATION]: root,
			[REVIEW]: standIn({ execute: async () => [[{ json: { approved: true } }]] }),
		},
		...(chatted && { ran: { [CHAT]: chatted } }),
	});
}

async function callByItself(n8n: IExecuteFunctions, calls: Call[]) {
	const tools = (await n8n.getInputConnectionData('ai_tool', 0)) as InvokedTool[];
	const answers: IDataObject[] = [];
	for (const { tool, input } of calls) {
		const invoked = tools.find(({ name }) => name === tool.replaceAll(' ', '_'))!;
		answers.push((JSON.parse(await invoked.invoke(input)) as IDataObject[])[0] ?? {});
	}
	return answers;
}

/** A root's state: what was answered so far. n8n carries it from call to call. */
interface Kept {
	answers: IDataObject[];
	isReviewed: boolean;
}

const keptIn = (response: EngineResponse | undefined) => {
	const { answers = [], isReviewed } = (response?.metadata ?? {}) as Partial<Kept>;
	const data = response?.actionResponses.at(-1)?.data;
	return data && !isReviewed ? [...answers, answerOf(data)] : answers;
};

const answerOf = ({ data, error }: ITaskData) =>
	data?.['ai_tool']?.[0]?.[0]?.json ?? data?.['main']?.[0]?.[0]?.json ?? { thrown: error?.message };

function requestNext(calls: Call[], response?: EngineResponse): EngineRequest | undefined {
	const answers = keptIn(response);
	const call = calls[answers.length];
	if (!call) return undefined;
	const { tool, input, reviewedBy, itemIndex = 0 } = call;
	const wasReviewed = Boolean((response?.metadata as Partial<Kept> | undefined)?.isReviewed);
	const isReviewed = reviewedBy !== undefined && !wasReviewed;
	const parent = reviewedBy !== undefined && !isReviewed && { parentNodeName: reviewedBy };
	const action = {
		actionType: 'ExecutionNodeAction' as const,
		type: 'ai_tool' as const,
		nodeName: isReviewed ? reviewedBy : tool,
		input: isReviewed ? { tool, toolParameters: input } : input,
		id: `${itemIndex}.${answers.length}${isReviewed ? '.review' : ''}`,
		metadata: { itemIndex: 0, ...parent },
	};
	return { actions: [action], metadata: { answers, isReviewed } as never };
}
