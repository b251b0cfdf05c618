import { openBridge, type Bridge } from './bridge.ts';
import { callerOfWaiting, exampleWith } from './durable.ts';
import { exampleFor } from './example.ts';
import { itemsOf, type Item } from './execution.ts';
import { FormVisitor } from './formVisitor.ts';
import { originalFile } from './originalFile.ts';

// the waits are as long as they are in the examples, so all of them are started first
let bridge: Bridge;
const executions = { loop: '', block: '', batch: '' };
beforeAll(async () => {
	bridge = await openBridge();
	const { editor, service, accounts } = bridge;
	service.forms.jobSteps = 1;
	const prompts = ['a wave', 'a storm [[fail]]'];
	const files = {
		loop: exampleWith(accounts, 'wait-durably-for-videos.json', prompts),
		block: await callerOfWaiting(editor, accounts, ['a beach', 'a cliff [[fail]]']),
		batch: exampleFor(accounts, 'nightly-batch-with-spending-cap.json'),
	};
	for (const name of ['loop', 'block', 'batch'] as const)
		executions[name] = await editor.start(await editor.importWorkflow(files[name]));
});
afterAll(async () => await bridge.service.stop());

/** The file of an item is, byte by byte, what the service has for its job. */
async function expectWhole({ json, binary }: Item): Promise<void> {
	const bytes = await bridge.editor.bytesOf(binary?.['data']);
	expect(bytes.equals(await originalFile(bridge.service, json))).toBe(true);
}

it.each(['loop', 'block', 'batch'] as const)('%s: n8n parks it in its database', async (name) => {
	const parked = await bridge.editor.finishedOrParked(executions[name]);
	expect(parked.status).toBe('waiting');
	// who is told what was not started is told before the wait
	expect(itemsOf(parked, 'Not Started')).toHaveLength(name === 'batch' ? 2 : 0);
});

describe('a picture from a form', () => {
	let path = '';
	beforeAll(async () => {
		const { editor, accounts } = bridge;
		const form = await editor.importWorkflow(exampleFor(accounts, 'picture-from-a-form.json'));
		await editor.activate(form);
		path = String(form.nodes.find(({ type }) => /formTrigger$/.test(type))?.['webhookId']);
	});

	it('who is not signed in sees no form', async () => {
		const { url, html } = await new FormVisitor(bridge.editor.url).open(path);
		expect(url).not.toContain(`/form/${path}`);
		expect(html).not.toContain('What should be in it?');
	});

	const visit = async (prompt: string) => {
		const visitor = new FormVisitor(bridge.editor.url);
		await visitor.signIn();
		const first = await visitor.open(path);
		const form = first.url.includes('/oauth/consent') ? await visitor.consent() : first;
		expect(form.html).toContain('What should be in it?');
		return await visitor.send(form, prompt);
	};

	it('who is gets the file that the service made', async () => {
		const { html, files } = await visit('A lighthouse, sent by a form');
		const { service } = bridge;
		const started = service.world.starts.filter(({ prompt }) => prompt.includes('sent by a form'));
		expect(started).toHaveLength(1);
		expect(files).toMatchObject([{ type: 'image/png', fileName: expect.stringMatching(/\.png$/) }]);
		const original = await originalFile(service, { ...started[0], segment: 'images' });
		expect(files[0]?.bytes.equals(original)).toBe(true);
		expect(html).toContain('Here is your picture');
	});

	it('says why there is none', async () => {
		const { html, files } = await visit('A form [[fail]]');
		expect(files).toEqual([]);
		expect(html).toContain('There is no picture');
		expect(html).toMatch(/The media job failed.*jobId: /);
		expect(bridge.service.starts('A form')).toBe(1);
	});
});

it('waits durably for videos', async () => {
	const execution = await bridge.editor.finished(executions.loop);
	expect(execution.status).toBe('success');
	const [file, ...others] = itemsOf(execution, 'Download');
	expect(others).toEqual([]);
	await expectWhole(file!);
	expect(file?.json).toMatchObject({ segment: 'videos', file: { mimeType: 'video/mp4' } });
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
			why: expect.stringContaining('The spending cap of $0.10 for this execution is reached'),
		})),
	);
	const files = itemsOf(execution, 'Download');
	expect(files).toHaveLength(3);
	for (const file of files) await expectWhole(file);
});
