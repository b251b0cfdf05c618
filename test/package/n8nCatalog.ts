import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { INodeTypeDescription } from 'n8n-workflow';

import { allNodes } from '../../scripts/docs/nodePages';
import type { WorkflowFile } from '../n8n/workflow';

/**
 * What n8n tells a language model about nodes and workflows, by the code of the installed n8n. Its MCP server itself does not start in
 * the n8n of the tests, which has no packages of AI vendors.
 *
 * @see n8n 2.41.1, node-catalog/node-catalog.service.js and load-nodes-and-credentials.js (postProcessLoaders)
 */
const HOST = join(
	process.env['AGENT_BRIDGE_HOST'] ?? join(__dirname, '..', 'host'),
	'node_modules',
);
const load = createRequire(join(HOST, 'n8n', 'package.json'));

const PACKAGE = 'n8n-nodes-agent-bridge';

export type NodeType = INodeTypeDescription & { codex?: { alias?: string[] } };

/** A sentence of n8n's validation. */
export interface Issue {
	code: string;
	message: string;
	nodeName?: string;
}

interface Sdk {
	generateNodeTypeFile(type: NodeType): string;
	generateWorkflowCode(workflow: unknown): string;
}
interface Catalog {
	NodeTypeParser: new (types: NodeType[]) => {
		searchNodeTypes(query: string, limit: number): Array<{ id: string }>;
	};
}
interface ToolGeneration {
	createAiTools(types: { nodes: NodeType[] }, known: object): void;
	createHitlTools(types: { nodes: NodeType[] }, known: object): void;
}
interface Handlers {
	ParseValidateHandler: new (options: object) => {
		parseAndValidate(code: string): Promise<{ workflow: WorkflowFile; warnings: Issue[] }>;
		validateJSON(workflow: unknown): Issue[];
	};
}

const sdk = load('@n8n/workflow-sdk') as Sdk;
const { NodeTypeParser } = load('@n8n/ai-utilities/node-catalog') as Catalog;
const tools = load(join(HOST, 'n8n/dist/tool-generation')) as ToolGeneration;
const { ParseValidateHandler } = load(
	join(HOST, '@n8n/ai-workflow-builder/dist/code-builder/handlers/parse-validate-handler.js'),
) as Handlers;

const typesOf = (folder: string): NodeType[] => {
	const types = readFileSync(join(HOST, folder, 'dist/types/nodes.json'), 'utf8');
	return (JSON.parse(types) as NodeType[]).map((type) => named(type, folder));
};

const named = (type: NodeType, folder: string): NodeType => ({
	...type,
	name: `${folder}.${type.name}`,
});

/** Our nodes as n8n has them: with the words that they are found by, and "Custom API Call", which n8n adds. */
function ownTypes(): NodeType[] {
	return allNodes.map((description) => {
		const { properties, ...type } = JSON.parse(JSON.stringify(description)) as NodeType;
		const choices = type.credentials?.length ? ['resource', 'operation'] : [];
		return named(
			{
				...type,
				codex: readCodex(type.name),
				properties: properties.map((property) =>
					choices.includes(property.name)
						? {
								...property,
								options: [
									...(property.options ?? []),
									{ name: 'Custom API Call', value: '__CUSTOM_API_CALL__' },
								],
							}
						: property,
				),
			},
			PACKAGE,
		);
	});
}

function readCodex(name: string) {
	const className = `${name[0]!.toUpperCase()}${name.slice(1)}`;
	const folder = /Router/.test(className) ? 'ModelRouter' : className;
	return JSON.parse(readFileSync(`nodes/${folder}/${className}.node.json`, 'utf8')) as {
		alias: string[];
	};
}

/** All nodes of an n8n in which the package is installed. */
function allTypes(): NodeType[] {
	const folders = ['n8n-nodes-base', '@n8n/n8n-nodes-langchain'];
	const types = { nodes: [...folders.flatMap(typesOf), ...ownTypes()] };
	const names = types.nodes.map(({ name }) => [name, {}]);
	const known = { nodes: Object.fromEntries(names), credentials: {} };
	tools.createAiTools(types, known);
	tools.createHitlTools(types, known);
	return types.nodes;
}

const types = allTypes();
const parser = new NodeTypeParser(types);

const findType = (name: string, version = 1): NodeType => {
	const versions = types.filter((one) => one.name === name);
	const found = versions.find((one) => [one.version].flat().includes(version)) ?? versions.at(-1);
	if (!found) throw new Error(`n8n has no node ${name}`);
	return found;
};

/** The nodes that `search_nodes` gives for one query, best first; n8n gives five. */
export const searchNodes = (query: string): string[] =>
	parser.searchNodeTypes(query, 5).map(({ id }) => id);

/** What `get_node_types` gives of one of our nodes, whichever resource and operation is asked for. */
export function nodeTypeText(name: string): string {
	const type = findType(`${PACKAGE}.${name}`);
	const properties = type.properties.filter((property) => property.type !== 'hidden');
	return sdk.generateNodeTypeFile({ ...type, properties });
}

const getByNameAndVersion = (name: string, version: number) => ({
	description: findType(name, version),
});
const handler = new ParseValidateHandler({
	generatePinData: false,
	nodeTypesProvider: { getByNameAndVersion },
});

/** What `validate_workflow` says of a workflow. */
export const validate = (workflow: unknown): Issue[] => handler.validateJSON(workflow);

/** What n8n makes of the code in which models write a workflow. */
export const parseCode = async (code: string) => await handler.parseAndValidate(code);

/** A workflow as that code, and back. */
export const throughCode = async (workflow: unknown) =>
	await parseCode(sdk.generateWorkflowCode(workflow));
