import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
	NodeHelpers,
	nodeNameToToolName,
	type INode,
	type INodeProperties,
	type INodePropertyOptions,
	type INodeType,
} from 'n8n-workflow';

import { loadPackage, type LoadedPackage } from './copyOfPackage';
import { scopeOf, storedByCredential, storedByNode } from './stored';

let folder: string;
let loader: LoadedPackage['loader'];
let nodes: LoadedPackage['nodes'];
let credentials: LoadedPackage['credentials'];
beforeAll(async () => void ({ folder, loader, nodes, credentials } = await loadPackage()));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Lists of a node in which a name may not come twice: its own parameters by scope, and every nested list. */
function scopesOf(
	properties: INodeProperties[],
	place: string,
): Array<[place: string, names: unknown[]]> {
	const scopes = new Map<string, unknown[]>();
	for (const property of properties) {
		const isForTools = property.displayOptions?.show?.['@tool']?.[0] === true;
		const scope = `${place}${scopeOf(property)}${isForTools ? ' as a tool' : ''}`;
		scopes.set(scope, [...(scopes.get(scope) ?? []), property.name]);
	}
	const nested = properties.flatMap(({ name, options = [] }): Array<[string, unknown[]]> => {
		const path = `${place}.${name}`;
		const values = options.flatMap((option) => ('value' in option ? [option.value] : []));
		const fields = options.filter((option): option is INodeProperties => 'type' in option);
		const groups = options.flatMap((option) =>
			'values' in option ? scopesOf(option.values, `${path}.${option.name}`) : [],
		);
		return [[path, values], ...scopesOf(fields, path), ...groups];
	});
	return [...scopes, ...nested];
}

/** Of the node that supplies a model in place of items. */
const CHAT_MODEL = 'lmChatModelRouter';

/** As a tool, a conversation would lose its inputs; a trigger is called by nobody, and a chat model by what it is attached to. */
const notTools = ['agentConversation', CHAT_MODEL, 'modelRouterTrigger'];

it('n8n loads every node and credential', () => {
	expect(Object.keys(loader.nodeTypes).sort()).toEqual([
		'agentConversation',
		'lmChatModelRouter',
		'marketAssistant',
		'modelRouter',
		'modelRouterTrigger',
		'workspaceAgent',
	]);
	expect(Object.keys(loader.credentialTypes).sort()).toEqual([
		'agentServerApi',
		'marketAssistantApi',
		'modelRouterApi',
		'workspaceAgentApi',
	]);
	for (const { execute, supplyData, description } of nodes) {
		const isModel = description.name === CHAT_MODEL;
		expect([typeof execute, typeof supplyData, description.usableAsTool === true]).toEqual([
			...(isModel ? ['undefined', 'function'] : ['function', 'undefined']),
			!notTools.includes(description.name),
		]);
		expect(description.subtitle).toBeTruthy();
	}
	const texts = nodes.map(({ description }) => description.description);
	// n8n lists the Model Router and its trigger as one node, with the text of the trigger
	expect(new Set(texts).size).toBe(nodes.length);
	const told = (name: string) => texts[nodes.findIndex((node) => node.description.name === name)];
	expect(told('modelRouterTrigger')).toContain(`${told('modelRouter')}. `);
	// n8n makes a tool of every node that says so
	for (const name of notTools) expect(Object.keys(loader.known.nodes)).not.toContain(`${name}Tool`);
});

/** The nodes that talk to the service: all but the conversation, which has neither a credential nor operations. */
const talking = () => nodes.filter(({ description }) => description.name !== 'agentConversation');

/** How many lists of operations a node has that shows no resources: without a choice there is none. */
const WITHOUT_RESOURCES: Record<string, number> = { workspaceAgent: 0, marketAssistant: 0 };

/** A trigger has events in place of operations, and a chat model only settings. */
const hasOperations = ({ poll, supplyData }: INodeType) => !poll && !supplyData;

