import { nodeTypeText } from '../package/n8nCatalog';
import { bridgeOfFile, createWithLedger, packageName, secretsOf } from '../n8n/bridge.ts';
import type { SavedWorkflow } from '../n8n/editor.ts';
import { itemsOf } from '../n8n/execution.ts';
import { connectMcp, type McpClient } from '../n8n/mcp.ts';
import {
	EXPECTED,
	fillIn,
	FOR_EXAMPLES,
	skillExamples,
	whatExamplesGive,
} from '../support/skill.ts';

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
	const { editor, service, accounts } = bridge;
	service.forms.jobSteps = 0;
	const router = await createWithLedger(editor, secretsOf(service).router, FOR_EXAMPLES);
	const { agent, secondAgent, assistant } = accounts;
	const ids = {
		...{ agent: agent.id, secondAgent: secondAgent.id },
		...{ assistant: assistant.id, router: router.id },
	};
	const given: Record<string, unknown> = {};
	for (const { title, code } of skillExamples()) {
		const filled = { code: fillIn(code, ids) };
		expect(JSON.parse(await call('validate_workflow', filled))).toEqual({
			valid: true,
			nodeCount: expect.any(Number),
		});
		const created = JSON.parse(await call('create_workflow_from_code', filled)) as {
			workflowId: string;
		};
		const expected = EXPECTED[title];
		if (!expected) continue;
		const path = `/rest/workflows/${created.workflowId}`;
		const saved = await editor.call<SavedWorkflow>('GET', path);
		const execution = await editor.run(saved);
		given[title] = execution.error?.message ?? itemsOf(execution, expected.node)[0]?.json;
	}
	expect(given).toEqual(whatExamplesGive());
});
