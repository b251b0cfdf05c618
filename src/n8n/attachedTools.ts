import { type IExecuteFunctions, NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';

import { invalidInputError } from '../core/errors';
import { groupBy } from '../core/grouping';

/** A node that is attached to this one, as a tool is attached to n8n's AI Agent. Plain data. */
export interface AttachedTool {
	/** The node that is run. */
	node: string;
	/** Its type, e.g. `n8n-nodes-agent-bridge.workspaceAgentTool`. */
	type: string;
	/** Names of its input values: usually those of its `$fromAI` calls. */
	keys: string[];
	/** The description of the tool. */
	description?: string;
	/** The name of one tool among several in the node, such as those of an MCP server. */
	tool?: string;
	/** The human-review node that decides whether it may run. */
	review?: { node: string; tool: string; keys: string[] };
}

/** A tool as n8n hands it over, as far as it is used: LangChain is not imported. */
interface LangChainTool {
	name?: string;
	description?: string;
	schema?: Schema;
	/** Set for a toolkit: several tools of one node. */
	tools?: LangChainTool[];
	metadata?: {
		sourceNodeName?: string;
		gatedToolNodeName?: string;
		originalSchema?: Schema;
	};
}

/** A Zod object, or a JSON schema. */
type Schema = { shape?: Record<string, unknown>; properties?: Record<string, unknown> };

/**
 * Finds the tools that are attached to the node, in the order in which they were connected.
 *
 * Tools attached to a human-review node are found through it. A node with several tools, such as an MCP server, has to be limited to one.
 *
 * @throws ServiceError `invalid`.
 * @see n8n-core 2.41.1, node-execution-context/utils/get-input-connection-data.js
 */
export async function findAttachedTools(n8n: IExecuteFunctions): Promise<AttachedTool[]> {
	const { name } = n8n.getNode();
	const nodes = listAttached(n8n, name);
	const found = (await n8n.getInputConnectionData(
		NodeConnectionTypes.AiTool,
		0,
	)) as LangChainTool[];
	const tools = found.flatMap((tool, index) => {
		const inner = tool.tools ?? [tool];
		const node = inner[0]?.metadata?.sourceNodeName ?? nodes[index]?.name ?? '';
		const gated = inner.filter(({ metadata }) => metadata?.gatedToolNodeName);
		if (gated.length) {
			checkReviewedTools(gated);
			return gated.map((each) => describeReviewedTool(n8n, node, each));
		}
		if (inner.length !== 1) throw severalToolsError(node, inner);
		const type = nodes.find((each) => each.name === node)?.type ?? '';
		return inner.map(({ name: toolName = '', description, schema }) => ({
			node,
			type,
			keys: keysOf(schema),
			...(description && { description }),
			...(tool.tools && { tool: toolName }),
		}));
	});
	// n8n returns the last connected tool first (n8n-workflow 2.41.0, common/get-connected-nodes.js:70)
	return tools.reverse();
}

/**
 * Refuses a call without the engine's response. n8n hands one over with every call, even an empty one (n8n-core 2.41.1,
 * workflow-execute.js:605).
 *
 * With Retry On Fail, it calls a node again without one after an item with `error` (workflow-execute.js:1234): refusing that call keeps
 * all turns from being sent again.
 *
 * @throws NodeOperationError
 */
export function requireResponse(n8n: IExecuteFunctions, response: unknown): void {
	if (response !== undefined) return;
	throw new NodeOperationError(
		n8n.getNode(),
		'n8n called this node without the answers of its speakers',
		{
			description:
				'No turn was sent again. In the settings of this node, switch off Retry On Fail.',
		},
	);
}

/** Whether a tool is attached to the node now. "Retry with currently saved workflow" may find it removed, renamed or disabled. */
export function isAttached(n8n: IExecuteFunctions, { node, review }: AttachedTool): boolean {
	const isBelow = (tool: string, parent: string) =>
		listAttached(n8n, parent).some(({ name }) => name === tool);
	const { name } = n8n.getNode();
	return review ? isBelow(review.node, name) && isBelow(node, review.node) : isBelow(node, name);
}

/** The nodes that are attached to a node and not disabled. */
export const listAttached = (
	n8n: IExecuteFunctions,
	below: string,
	connectionType: 'ai_tool' | 'ai_languageModel' = 'ai_tool',
) => n8n.getParentNodes(below, { connectionType, depth: 1 }).filter(({ disabled }) => !disabled);

/** @throws ServiceError `invalid` if one of the nodes attached to a human-review node has several tools. */
function checkReviewedTools(gated: readonly LangChainTool[]): void {
	const nodeOf = ({ metadata }: LangChainTool) => metadata?.gatedToolNodeName ?? '';
	for (const [node, tools] of groupBy(gated, nodeOf))
		if (tools.length > 1) throw severalToolsError(node, tools);
}

/** A tool that is attached to a human-review node. */
function describeReviewedTool(
	n8n: IExecuteFunctions,
	reviewNode: string,
	{ name = '', description, schema, metadata = {} }: LangChainTool,
): AttachedTool {
	const node = metadata.gatedToolNodeName ?? '';
	const type = listAttached(n8n, reviewNode).find((each) => each.name === node)?.type ?? '';
	const reviewSchema = shapeOf(schema)['hitlParameters'] as Schema | undefined;
	return {
		node,
		type,
		keys: keysOf(metadata.originalSchema),
		...(description && { description }),
		// as n8n does, since the node may have several
		tool: name,
		review: { node: reviewNode, tool: name, keys: keysOf(reviewSchema) },
	};
}

const shapeOf = (schema: Schema | undefined) => schema?.shape ?? schema?.properties ?? {};

const keysOf = (schema: Schema | undefined) => Object.keys(shapeOf(schema));

function severalToolsError(node: string, tools: readonly LangChainTool[]) {
	if (!tools.length)
		return invalidInputError(
			`${node} does not offer a tool`,
			'Choose one of its tools in that node, or remove it from this one.',
		);
	const names = tools.map(({ name = '' }) => withoutPrefix(name, node)).join(', ');
	return invalidInputError(
		`${node} offers ${tools.length} tools, but a speaker must be a single tool`,
		`In that node, choose one of them: ${names}.`,
	);
}

/** n8n prefixes the tools of an MCP client with its name, and the node shows them without it (McpClientTool/utils.js:85). */
function withoutPrefix(name: string, node: string): string {
	const prefix = `${node.replace(/[^a-zA-Z0-9]/g, '_')}_`;
	return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}