it('the conversation has no credential: its speakers have', () => {
	const conversation = nodes.find(({ description }) => description.name === 'agentConversation');
	expect(conversation?.description.credentials).toBeUndefined();
	expect(conversation?.description.inputs).toEqual([
		'main',
		{ type: 'ai_tool', displayName: 'Speakers', required: true },
		{ type: 'ai_languageModel', displayName: 'Moderator', maxConnections: 1 },
	]);
	expect(conversation?.description.outputs).toEqual(['main']);
});

it('every node that talks to the service names a credential of the package and how it is tested', () => {
	for (const { description, methods } of talking()) {
		const { credentials = [] } = description;
		expect(credentials.length).toBeGreaterThan(0);
		// n8n's rule single-credential-per-node: a choice decides which one is shown
		const shown = credentials.map(({ displayOptions }) => JSON.stringify(displayOptions));
		expect(credentials.length === 1 || new Set(shown).size === shown.length).toBe(true);
		for (const { name, required, testedBy } of credentials) {
			expect(required).toBe(true);
			expect(loader.credentialTypes).toHaveProperty([name]);
			expect(methods?.credentialTest).toHaveProperty([String(testedBy)], expect.any(Function));
		}
	}
});

it('every operation has a name, a value, an action and a description', () => {
	for (const { description } of talking().filter(hasOperations)) {
		const operations = description.properties.filter(({ name }) => name === 'operation');
		const { options: resources = [] } =
			description.properties.find(({ name }) => name === 'resource') ?? {};
		const { name, properties } = description;
		expect([name, operations.length]).toEqual([name, WITHOUT_RESOURCES[name] ?? resources.length]);
		expect(properties.some((one) => one.name === 'resource')).toBe(!(name in WITHOUT_RESOURCES));
		// of a value that comes twice, n8n tells language models what the first one does
		const values = operations.flatMap(({ options = [] }) =>
			(options as INodePropertyOptions[]).map(({ value }) => value),
		);
		expect(values).toEqual([...new Set(values)]);
		for (const { options = [], noDataExpression, default: preset } of operations) {
			expect([options.length > 0, noDataExpression]).toEqual([true, true]);
			expect((options as INodePropertyOptions[]).map(({ value }) => value)).toContain(preset);
			for (const option of options as INodePropertyOptions[]) {
				expect(option).toEqual({
					name: expect.stringMatching(/^[A-Z]/),
					value: expect.stringMatching(/^[a-z][A-Za-z]*$/),
					// one short sentence without articles
					action: expect.stringMatching(/^(?!.*\b(a|an|the)\b)[A-Z][^.]{3,50}$/),
					description: expect.stringMatching(/^[A-Z]/),
				});
			}
		}
	}
});

it.each([
	['workspaceAgent', 'Send a message to a remote agent and get its answer'],
	[
		'marketAssistant',
		'Ask about the crypto market: prices, tokens, wallets, trades, sentiment and news',
	],
])('as a tool, a node without resources says what it does: %s', (name, told) => {
	const description = nodes.find((each) => each.description.name === name)?.description;
	const tool = { description: { ...description, name: `${name}Tool` } } as INodeType;
	for (const operation of [undefined, 'ask']) {
		const node = { parameters: { operation } } as unknown as INode;
		expect(NodeHelpers.getToolDescriptionForNode(node, tool)).toBe(told);
	}
});

it('as a tool every operation has a name of its own and says what it does, in what a model API takes', () => {
	const hasResources = ({ properties }: INodeType['description']) =>
		properties.some(({ name }) => name === 'resource');
	for (const { description } of talking().filter((node) => hasResources(node.description))) {
		const tool = { ...description, name: `${description.name}Tool`, outputs: ['ai_tool' as const] };
		const told = description.properties
			.filter(({ name }) => name === 'operation')
			.flatMap(({ options = [], displayOptions }) =>
				(options as INodePropertyOptions[]).map(({ value, action }) => {
					const parameters = {
						resource: displayOptions?.show?.['resource']?.[0],
						operation: value,
					};
					const node = { parameters } as unknown as INode;
					const name = NodeHelpers.makeNodeName(node.parameters, tool);
					// a longer name is cut off
					expect(nodeNameToToolName(name)).toHaveLength(nodeNameToToolName(`${name} x`).length - 2);
					expect(
						NodeHelpers.getToolDescriptionForNode(node, { description: tool } as INodeType),
					).toBe(`${action} in ${description.displayName}`);
					return nodeNameToToolName(name);
				}),
			);
		expect(new Set(told).size).toBe(told.length);
	}
});

