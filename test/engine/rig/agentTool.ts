import { WorkflowExecute } from 'n8n-core';
import {
	CHAT_TRIGGER_NODE_TYPE,
	createRunExecutionData,
	Workflow,
	type EngineRequest,
	type EngineResponse,
	type IDataObject,
	type IExecuteFunctions,
	type INode,
	type INodeType,
	type IRunExecutionData,
	type StructuredChunk,
} from 'n8n-workflow';

import type { paying } from './calls';
import { Credentials, type Secrets } from './credentials';
import { sources } from './pack';
import { additionalData, made, ranWith } from './run';

/** How an AI agent calls its tools: version 3 by n8n's engine, one after another; older ones and sub-agents by themselves, at once. */
export type Way = 'by the engine' | 'by itself';

export interface ToolOptions {
	tool: ReturnType<(typeof paying)[number][1]>;
	secrets: Secrets;
	/** What the agent fills in, call by call. */
	calls: IDataObject[];
	/** Settings of the tool's node. */
	settings?: Partial<INode>;
	onChunk?: (chunk: StructuredChunk) => unknown;
	/** An execution that goes on. */
	data?: IRunExecutionData;
	/** What a Chat Trigger gave before Start, whose items are others. */
	chatted?: IDataObject;
}

interface InvokedTool {
	name: string;
	description: string;
	invoke(input: IDataObject): Promise<string>;
}

const TOOL = 'Ask It';

/** Lets a stand-in for an AI agent call a node as its tool, in n8n-core's own engine. */
export async function callTool(
	way: Way,
	{
		tool: { node, parameters, credential },
		secrets,
		calls,
		settings,
		onChunk,
		data = createRunExecutionData(),
		chatted,
	}: ToolOptions,
) {
	const seen = { answers: [] as string[], name: '', description: '' };
	const nodes: INode[] = [
		made('Start', 'test.start'),
		made('Agent', 'test.agent'),
		{
			...made(TOOL, `n8n-nodes-agent-bridge.${node}Tool`, parameters),
			credentials: { [credential]: { id: credential, name: credential } },
			...settings,
		},
		made('After', 'test.sink'),
		...(chatted ? [made('The "Chat"', CHAT_TRIGGER_NODE_TYPE)] : []),
	];
	const workflow = new Workflow({
		id: 'workflow-1',
		name: 'test',
		active: false,
		nodes,
		connections: {
			...(chatted && { 'The "Chat"': { main: [[{ node: 'Start', type: 'main', index: 0 }]] } }),
			Start: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] },
			Agent: { main: [[{ node: 'After', type: 'main', index: 0 }]] },
			[TOOL]: { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] },
		},
		nodeTypes: withAgent(way === 'by itself' ? byItself(calls, seen) : byEngine(calls, seen)),
		settings: { executionOrder: 'v1' },
	});
	data.executionData!.nodeExecutionStack = [
		{ node: nodes[0]!, data: { main: [[{ json: { asked: 'by a user' } }]] }, source: null },
	];
	if (chatted) data.resultData.runData['The "Chat"'] = [ranWith(chatted)];
	const credentials = new Credentials(sources.credentialTypes, secrets);
	const mode = onChunk ? 'webhook' : 'manual';
	const run = await new WorkflowExecute(
		additionalData(workflow, credentials, mode, onChunk),
		mode,
		data,
	).processRunExecutionData(workflow);
	return { ...seen, run, toolRuns: run.data.resultData.runData[TOOL] ?? [] };
}

type Agent = (
	n8n: IExecuteFunctions,
	response?: EngineResponse,
) => Promise<EngineRequest | undefined>;

interface Seen {
	/** What the agent gets of each call. */
	answers: string[];
	name: string;
	description: string;
}

async function toolOf(n8n: IExecuteFunctions, seen: Seen): Promise<InvokedTool> {
	const [tool] = (await n8n.getInputConnectionData('ai_tool', 0)) as InvokedTool[];
	if (!tool) throw new Error('the agent has no tool');
	seen.name = tool.name;
	seen.description = tool.description;
	return tool;
}

/** As n8n's agents before version 3 do, and sub-agents of any. */
const byItself =
	(calls: IDataObject[], seen: Seen): Agent =>
	async (n8n) => {
		const tool = await toolOf(n8n, seen);
		seen.answers = await Promise.all(
			calls.map(
				async (input) =>
					await tool.invoke(input).catch((error: unknown) => (error as Error).message),
			),
		);
		return undefined;
	};

/** As version 3 does. @see n8n-nodes-langchain 2.41, utils/agent-execution/createEngineRequests.js and buildSteps.js */
const byEngine =
	(calls: IDataObject[], seen: Seen): Agent =>
	async (n8n, response) => {
		if (!response?.actionResponses.length) {
			await toolOf(n8n, seen);
			return {
				actions: calls.map((input, index) => ({
					actionType: 'ExecutionNodeAction',
					nodeName: TOOL,
					input,
					type: 'ai_tool',
					id: `call-${index}`,
					metadata: { itemIndex: 0 },
				})),
				metadata: {},
			};
		}
		seen.answers = response.actionResponses.map(({ data }) => {
			const items = data.data?.['ai_tool']?.[0]?.map(({ json }) => json);
			return JSON.stringify(items?.length ? items : { error: data.error?.message });
		});
		return undefined;
	};

function withAgent(agent: Agent) {
	const standIn = {
		description: {
			displayName: 'Agent',
			name: 'agent',
			group: ['transform'],
			version: 1,
			description: '',
			defaults: { name: 'Agent' },
			inputs: ['main', { type: 'ai_tool', displayName: 'Tool' }],
			outputs: ['main'],
			properties: [],
		},
		async execute(this: IExecuteFunctions, response?: EngineResponse) {
			return (await agent(this, response)) ?? [[{ json: {} }]];
		},
	} as INodeType;
	const { nodeTypes } = sources;
	const byName = (name: string) => {
		if (name === 'test.agent') return standIn;
		const type = nodeTypes.getByName(name) as INodeType;
		return name.endsWith('Tool') ? asTool(type) : type;
	};
	return { ...nodeTypes, getByName: byName, getByNameAndVersion: byName };
}

/** As n8n makes it of a node. @see n8n 2.41.1, tool-generation/ai-tools.js */
export function asTool(type: INodeType): INodeType {
	const description = Object.create(type.description, {
		name: { value: `${type.description.name}Tool` },
		inputs: { value: [] },
		outputs: { value: ['ai_tool'] },
	}) as INodeType['description'];
	return Object.create(type, { description: { value: description } }) as INodeType;
}
