import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { model, originalFile } from './bridge.ts';
import { itemsOf, type Execution } from './execution.ts';
import { formAt, FormVisitor, type FormPage } from './formVisitor.ts';
import { galleryOfFile, given } from './gallery.ts';
import type { WorkflowFile } from './workflow.ts';

// workflows of the gallery that make files: from forms, into Google Drive, and while n8n waits in its database
const { bridge, load, sentTo } = galleryOfFile({});
const LINK = 'https://drive.google.com/file/d/1/view';

/** An example with a model chosen in these nodes; Google Drive records what it would save, and answers with a link. */
function formFile(file: string, models: Record<string, string> = {}): WorkflowFile {
	const { nodes, ...rest } = load(file);
	const chosen = nodes.map((node) => {
		const { name, parameters } = node;
		const id = models[name];
		if (id !== undefined) return { ...node, parameters: { ...parameters, model: model(id) } };
		if (name !== 'Save to Google Drive') return node;
		const { assignments } = parameters['assignments'] as { assignments: object[] };
		const link = { id: 'link', name: 'webViewLink', value: LINK, type: 'string' };
		const withLink = { assignments: [...assignments, link] };
		return { ...node, parameters: { ...parameters, assignments: withLink } };
	});
	return { ...rest, nodes: chosen };
}

let visitor: FormVisitor;
beforeAll(() => void (visitor = new FormVisitor(bridge.editor.url)));

/** A form that is published once, and opened as the owner of this n8n. */
function publishedForm(file: () => WorkflowFile) {
	const path = randomUUID();
	let id = '';
	let sent = 0;
	beforeAll(async () => void ({ id } = await bridge.editor.publish(formAt(path, file()))));
	return {
		path,
		async open(): Promise<FormPage> {
			sent++;
			return await visitor.openAsOwner(path);
		},
		/** The execution once the ending was shown. */
		finished: async () => await bridge.editor.finishedOf(id, sent),
	};
}

const starts = () => bridge.service.world.starts;
/** The file as the service has it, for what was started last. */
const original = async () =>
	await originalFile(bridge.service, { ...starts().at(-1), mediaType: 'images' });

describe('a picture from a form', () => {
	const { path, open } = publishedForm(() => formFile('picture-from-a-form.json'));
	const visit = async (prompt: string) => {
		const page = await open();
		expect(page.html).toContain('What should be in it?');
		return await visitor.send(page, prompt);
	};

	it('is the file that the service made; who is not signed in sees no form', async () => {
		const { html, files } = await visit('A lighthouse, sent by a form');
		expect(starts()).toMatchObject([{ prompt: expect.stringContaining('sent by a form') }]);
		expect(files).toMatchObject([{ type: 'image/png', fileName: expect.stringMatching(/\.png$/) }]);
		expect(files[0]?.bytes.equals(await original())).toBe(true);
		expect(html).toContain('Here is your picture');

		const stranger = await new FormVisitor(bridge.editor.url).open(path);
		expect(stranger.url).not.toContain(`/form/${path}`);
		expect(stranger.html).not.toContain('What should be in it?');
	});

	it('or the page says why there is none', async () => {
		const { html, files } = await visit('A form [[fail]]');
		expect(files).toEqual([]);
		expect(html).toMatch(/There is no picture[^]*The media job failed.*jobId: /);
		expect(starts()).toHaveLength(1);
	});
});

interface Saved {
	inputDataFieldName: string;
	name: string;
	folderId: { value: string };
}
const savedBy = (execution: Execution) => {
	const [item] = itemsOf(execution, 'Save to Google Drive');
	return { ...(item?.json as unknown as Saved), file: item?.binary?.['data'] };
};

describe('a picture after approval', () => {
	const file = 'make-a-picture-from-a-form-and-save-it-to-google-drive.json';
	const { open, finished } = publishedForm(() =>
		formFile(file, { 'Look Up the Price': 'canvas/sketch-1' }),
	);
	const ask = async (prompt: string) => {
		const next = await visitor.next(await open(), prompt);
		expect(next.html).toContain('This picture costs 0.04 USD per image');
		expect(next.html).toContain(prompt);
		expect(starts()).toEqual([]);
		return next;
	};

	it('is made once and saved, and the last page has its link', async () => {
		const { html } = await visitor.send(await ask('A lighthouse for Drive'), 'Yes');
		for (const told of ['Your picture is saved', LINK, 'It cost 0.04 USD'])
			expect(html).toContain(told);
		expect(starts()).toHaveLength(1);
		const { file, ...saved } = savedBy(await finished());
		expect(saved).toMatchObject({
			name: expect.stringMatching(/\.png$/),
			inputDataFieldName: 'data',
			folderId: { value: 'root' },
		});
		expect((await bridge.editor.bytesOf(file)).equals(await original())).toBe(true);
	});

	it.each([
		['is not started after a no', 'A lighthouse, refused', 'No', /Nothing was started/, 0],
		['that fails: the page says why', 'A [[fail]]', 'Yes', /no picture[^]*media job failed/, 1],
	])('%s', async (_what, prompt, answer, told, count) => {
		expect((await visitor.send(await ask(prompt), answer)).html).toMatch(told);
		expect(itemsOf(await finished(), 'Save to Google Drive')).toEqual([]);
		expect(starts()).toHaveLength(count);
	});
});