it('no name and no value is there twice', () => {
	for (const { description } of nodes) {
		for (const [place, names] of scopesOf(description.properties, description.name)) {
			expect([place, names]).toEqual([place, [...new Set(names)]]);
		}
	}
});

// What a saved workflow holds is there for ever. A new line belongs into values.json by hand; what is there never changes.
it('what saved workflows rely on is as it ever was', () => {
	const stored = [
		...nodes.flatMap(({ description }) => storedByNode(description)),
		...credentials.flatMap(storedByCredential),
	];
	// the values of a list may stand on one line
	const listed = (
		JSON.parse(readFileSync(join(__dirname, 'values.json'), 'utf8')) as string[]
	).flatMap((line) => {
		const [list = '', values] = line.split(' = ');
		return values === undefined ? [line] : values.split(' | ').map((value) => `${list} = ${value}`);
	});
	expect({ gone: listed.filter((line) => !stored.includes(line)) }).toEqual({ gone: [] });
	expect({ notListed: stored.filter((line) => !listed.includes(line)) }).toEqual({ notListed: [] });
});

it.each([['WorkspaceAgent'], ['MarketAssistant'], ['ModelRouter']])(
	'%s has its page in the node picker',
	(name) => {
		const codex = JSON.parse(
			readFileSync(join(folder, 'dist', 'nodes', name, `${name}.node.json`), 'utf8'),
		) as object;
		const type = `${name[0]?.toLowerCase()}${name.slice(1)}`;
		expect(codex).toEqual({
			node: `n8n-nodes-agent-bridge.${type}`,
			nodeVersion: '1.0',
			codexVersion: '1.0',
			categories: expect.any(Array),
			resources: {
				primaryDocumentation: [{ url: expect.stringMatching(/^https:\/\/.+#readme$/) }],
				credentialDocumentation: [{ url: expect.stringMatching(/^https:\/\/.+#credentials$/) }],
			},
			alias: expect.any(Array),
		});
		const credential = credentials.find(({ name: own }) => own === `${type}Api`);
		expect(codex).toMatchObject({
			resources: { credentialDocumentation: [{ url: credential?.documentationUrl }] },
		});
	},
);

it('the trigger is polled, has no input, and lists its events in the order in which people come for them', () => {
	const trigger = nodes.find(({ description }) => description.name === 'modelRouterTrigger');
	const events = trigger?.description.properties.find(({ name }) => name === 'events');
	expect(events?.options?.map(({ name }) => name)).toEqual([
		'Media Job Completed',
		'Media Job Failed',
		'Budget Threshold Reached',
		'Outcome Unknown',
		'Spending Table Nearly Full',
		'Media Content Expired',
	]);
	expect(trigger?.description).toMatchObject({ polling: true, group: ['trigger'], inputs: [] });
	expect([typeof trigger?.poll, typeof trigger?.execute]).toEqual(['function', 'function']);
});

it('the chat model is among n8n’s language models, and needs no input', () => {
	const model = nodes.find(({ description }) => description.name === CHAT_MODEL);
	expect(model?.description).toMatchObject({
		inputs: [],
		outputs: ['ai_languageModel'],
		outputNames: ['Model'],
		// of its file: n8n reads that only if the node itself has no codex. The list below "Model +" needs the categories.
		codex: {
			categories: ['AI'],
			subcategories: {
				AI: ['Language Models', 'Root Nodes'],
				'Language Models': ['Chat Models (Recommended)'],
			},
			alias: expect.any(Array),
			resources: { primaryDocumentation: expect.any(Array) },
		},
	});
});
