import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

import { until, type Editor, type SavedWorkflow } from './editor.ts';
import { attach, node, type WorkflowFile, type WorkflowNode } from './workflow.ts';

/** A tool as an MCP server lists it. */
export interface McpTool {
	name: string;
	description?: string;
	inputSchema: Record<string, unknown>;
}

/** What is used of the client of `@modelcontextprotocol/sdk`, which n8n itself brings. */
export interface McpClient {
	connect(transport: object): Promise<void>;
	getInstructions(): string | undefined;
	listTools(): Promise<{ tools: McpTool[] }>;
	callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<McpResult>;
	close(): Promise<void>;
}

interface McpResult {
	content: Array<{ type: string; text: string }>;
	isError?: boolean;
}

const host = process.env['AGENT_BRIDGE_HOST'] ?? 'test/host';
const hostRequire = createRequire(resolve(host, 'node_modules/n8n/package.json'));

/**
 * A client that is connected to an MCP server over streamable HTTP, with this bearer token or none.
 *
 * @throws Error of the SDK, whose `code` is the HTTP status, when the server refuses.
 */
export async function connectMcp(url: string, token?: string): Promise<McpClient> {
	const sdk = '@modelcontextprotocol/sdk/client';
	const { Client } = hostRequire(`${sdk}/index.js`) as {
		Client: new (info: { name: string; version: string }) => McpClient;
	};
	const transports = hostRequire(`${sdk}/streamableHttp.js`) as {
		StreamableHTTPClientTransport: new (url: URL, options: object) => object;
	};
	const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
	const client = new Client({ name: 'agent-bridge-test', version: '1.0.0' });
	await client.connect(
		new transports.StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
	);
	return client;
}

/** n8n's own MCP Server Trigger. */
const MCP_TRIGGER = '@n8n/n8n-nodes-langchain.mcpTrigger';

/** Publishes a workflow that begins at n8n's MCP Server Trigger. @returns its address, as soon as it is registered */
export async function publishMcp(
	editor: Editor,
	file: WorkflowFile,
): Promise<{ url: string; workflow: SavedWorkflow }> {
	const path = `mcp-${randomUUID()}`;
	for (const each of file.nodes.filter(({ type }) => type === MCP_TRIGGER))
		Object.assign(each, { webhookId: path, parameters: { ...each.parameters, path } });
	const workflow = await editor.publish(file);
	const url = `${editor.url}/mcp/${path}`;
	// n8n registers the address a moment after the publication
	await until(`${url} is registered`, async () => {
		// not with GET, which opens a stream
		const answer = await fetch(url, { method: 'POST' });
		await answer.text();
		return answer.status !== 404;
	});
	return { url, workflow };
}

/** Publishes a workflow that offers tools. @returns its address */
export async function publishMcpTools(editor: Editor, tools: WorkflowNode[]): Promise<string> {
	const server = node('Server', MCP_TRIGGER, {}, { typeVersion: 2 });
	const file: WorkflowFile = {
		name: `mcp ${randomUUID()}`,
		nodes: [server],
		connections: {},
		settings: { executionOrder: 'v1' },
	};
	attach(
		file,
		server.name,
		tools.map((tool) => ({ node: tool, as: 'ai_tool' })),
	);
	return (await publishMcp(editor, file)).url;
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
