import {
	bridgeOfFile,
	modelsListedBy,
	packageName,
	payingOperations,
	type PayingOperation,
} from '../n8n/bridge.ts';
import { itemsOf } from '../n8n/execution.ts';
import { sharedLog } from '../n8n/shared.ts';
import { workflow } from '../n8n/workflow.ts';
import { describeRefusing, describeWorking, tested } from './tested.ts';

const bridge = bridgeOfFile();
beforeEach(() => void (bridge.service.forms.jobSteps = 0));

const run = async ([name, make]: PayingOperation, text: string) =>
	await bridge.editor.runOnce(workflow(name, [{}], make(bridge.accounts, text)));

const nodeTypes = [
	'workspaceAgent',
	'marketAssistant',
	'modelRouter',
	'modelRouterTrigger',
	// also where it cannot be used
	'lmChatModelRouter',
];

it.each(nodeTypes)('%s is loaded', async (type) => {
	expect(await bridge.editor.nodeType(`${packageName}.${type}`)).toMatchObject({
		displayName: expect.any(String),
		properties: expect.any(Array),
	});
	expect(sharedLog()).not.toMatch(/Error loading package|Failed to load|could not be loaded/i);
});

describeWorking('Operations', () => {
	it.each(payingOperations)('%s', async (...operation) => {
		const execution = await run(operation, 'a lighthouse');
		expect(execution.error?.message).toBeUndefined();
		expect(itemsOf(execution, 'Node')).toHaveLength(1);
		expect(itemsOf(execution, 'Node')[0]?.json).not.toHaveProperty('error');
		expect(bridge.service.received('a lighthouse')).toBe(1);
	});

	it('a media file is stored in n8n', async () => {
		const generate = payingOperations.find(([name]) => name.endsWith('generate'));
		const execution = await run(generate!, 'a lighthouse');
		const [file] = Object.values(itemsOf(execution, 'Node')[0]?.binary ?? {});
		expect(file?.mimeType).toBe('image/png');
		expect((await bridge.editor.bytesOf(file)).length).toBeGreaterThan(100);
	});

	it('the model list is read', async () => {
		expect(await modelsListedBy('modelRouter', bridge)).toContain('northwind/quill-2.5');
	});

	it('a failed request says why, once, and is not repeated', async () => {
		bridge.service.fault({ match: { method: 'POST' }, do: { type: 'status', status: 401 } });
		const execution = await run(payingOperations[0]!, 'a lighthouse');
		expect(execution.error?.message).toMatch(/key/i);
		expect(bridge.service.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
	});
});

describeWorking('Credential test', () => {
	it.each(['agent', 'assistant', 'router'] as const)('%s', async (who) => {
		const account = bridge.accounts[who];
		expect(await bridge.editor.testCredential(account)).toMatchObject({ status: 'OK' });
		const wrong = { ...account, data: { ...account.data, apiKey: 'wrong-key-5e1f' } };
		expect(await bridge.editor.testCredential(wrong)).toMatchObject({ status: 'Error' });
	});
});

describeRefusing('every operation', () => {
	it.each(payingOperations)('%s is refused in one sentence', async (...operation) => {
		const execution = await run(operation, 'a lighthouse');
		expect(execution.error?.message).toBe(`This node needs n8n ${tested.refuses} or newer`);
		expect(execution.error?.description ?? '').toBe('');
		expect(bridge.service.requests).toEqual([]);
	});
});
