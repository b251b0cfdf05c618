import type { Locator, Page } from 'playwright-core';
import { owner, until } from '../n8n/editor.ts';
import { CredentialForm } from './credentialForm.ts';
import { NodePanel } from './nodePanel.ts';

/** What is used of the page's own types: the tests are not compiled with those of a browser. */
interface Box {
	left: number;
	right: number;
	top: number;
	bottom: number;
}
interface CanvasNode {
	innerText: string;
	clientHeight: number;
	scrollHeight: number;
	querySelector(selector: string): CanvasNode | null;
	querySelectorAll(selector: string): Iterable<CanvasNode>;
	getBoundingClientRect(): Box;
}
interface App {
	__vue_app__: { config: { globalProperties: { $router: { push(to: string): Promise<void> } } } };
}

const overlap = (one: Box, other: Box) =>
	one.left < other.right &&
	other.left < one.right &&
	one.top < other.bottom &&
	other.top < one.bottom;

/** n8n's editor in a browser, used as a person uses it. */
export class EditorPage {
	readonly tab: Page;
	readonly #url: string;

	constructor(tab: Page, url: string) {
		[this.tab, this.#url] = [tab, url];
	}

	async signIn() {
		await this.tab.goto(`${this.#url}/signin`);
		await this.tab.fill('input[name=emailOrLdapLoginId]', owner.email);
		await this.tab.fill('input[name=password]', owner.password);
		await this.#get('form-submit-button').click();
		await this.#get('universal-add').waitFor();
	}

	async openNewWorkflow() {
		await this.#goTo('/home/workflows');
		const start = this.#get('canvas-plus-button');
		await until('a new workflow is open', async () => {
			// after the sign-in n8n may still be on its way to its own first page, which then replaces ours
			await this.#goTo('/workflow/new');
			return await start.waitFor({ timeout: 10_000 }).then(
				() => true,
				() => false,
			);
		});
	}

	/** Everything that a picture of the canvas has to show. */
	get canvasParts(): Locator {
		return this.tab.locator(
			[
				'.vue-flow__node',
				'.vue-flow__edge',
				'[data-test-id="canvas-handle-plus-wrapper"]',
				// its name and its subtitle, which are below it, and may be wider
				'.vue-flow__node [class*="_description_"]',
			].join(', '),
		);
	}

	/** Opens a saved workflow and shows all of it. */
	async openWorkflow({ id, nodes }: { id: string; nodes: unknown[] }) {
		await this.#goTo(`/workflow/${id}`);
		await this.tab.waitForURL(`**/workflow/${id}*`);
		await until(
			`the canvas shows ${nodes.length} nodes`,
			async () => (await this.canvasNodes.count()) === nodes.length,
		);
		await this.fit();
	}

	/** Shows all of the canvas, and waits until it has come to rest. */
	async fit() {
		await this.#get('zoom-to-fit').click();
		let before: string | null = null;
		await until('the canvas stands still', async () => {
			await this.tab.waitForTimeout(150);
			const now = await this.tab.locator('.vue-flow__transformationpane').getAttribute('style');
			const still = now === before;
			before = now;
			return still;
		});
	}

	get #folds(): Locator {
		return this.#get('node-creator-category-item');
	}

