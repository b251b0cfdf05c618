import { nodeTypeText } from '../package/n8nCatalog';
import { bridgeOfFile, packageName } from '../n8n/bridge.ts';
import { connectMcp, type McpClient } from '../n8n/mcp.ts';
import { expectExamples } from '../n8n/skillExamples.ts';

// what n8n's own MCP server tells a language model, and what it makes of the code in the skill
const bridge = bridgeOfFile({ personas: true });
let client: McpClient;
beforeAll(async () => {
	const { editor } = bridge;
	await editor.call('PATCH', '/rest/mcp/settings', { mcpAccessEnabled: true });
	const { apiKey } = await editor.call<{ apiKey: string }>('GET', '/rest/mcp/api-key');
	client = await connectMcp(`${editor.url}/mcp-server/http`, apiKey);
});
afterAll(async () => await client?.close());

const call = async (name: string, given: Record<string, unknown>) => {
	const { content } = await client.callTool({ name, arguments: given });
	return content[0]?.text ?? '';
};

it.each(['modelRouter', 'agentConversation', 'workspaceAgent', 'marketAssistant'])(
	'get_node_types tells of %s what the package tests measure',
	async (name) => {
		const told = await call('get_node_types', { nodeIds: [{ nodeId: `${packageName}.${name}` }] });
		expect(told.trim()).toContain(nodeTypeText(name).trim());
	},
);

it('every example of the skill is valid, is created, and does what it says', async () => {
	await expectExamples(bridge, async (code) => {
		expect(JSON.parse(await call('validate_workflow', { code }))).toEqual({
			valid: true,
			nodeCount: expect.any(Number),
		});
		const created = JSON.parse(await call('create_workflow_from_code', { code })) as {
			workflowId: string;
		};
		return await bridge.editor.call('GET', `/rest/workflows/${created.workflowId}`);
	});
});
