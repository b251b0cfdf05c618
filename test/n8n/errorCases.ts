import { nodesFor, openBridge, payingOperations, type Bridge } from './bridge.ts';
import { itemsOf } from './execution.ts';
import { workflow, type WorkflowFile } from './workflow.ts';

type Operation = (typeof payingOperations)[number];

/** What becomes of an item that fails, in a real n8n. */
export function errorCases(operations: readonly Operation[]): void {
	let bridge: Bridge;
	beforeAll(async () => {
		bridge = await openBridge();
	});
	beforeEach(() => bridge.service.reset());
	afterAll(async () => await bridge.service.stop());

	/** Three items, each sending its own text, through one operation. */
	function threeItems(
		[name, type, operation, parameters]: Operation,
		settings: Record<string, unknown>,
	): WorkflowFile {
		const build = nodesFor(bridge.accounts)[type];
		return workflow(
			name,
			[{ text: 'item-one' }, { text: 'item-two' }, { text: 'item-three' }],
			build('Node', operation, parameters('={{ $json.text }}'), settings),
		);
	}

	const refuseSecond = () =>
		bridge.service.fault({
			match: { bodyIncludes: 'item-two' },
			do: {
				type: 'status',
				status: 403,
				body: { detail: 'not this one', error: { code: 'not_allowed', message: 'not this one' } },
			},
		});

	describe.each(operations)('%s', (...paying) => {
		const operation = paying as unknown as Operation;

		it('routes the item that failed to the error output, linked to its input', async () => {
			refuseSecond();
			const execution = await bridge.editor.runOnce(
				threeItems(operation, { onError: 'continueErrorOutput' }),
			);
			expect(execution.status).toBe('success');
			const [good, bad] = [itemsOf(execution, 'Node', 0), itemsOf(execution, 'Node', 1)];
			expect(good.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 2 }]);
			expect(bad).toHaveLength(1);
			expect(bad[0]).toMatchObject({
				json: {
					text: 'item-two',
					error: expect.stringContaining('403'),
					details: { kind: 'refused', status: 403, reason: 'not this one' },
				},
				pairedItem: { item: 1 },
			});
		});

		it('names the item that failed when the node stops', async () => {
			refuseSecond();
			const execution = await bridge.editor.runOnce(threeItems(operation, {}));
			expect(execution.status).toBe('error');
			expect(execution.error).toMatchObject({
				message: expect.stringContaining('403'),
				description: expect.stringContaining('not this one'),
				context: { itemIndex: 1 },
			});
		});

		it('shows the key nowhere, not even when the service repeats it', async () => {
			const key = String(bridge.accounts[operation[1]].data['apiKey']);
			bridge.service.fault({
				do: {
					type: 'status',
					status: 400,
					body: { detail: `bad key ${key}`, message: `bad key ${key}` },
				},
			});
			for (const settings of [{}, { onError: 'continueErrorOutput' }]) {
				const execution = await bridge.editor.runOnce(threeItems(operation, settings));
				expect(JSON.stringify(execution)).toContain('bad key');
				expect(JSON.stringify(execution)).not.toContain(key);
			}
		});
	});
}
