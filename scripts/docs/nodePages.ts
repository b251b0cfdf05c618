import { readFileSync } from 'node:fs';
import type { ICredentialType, INodeProperties, INodeTypeDescription } from 'n8n-workflow';

import { MarketAssistantApi } from '../../credentials/MarketAssistantApi.credentials';
import { ModelRouterApi } from '../../credentials/ModelRouterApi.credentials';
import { AgentServerApi } from '../../credentials/AgentServerApi.credentials';
import { WorkspaceAgentApi } from '../../credentials/WorkspaceAgentApi.credentials';
import { AgentConversation } from '../../nodes/AgentConversation/AgentConversation.node';
import { MarketAssistant } from '../../nodes/MarketAssistant/MarketAssistant.node';
import { resources as assistant } from '../../nodes/MarketAssistant/resources';
import { LmChatModelRouter } from '../../nodes/ModelRouter/LmChatModelRouter.node';
import { ModelRouter } from '../../nodes/ModelRouter/ModelRouter.node';
import { ModelRouterTrigger } from '../../nodes/ModelRouter/ModelRouterTrigger.node';
import { resources as router } from '../../nodes/ModelRouter/resources';
import { resources as agent } from '../../nodes/WorkspaceAgent/resources';
import { WorkspaceAgent } from '../../nodes/WorkspaceAgent/WorkspaceAgent.node';
import type { Operation, Resource } from '../../src/n8n/operation';
import { requestSettings } from '../../src/n8n/requestSettings';
import { pictureFile } from '../../test/support/pictureFile';
import { anchorOf, createFieldLists, formatJson, renderFields, withFullStop } from './fields';
import { findSentences, type Sentence } from './sentences';
import { groupsOf } from './troubleshooting';

/** A page of the documentation. */
export interface Page {
	path: string;
	text: string;
}

interface NodePage {
	path: string;
	description: INodeTypeDescription;
	/** Empty for a node without operations. */
	resources: readonly Resource[];
	/** What it is for, and what one has to know before its fields. */
	intro: string;
	/** How its errors are told from those of others: by where they are made. */
	errors: RegExp;
}

export const WRITTEN = '<!-- written by `npm run docs` -->';

const nodes: NodePage[] = [
	{
		path: 'workspace-agent',
		intro:
			'Use it after a Chat Trigger, in any workflow, as a tool of an AI agent, or as a speaker of an [Agent Conversation](agent-conversation.md). It keeps one session per chat. A workflow can have several of these nodes, each with the credential for a different agent. [Which agents](../which-agents.md) says what to enter for each server.',
		description: new WorkspaceAgent().description,
		resources: agent,
		errors: /^nodes\/WorkspaceAgent|^src\/agent/,
	},
	{
		path: 'market-assistant',
		intro:
			'Ask in your own words. The output has the answer, the chat, and the tools that the assistant used. With a job ledger in the credential, the chat of a session is remembered across executions.',
		description: new MarketAssistant().description,
		resources: assistant,
		errors: /^nodes\/MarketAssistant|^src\/assistant/,
	},
	{
		path: 'model-router',
		intro:
			'Texts and media cost money, so read [Money and safety](../money-and-safety.md) before you start many. For most texts, **Message a Model** is the right operation. For long media jobs, use **Start Job** with the [Model Router Trigger](model-router-trigger.md).',
		description: new ModelRouter().description,
		resources: router,
		errors: /^nodes\/ModelRouter\/(?!trigger|chatModel)|^src\/router/,
	},
	{
		path: 'model-router-trigger',
		intro:
			'It starts a workflow when an image, video, music or speech job is done, with its file. n8n adds the field **Poll Times**, which sets how often it checks. To watch all jobs, turn on **Track in Job Ledger** in the nodes that start them.',
		description: new ModelRouterTrigger().description,
		resources: [],
		errors: /^nodes\/ModelRouter\/trigger/,
	},
	{
		path: 'model-router-chat-model',
		intro:
			'Attach it to **Model** of an AI Agent, a chain or a Model Selector, or to **Moderator** of an Agent Conversation. The caps count all turns of an agent together.',
		description: new LmChatModelRouter().description,
		resources: [],
		errors: /^nodes\/ModelRouter\/chatModel|languageModel|core\/(bound|caps)/,
	},
	{
		path: 'agent-conversation',
		intro:
			'Attach two or more speakers to **Speakers**, in the order in which they should speak. A speaker is a Remote Agent, Crypto Q&A, a Model Router, or another tool that takes a text. Connect a trigger before the node, such as a Chat Trigger.',
		description: new AgentConversation().description,
		resources: [],
		errors: /^nodes\/AgentConversation|^src\/conversation|attachedTools/,
	},
];

