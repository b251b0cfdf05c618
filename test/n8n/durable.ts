import { exampleFor, withModels } from './example.ts';
import { node, type WorkflowFile } from './workflow.ts';
import type { Accounts } from './bridge.ts';
import type { Editor } from './editor.ts';

const trigger = 'When clicking ‘Execute workflow’';

/** An example that starts one job, with other prompts: one item each. */
export function exampleWith(accounts: Accounts, file: string, prompts: string[]): WorkflowFile {
	const example = withModels(exampleFor(accounts, file));
	const start = example.nodes.find(({ name }) => name === 'Start');
	if (start) start.parameters = { ...start.parameters, prompt: '={{ $json.prompt }}' };
	example.pinData = { [trigger]: prompts.map((prompt) => ({ json: { prompt } })) };
	return example;
}

/** A workflow that starts jobs as an example does, and calls the example that waits for them. */
export async function callerOfWaiting(
	editor: Editor,
	accounts: Accounts,
	prompts: string[],
): Promise<WorkflowFile> {
	// n8n calls published workflows only
	const block = await editor.publish(exampleFor(accounts, 'wait-for-media-jobs.json'));
	const { nodes, ...example } = exampleWith(accounts, 'wait-durably-for-videos.json', prompts);
	const fields = ['mediaType', 'jobId'];
	const call = node(
		'Call',
		'n8n-nodes-base.executeWorkflow',
		{
			workflowId: { __rl: true, mode: 'id', value: block.id },
			workflowInputs: {
				mappingMode: 'defineBelow',
				value: Object.fromEntries(fields.map((id) => [id, `={{ $json.${id} }}`])),
				schema: fields.map((id) => ({ id, displayName: id, type: 'string', display: true })),
			},
			options: {},
		},
		{ typeVersion: 1.2 },
	);
	const to = (name: string) => ({ main: [[{ node: name, type: 'main', index: 0 }]] });
	return {
		...example,
		name: 'Caller',
		nodes: [...nodes.filter(({ name }) => [trigger, 'Start'].includes(name)), call],
		connections: { [trigger]: to('Start'), Start: to('Call') },
	};
}
