import { nodesFor, oneOfEachKind, openBridge, payingOperations, type Bridge } from './bridge.ts';
import { until } from './editor.ts';
import { repeatCases, retryOnFail, texts, threeItems } from './repeatCases.ts';
import { onWorkers, sharedLog } from './shared.ts';
import { start, workflow } from './workflow.ts';

// whatever n8n runs again, nothing that may cost is started twice
let bridge: Bridge;
beforeAll(async () => {
	bridge = await openBridge();
});
beforeEach(() => bridge.service.reset());
afterAll(async () => await bridge.service.stop());

repeatCases(oneOfEachKind);

it('Retry On Fail does not start a job again that failed after its start', async () => {
	const generate = payingOperations.find(([name]) => name === 'modelRouter media generate')!;
	const file = threeItems(bridge.accounts, generate, retryOnFail);
	file.pinData = {
		[start]: [
			{ json: { text: 'item-one' } },
			{ json: { text: 'item-two [[fail]]' } },
			{ json: { text: 'item-three' } },
		],
	};
	const execution = await bridge.editor.runOnce(file);
	expect(execution.status).toBe('error');
	expect(texts.map((text) => bridge.service.starts(text))).toEqual([1, 1, 1]);
});

describe('Stop', () => {
	it.each(payingOperations.filter(([name]) => !/ask$|askGuided|media/.test(name)))(
		'closes the connection of %s',
		async (...paying) => {
			const [name, type, operation, parameters] =
				paying as unknown as (typeof payingOperations)[number];
			const build = nodesFor(bridge.accounts)[type];
			const file = workflow(
				name,
				[{}],
				build('Node', operation, parameters('wait [[gate]] [[words:50]]')),
			);
			const id = await bridge.editor.start(await bridge.editor.importWorkflow(file));
			// a process that has not read the catalog yet does so first
			const sent = () => bridge.service.requests.filter(({ method }) => method === 'POST');
			await until('the request is answered', () => sent().length === 1);
			await bridge.editor.stopExecution(id);
			await until('the connection is closed', () => sent()[0]?.abandoned === true);
			expect((await bridge.editor.finished(id)).status).toBe('canceled');
			expect(sent()).toHaveLength(1);
		},
	);

	it('ends the wait for a job and leaves its ID in the log and in the custom data', async () => {
		const generate = payingOperations.find(([name]) => name === 'modelRouter media generate')!;
		const build = nodesFor(bridge.accounts).router;
		const file = workflow(
			'stop a job',
			[{}],
			build('Node', generate[2], generate[3]('endless [[never]]')),
		);
		const id = await bridge.editor.start(await bridge.editor.importWorkflow(file));
		await until('the job is waited for', () =>
			bridge.service.requests.some(({ method, path }) => method === 'GET' && /\/jobs\//.test(path)),
		);
		await bridge.editor.stopExecution(id);
		expect((await bridge.editor.finished(id)).status).toBe('canceled');
		expect(sharedLog()).toContain(`execution ${id}, mediaJob job-`);
		expect(bridge.service.starts('endless')).toBe(1);
		if (onWorkers()) return;
		// n8n says that it has ended before it has stored what it knows
		await until('the ID is stored', async () =>
			JSON.stringify((await bridge.editor.execution(id)).customData).includes('job-'),
		);
	});
});
