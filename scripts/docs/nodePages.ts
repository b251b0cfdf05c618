import { readFileSync } from 'node:fs';
import type { ICredentialType, INodeTypeDescription } from 'n8n-workflow';

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
import type { Resource } from '../../src/n8n/operation';
import { pictureFile } from '../../test/support/pictureFile';
import { anchorOf, formatJson, withFullStop } from './markdown';

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
	/** In place of n8n's text. */
	summary?: string;
	/** What it is for, and what one has to know before its fields. */
	intro: string;
}

export const WRITTEN = '<!-- written by `npm run docs` -->';

const nodes: NodePage[] = [
	{
		path: 'workspace-agent',
		intro:
			'It keeps one session per chat: see [sessions](../sessions.md). [Which agents](../which-agents.md) says what to enter for each server.',
		description: new WorkspaceAgent().description,
		resources: agent,
	},
	{
		path: 'crypto-qa',
		intro:
			'The output has the answer, the chat, and the tools that the assistant used: see [sessions](../sessions.md#crypto-qa).',
		description: new MarketAssistant().description,
		resources: assistant,
	},
	{
		path: 'model-router',
		intro:
			'See [texts, pictures, videos, music and speech](../texts-and-media.md), and [money and safety](../money-and-safety.md) before you start many.',
		description: new ModelRouter().description,
		resources: router,
	},
	{
		path: 'model-router-trigger',
		intro: 'See [the job ledger and the trigger](../job-ledger.md#model-router-trigger).',
		// n8n lists it with the Model Router, whose text it has
		summary: 'Starts a workflow when an image, video, music or speech job is done, with its file',
		description: new ModelRouterTrigger().description,
		resources: [],
	},
	{
		path: 'model-router-chat-model',
		intro:
			'Attach it to **Model** of an AI Agent, a chain or a Model Selector, or to **Moderator** of an Agent Conversation.',
		description: new LmChatModelRouter().description,
		resources: [],
	},
	{
		path: 'agent-conversation',
		intro: 'See [agents that talk to each other](../conversations.md).',
		description: new AgentConversation().description,
		resources: [],
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

/** The lines about the output of each node and operation, as language models get them: see `outputFields`. */
type Told = Record<string, ReadonlyArray<{ content: string; displayOptions?: { show: Choice } }>>;
interface Choice {
	resource: string[];
	operation: string[];
}

export function renderNodePages(told: Told): Page[] {
	const outputs = readOutputs();
	return [
		{ path: 'docs/nodes/README.md', text: renderIndex() },
		{ path: 'docs/nodes/credentials.md', text: renderCredentials() },
		...nodes.map((node) => ({
			path: `docs/nodes/${node.path}.md`,
			text: renderNode(node, outputs, told),
		})),
	];
}

const paragraphs = (...parts: string[]) => `${parts.filter(Boolean).join('\n\n')}\n`;

const summaryOf = ({ summary, description }: NodePage) =>
	withFullStop(summary ?? description.description ?? '');

function renderIndex(): string {
	const parts = nodes.map(
		(node) => `- [${nameOf(node.description)}](${node.path}.md). ${summaryOf(node)}`,
	);
	return paragraphs(
		'# Nodes',
		WRITTEN,
		'Each page has the operations of a node and their outputs. The editor explains every field beside it. The fields of [credentials](credentials.md) are in it, too.',
		parts.join('\n'),
	);
}

/** What a credential is for, and where it is explained. */
const USES: Readonly<Record<string, string>> = {
	workspaceAgentApi: 'An agent of a workspace: see [sessions](../sessions.md#remote-agent).',
	agentServerApi: 'An agent of another server: see [which agents](../which-agents.md).',
	marketAssistantApi: 'Crypto Q&A: see [sessions](../sessions.md#crypto-qa).',
	modelRouterApi:
		'[Services for models](../model-services.md). It also has the [job ledger](../job-ledger.md#set-it-up), a [budget](../budget.md) and [model lists](../texts-and-media.md#model-lists).',
};

function renderCredentials(): string {
	const parts = allCredentials.flatMap(({ name, displayName }) => [
		`## ${displayName}`,
		USES[name] ?? '',
		renderPicture(
			`The credential ${displayName}, filled in and tested`,
			`credential ${displayName}`,
		),
	]);
	return paragraphs(
		'# Credentials',
		WRITTEN,
		'n8n tests a credential when you save it. The test costs nothing and changes nothing. **Additional headers** are for a gateway in front of the service.',
		...parts,
	);
}

function renderNode(node: NodePage, outputs: Outputs, told: Told) {
	const { description, intro, resources } = node;
	const name = nameOf(description);
	const lines = told[description.name] ?? [];
	const operations = operationsOf({ description, resources }).map(
		({ resource, operation, title }, index, all) => {
			const isFirst = resource !== all[index - 1]?.resource;
			const line =
				resources.length > 1
					? lines.find(
							({ displayOptions: { show } = {} }) =>
								show?.resource[0] === resource.value && show.operation[0] === operation.value,
						)?.content
					: lineOf(lines[0]?.content, `Output of ${operation.value}`);
			return [
				...(isFirst && resources.length > 1 ? [`## ${resource.name}`] : []),
				`${resources.length > 1 ? '###' : '##'} ${operation.name}`,
				withFullStop(operation.description),
				...renderFields(named(line, resource)),
				// of the operation that most people want; n8n shows the others
				...(operation === router[0]?.operations[0] ? renderExample(outputs[title]) : []),
			];
		},
	);
	const example = resources.length
		? undefined
		: Object.entries(outputs).find(([title]) => title.split(': ')[0] === name)?.[1];
	return paragraphs(
		`# ${name}`,
		WRITTEN,
		summaryOf(node),
		intro,
		renderPicture(`The node ${name} in n8n's editor`, `node ${name}`),
		renderCredentialLink(description),
		...operations.flat(),
		...(resources.length
			? []
			: [
					'## Output',
					...renderFields(lineOf(lines[0]?.content, 'Output')),
					...(lines.length ? [] : renderExample(example)),
				]),
	);
}

/** The line of a text that begins so. */
const lineOf = (text = '', start: string) =>
	text.split('\n').findLast((line) => line.startsWith(`${start}: `));

/** Another operation by the name that the editor shows. */
const named = (line: string | undefined, { operations }: Resource) =>
	line?.replace(
		/(?<=: as )\w+/,
		(value) => operations.find((one) => one.value === value)?.name ?? value,
	);

const renderFields = (line: string | undefined) =>
	line ? [`Output: \`${line.slice(line.indexOf(': ') + 2)}\``] : [];

const renderPicture = (text: string, name: string) =>
	`![${text}](../pictures/${pictureFile(name)})`;

function renderCredentialLink({ credentials: types = [] }: INodeTypeDescription): string {
	const links = types
		.flatMap(({ name }) => allCredentials.filter((one) => one.name === name))
		.map(({ displayName }) => `[${displayName}](credentials.md#${anchorOf(displayName)})`);
	return links.length ? `It needs the credential ${links.join(' or ')}.` : '';
}

/** The longest text in an example, in characters. */
const LONGEST = 60;

/** A part of a long text, and the first of a list of objects. */
function shorten(value: unknown): unknown {
	if (typeof value === 'string' && value.length > LONGEST) return `${value.slice(0, LONGEST)}…`;
	return Array.isArray(value) && typeof value[0] === 'object' ? value.slice(0, 1) : value;
}

function renderExample(output: Output | undefined): string[] {
	if (!output) return [];
	const short = JSON.stringify({ ...output, '(files)': undefined }, (_name, value: unknown) =>
		shorten(value),
	);
	return ['For example:', `\`\`\`json\n${formatJson(JSON.parse(short))}\n\`\`\``];
}
