import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { model, openBridge, type Bridge } from './bridge.ts';
import { exampleFor, readExample, withModels } from './example.ts';
import { itemsOf, type Execution } from './execution.ts';
import { FormVisitor, type FormPage } from './formVisitor.ts';
import { originalFile } from './originalFile.ts';
import { withoutOutsideApps } from './outsideApps.ts';
import type { WorkflowFile } from './workflow.ts';

// workflows of the gallery that make a file and save it to Google Drive
const PICTURE = 'make-a-picture-from-a-form-and-save-it-to-google-drive.json';
const SPEECH = 'read-an-article-aloud-and-save-it-to-google-drive.json';
const LINK = 'https://drive.google.com/file/d/1/view';

let bridge: Bridge;
let pages: Server;
beforeAll(async () => {
	bridge = await openBridge();
	pages = createServer((_request, response) => {
		response.setHeader('content-type', 'text/html');
		response.end(
			'<html><head><title>A new lamp</title></head><body><nav>Home</nav><article><h1>A new lamp</h1><p>The lighthouse has a new lamp.</p></article><script>let ignored</script></body></html>',
		);
	});
	await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
});
beforeEach(() => bridge.service.reset());
afterAll(async () => {
	pages?.close();
	await bridge.service.stop();
});

interface Saved {
	inputDataFieldName: string;
	name: string;
	folderId: { value: string };
}

/** A form with a model chosen in these nodes; Google Drive records what it would save, and answers with a link. */
function load(file: string, models: Record<string, string>): WorkflowFile {
	const { nodes, ...rest } = exampleFor(bridge.accounts, file);
	const chosen = nodes.map((node) => {
		const id = models[node.name];
		if (id !== undefined) return { ...node, parameters: { ...node.parameters, model: model(id) } };
		if (!node.type.endsWith('.googleDrive')) return node;
		return { ...node, parameters: { ...node.parameters, webViewLink: LINK } };
	});
	return withoutOutsideApps(withModels({ ...rest, nodes: chosen }));
}

/** Publishes a form and opens it as the owner of this n8n. */
async function openForm(file: WorkflowFile) {
	const { editor } = bridge;
	const workflow = await editor.importWorkflow(file);
	await editor.activate(workflow);
	const path = workflow.nodes.find(({ type }) => /formTrigger$/.test(type))?.['webhookId'];
	const visitor = new FormVisitor(editor.url);
	await visitor.signIn();
	const first = await visitor.open(String(path));
	const page = first.url.includes('/oauth/consent') ? await visitor.consent() : first;
	/** The execution once the ending was shown. */
	const finished = async () => {
		const execution = await editor.finishedOf(workflow.id);
		await editor.deactivate(workflow.id);
		return execution;
	};
	return { visitor, page, finished };
}

const savedBy = (execution: Execution) => {
	const [item] = itemsOf(execution, 'Save to Google Drive');
	return { ...(item?.json as unknown as Saved), file: item?.binary?.['data'] };
};

it.each([PICTURE, SPEECH])('%s asks who it is, chooses no model, and has caps', (file) => {
	const { nodes } = readExample(file);
	const [form] = nodes.filter(({ type }) => /formTrigger$/.test(type));
	expect(form?.parameters['authentication']).toBe('n8nUserAuth');
	const paid = nodes.filter(({ parameters }) =>
		/generate|message/.test(String(parameters['operation'])),
	);
	expect(paid.length).toBeGreaterThan(0);
	for (const { parameters } of paid) expect(parameters['spendingCapPerItem']).toBeLessThan(1);
	for (const { parameters } of nodes)
		expect(parameters['model'] ?? { value: '' }).toMatchObject({
			value: expect.stringMatching(/^$|^=/),
		});
});

