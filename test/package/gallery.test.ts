import type { INodeParameters, INodeProperties } from 'n8n-workflow';

import { allNodes } from '../../scripts/docs/nodePages';
import { GALLERY, LESSONS, readExample } from '../n8n/example';
import type { WorkflowFile, WorkflowNode } from '../n8n/workflow';
import { expectCommitted } from './committed';
import { readEditorTexts } from './editorTexts';
import { GROUPS, LESSONS as SHOWN_LESSONS, renderGallery } from '../../scripts/docs/gallery';
import { findHardToRead, readableText } from './reading';

const files = [...GALLERY, ...LESSONS];

const STICKY_NOTE = 'n8n-nodes-base.stickyNote';
const isNote = ({ type }: WorkflowNode) => type === STICKY_NOTE;
const notesOf = ({ nodes }: WorkflowFile) => nodes.filter(isNote);
const textOf = ({ parameters }: WorkflowNode) => String(parameters['content']);

/** The only account besides ours that an example names: a mail server is nobody's app. */
const NAMED_ACCOUNTS =
	/^(workspaceAgentApi|marketAssistantApi|modelRouterApi|smtp|httpBearerAuth)$/;

it('docs/gallery.md shows every workflow in one group, and every lesson', () => {
	expect(Object.values(GROUPS).flat().sort()).toEqual(GALLERY);
	expect([...SHOWN_LESSONS].sort()).toEqual(LESSONS);
	// nobody reads through more: the next one replaces another
	expect(GALLERY.length).toBeLessThanOrEqual(35);
	expectCommitted('docs/gallery.md', renderGallery());
});

