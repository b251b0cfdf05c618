import { readdirSync, readFileSync } from 'node:fs';
import type { INodeParameters, INodeProperties } from 'n8n-workflow';

import { allNodes, documentedNodes } from '../../scripts/docs/nodePages';
import { readSchema } from '../../scripts/docs/schemas';
import { EXPECTED, fillIn, skillExamples } from '../support/skill';
import { attach, node, workflow, type WorkflowFile } from '../n8n/workflow';
import { ASKED, count, missed } from '../support/phrases';
import {
	nodeTypeText,
	parseCode,
	searchNodes,
	throughCode,
	validate,
	type Issue,
} from './n8nCatalog';

// what n8n tells the language models that build workflows, and what it says of what they built

it.each([
	['modelRouter', 32_000],
	['agentConversation', 8_000],
	['workspaceAgent', 4_500],
	['marketAssistant', 8_500],
	['lmChatModelRouter', 7_000],
])('the description of %s has at most %i characters, hints included', (name, most) => {
	expect(nodeTypeText(name).length).toBeLessThanOrEqual(most);
});

it.each([
	['lmChatModelRouter', 'model', 1],
	['lmChatModelRouter', 'spendingCapPerCall', 1],
	['lmChatModelRouter', 'spendingCapPerExecution', 1],
	['agentConversation', 'spendingCapPerConversation', 1],
	['agentConversation', 'sessionMode', 1],
	['workspaceAgent', 'sessionMode', 1],
	['marketAssistant', 'sessionMode', 1],
])('the description of %s has a hint at %s (%i times)', (name, field, times) => {
	const hinted = nodeTypeText(name).matchAll(/@builderHint (?:[^/]|\/(?!\*))*?\*\/\s*(\w+)\??:/g);
	expect([...hinted].filter(([, hintedField]) => hintedField === field)).toHaveLength(times);
});

it('the description of modelRouter has its hints once, at its head', () => {
	const [head = '', ...operations] = nodeTypeText('modelRouter').split(/^export type /m);
	expect(head.match(/^ \* (model|Spending caps|uniqueKey): /gm)).toHaveLength(3);
	expect(operations.join('')).not.toContain('@builderHint');
});

it('each node that has options whose @default is true says that they are off where they are left out', () => {
	const texts = allNodes.map(({ name }) => nodeTypeText(name));
	// in a collection, fields are indented
	const looksOn = texts.filter((text) =>
		/^ {5}\* @default true\n {5}\*\/\n {4}\w+\?: boolean/m.test(text),
	);
	expect(looksOn).toHaveLength(5);
	expect(looksOn.filter((text) => !text.includes('left out: booleans are off'))).toEqual([]);
});

/** What n8n tells of the output of an operation, or of a node that has none. */
function toldOutput(node: string, resource?: string, operation?: string): string {
	const blocks = nodeTypeText(node).split(/^export type /m);
	const lines = [`resource: '${resource}';`, `operation: '${operation}';`];
	const block = blocks.find((one) => lines.every((line) => one.includes(line))) ?? blocks[0]!;
	const [, line = ''] = new RegExp(`Output(?: of ${operation})?: (?!fields)(.*)`).exec(block) ?? [];
	const [, other] = /^as (\w+)/.exec(line) ?? [];
	return other ? `${toldOutput(node, resource, other)} ${line}` : line;
}

it.each([
	...documentedNodes.flatMap(({ description: { name }, resources }) =>
		resources.flatMap(({ value: resource, operations }) =>
			operations.map(({ value: operation }) => ({ name, resource, operation })),
		),
	),
	{ name: 'agentConversation', resource: undefined, operation: undefined },
])(
	'get_node_types tells every output field of $name $resource $operation',
	({ name, resource, operation }) => {
		const told = toldOutput(name, resource, operation);
		const { properties = {} } = readSchema(name, { resource, operation }) ?? {};
		// of failed items, of executions by hand, when the ledger looks again, and how estimates are corrected
		const untold = ['error', 'details', 'reusedFrom', 'leaseUntil', 'checkAt', 'factors'];
		const fields = Object.keys(properties).filter((field) => !untold.includes(field));
		expect(fields).not.toEqual([]);
		expect(fields.filter((field) => !told.includes(field))).toEqual([]);
	},
);

it.each([
	[
		'modelRouter',
		'text',
		'message',
		'output (text; with responseFormat json_object or json_schema the object itself)',
	],
	['modelRouter', 'media', 'generate', 'file in binary field data'],
	['agentConversation', undefined, undefined, 'ended (why: stopPhrase, '],
	['modelRouterTrigger', undefined, undefined, 'event, jobId, mediaType'],
])('of %s %s %s it tells: %s', (node, resource, operation, words) => {
	expect(toldOutput(node, resource, operation)).toContain(words);
});

const PACKAGE = 'n8n-nodes-agent-bridge';
const chatModel = node('Chair', `${PACKAGE}.lmChatModelRouter`, { model: { __rl: true } });
const speaker = (name: string) => node(name, `${PACKAGE}.workspaceAgentTool`, { message: 'x' });

/** A conversation with so many speakers, and a moderator if wanted. */
function conversation(parameters: INodeParameters, speakers: number, hasModerator = false) {
	const file = workflow('Talk', [{}], node('Talk', `${PACKAGE}.agentConversation`, parameters));
	const names = ['Ada', 'Bob'].slice(0, speakers);
	attach(
		file,
		'Talk',
		names.map((name) => ({ node: speaker(name), as: 'ai_tool' as const })),
	);
	if (hasModerator) attach(file, 'Talk', [{ node: chatModel, as: 'ai_languageModel' }]);
	return file;
}

