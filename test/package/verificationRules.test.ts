/*
 * What n8n asks of verified packages, where the linter that is installed does not check it yet: rules of n8n's own linter for
 * community nodes that came after version 0.32.0, and its guidelines for texts. A rule that the installed linter has by now can go
 * from here.
 *
 * @see https://github.com/n8n-io/n8n/tree/master/packages/@n8n/eslint-plugin-community-nodes/docs/rules
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
	type INode,
	type INodeProperties,
	type INodePropertyOptions,
	type INodeType,
	type INodeTypeDescription,
	Workflow,
} from 'n8n-workflow';

import { loadPackage, propertiesBelow, type LoadedPackage } from './copyOfPackage';

const readRoot = (file: string) => readFileSync(file, 'utf8');

let folder: string;
let nodes: LoadedPackage['nodes'];
let credentials: LoadedPackage['credentials'];
beforeAll(async () => void ({ folder, nodes, credentials } = await loadPackage()));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Every field of every node and credential, but for those that n8n adds to a trigger. */
const allFields = () =>
	[
		...nodes.map(({ description }) => ({ ...description, at: description.name })),
		...credentials.map((credential) => ({ ...credential, at: credential.name })),
	].flatMap(({ at, properties }) =>
		propertiesBelow(at, properties).filter(({ place }) => !place.includes('.pollTimes')),
	);

const optionsOf = ({ options = [] }: INodeProperties) => options as INodePropertyOptions[];

describe('the node panel', () => {
	/** @see https://docs.n8n.io/connect/create-nodes/build-your-node/reference/codex-files/#node-categories */
	const CATEGORIES = [
		'Analytics',
		'Communication',
		'Data & Storage',
		'Development',
		'Finance & Accounting',
		'Marketing & Content',
		'Miscellaneous',
		'Productivity',
		'Sales',
		'Utility',
	];

	/** n8n's rules allow AI categories in the file of a node that imports n8n's SDK for AI nodes. */
	const usesSdk = ({ description }: INodeType) => description.name === 'lmChatModelRouter';

	it('valid-node-categories, no-ai-codex-category, no-logic-or-flow-nodes: only categories for packages like this one', () => {
		for (const { description } of nodes.filter((node) => !usesSdk(node))) {
			const { categories = [] } = description.codex ?? {};
			// the panel's own mark of a community node
			const own = categories.filter((category) => category !== 'Custom Nodes');
			expect([description.name, own.length > 0]).toEqual([description.name, true]);
			expect(CATEGORIES).toEqual(expect.arrayContaining(own));
		}
	});

	it('no-codex-subcategories: none', () => {
		for (const { description } of nodes.filter((node) => !usesSdk(node)))
			expect(description.codex?.subcategories).toBeUndefined();
	});

	it.each([
		['image', ['modelRouter', 'modelRouterTrigger']],
		['video', ['modelRouter', 'modelRouterTrigger']],
		['music', ['modelRouter', 'modelRouterTrigger']],
		['text to speech', ['modelRouter', 'modelRouterTrigger']],
		['LLM', ['lmChatModelRouter', 'modelRouter']],
		['GPT', ['lmChatModelRouter', 'modelRouter']],
		['chat model', ['lmChatModelRouter']],
		['OpenRouter', ['lmChatModelRouter']],
		['crypto', ['marketAssistant']],
		['agent', ['workspaceAgent']],
		['A2A', ['agentConversation', 'workspaceAgent']],
		['LangGraph', ['workspaceAgent']],
		['n8n chat', ['workspaceAgent']],
		['remote agent', ['workspaceAgent']],
		['chat', ['marketAssistant', 'modelRouter', 'workspaceAgent']],
	])('who types "%s" finds what it can be done with', (word, expected) => {
		const found = nodes
			.filter(({ description }) =>
				description.codex?.alias?.some((alias) => alias.toLowerCase() === word.toLowerCase()),
			)
			.map(({ description }) => description.name);
		expect(found).toEqual(expect.arrayContaining(expected));
	});
});

