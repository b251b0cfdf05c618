import { WorkflowExecute } from 'n8n-core';
import {
	CHAT_TRIGGER_NODE_TYPE,
	createRunExecutionData,
	Workflow,
	type EngineRequest,
	type EngineResponse,
	type IConnections,
	type IDataObject,
	type IExecuteFunctions,
	type INode,
	type INodeType,
	type IRunExecutionData,
	type ITaskData,
	type StructuredChunk,
} from 'n8n-workflow';

import { asTool } from './agentTool';
import type { paying } from './calls';
import { Credentials, type Secrets } from './credentials';
import { sources } from './pack';
import { additionalData, made, ranWith, retried } from './run';

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
	type: 'n8n-nodes-agent-bridge.agentConversation' | 'test.agent';
	calls: Call[];
	/** Whether it calls its tools within its own run, as an agent that is a tool does, and not by n8n's engine. */
	byItself?: boolean;
}

export interface Talk {
	secrets: Secrets;
	/** Root nodes by name; each runs after the one before. */
	roots: Record<string, Root>;
	tools: Record<string, ReturnType<(typeof paying)[number][1]> & { settings?: Partial<INode> }>;
	/** The nodes that a tool or review hangs below. Without it, below all roots. */
	below?: Record<string, string[]>;
	/** What reaches the first root. */
	item?: IDataObject;
	onChunk?: (chunk: StructuredChunk) => unknown;
	/** Whether the item reaches the first root by two ways, so that it runs twice. */
	twice?: boolean;
	/** What a Chat Trigger gave before Start. */
	chatted?: IDataObject;
	/** The data of an execution that has failed, which is retried. */
	retry?: IRunExecutionData;
	data?: IRunExecutionData;
}

export const CONVERSATION = 'n8n-nodes-agent-bridge.agentConversation';
const REVIEW = 'test.reviewHitlTool';
const CHAT = 'The "Chat"';
const WAYS = ['One Way', 'Another Way'];

/** Runs root nodes that use tools, in n8n-core's own engine. A root only asks its tools, one after another, and keeps their answers. */
export async function talk(options: Talk) {
	const { secrets, roots, tools, item = {}, onChunk, chatted, retry, data } = options;
	const reviews = [
		...new Set(
			Object.values(roots).flatMap(({ calls }) =>
				calls.flatMap(({ reviewedBy = [] }) => reviewedBy),
			),
		),
	];
	const nodes: INode[] = [
		made('Start', 'test.start'),
		...Object.entries(roots).map(([name, { type }]) => made(name, type)),
		...reviews.map((name) => made(name, REVIEW)),
		...Object.entries(tools).map(([name, { node, parameters, credential, settings }]) => ({
			...made(name, `n8n-nodes-agent-bridge.${node}Tool`, parameters),
			credentials: { [credential]: { id: credential, name: credential } },
			...settings,
		})),
		...(chatted ? [made(CHAT, CHAT_TRIGGER_NODE_TYPE)] : []),
		...WAYS.map((name) => made(name, 'test.sink')),
	];
	const answers: Record<string, IDataObject[]> = {};
	const workflow = new Workflow({
		id: 'workflow-1',
		name: 'test',
		active: false,
		nodes,
		connections: wires(options, reviews),
		nodeTypes: withRoots(roots, answers),
		settings: { executionOrder: 'v1' },
	});
	const execution = retry ? retried(retry, workflow) : (data ?? createRunExecutionData());
	if (!retry) {
		execution.executionData!.nodeExecutionStack = [
			{ node: nodes[0]!, data: { main: [[{ json: item }]] }, source: null },
		];
		if (chatted) execution.resultData.runData[CHAT] = [ranWith(chatted)];
	}
	const mode = onChunk ? 'webhook' : 'manual';
	const credentials = new Credentials(sources.credentialTypes, secrets);
	const run = await new WorkflowExecute(
		additionalData(workflow, credentials, mode, onChunk),
		mode,
		execution,
	).processRunExecutionData(workflow);
	return { answers, run, error: run.data.resultData.error };
}

