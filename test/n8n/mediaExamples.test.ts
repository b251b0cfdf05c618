import { openBridge, type Bridge } from './bridge.ts';
import { waitingExamples, waitingFiles } from './durable.ts';
import { exampleFor, withModels } from './example.ts';
import { itemsOf } from './execution.ts';
import { FormVisitor } from './formVisitor.ts';
import { originalFile } from './originalFile.ts';

let bridge: Bridge;
let files: Awaited<ReturnType<typeof waitingFiles>>;
beforeAll(async () => {
	bridge = await openBridge();
	files = await waitingFiles(bridge);
});
afterAll(async () => await bridge.service.stop());

it.each(waitingExamples)('%s: n8n parks it in its database', async (name) => {
	const { editor } = bridge;
	const id = await editor.start(await editor.importWorkflow(files[name]));
	const parked = await editor.finishedOrParked(id);
	expect(parked.status).toBe('waiting');
	// who is told what was not started is told before the wait
	const notStarted = itemsOf(parked, 'Not Started').map(({ json }) => json);
	expect(notStarted).toHaveLength(name === 'batch' ? 2 : 0);
	expect(itemsOf(parked, 'Save What Is Missing')).toMatchObject(
		notStarted.map((json) => ({ json })),
	);
	// their end, minutes later, is in test/long
	await editor.stopExecution(id);
});

describe('a picture from a form', () => {
	let path = '';
	beforeAll(async () => {
		const { editor, accounts } = bridge;
		const form = await editor.importWorkflow(
			withModels(exampleFor(accounts, 'picture-from-a-form.json')),
		);
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
		const original = await originalFile(service, { ...started[0], mediaType: 'images' });
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