/** Types of credentials. */
export const allCredentials: ICredentialType[] = [
	new WorkspaceAgentApi(),
	new AgentServerApi(),
	new MarketAssistantApi(),
	new ModelRouterApi(),
];

/** All nodes, each with its operations. */
export const documentedNodes: ReadonlyArray<Pick<NodePage, 'description' | 'resources'>> = nodes;

/** Descriptions of all nodes. */
export const allNodes = nodes.map(({ description }) => description);

type Output = Record<string, unknown>;
type Outputs = Record<string, Output>;

/** What the engine's test has got from every operation. */
export const readOutputs = (): Outputs =>
	JSON.parse(readFileSync('scripts/docs/outputs.json', 'utf8')) as Outputs;

/** Titles of everything that has to have an example of its output. */
export const documentedOperations = (): string[] =>
	nodes.flatMap(operationsOf).map(({ title }) => title);

/** As the canvas and the pages call it. */
export const nameOf = ({ defaults, displayName }: INodeTypeDescription) =>
	String(defaults.name ?? displayName);

/** The operations of a node, each with the title under which its output is kept. */
export function operationsOf({
	description,
	resources,
}: Pick<NodePage, 'description' | 'resources'>) {
	const name = nameOf(description);
	return resources.flatMap((resource) =>
		resource.operations.map((operation) => ({
			node: name,
			resource,
			operation,
			title: [name, ...(resources.length > 1 ? [resource.name] : []), operation.name].join(': '),
		})),
	);
}

export function renderNodePages(): Page[] {
	const sentences = findSentences();
	const outputs = readOutputs();
	return [
		{ path: 'docs/nodes/README.md', text: renderIndex() },
		{ path: 'docs/nodes/credentials.md', text: renderCredentials() },
		...nodes.map((node) => ({
			path: `docs/nodes/${node.path}.md`,
			text: renderNode(node, outputs, sentences),
		})),
	];
}

const paragraphs = (...parts: string[]) => `${parts.filter(Boolean).join('\n\n')}\n`;

function renderIndex(): string {
	const parts = nodes.flatMap((node) => {
		const { path, description, resources } = node;
		const links = linksTo(resources);
		const operations = operationsOf(node).map(({ resource, operation }) => {
			const link = links.get(operation)!.replace('(#', `(${path}.md#`);
			const title = resources.length > 1 ? `${resource.name}: ${link}` : link;
			return `- ${title}. ${withFullStop(operation.description)}`;
		});
		return [
			`## [${nameOf(description)}](${path}.md)`,
			withFullStop(description.description ?? ''),
			operations.join('\n'),
		];
	});
	return paragraphs(
		'# Nodes',
		WRITTEN,
		'Each node has a page with its operations and fields, and an example of each output. All credentials are on [one page](credentials.md), and all messages of errors in [Troubleshooting](../troubleshooting.md). There are tables of the [agents](../which-agents.md) and the [services for models](../model-services.md) that you can use.',
		...parts,
	);
}

function renderCredentials(): string {
	const list = createFieldLists();
	const parts = allCredentials.flatMap(({ displayName, properties }) => [
		`## ${displayName}`,
		renderPicture(
			`The credential ${displayName}, filled in and tested`,
			`credential ${displayName}`,
		),
		list(properties, linkTo(displayName)),
	]);
	return paragraphs(
		'# Credentials',
		WRITTEN,
		'n8n tests a credential when you save it. The test costs nothing and changes nothing.',
		...parts,
	);
}

