import { randomUUID } from 'node:crypto';

import { until, type Editor } from './editor.ts';
import { node, type WorkflowFile, type WorkflowNode } from './workflow.ts';

/** Publishes a workflow that offers tools by n8n's own MCP Server Trigger. @returns its address */
export async function publishMcpTools(editor: Editor, tools: WorkflowNode[]): Promise<string> {
	const path = `mcp-${randomUUID()}`;
	const server = node(
		'Server',
		'@n8n/n8n-nodes-langchain.mcpTrigger',
		{ path },
		{ typeVersion: 2, webhookId: randomUUID() },
	);
	const below = { ai_tool: [[{ node: server.name, type: 'ai_tool', index: 0 }]] };
	const connections = Object.fromEntries(tools.map(({ name }) => [name, below]));
	const saved = await editor.importWorkflow({
		name: path,
		nodes: [server, ...tools],
		connections: connections as unknown as WorkflowFile['connections'],
		settings: { executionOrder: 'v1' },
	});
	await editor.activate(saved);
	const url = `${editor.url}/mcp/${path}`;
	// n8n registers the address a moment after the publication
	await until(`${url} is registered`, async () => {
		// not with GET, which opens a stream
		const answer = await fetch(url, { method: 'POST' });
		await answer.text();
		return answer.status !== 404;
	});
	return url;
}

/** n8n's MCP Client Tool. It offers all tools of the server, unless parameters select some. */
export const mcpClientTool = (
	name: string,
	endpointUrl: string,
	parameters: Record<string, unknown> = {},
): WorkflowNode =>
	node(
		name,
		'@n8n/n8n-nodes-langchain.mcpClientTool',
		{ endpointUrl, options: {}, ...parameters },
		{ typeVersion: 1.2 },
	);