it('no two workflows have one name, as a file or in n8n', () => {
	expect(new Set(files).size).toBe(files.length);
	const names = files.map((file) => readExample(file).name);
	expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

describe.each(files)('%s', (file) => {
	const example = readExample(file);
	const { name, nodes } = example;
	const ofType = (type: RegExp) => nodes.filter((node) => type.test(node.type));

	it('is an export that holds nothing of a machine', () => {
		expect(file).toMatch(/^[a-z\d]+(-[a-z\d]+)*\.json$/);
		expect(Object.keys(example).sort()).toEqual([
			'active',
			'connections',
			'meta',
			'name',
			'nodes',
			'pinData',
			'settings',
			'tags',
		]);
		expect(example).toMatchObject({
			active: false,
			pinData: {},
			tags: [],
			settings: { executionOrder: 'v1' },
		});
		const ids = nodes.map(({ id }) => id);
		expect(ids.filter((id) => !/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(id))).toEqual([]);
		expect(new Set(ids).size).toBe(ids.length);
	});

	it('says in plain words what it is', () => {
		const { description, ...rest } = example.meta ?? { description: '' };
		expect(rest).toEqual({ templateCredsSetupCompleted: false });
		expect(description).toMatch(/^(?:[A-Z]|n8n).*\.$/);
		expect(description.match(/[.!?](\s|$)/g)?.length).toBeLessThanOrEqual(2);
		expect(description).toMatch(/ For [^.]+\.$/);
		const texts = [name, description, ...notesOf(example).map(textOf)];
		expect(texts.flatMap((text) => findHardToRead(readableText(text)))).toEqual([]);
	});

	it('calls our fields as the editor does', () => {
		const named = notesOf(example).flatMap((note) => [
			...textOf(note).matchAll(/\*\*([^*]+)\*\* \(in (?:Options|Request Settings)\)/g),
		]);
		// a field's title may end in its unit
		const titles = readEditorTexts().map((text) => text.replace(/ \([^)]*\)$/, ''));
		expect(named.filter(([, title = '']) => !titles.includes(title))).toEqual([]);
	});

	it('has three notes: what it does, how to set it up, how to change it', () => {
		const notes = notesOf(example);
		expect(notes.map((note) => [note.name, note.parameters['color']])).toEqual([
			['What It Does', undefined],
			['Set Up', 4],
			['Make It Yours', 5],
		]);
		const [what, setUp, yours] = notes.map(textOf);
		expect(what).toMatch(/^## \S/);
		expect(setUp).toMatch(/^## Set up\n/);
		expect([...(setUp ?? '').matchAll(/^(\d)\. /gm)].map(([, step]) => step)).toEqual([
			'1',
			'2',
			'3',
		]);
		expect(yours).toMatch(/^## Make it yours\n/);
	});

	it('enters only what its nodes have a field for', () => {
		const unknown = nodes.flatMap(({ name: node, type, parameters }) => {
			const description = allNodes.find((one) =>
				type.replace(/Tool$/, '').endsWith(`.${one.name}`),
			);
			if (!description) return [];
			const shown = description.properties.filter(({ displayOptions: { show = {} } = {} }) =>
				['resource', 'operation'].every(
					(by) => !show[by] || show[by].includes(parameters[by] as string),
				),
			);
			return findUnknown(node, shown, parameters as INodeParameters);
		});
		expect(unknown).toEqual([]);
	});

	it('leaves accounts of apps and models open', () => {
		const accounts = nodes.flatMap(({ credentials = {} }) => Object.entries(credentials));
		expect(accounts.filter(([type]) => !NAMED_ACCOUNTS.test(type))).toEqual([]);
		expect(accounts.filter(([, { id }]) => id !== null)).toEqual([]);
		const models = nodes.flatMap(({ parameters: { model } }) => (model ? [model] : []));
		// or the one that an earlier node has chosen
		for (const model of models)
			expect(model).toMatchObject({ value: expect.stringMatching(/^(=|$)/) });
	});

	it('has a cap on chat models and files, and on every text where nobody looks on', () => {
		const isUnattended = ofType(/\.(schedule|form|gmail)Trigger$/).length > 0;
		for (const { parameters } of ofType(/\.lmChatModelRouter$/))
			expect(parameters['spendingCapPerCall']).toBeGreaterThan(0);
		for (const { parameters } of ofType(/\.modelRouter$/))
			if (
				/generate/.test(String(parameters['operation'])) ||
				(isUnattended && parameters['operation'] === 'message')
			)
				expect(parameters['spendingCapPerItem']).toBeGreaterThan(0);
	});

	it('begins at a trigger that is open to nobody else, and ends in something visible', () => {
		const triggers = ofType(/trigger$/i);
		expect(triggers.length).toBeGreaterThan(0);
		// "Execute workflow" and the demo begin at the first
		for (const { type } of triggers.slice(1)) expect(type).not.toMatch(/manualTrigger$/);
		for (const { parameters } of ofType(/\.chatTrigger$/))
			expect(parameters['public'] ?? false).toBe(false);
		for (const { parameters } of ofType(/formTrigger$/i))
			expect(parameters['authentication']).toBe('n8nUserAuth');
		if (ofType(/\.scheduleTrigger$/).length)
			expect(example.settings?.['timezone']).toMatch(/^[A-Z]\w+\/[A-Z]\w+$/);
		expect(ofType(/\.noOp$/)).toEqual([]);
	});

	it('has what is attached to a node below it, in the order in which it was connected', () => {
		for (const { name: root, position, type } of nodes) {
			const attached = Object.entries(example.connections).flatMap(([from, byType]) =>
				Object.entries(byType).some(
					([kind, outputs]) => kind !== 'main' && outputs[0]?.some(({ node }) => node === root),
				)
					? nodes.filter((node) => node.name === from)
					: [],
			);
			const places = attached.map((node) => node.position);
			// no wire crosses another, or goes up
			expect(places).toEqual(places.toSorted(([one], [other]) => one - other));
			for (const [left, top] of places) {
				expect(top).toBeGreaterThan(position[1] + 150);
				expect(Math.abs(left - position[0])).toBeLessThan(type.endsWith('.mcpTrigger') ? 450 : 420);
			}
		}
	});

	it('has nothing that lies over something else', () => {
		const boxes = nodes.map((node) => ({ name: node.name, ...boxOf(node) }));
		const over = boxes.flatMap((one, index) =>
			boxes
				.slice(index + 1)
				.filter((other) => overlap(one, other))
				.map((other) => `${one.name} and ${other.name}`),
		);
		expect(over).toEqual([]);
	});
});

/** What n8n adds to a node, and what does nothing where an operation has no such field. */
const OF_N8N = ['pollTimes', 'descriptionType', 'toolDescription', 'requestSettings'];

/** Where something is entered for which there is no field: the node ignores it. */
function findUnknown(place: string, fields: INodeProperties[], entered: object): string[] {
	return Object.entries(entered).flatMap(([name, value]) => {
		const path = `${place}: ${name}`;
		const found = fields.filter((field) => field.name === name);
		if (!found.length) return OF_N8N.includes(name) ? [] : [path];
		const options = found.flatMap((field) => field.options ?? []);
		if (found[0]?.type === 'collection')
			return findUnknown(path, options as INodeProperties[], value as object);
		if (found[0]?.type !== 'fixedCollection') return [];
		return Object.entries(value as object).flatMap(([group, rows]) => {
			const values = options.flatMap((option) =>
				'values' in option && option.name === group ? option.values : [],
			);
			return [rows].flat().flatMap((row) => findUnknown(path, values, row as object));
		});
	});
}

interface Box {
	left: number;
	top: number;
	width: number;
	height: number;
}

/** In pixels of the canvas; a node that others hang below is wide. */
function boxOf({ type, position: [left, top], parameters }: WorkflowNode): Box {
	if (type === STICKY_NOTE)
		return { left, top, width: Number(parameters['width']), height: Number(parameters['height']) };
	const isWide = /\.(agent|agentTool|agentConversation|chainLlm)$/.test(type);
	return { left, top, width: isWide ? 256 : 96, height: 96 };
}

const overlap = (one: Box, other: Box) =>
	one.left < other.left + other.width &&
	other.left < one.left + one.width &&
	one.top < other.top + other.height &&
	other.top < one.top + one.height;
