import { globSync, readFileSync } from 'node:fs';

import { messages, model, nodesFor, packageName } from '../n8n/bridge.ts';
import { node, workflow, type WorkflowNode } from '../n8n/workflow.ts';
import { takePicture } from './pictures.ts';
import { it, sessionOfFile } from './session.ts';

// the fields of a node that has never run
const session = sessionOfFile();

it('n8n serves the schema of every operation', async () => {
	const paths = globSync('nodes/*/__schema__/v1.0.0{.json,/**/*.json}');
	expect(paths.length).toBeGreaterThan(20);
	for (const path of paths) {
		const [, folder = '', choice = ''] =
			/^nodes\/(\w+)\/__schema__\/v1\.0\.0(.*)\.json$/.exec(path) ?? [];
		const type = `${packageName}.${folder[0]?.toLowerCase()}${folder.slice(1)}`;
		const url = `${session.bridge.editor.url}/schemas/${type}/1.0.0${choice}.json`;
		const answer = await fetch(url);
		expect([url, answer.status]).toEqual([url, 200]);
		expect(await answer.json()).toEqual(JSON.parse(readFileSync(path, 'utf8')));
	}
});

it.each<[string, string[], (make: ReturnType<typeof nodesFor>) => WorkflowNode]>([
	['agent', ['sessionId'], ({ agent }) => agent('Ask', ['message', 'send'], { message: 'Hi' })],
	[
		'model',
		['usage', 'completion_tokens'],
		({ router }) =>
			router('Ask', ['text', 'message'], {
				model: model('northwind/quill-2.5'),
				...messages('Hi'),
			}),
	],
	['job', ['jobId'], ({ router }) => router('Ask', ['media', 'start'], { prompt: 'A cat' })],
	['conversation', ['costUsd'], () => node('Ask', `${packageName}.agentConversation`, {})],
])('drags a field of an operation that has never run: %s', async (what, path, make) => {
	const { editor, accounts, service } = session.bridge;
	const next = node('Take', 'n8n-nodes-base.set', {}, { typeVersion: 3.4 });
	const file = workflow(`Fields of ${what}`, [{}], make(nodesFor(accounts)), next);
	await session.page.openWorkflow(await editor.importWorkflow(file));
	const panel = await session.page.openNode('Take');
	await panel.dragField(path.at(-1)!);
	if (what === 'model') await takePicture('fields before a run', panel.ndv);
	await panel.showsValue(`{{ $json.${path.join('.')} }}`);
	await panel.close();
	expect(service.requests).toEqual([]);
});