describe('fields', () => {
	it.each<[string, (property: INodeProperties) => boolean]>([
		['hint-max-length: at most 120 characters', ({ hint = '' }) => hint.length > 120],
		[
			'a list with one entry is no choice',
			(property) => property.type === 'options' && optionsOf(property).length < 2,
		],
	])('%s', (_rule, isBroken) => {
		const broken = allFields().filter(({ property }) => isBroken(property));
		expect(broken.map(({ place }) => place)).toEqual([]);
	});

	it('options-sorted-alphabetically: in the order of the alphabet, unless the first is what most people need', () => {
		const unsorted = allFields().filter(({ property }) => {
			const names = optionsOf(property).map(({ name }) => name);
			const sorted = names.toSorted((one, other) =>
				one.localeCompare(other, 'en', { sensitivity: 'base' }),
			);
			return property.type === 'options' && names.join('\n') !== sorted.join('\n');
		});
		expect([...new Set(unsorted.map(({ place }) => place))].sort()).toEqual(FIRST_IS_COMMON);
	});

	/** The first option is what most users come for; the others follow by how often they are needed. */
	const FIRST_IS_COMMON = [
		'agentConversation.openingMessageSource',
		'agentConversation.sessionMode',
		'marketAssistant.questionSource',
		'marketAssistant.sessionMode',
		'modelRouter.inputType',
		'modelRouter.operation',
		'modelRouter.resource',
		'workspaceAgent.agentOf',
		'workspaceAgent.messageSource',
		'workspaceAgent.sessionMode',
	];

	it('open-ended-node-fields: no optional JSON beside the fields that everybody sets', () => {
		const open = allFields().filter(
			({ property, nested }) => property.type === 'json' && !nested && !property.required,
		);
		expect(open.map(({ place }) => place)).toEqual([]);
	});

	it('non-required-fields-in-collection: what need not be set is in Options, but for what the user has to see', () => {
		const hiddenFrom = ['collection', 'fixedCollection', 'notice', 'callout', 'hidden'];
		const selectors = ['resource', 'operation', 'authentication'];
		const shown = nodes
			.flatMap(({ description }) => propertiesBelow(description.name, description.properties))
			.filter(({ nested, property: { name, type, required } }) => {
				return !nested && !required && !hiddenFrom.includes(type) && !selectors.includes(name);
			});
		expect([...new Set(shown.map(({ property }) => property.name))].sort()).toEqual(
			Object.values(SHOWN).flat().sort(),
		);
	});

	/** Why a field is seen that need not be set. */
	const SHOWN = {
		'a choice with a default, on which the fields below it depend': [
			'agentOf',
			'deliveredWhen',
			'downloadFile',
			'findBy',
			'inputType',
			'kind',
			'mediaType',
			'messageSource',
			'openingMessageSource',
			'questionSource',
			'responseFormat',
			'sessionMode',
			'useLedger',
			'watch',
			'withKeys',
		],
		'what the question or the job is about, any part of which may be absent': [
			'agent',
			'jobIds',
			'triggerGroup',
			'prompt',
		],
		'what the user pays for': ['allowAgents', 'uniqueKey'],
		'as in the nodes of n8n': ['limit', 'returnAll', 'simplify', 'streamAnswer', 'systemMessage'],
		'which part of what was spent is reported, and how': ['from', 'groupBy', 'label', 'to'],
		'how a conversation goes, which decides on what it costs': [
			'openingMessage',
			'outputMode',
			'stopPhrase',
			'turnLimit',
			'turnOrder',
		],
	};
});

describe('operations', () => {
	it('the line under a node names what was chosen by its label', () => {
		for (const { description } of nodes) {
			const subtitle = String(description.subtitle);
			const lists = description.properties.filter(({ name }) => name === 'operation');
			for (const list of lists)
				for (const { name, value } of optionsOf(list)) {
					const resource = list.displayOptions?.show?.['resource']?.[0];
					const shown = evaluate(description, subtitle, { resource, operation: value });
					expect(shown).toMatch(resource === undefined ? name : /^[A-Z][A-Za-z ]+: [A-Z]/);
					expect(shown.endsWith(name)).toBe(true);
				}
			const chosen = Object.fromEntries(
				description.properties.map(({ name, default: preset }) => [name, preset]),
			);
			if (!lists.length)
				expect([description.name, evaluate(description, subtitle, chosen)]).toEqual([
					description.name,
					expect.not.stringMatching(/[a-z][A-Z]|undefined/),
				]);
		}
	});

	it('what people build with it is told to the workflow builder of n8n', () => {
		for (const { description } of nodes)
			expect([description.name, description.builderHint?.searchHint]).toEqual([
				description.name,
				expect.stringMatching(/^.{40,300}$/s),
			]);
	});
});

describe('the package', () => {
	it('icon-contrast: icons are seen on both backgrounds', () => {
		const backgrounds = { light: '#ffffff', dark: '#2b2b2b' };
		const icons = readdirSync('icons').filter((file) => !file.endsWith('.dark.svg'));
		expect(icons.length).toBeGreaterThan(3);
		for (const light of icons) {
			const files = { light, dark: light.replace('.svg', '.dark.svg') };
			for (const theme of ['light', 'dark'] as const) {
				const colors = readRoot(join('icons', files[theme])).match(/#[0-9a-f]{6}\b/gi) ?? [];
				const best = Math.max(...colors.map((color) => contrast(color, backgrounds[theme])));
				expect([files[theme], best >= 3]).toEqual([files[theme], true]);
			}
		}
	});
});

/** As the editor does it for the line under a node. */
function evaluate(
	description: INodeTypeDescription,
	expression: string,
	parameters: Record<string, unknown>,
) {
	const node = { name: 'n', type: 't', typeVersion: 1, id: '', position: [0, 0], parameters };
	const workflow = new Workflow({
		nodes: [node as unknown as INode],
		connections: {},
		active: false,
		nodeTypes: { getByNameAndVersion: () => ({ description }) } as never,
	});
	const value = workflow.expression.getSimpleParameterValue(
		node as unknown as INode,
		expression,
		'internal',
		{},
	);
	return String(value);
}

/** @see https://www.w3.org/TR/WCAG21/#dfn-contrast-ratio */
function contrast(one: string, other: string) {
	const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
	return (light + 0.05) / (dark + 0.05);
}

function luminance(color: string) {
	const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
		const part = parseInt(color.slice(at, at + 2), 16) / 255;
		return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
	});
	return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
