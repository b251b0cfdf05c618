import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Editor } from './editor.ts';
import { itemsOf } from './execution.ts';
import { sharedEditor } from './shared.ts';
import { node, workflow } from './workflow.ts';

// the harness itself, with n8n's own nodes only
let editor: Editor;
beforeAll(async () => {
	editor = await sharedEditor();
});

const set = (name: string, value: string, settings = {}) =>
	node(
		name,
		'n8n-nodes-base.set',
		{ mode: 'raw', jsonOutput: value, options: {} },
		{ typeVersion: 3.4, ...settings },
	);

it('runs a workflow and reads its items', async () => {
	const execution = await editor.runOnce(
		workflow('set', [{ n: 1 }, { n: 2 }], set('Set', '={{ { double: $json.n * 2 } }}')),
	);
	expect(execution.status).toBe('success');
	expect(itemsOf(execution, 'Set').map(({ json }) => json)).toEqual([{ double: 2 }, { double: 4 }]);
});

it('publishes a webhook and calls it', async () => {
	const file = workflow('webhook', [], set('Set', '={{ { got: $json.body.q } }}'));
	const [trigger] = file.nodes;
	Object.assign(trigger!, {
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2,
		webhookId: 'harness',
		parameters: { path: 'harness', httpMethod: 'POST', responseMode: 'lastNode' },
	});
	const saved = await editor.importWorkflow({ ...file, pinData: {} });
	await editor.activate(saved);
	expect(await editor.webhook('harness', { q: 'hi' })).toEqual({
		status: 200,
		body: { got: 'hi' },
	});
	expect((await editor.finishedOf(saved.id)).status).toBe('success');
});

it('retries a failed execution and stops a running one', async () => {
	const server = createServer((request, response) => {
		if (request.url === '/fail') response.writeHead(500).end('no');
	});
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const ask = (path: string) =>
		workflow(
			path,
			[{}],
			node(
				'Ask',
				'n8n-nodes-base.httpRequest',
				{ url: url + path, options: {} },
				{ typeVersion: 4.2 },
			),
		);
	try {
		const failed = await editor.runOnce(ask('/fail'));
		expect(failed).toMatchObject({ status: 'error', lastNode: 'Ask' });
		expect(failed.runData['Ask']?.[0]?.error?.httpCode).toBe('500');
		expect(await editor.retryExecution(failed.id)).toMatchObject({
			status: 'error',
			mode: 'retry',
			retryOf: failed.id,
		});

		const id = await editor.start(await editor.importWorkflow(ask('/hang')));
		await new Promise((done) => server.once('request', done));
		await editor.stopExecution(id);
		expect((await editor.finished(id)).status).toBe('canceled');
	} finally {
		server.closeAllConnections();
		server.close();
	}
});
