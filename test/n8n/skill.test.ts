import { parseCode } from '../package/n8nCatalog';
import {
	EXPECTED,
	fillIn,
	FOR_EXAMPLES,
	skillExamples,
	whatExamplesGive,
} from '../support/skill.ts';
import { bridgeOfFile, createWithLedger, secretsOf } from './bridge.ts';
import { itemsOf } from './execution.ts';

// what the skill for language models shows, as n8n makes workflows of it, imported and run
const bridge = bridgeOfFile({ personas: true });

it('every example does what it says', async () => {
	const { editor, service, accounts } = bridge;
	service.forms.jobSteps = 0;
	const router = await createWithLedger(editor, secretsOf(service).router, FOR_EXAMPLES);
	const { agent, secondAgent, assistant } = accounts;
	const ids = {
		agent: agent.id,
		secondAgent: secondAgent.id,
		assistant: assistant.id,
		router: router.id,
	};
	const given: Record<string, unknown> = {};
	for (const { title, code } of skillExamples()) {
		const { workflow } = await parseCode(fillIn(code, ids));
		// n8n's MCP server sets it
		const settings = { executionOrder: 'v1' };
		const saved = await editor.importWorkflow({ ...workflow, settings });
		const expected = EXPECTED[title];
		// a trigger that waits for events is imported, and that is all
		if (!expected) continue;
		const execution = await editor.run(saved);
		given[title] = execution.error?.message ?? itemsOf(execution, expected.node)[0]?.json;
	}
	expect(given).toEqual(whatExamplesGive());
});