	get #addButton(): Locator {
		return this.#get('node-creator').getByText('Add to workflow');
	}

	/** Nodes and notes: a note is a node of the canvas that holds a sticky. */
	get canvasNodes(): Locator {
		return this.tab.locator('.vue-flow__node');
	}

	/** Types `words` into the list of nodes and waits until it shows these nodes. */
	async find(words: string, ...nodes: string[]) {
		await this.#search(words);
		for (const node of nodes) await this.#inList(node).waitFor();
	}

	/** Types `words` into the list of nodes. @returns the names that it shows, from top to bottom */
	async findAny(words: string): Promise<string[]> {
		await this.#search(words);
		await this.#get('node-creator-item-name')
			.or(this.#get('node-creator-no-results'))
			.first()
			.waitFor();
		return await this.#get('node-creator-item-name').allInnerTexts();
	}

	async #search(words: string) {
		const field = this.tab.locator('input[data-test-id="node-creator-search-bar"]');
		await until('the list of nodes is open', async () => {
			if (!(await field.isVisible())) await this.#openNodeList();
			// the list that a node was added from closes a moment later
			await this.tab.waitForTimeout(300);
			return await field.isVisible();
		});
		// the list follows the field after a pause: what an earlier search has left must not count
		await field.fill('no node has this name');
		await this.#get('node-creator-no-results').waitFor();
		await field.fill(words);
		await this.#get('node-creator-no-results')
			.waitFor({ state: 'detached', timeout: 1500 })
			.catch(() => undefined);
	}

	/** "Add first step…" of an empty canvas: a list of triggers. */
	async openFirstStep() {
		await this.#get('canvas-plus-button').click();
		await this.#get('node-creator').waitFor();
	}

	/** Opens the details of a node that `find` shows. */
	async showDetails(node: string) {
		await this.#inList(node).click();
		await this.#folds.or(this.#addButton).first().waitFor();
	}

	/** Waits until the details show this action. */
	async showAction(action: string) {
		// of the two lists, triggers and actions, one may be folded
		for (const fold of await this.#folds.all()) {
			if (await this.#inList(action).isVisible()) break;
			await fold.click();
		}
		await this.#inList(action).waitFor();
	}

	/** Adds the node whose details are shown, by this action if it has any. @returns its panel */
	async add(action?: string): Promise<NodePanel> {
		if (action) {
			await this.showAction(action);
			await this.#inList(action).click();
		} else await this.#addButton.click();
		return await this.#panel();
	}

	/** "+" below a node, at the input of this type. The list that opens is searched with `find`. */
	async openPicker(connectionType: string) {
		const input = `[data-test-id="canvas-node-input-handle"][data-connection-type="${connectionType}"]`;
		await this.tab.locator(`${input} [data-test-id="canvas-handle-plus"]`).first().click();
		await this.#get('node-creator').waitFor();
	}

	/** "+" behind a node, at one of its outputs. */
	async openPickerBehind(node: string, output: number) {
		const handle = `[data-test-id="canvas-node-output-handle"][data-node-name="${node}"][data-index="${output}"]`;
		await this.tab.locator(`${handle} [data-test-id="canvas-handle-plus"]`).click();
		await this.#get('node-creator').waitFor();
	}

	/** Draws a line from an output of a node to the input of another one. */
	async wire(from: string, output: number, to: string) {
		const before = await this.wires.count();
		await this.tab.mouse.move(...(await this.#middleOf(from, `outputs/main/${output}`)));
		await this.tab.mouse.down();
		await this.tab.mouse.move(...(await this.#middleOf(to, 'inputs/main/0')), { steps: 10 });
		await this.tab.mouse.up();
		await until('the line is there', async () => (await this.wires.count()) > before);
	}

	async #middleOf(node: string, handle: string): Promise<[number, number]> {
		const box = await this.tab
			.locator('.vue-flow__node')
			.filter({ has: this.node(node) })
			.locator(`.vue-flow__handle[data-handleid="${handle}"]`)
			.boundingBox();
		if (!box) throw new Error(`"${node}" has no ${handle}`);
		return [box.x + box.width / 2, box.y + box.height / 2];
	}

	/** Adds a node that `find` shows and that has no details. @returns its panel */
	async addAtOnce(node: string): Promise<NodePanel> {
		await this.#inList(node).click();
		return await this.#panel();
	}

	/** The same of a node whose panel does not open. */
	async addWithoutPanel(node: string) {
		await this.#inList(node).click();
		await this.canvasNodes.first().waitFor();
	}

	/** "Import from file" into an empty workflow. */
	async importFile(path: string) {
		await this.tab.locator('input[type="file"]').first().setInputFiles(path);
	}

	/** The lines between nodes. */
	get wires(): Locator {
		return this.tab.locator('.vue-flow__edge');
	}

	async #panel(): Promise<NodePanel> {
		await this.#get('node-parameters').waitFor();
		return new NodePanel(this.tab);
	}

	async openNode(name: string): Promise<NodePanel> {
		const kinds = ['default', 'trigger', 'configurable', 'configuration'];
		await this.node(name)
			.locator(kinds.map((kind) => `[data-test-id="canvas-${kind}-node"]`).join(', '))
			.first()
			.dblclick();
		return await this.#panel();
	}

	node(name: string): Locator {
		return this.tab.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
	}

	/** Notes whose text does not fit, or that cover a node or another note: a sentence each. */
	async notesInTheWay(): Promise<string[]> {
		const shown = await this.canvasNodes.evaluateAll((nodes: CanvasNode[]) =>
			nodes.map((node) => {
				const note = node.querySelector('[data-test-id="sticky"]');
				const parts = note ? [...note.querySelectorAll('*')] : [];
				return {
					name: node.innerText.trim().split('\n')[0] ?? '',
					isNote: note !== null,
					isCut: parts.some(
						({ clientHeight, scrollHeight }) => clientHeight > 0 && scrollHeight > clientHeight + 1,
					),
					box: node.getBoundingClientRect(),
				};
			}),
		);
		return shown
			.filter(({ isNote }) => isNote)
			.flatMap((note) => [
				...(note.isCut ? [`the note "${note.name}" is cut off`] : []),
				...shown
					.filter((other) => other !== note && overlap(note.box, other.box))
					.map(({ name }) => `the note "${note.name}" covers "${name}"`),
			]);
	}

	/**
	 * Opens a Data Table from n8n's list of them.
	 *
	 * @param columns Those that are to be seen, each as wide as what is in it. @param narrow Of these, those that need not be seen whole.
	 */
	async openDataTable(name: string, columns: string[], narrow: string[]) {
		await this.#goTo('/home/datatables');
		await this.tab.getByText(name, { exact: true }).first().click();
		await this.tab.locator('.ag-row').first().waitFor();
		const headerOf = (column: string) =>
			this.tab.locator('.ag-header-cell').filter({
				has: this.tab.getByText(column, { exact: true }),
			});
		const leftEdge = async () => (await headerOf(columns[0]!).boundingBox())?.x;
		const left = await leftEdge();
		for (const column of columns) {
			const edge = headerOf(column).locator('.ag-header-cell-resize');
			if (narrow.includes(column)) {
				// once it stands still
				await edge.hover();
				const { x, y, width, height } = (await edge.boundingBox())!;
				await this.tab.mouse.move(x + width / 2, y + height / 2);
				await this.tab.mouse.down();
				await this.tab.mouse.move(x - 130, y + height / 2, { steps: 5 });
				await this.tab.mouse.up();
			} else await edge.dblclick();
		}
		// the first ones may have left the view, and are not in the page then. A busy grid may lose a scroll: it is made again
		await until('the first column is back', async () => {
			if ((await headerOf(columns[0]!).isVisible()) && (await leftEdge()) === left) return true;
			await this.tab.mouse.wheel(-5000, 0);
			return false;
		});
	}

	/** "Execute workflow", and waits until the run has ended in any way. */
	async execute() {
		await this.#get('execute-workflow-button').first().click();
		await this.ended();
	}

	/** Waits until a run has ended in any way. */
	async ended() {
		await this.#get('clear-execution-data-button').first().waitFor();
	}

	/** The form of a new credential of this type. */
	async newCredential(type: string): Promise<CredentialForm> {
		// of a test that failed and is tried once more
		if (await this.#get('editCredential-modal').isVisible()) await this.tab.reload();
		await this.#goTo('/home/credentials');
		await this.#goTo('/home/credentials/create');
		const select = this.tab.locator('[data-test-id="new-credential-type-select"] input');
		await select.click();
		await select.pressSequentially(type);
		await this.#get('new-credential-type-select-option').getByText(type, { exact: true }).click();
		await this.#get('new-credential-type-button').click();
		await this.#get('credential-edit-dialog').waitFor();
		return new CredentialForm(this.tab);
	}

	/** Within the page that is loaded: n8n's editor is megabytes of scripts, and loads them once. */
	async #goTo(path: string) {
		let isThere = false;
		const going = this.tab
			.locator('#app')
			.evaluate(async (app: App, to: string) => {
				await app.__vue_app__.config.globalProperties.$router.push(to);
			}, path)
			.finally(() => {
				isThere = true;
			});
		// n8n asks before it leaves a workflow with changes that it has not saved yet
		const leave = this.tab.getByRole('button', { name: 'Leave without saving' });
		const asked = until(`the editor is at ${path}`, async () => {
			// the question goes by itself when n8n saves just then
			if (await leave.isVisible()) await leave.click({ timeout: 2000 }).catch(() => undefined);
			return isThere;
		});
		await Promise.all([going, asked]);
	}

	async #openNodeList() {
		const first = this.#get('canvas-plus-button');
		await ((await first.isVisible()) ? first : this.#get('node-creator-plus-button')).click();
		await this.#get('node-creator').waitFor();
	}

	#inList(name: string): Locator {
		return this.#get('node-creator-item-name').getByText(name, { exact: true }).first();
	}

	/** By the attribute that n8n's own browser tests go by. */
	#get(id: string): Locator {
		return this.tab.locator(`[data-test-id="${id}"]`);
	}
}
