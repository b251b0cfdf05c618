import { parseCode } from '../package/n8nCatalog';
import { bridgeOfFile } from './bridge.ts';
import { expectExamples } from './skillExamples.ts';

// what the skill for language models shows, as n8n makes workflows of it, imported and run
const bridge = bridgeOfFile({ personas: true });

it('every example does what it says', async () => {
	await expectExamples(bridge, async (code) => {
		const { workflow } = await parseCode(code);
		// n8n's MCP server sets it
		const settings = { executionOrder: 'v1' };
		return await bridge.editor.importWorkflow({ ...workflow, settings });
	});
});
