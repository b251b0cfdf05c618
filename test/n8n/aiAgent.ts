import type { Bridge } from './bridge.ts';
import { chatModel } from './chatModel.ts';
import { itemsOf, type Execution } from './execution.ts';
import { callLive, type Chunk } from './liveCaller.ts';
import { node, workflow, type WorkflowFile, type WorkflowNode } from './workflow.ts';

/** Version 3 has n8n's engine run its tools, one after another; 2 runs them by itself, all at once. */
export type AgentVersion = 2.2 | 3;

/** What one question to n8n's AI Agent came to. */
export interface AgentRun {
	/** What the agent said in the end. */
	output: string;
	chunks: Chunk[];
	execution: Execution;
}

/**
 * Asks n8n's own AI Agent, at a webhook that streams. Its chat model is the router of the reference service, over the protocol
 * that n8n's OpenAI node speaks: `[[tool:Name]]` in the question makes it call a tool.
 *
 * @param sessionId Asks in a chat with this ID, in place of the webhook.
 */
export async function askAgent(
	bridge: Bridge,
	question: string,
	tools: WorkflowNode[],
	version: AgentVersion = 3,
	sessionId?: string,
): Promise<AgentRun> {
	const { editor } = bridge;
	const agent = node(
		'Agent',
		'@n8n/n8n-nodes-langchain.agent',
		{
			promptType: 'define',
			text: sessionId === undefined ? '={{ $json.body.q }}' : '={{ $json.chatInput }}',
			options: {},
		},
		{ typeVersion: version },
	);
	const path = `agent-${Math.random().toString(36).slice(2)}`;
	const file = workflow(path, [], agent);
	const [url, body] =
		sessionId === undefined
			? [path, { q: question }]
			: [`${path}/chat`, { action: 'sendMessage', sessionId, chatInput: question }];
	Object.assign(
		file.nodes[0]!,
		sessionId === undefined
			? {
					...{ type: 'n8n-nodes-base.webhook', typeVersion: 2.1, webhookId: path },
					parameters: { path, httpMethod: 'POST', responseMode: 'streaming', options: {} },
				}
			: {
					...{ type: '@n8n/n8n-nodes-langchain.chatTrigger', typeVersion: 1.4, webhookId: path },
					parameters: { public: true, mode: 'webhook', options: { responseMode: 'streaming' } },
				},
	);
	const below = (type: string) => ({ [type]: [[{ node: 'Agent', type, index: 0 }]] });
	const connections = {
		...file.connections,
		'Chat Model': below('ai_languageModel'),
		...Object.fromEntries(tools.map(({ name }) => [name, below('ai_tool')])),
	} as unknown as WorkflowFile['connections'];
	const saved = await editor.importWorkflow({
		...file,
		pinData: {},
		nodes: [...file.nodes, await chatModel(bridge, 'Chat Model'), ...tools.map(asTool)],
		connections,
	});
	await editor.activate(saved);
	const chunks: Chunk[] = [];
	for await (const chunk of callLive(`${editor.url}/webhook/${url}`, body)) chunks.push(chunk);
	const execution = await editor.finishedOf(saved.id);
	return { output: String(itemsOf(execution, 'Agent')[0]?.json['output']), chunks, execution };
}

/** A node as n8n's editor adds it below an agent: its type has another name. */
const asTool = (tool: WorkflowNode): WorkflowNode => ({ ...tool, type: `${tool.type}Tool` });