const SCHEMA = { type: 'object', properties: { day: { type: 'string' } } };

const missing = (what: RegExp) => expect.objectContaining({ message: expect.stringMatching(what) });

it.each([
	['without speakers', conversation({}, 0), [missing(/'Talk' requires .*ai_tool/)]],
	['with speakers', conversation({}, 2), []],
	[
		'that is moderated, without a moderator',
		conversation({ turnOrder: 'moderator' }, 2),
		[missing(/'Talk' requires .*ai_languageModel/)],
	],
	['with a moderator', conversation({ turnOrder: 'moderator' }, 2, true), []],
	...[SCHEMA, JSON.stringify(SCHEMA), `\n${JSON.stringify(SCHEMA, null, 2)}`].map(
		(resultSchema): [string, WorkflowFile, Issue[]] => [
			`with a result, whose schema is ${JSON.stringify(resultSchema).slice(0, 10)}, and a model`,
			conversation({ options: { resultSchema } }, 2, true),
			[],
		],
	),
	[
		'with a result, without a model',
		conversation({ options: { resultSchema: SCHEMA } }, 2),
		[missing(/'Talk' requires .*ai_languageModel/)],
	],
])('validate_workflow says what a conversation lacks: one %s', (_what, file, issues) => {
	const said = validate(file).filter(({ code }) => /REQUIRED|SUBNODE|INPUT/.test(code));
	expect(said).toEqual(issues);
});

const ownName = (id: string) => id.replace(/^n8n-nodes-agent-bridge\.(\w+?)(Tool)?$/, '$1');

const phraseOf = (unfound: string) => unfound.split(':')[0]!;

it('search_nodes finds the right node among the first three for 51 of 62 phrases', async () => {
	const unfound = await missed(ASKED, (phrase) => searchNodes(phrase).map(ownName));
	expect(count(ASKED)).toBe(62);
	// before the aliases: 22; by the name Market Assistant: 40
	expect(unfound.map(phraseOf)).toEqual([
		'agent group chat',
		'send message to agent',
		'message an agent session',
		'gemini',
		'text to video',
		'cost per customer',
		'extract fields',
		'media job trigger',
		'video done trigger',
		'job finished trigger',
		'wait for video',
	]);
});

it.each(skillExamples().map(({ title, code }) => [title, code]))(
	'n8n accepts the example of the skill: %s',
	async (_title, code) => {
		const id = { id: 'a' };
		const { workflow, warnings } = await parseCode(
			fillIn(code!, { agent: id, secondAgent: id, assistant: id, router: id }),
		);
		expect(warnings).toEqual([]);
		expect(validate(workflow)).toEqual([]);
	},
);

/** What it names of n8n itself, and what only executions by hand have. */
const OF_N8N = [
	...['alwaysOutputData', 'continueErrorOutput', 'endOf', 'includeOtherFields', 'onError'],
	...['promptType', 'responseMode', 'responseNodes', 'preferInput1', 'reusedFrom', 'slackHitlTool'],
	'workspaceAgentTool',
];

it('the skill names options and fields that there are, in the place where they are', () => {
	const skill = readFileSync('skills/agent-bridge/SKILL.md', 'utf8').replace(/```[^]*?```/g, '');
	const told = allNodes.map(({ name }) => nodeTypeText(name)).join('\n');
	const options = allNodes
		.flatMap(({ properties }) => properties.filter(({ name }) => name === 'options'))
		.flatMap((collection) => collection.options?.map(({ name }) => name) ?? []);
	const named = [...skill.matchAll(/`(options\.)?([a-z]\w*)(?:`|: )/g)];
	const wrong = named.filter(([, inOptions, name = '']) =>
		inOptions ? !options.includes(name) : /[A-Z]/.test(name) && !told.includes(name),
	);
	expect(wrong.map(([, , name = '']) => name).filter((name) => !OF_N8N.includes(name))).toEqual([]);
});

it('the skill says what every example gives, but for the trigger', () => {
	const titles = skillExamples().map(({ title }) => title);
	expect(titles.filter((title) => !(title in EXPECTED))).toEqual(['Get the video']);
	expect(Object.keys(EXPECTED).filter((title) => !titles.includes(title))).toEqual([]);
});

const gallery = readdirSync('gallery').filter((file) => file.endsWith('.json'));

it.each(gallery)('n8n accepts %s, also as the code that models write', async (file) => {
	const written = JSON.parse(readFileSync(`gallery/${file}`, 'utf8')) as WorkflowFile;
	expect(validate(written).filter(isReal)).toEqual([]);
	const { workflow: back, warnings } = await throughCode(written);
	expect(warnings.filter(isReal)).toEqual([]);
	expect(content(back)).toEqual(content(written));
});

/** n8n takes the token of a crypto currency for a secret. */
const isReal = ({ code }: Issue) => code !== 'SET_CREDENTIAL_FIELD';

/** What the code form has to keep. */
const content = ({ nodes, connections }: WorkflowFile) => ({
	nodes: Object.fromEntries(
		nodes.map(({ name, type, parameters, credentials }) => [
			name,
			{ type, parameters, credentials: Object.keys(credentials ?? {}) },
		]),
	),
	connections,
});

it('no hint is longer than a sentence or two', () => {
	const hints = (fields: readonly INodeProperties[]): string[] =>
		fields.flatMap(({ builderHint, options = [] }) => [
			builderHint?.propertyHint ?? '',
			...hints(options.filter((one): one is INodeProperties => 'type' in one)),
		]);
	for (const { properties } of allNodes)
		for (const hint of hints(properties)) expect(hint.length).toBeLessThanOrEqual(180);
});