function wires(
	{ roots, tools, below = {}, chatted, twice }: Talk,
	reviews: string[],
): IConnections {
	const chain = [...(chatted ? [CHAT] : []), 'Start', ...Object.keys(roots)];
	const main = chain.slice(1).map((name, at) => [chain[at]!, { main: [[to(name, 'main')]] }]);
	const used = [...Object.keys(tools), ...reviews].map((name) => [
		name,
		{ ai_tool: [(below[name] ?? Object.keys(roots)).map((above) => to(above, 'ai_tool'))] },
	]);
	const ways = twice && {
		Start: { main: [WAYS.map((name) => to(name, 'main'))] },
		...Object.fromEntries(
			WAYS.map((name) => [name, { main: [[to(Object.keys(roots)[0]!, 'main')]] }]),
		),
	};
	return { ...Object.fromEntries([...main, ...used]), ...ways } as IConnections;
}

const to = (node: string, type: 'main' | 'ai_tool') => ({ node, type, index: 0 });

interface InvokedTool {
	name: string;
	invoke(input: IDataObject): Promise<string>;
}

function withRoots(roots: Record<string, Root>, answers: Record<string, IDataObject[]>) {
	const root = {
		description: {
			displayName: 'Root',
			name: 'root',
			group: ['transform'],
			version: 1,
			description: '',
			defaults: { name: 'Root' },
			inputs: ['main', { type: 'ai_tool', displayName: 'Tool' }],
			outputs: ['main'],
			properties: [],
		},
		async execute(this: IExecuteFunctions, response?: EngineResponse) {
			const { name } = this.getNode();
			const { calls, byItself } = roots[name]!;
			if (byItself) answers[name] = await callByItself(this, calls);
			else {
				const request = requestNext(calls, response);
				if (request) return request;
				answers[name] = keptIn(response);
			}
			return [this.getInputData()];
		},
	} as INodeType;
	const review = {
		description: { ...root.description, inputs: [], outputs: ['ai_tool'] },
		async execute() {
			return [[{ json: { approved: true } }]];
		},
	} as unknown as INodeType;
	const { nodeTypes } = sources;
	const byName = (name: string) => {
		if (name === 'test.agent' || name === CONVERSATION) return root;
		if (name === REVIEW) return review;
		const type = nodeTypes.getByName(name) as INodeType;
		return name.endsWith('Tool') ? asTool(type) : type;
	};
	return { ...nodeTypes, getByName: byName, getByNameAndVersion: byName };
}

async function callByItself(n8n: IExecuteFunctions, calls: Call[]): Promise<IDataObject[]> {
	const tools = (await n8n.getInputConnectionData('ai_tool', 0)) as InvokedTool[];
	const answers: IDataObject[] = [];
	for (const { tool, input } of calls) {
		const answer = await tools
			.find(({ name }) => name === tool.replaceAll(' ', '_'))!
			.invoke(input);
		answers.push((JSON.parse(answer) as IDataObject[])[0] ?? {});
	}
	return answers;
}

/** A root's state: what was answered so far. n8n carries it from call to call. */
interface Kept {
	answers: IDataObject[];
	isReviewed: boolean;
}

const keptIn = (response: EngineResponse | undefined): IDataObject[] => {
	const { answers = [], isReviewed } = (response?.metadata ?? {}) as Partial<Kept>;
	const data = response?.actionResponses.at(-1)?.data;
	return data && !isReviewed ? [...answers, answerOf(data)] : answers;
};

const answerOf = ({ data, error }: ITaskData): IDataObject =>
	data?.['ai_tool']?.[0]?.[0]?.json ?? data?.['main']?.[0]?.[0]?.json ?? { thrown: error?.message };

function requestNext(calls: Call[], response?: EngineResponse): EngineRequest | undefined {
	const answers = keptIn(response);
	const call = calls[answers.length];
	if (!call) return undefined;
	const { tool, input, reviewedBy, itemIndex = 0 } = call;
	const wasReviewed = Boolean((response?.metadata as Partial<Kept> | undefined)?.isReviewed);
	const isReviewed = reviewedBy !== undefined && !wasReviewed;
	return {
		actions: [
			{
				actionType: 'ExecutionNodeAction',
				nodeName: isReviewed ? reviewedBy : tool,
				input: isReviewed ? { tool, toolParameters: input } : input,
				type: 'ai_tool',
				id: `${itemIndex}.${answers.length}${isReviewed ? '.review' : ''}`,
				metadata: {
					itemIndex: 0,
					...(reviewedBy !== undefined && !isReviewed && { parentNodeName: reviewedBy }),
				},
			},
		],
		metadata: { answers, isReviewed } as never,
	};
}