function renderNode(node: NodePage, outputs: Outputs, all: Sentence[]) {
	const { description, intro, resources, errors } = node;
	const name = nameOf(description);
	const own = all.filter(({ file }) => errors.test(file));
	const list = createFieldLists();
	const links = linksTo(resources);
	const hasHeadings = resources.length > 1;
	const operations = operationsOf(node).flatMap(({ resource, operation, title }) => [
		...(hasHeadings && operation === resource.operations[0] ? [`## ${resource.name}`] : []),
		`${hasHeadings ? '###' : '##'} ${operation.name}`,
		...renderOperation(operation, list(operation.params, links.get(operation)!), outputs[title]),
	]);
	const examples = Object.entries(outputs).filter(
		([title]) => !resources.length && (title === name || title.startsWith(`${name}: `)),
	);
	return paragraphs(
		`# ${name}`,
		WRITTEN,
		withFullStop(description.description ?? ''),
		intro,
		renderPicture(`The node ${name} in n8n's editor`, `node ${name}`),
		renderCredentialLink(description),
		hasHeadings ? renderContents(resources, links) : '',
		...operations,
		...(resources.length
			? [
					'## Request Settings',
					hasHeadings
						? 'Every operation has them that starts, reads, downloads or waits for something paid.'
						: 'Every operation of this node has them.',
					renderFields(requestSettings.options as unknown as INodeProperties[], [], true).join(
						'\n',
					),
				]
			: ['## Fields', renderFields(description.properties).join('\n'), '## Output']),
		...examples.flatMap(([title, output]) => [
			...(title.includes(': ') ? [`### ${title.slice(name.length + 2)}`] : []),
			...renderOutput(output),
		]),
		'## Errors',
		`Messages, and what to do: ${listed(groupsOf(own).map(linkToGroup))}.`,
	);
}

const linkToGroup = (title: string) => `[${title}](../troubleshooting.md#${anchorOf(title)})`;

const listed = (texts: string[]) =>
	[texts.slice(0, -1).join(', '), texts.at(-1)].filter(Boolean).join(' and ');

const renderPicture = (text: string, name: string) =>
	`![${text}](../pictures/${pictureFile(name)})`;

const linkTo = (title: string, anchor = anchorOf(title)) => `[${title}](#${anchor})`;

/** The links to a page's resources, if there are several, and to their operations. Headings that come twice get a number from GitHub. */
function linksTo(resources: readonly Resource[]): Map<Resource | Operation, string> {
	const seen = new Map<string, number>();
	const numbered = (title: string) => {
		const anchor = anchorOf(title);
		const before = seen.get(anchor) ?? 0;
		seen.set(anchor, before + 1);
		return linkTo(title, before ? `${anchor}-${before}` : anchor);
	};
	const headings = resources.flatMap((resource) => [
		...(resources.length > 1 ? [resource] : []),
		...resource.operations,
	]);
	return new Map(headings.map((heading) => [heading, numbered(heading.name)]));
}

/** Of a long page. */
const renderContents = (resources: readonly Resource[], links: ReturnType<typeof linksTo>) =>
	resources
		.map((resource) => {
			const operations = resource.operations.map((operation) => links.get(operation)!);
			return `- ${links.get(resource)!}: ${operations.join(', ')}`;
		})
		.join('\n');

function renderCredentialLink({ credentials: types = [] }: INodeTypeDescription): string {
	const links = types
		.flatMap(({ name }) => allCredentials.filter((one) => one.name === name))
		.map(({ displayName }) => `[${displayName}](credentials.md#${anchorOf(displayName)})`);
	return links.length ? `It needs the credential ${links.join(' or ')}.` : '';
}

const renderOperation = (
	{ description }: Operation,
	fields: string,
	output: Output | undefined,
): string[] => [
	withFullStop(description),
	fields,
	...(output ? ['Output:', ...renderOutput(output)] : []),
];

function renderOutput({ '(files)': files, ...json }: Output): string[] {
	const named = [files].flat().filter(Boolean);
	return [
		`\`\`\`json\n${formatJson(json)}\n\`\`\``,
		...(named.length ? [`The file is in the binary field \`${named.join('`, `')}\`.`] : []),
	];
}
