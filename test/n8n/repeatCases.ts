import { nodesFor, openBridge, payingOperations, type Bridge } from './bridge.ts';
import { itemsOf } from './execution.ts';
import { workflow, type WorkflowFile } from './workflow.ts';

type Operation = (typeof payingOperations)[number];

// the last one fails: then the others are under way already, on the slowest machine
export const texts = ['item-one', 'item-two', 'item-three'];
export const retryOnFail = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };

export function threeItems(
	accounts: Bridge['accounts'],
	[name, type, operation, parameters]: Operation,
	settings: Record<string, unknown> = {},
	more: Record<string, unknown> = {},
): WorkflowFile {
	const build = nodesFor(accounts)[type];
	return workflow(
		name,
		texts.map((text) => ({ text })),
		build('Node', operation, { ...parameters('={{ $json.text }}'), ...more }, settings),
	);
}

/** Whatever n8n runs again, nothing that may cost is started twice. */
export function repeatCases(operations: readonly Operation[]): void {
	let bridge: Bridge;
	beforeAll(async () => {
		bridge = await openBridge();
	});
	beforeEach(() => bridge.service.reset());
	afterAll(async () => await bridge.service.stop());

	/** How many requests that may cost came with each item's text. */
	const received = () => texts.map((text) => bridge.service.received(text));

	describe.each(operations)('%s', (...paying) => {
		const operation = paying as unknown as Operation;

		it('Retry On Fail sends only the item that was refused again', async () => {
			bridge.service.fault({
				match: { bodyIncludes: 'item-three' },
				times: 1,
				do: { type: 'status', status: 403 },
			});
			const execution = await bridge.editor.runOnce(
				threeItems(bridge.accounts, operation, retryOnFail),
			);
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
			const execution = await bridge.editor.runOnce(
				threeItems(bridge.accounts, operation, retryOnFail),
			);
			expect(execution.status).toBe('error');
			expect(received()).toEqual([1, 1, 1]);
		});

		it('Retry On Fail sends no item twice after a failure of the service', async () => {
			bridge.service.fault({
				match: { bodyIncludes: 'item-three' },
				times: 1,
				do: { type: 'status', status: 500 },
			});
			const execution = await bridge.editor.runOnce(
				threeItems(bridge.accounts, operation, retryOnFail),
			);
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
				threeItems(bridge.accounts, operation, retryOnFail, {
					requestSettings: { resendIfUnknown: true },
				}),
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
				const failed = await bridge.editor.runOnce(threeItems(bridge.accounts, operation));
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
			const saved = await bridge.editor.importWorkflow(threeItems(bridge.accounts, operation));
			await bridge.editor.run(saved);
			await bridge.editor.run(saved);
			expect(received()).toEqual([2, 2, 2]);
		});
	});
}
