import { openBridge, type Bridge } from '../n8n/bridge.ts';
import { waitingExamples, waitingFiles } from '../n8n/durable.ts';
import { itemsOf, type Item } from '../n8n/execution.ts';
import { originalFile } from '../n8n/originalFile.ts';

// the waits are as long as they are in the examples, so all of them are started first
let bridge: Bridge;
const executions = { loop: '', block: '', batch: '' };
beforeAll(async () => {
	bridge = await openBridge();
	const { editor } = bridge;
	const files = await waitingFiles(bridge);
	for (const name of waitingExamples)
		executions[name] = await editor.start(await editor.importWorkflow(files[name]));
});
afterAll(async () => await bridge.service.stop());

/** The file of an item is, byte by byte, what the service has for its job. */
async function expectWhole({ json, binary }: Item): Promise<void> {
	const bytes = await bridge.editor.bytesOf(binary?.['data']);
	expect(bytes.equals(await originalFile(bridge.service, json))).toBe(true);
}

it('waits durably for videos', async () => {
	const execution = await bridge.editor.finished(executions.loop);
	expect(execution.status).toBe('success');
	const [file, ...others] = itemsOf(execution, 'Download');
	expect(others).toEqual([]);
	await expectWhole(file!);
	expect(file?.json).toMatchObject({ mediaType: 'videos', file: { mimeType: 'video/mp4' } });
	expect(itemsOf(execution, 'No File')).toMatchObject([
		{
			json: {
				jobId: expect.stringMatching(/^job-/),
				why: expect.stringContaining('costs nothing'),
			},
		},
	]);
	expect([bridge.service.starts('a wave'), bridge.service.starts('a storm')]).toEqual([1, 1]);
});

it('waits for the media jobs of another workflow, which gets an item for each', async () => {
	const execution = await bridge.editor.finished(executions.block);
	expect(execution.status).toBe('success');
	const started = itemsOf(execution, 'Start').map(({ json }) => json['jobId']);
	const [made, failed, ...others] = itemsOf(execution, 'Call');
	expect(others).toEqual([]);
	expect([made?.json['jobId'], failed?.json['jobId']]).toEqual(started);
	await expectWhole(made!);
	expect(failed?.json).toMatchObject({ why: expect.stringContaining('costs nothing') });
	expect([bridge.service.starts('a beach'), bridge.service.starts('a cliff')]).toEqual([1, 1]);
});

it('makes a batch as long as its money lasts, and says what was not started', async () => {
	const execution = await bridge.editor.finished(executions.batch);
	expect(execution.status).toBe('success');
	const prompts = itemsOf(execution, 'One Item Each').map(({ json }) => String(json['prompt']));
	expect(prompts).toHaveLength(5);
	expect(prompts.map((prompt) => bridge.service.starts(prompt))).toEqual([1, 1, 1, 0, 0]);
	expect(itemsOf(execution, 'Not Started').map(({ json }) => json)).toEqual(
		prompts.slice(3).map((prompt) => ({
			prompt,
			outcome: 'not_started',
			why: expect.stringContaining('The spending cap of $0.12 for this execution is reached'),
		})),
	);
	const files = itemsOf(execution, 'Download');
	expect(files).toHaveLength(3);
	for (const file of files) await expectWhole(file);
});
