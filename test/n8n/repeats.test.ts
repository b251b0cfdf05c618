import { nodesFor, openBridge, payingOperations, type Bridge } from './bridge.ts';
import { until } from './editor.ts';
import { itemsOf } from './execution.ts';
import { start, workflow, type WorkflowFile } from './workflow.ts';

// whatever n8n runs again, nothing that may cost is started twice
let bridge: Bridge;
beforeAll(async () => {
	bridge = await openBridge();
});
beforeEach(() => bridge.service.reset());
afterAll(async () => await bridge.service.stop());

// the last one fails: then the others are under way already, on the slowest machine
const texts = ['item-one', 'item-two', 'item-three'];

function threeItems(
	[name, type, operation, parameters]: (typeof payingOperations)[number],
	settings: Record<string, unknown> = {},
	more: Record<string, unknown> = {},
): WorkflowFile {
	const build = nodesFor(bridge.accounts)[type];
	return workflow(
		name,
		texts.map((text) => ({ text })),
		build('Node', operation, { ...parameters('={{ $json.text }}'), ...more }, settings),
	);
}

/** How many requests that may cost came with each item's text. */
const received = () => texts.map((text) => bridge.service.received(text));

const retryOnFail = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };

describe.each(payingOperations)('%s', (...paying) => {
	const operation = paying as unknown as (typeof payingOperations)[number];

	it('Retry On Fail sends only the item that was refused again', async () => {
		bridge.service.fault({
			match: { bodyIncludes: 'item-three' },
			times: 1,
			do: { type: 'status', status: 403 },
		});
		const execution = await bridge.editor.runOnce(threeItems(operation, retryOnFail));
		expect(execution.error?.message).toBeUndefined();
		expect(itemsOf(execution, 'Node').map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 1 },
			{ item: 2 },
		]);
		// the refused one twice: a refusal has started nothing
		expect(received()).toEqual([1, 1, 2]);
	});

	it('Retry On Fail sends no item twice when nobody knows what became of one', async () => {
		bridge.service.fault({
			match: { bodyIncludes: 'item-three' },
			times: 1,
			do: { type: 'reset_peer', effect: true },
		});
		const execution = await bridge.editor.runOnce(threeItems(operation, retryOnFail));
		expect(execution.status).toBe('error');
		expect(received()).toEqual([1, 1, 1]);
	});

	it('Retry On Fail sends no item twice after a failure of the service', async () => {
		bridge.service.fault({
			match: { bodyIncludes: 'item-three' },
			times: 1,
			do: { type: 'status', status: 500 },
		});
		const execution = await bridge.editor.runOnce(threeItems(operation, retryOnFail));
		expect(execution.status).toBe('error');
		expect(received()).toEqual([1, 1, 1]);
	});

	it('sends an unknown one again when the node says so', async () => {
		bridge.service.fault({
			match: { bodyIncludes: 'item-three' },
			times: 1,
			do: { type: 'status', status: 500 },
		});
		const execution = await bridge.editor.runOnce(
			threeItems(operation, retryOnFail, { requestSettings: { sendAgain: true } }),
		);
		expect(execution.error?.message).toBeUndefined();
		expect(received()).toEqual([1, 1, 2]);
	});

	it.each([false, true])(
		'"Retry" of the execution sends only the refused item (current workflow: %s)',
		async (current) => {
			bridge.service.fault({
				match: { bodyIncludes: 'item-three' },
				times: 1,
				do: { type: 'status', status: 403 },
			});
			const failed = await bridge.editor.runOnce(threeItems(operation));
			expect(failed.status).toBe('error');
			expect(received()).toEqual([1, 1, 1]);
			const retried = await bridge.editor.retryExecution(failed.id, current);
			expect(retried.error?.message).toBeUndefined();
			expect(retried).toMatchObject({ status: 'success', retryOf: failed.id });
			expect(itemsOf(retried, 'Node')).toHaveLength(3);
			expect(received()).toEqual([1, 1, 2]);
		},
	);

	it('a new execution sends everything anew', async () => {
		const saved = await bridge.editor.importWorkflow(threeItems(operation));
		await bridge.editor.run(saved);
		await bridge.editor.run(saved);
		expect(received()).toEqual([2, 2, 2]);
	});
});

it('Retry On Fail does not start a job again that failed after its start', async () => {
	const generate = payingOperations.find(([name]) => name === 'modelRouter job generate')!;
	const file = threeItems(generate, retryOnFail);
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
	it.each(payingOperations.filter(([name]) => !/ask$|askGuided|job/.test(name)))(
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
			await until('the request is answered', () => bridge.service.requests.length === 1);
			await bridge.editor.stopExecution(id);
			await until(
				'the connection is closed',
				() => bridge.service.requests[0]?.abandoned === true,
				5,
			);
			expect((await bridge.editor.finished(id)).status).toBe('canceled');
			expect(bridge.service.requests).toHaveLength(1);
		},
	);

	it('ends the wait for a job and leaves its id in the custom data', async () => {
		const generate = payingOperations.find(([name]) => name === 'modelRouter job generate')!;
		const build = nodesFor(bridge.accounts).router;
		const file = workflow(
			'stop a job',
			[{}],
			build('Node', generate[2], generate[3]('endless [[never]]')),
		);
		const id = await bridge.editor.start(await bridge.editor.importWorkflow(file));
		await until('the job is waited for', () => bridge.service.requests.length >= 2);
		await bridge.editor.stopExecution(id);
		expect((await bridge.editor.finished(id)).status).toBe('canceled');
		// n8n says that it has ended before it has stored what it knows
		await until('the id is stored', async () =>
			JSON.stringify((await bridge.editor.execution(id)).customData).includes('job-'),
		);
		expect(bridge.service.starts('endless')).toBe(1);
	});
});