describe('a picture after approval', () => {
	const ask = async (prompt: string, sketch = 'canvas/sketch-1') => {
		const opened = await openForm(load(PICTURE, { 'Look Up the Price': sketch }));
		expect(opened.page.html).toContain('What should be in it?');
		return { ...opened, next: await opened.visitor.next(opened.page, prompt) };
	};
	const costs = ({ html }: FormPage) =>
		expect(html).toContain('This picture costs 0.04 USD per image');

	it('is made once and saved, and the last page has its link', async () => {
		const { visitor, next, finished } = await ask('A lighthouse for Drive');
		costs(next);
		expect(next.html).toContain('A lighthouse for Drive');
		expect(bridge.service.starts('A lighthouse for Drive')).toBe(0);
		const { html } = await visitor.send(next, 'Yes');
		expect(html).toContain('Your picture is saved');
		expect(html).toContain(LINK);
		expect(html).toContain('It has cost 0.04 USD');
		expect(bridge.service.starts('A lighthouse for Drive')).toBe(1);
		const [started] = bridge.service.world.starts;
		const { file, name, inputDataFieldName, folderId } = savedBy(await finished());
		expect({ name, inputDataFieldName, folder: folderId.value }).toEqual({
			name: expect.stringMatching(/\.png$/),
			inputDataFieldName: 'data',
			folder: 'root',
		});
		const original = await originalFile(bridge.service, { ...started, mediaType: 'images' });
		expect((await bridge.editor.bytesOf(file)).equals(original)).toBe(true);
	});

	it('is not started after a no', async () => {
		const { visitor, next, finished } = await ask('A lighthouse, refused');
		costs(next);
		const { html } = await visitor.send(next, 'No');
		expect(html).toContain('Nothing was started');
		expect((await finished()).status).toBe('success');
		expect(bridge.service.world.starts).toEqual([]);
	});

	it('says on its page why there is none', async () => {
		const { visitor, next, finished } = await ask('A lighthouse [[fail]]');
		const { html } = await visitor.send(next, 'Yes');
		expect(html).toContain('There is no picture');
		expect(html).toContain('The media job failed');
		expect(itemsOf(await finished(), 'Save to Google Drive')).toEqual([]);
		expect(bridge.service.world.starts).toHaveLength(1);
	});
});

describe('an article that is read aloud', () => {
	const address = (path: string) =>
		`http://127.0.0.1:${(pages.address() as AddressInfo).port}${path}`;
	const speech = () => load(SPEECH, { 'Read It Aloud': 'voice/speaker-1' });
	const listen = async (url: string, file = speech()) => {
		const { visitor, page, finished } = await openForm(file);
		const { html } = await visitor.send(page, url);
		return { html, execution: await finished() };
	};

	it('is shortened, spoken once and saved under its title', async () => {
		const { html, execution } = await listen(address('/article'));
		const [short] = itemsOf(execution, 'Shorten the Article');
		const [speech] = itemsOf(execution, 'Read It Aloud');
		const asked = bridge.service.requests
			.filter(({ method, path }) => method === 'POST' && /chat\/completions/.test(path))
			.map(({ body }) => body as { messages: Array<{ role: string; content: string }> });
		expect(asked.map(({ messages }) => messages.at(-1))).toEqual([
			{ role: 'user', content: expect.stringMatching(/^A new lamp\n\n[^]*has a new lamp\.$/) },
		]);
		expect(asked[0]?.messages.at(-1)?.content).not.toMatch(/Home|ignored/);
		expect(bridge.service.world.starts.map(({ prompt }) => prompt)).toEqual([
			short?.json['output'],
		]);
		const { file, name } = savedBy(execution);
		expect(name).toMatch(/^A new lamp\.(mp3|wav)$/);
		expect((await bridge.editor.bytesOf(file)).length).toBeGreaterThan(0);
		const costUsd = Number(short?.json['costUsd']) + Number(speech?.json['costUsd']);
		expect(html).toContain(LINK);
		expect(html).toContain(`It has cost ${Number(costUsd.toFixed(6))} USD`);
	});

	it('is not spoken again when it cannot be saved: the page says where it is', async () => {
		const file = speech();
		const drive = file.nodes.find(({ name }) => name === 'Save to Google Drive')!;
		// an item with an error alone is what the node of Google Drive gives for one that failed; n8n puts it on the error output
		const error = { id: 'error', name: 'error', value: 'The folder is full.', type: 'string' };
		drive.parameters = { assignments: { assignments: [error] }, options: {} };
		const { html, execution } = await listen(address('/article'), file);
		expect(html).toContain('The speech is made, but not saved');
		expect(html).toContain('The folder is full.');
		expect(bridge.service.world.starts).toHaveLength(1);
		const [made] = itemsOf(execution, 'Read It Aloud');
		expect((await bridge.editor.bytesOf(made?.binary?.['data'])).length).toBeGreaterThan(0);
	});

	it.each([
		['the text', { match: { path: '/v1/chat/completions' } }],
		['the speech', { match: { path: '/v1/audio/jobs' } }],
	])('the page says why when %s is refused, and nothing is saved', async (_what, { match }) => {
		bridge.service.fault({ match, do: { type: 'status', status: 403 } });
		const { html, execution } = await listen(address('/article'));
		expect(html).toContain('There is no speech');
		expect(html).toContain('does not permit this request (403)');
		expect(itemsOf(execution, 'Save to Google Drive')).toEqual([]);
		expect(bridge.service.world.starts).toEqual([]);
	});

	it('costs nothing when its address does not answer', async () => {
		const { html } = await listen('http://127.0.0.1:1/article');
		expect(html).toContain('There is no speech');
		expect(bridge.service.requests.filter(({ method }) => method === 'POST')).toEqual([]);
	});
});
