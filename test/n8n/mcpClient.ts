import { createRequire } from 'node:module';
import { resolve } from 'node:path';

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

interface ClientModule {
	Client: new (info: { name: string; version: string }) => McpClient;
}

interface TransportModule {
	StreamableHTTPClientTransport: new (url: URL, options: object) => object;
}

const hostRequire = createRequire(resolve('test/host/node_modules/n8n/package.json'));

/**
 * A client that is connected to an MCP server over streamable HTTP, with this bearer token or none.
 *
 * @throws Error of the SDK, whose `code` is the HTTP status, when the server refuses.
 */
export async function connectMcp(url: string, token?: string): Promise<McpClient> {
	const sdk = '@modelcontextprotocol/sdk/client';
	const { Client } = hostRequire(`${sdk}/index.js`) as ClientModule;
	const transports = hostRequire(`${sdk}/streamableHttp.js`) as TransportModule;
	const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
	const client = new Client({ name: 'agent-bridge-test', version: '1.0.0' });
	await client.connect(
		new transports.StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
	);
	return client;
}
