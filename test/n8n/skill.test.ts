import { skillWorkflows } from '../support/skill.ts';
import { bridgeOfFile, createWithLedger, secretsOf } from './bridge.ts';
import { withAccounts, withModels } from './example.ts';
import { itemsOf } from './execution.ts';
import type { WorkflowFile } from './workflow.ts';

// what the skill for language models shows, imported and run
const bridge = bridgeOfFile({ personas: true });
const isManual = ({ nodes }: WorkflowFile) => nodes[0]?.type === 'n8n-nodes-base.manualTrigger';

it.each(skillWorkflows().map((file) => [file.name, file] as const))('%s', async (_name, file) => {
	const { editor, service, accounts } = bridge;
	service.forms.jobSteps = 0;
	const router = await createWithLedger(editor, secretsOf(service).router);
	const saved = await editor.importWorkflow(
		withModels(withAccounts({ ...accounts, router }, file)),
	);
	// a trigger that waits for events is imported, and that is all
	if (!isManual(file)) return;
	const execution = await editor.run({ id: saved.id, nodes: saved.nodes.slice(0, 1) });
	expect(execution.error?.message).toBeUndefined();
	expect(execution.status).toBe('success');
	const [item] = itemsOf(execution, file.nodes[1]!.name);
	expect(item?.json['output'] ?? item?.json['jobId']).toEqual(expect.stringMatching(/./));
});