describe('an article that is read aloud', () => {
	let pages: Server;
	beforeAll(async () => {
		pages = createServer((_request, response) => {
			response.setHeader('content-type', 'text/html');
			response.end(
				'<html><head><title>A new lamp</title></head><body><nav>Home</nav><article><h1>A new lamp</h1><p>The lighthouse has a new lamp.</p></article><script>let ignored</script></body></html>',
			);
		});
		await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
	});
	afterAll(() => pages?.close());

	const speech = () =>
		formFile('read-an-article-aloud-and-save-it-to-google-drive.json', {
			'Read It Aloud': 'voice/speaker-1',
		});
	const form = publishedForm(speech);
	const listen = async (
		{ open, finished } = form,
		port = (pages.address() as AddressInfo).port,
	) => {
		const { html } = await visitor.send(await open(), `http://127.0.0.1:${port}/article`);
		return { html, execution: await finished() };
	};
	const failing = publishedForm(() => {
		const file = speech();
		const drive = file.nodes.find(({ name }) => name === 'Save to Google Drive')!;
		// an item with an error alone is what the node of Google Drive gives for one that failed; n8n puts it on the error output
		const error = { id: 'error', name: 'error', value: 'The folder is full.', type: 'string' };
		drive.parameters = { assignments: { assignments: [error] }, options: {} };
		return file;
	});

	it('is shortened, spoken once and saved under its title', async () => {
		const { html, execution } = await listen();
		const [short] = given(execution, 'Shorten the Article');
		const [spoken] = given(execution, 'Read It Aloud');
		expect(sentTo(/chat\/completions/)).toHaveLength(1);
		const { messages } = sentTo(/chat\/completions/)[0]!.body as {
			messages: Array<{ content: string }>;
		};
		expect(messages.at(-1)?.content).toMatch(/^A new lamp\n\n[^]*has a new lamp\.$/);
		expect(messages.at(-1)?.content).not.toMatch(/Home|ignored/);
		expect(starts()).toMatchObject([{ prompt: short?.['output'] }]);
		const { file, name } = savedBy(execution);
		expect(name).toMatch(/^A new lamp\.(mp3|wav)$/);
		expect((await bridge.editor.bytesOf(file)).length).toBeGreaterThan(0);
		const costUsd = Number(short?.['costUsd']) + Number(spoken?.['costUsd']);
		expect(html).toContain(LINK);
		expect(html).toContain(`It cost ${Number(costUsd.toFixed(6))} USD`);
	});

	it('is not spoken again when it cannot be saved: the page says where it is', async () => {
		const { html, execution } = await listen(failing);
		expect(html).toMatch(/The speech is made, but not saved[^]*The folder is full\./);
		expect(starts()).toHaveLength(1);
		const [made] = itemsOf(execution, 'Read It Aloud');
		expect((await bridge.editor.bytesOf(made?.binary?.['data'])).length).toBeGreaterThan(0);
	});

	it.each([
		['the text', '/v1/chat/completions', 1],
		['the speech', '/v1/audio/jobs', 2],
	])('the page says why when %s is refused, and nothing is saved', async (_what, path, count) => {
		bridge.service.fault({ match: { path }, do: { type: 'status', status: 403 } });
		const { html, execution } = await listen();
		expect(html).toMatch(/There is no speech[^]*does not permit this request \(403\)/);
		expect(itemsOf(execution, 'Save to Google Drive')).toEqual([]);
		expect([starts(), sentTo(/./).length]).toEqual([[], count]);
	});

	it('costs nothing when its address does not answer', async () => {
		expect((await listen(form, 1)).html).toContain('There is no speech');
		expect(sentTo(/./)).toEqual([]);
	});
});
