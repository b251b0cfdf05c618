import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';

import type { paying } from './calls';
import type { Execution } from './flow';
import { runRoots, type Execute, type Wiring } from './conversation';

/** How an AI agent calls its tools: version 3 by n8n's engine, one after another; older ones and sub-agents by themselves, at once. */
export type Way = 'by the engine' | 'by itself';

export interface ToolOptions
	extends Pick<Wiring, 'secrets' | 'onChunk' | 'data' | 'chatted' | Execution> {
	tool: ReturnType<(typeof paying)[number][1]>;
	/** What the agent fills in, call by call. */
	calls: IDataObject[];
	/** Settings of the tool's node. */
	settings?: Partial<INode>;
}

/** As LangChain has it. */
export interface InvokedTool {
	name: string;
	invoke(input: IDataObject): Promise<string>;
}

const TOOL = 'Ask It';

/**
 * Lets a stand-in for an AI agent call a node as its tool.
 *
 * @see n8n-nodes-langchain 2.41, utils/agent-execution/createEngineRequests.js and buildSteps.js
 */
export async function callTool(way: Way, { tool, calls, settings = {}, ...options }: ToolOptions) {
	let answers: string[] = [];
	const done: INodeExecutionData[][] = [[{ json: {} }]];
	const execute: Execute = async function (response) {
		if (response?.actionResponses.length) {
			answers = response.actionResponses.map(({ data }) => {
				const items = data.data?.['ai_tool']?.[0]?.map(({ json }) => json);
				return JSON.stringify(items?.length ? items : { error: data.error?.message });
			});
			return done;
		}
		const given = (await this.getInputConnectionData('ai_tool', 0)) as [InvokedTool];
		if (way === 'by the engine')
			return {
				actions: calls.map((input, index) => ({
					actionType: 'ExecutionNodeAction',
					nodeName: TOOL,
					type: 'ai_tool',
					input,
					id: `call-${index}`,
					metadata: { itemIndex: 0 },
				})),
				metadata: {},
			};
		const invoke = async (input: IDataObject) =>
			await given[0].invoke(input).catch((error: unknown) => (error as Error).message);
		answers = await Promise.all(calls.map(invoke));
		return done;
	};
	const run = await runRoots(execute, {
		roots: { Agent: { type: 'test.agent' } },
		tools: { [TOOL]: { ...tool, settings } },
		input: [{ json: { asked: 'by a user' } }],
		...options,
	});
	return { answers, run, toolRuns: run.data.resultData.runData[TOOL] ?? [] };
}
