import { ExecuteContext } from 'n8n-core';
import {
	createEmptyRunExecutionData,
	Workflow,
	type IDataObject,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
	type INodeType,
	type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';

import { asTool } from './agentTool';
import { Credentials } from './credentials';
import { sources } from './pack';
import { additionalData, made, type RunOptions } from './run';

type ToolOptions = Pick<
	RunOptions,
	'node' | 'parameters' | 'secrets' | 'credential' | 'settings'
> & {
	/** What the model fills in. */
	given?: IDataObject;
};

/**
 * Runs a node as an n8n Agent runs its tools: in n8n-core's own context, within an empty execution of its own, which has no ID, no source
 * and no memory.
 *
 * @see n8n 2.41.1, node-execution/ephemeral-node-executor.js (buildEphemeralContextParts, executeNodeDirectly)
 */
export async function callInN8nAgent({
	node,
	parameters,
	secrets,
	credential,
	settings,
	given = {},
}: ToolOptions): Promise<{ items: INodeExecutionData[]; error: Error | undefined }> {
	const { nodeTypes } = sources;
	const byName = (name: string) => {
		const type = nodeTypes.getByName(name) as INodeType;
		return name.endsWith('Tool') ? asTool(type) : type;
	};
	const tool: INode = {
		...made('Target Node', `n8n-nodes-agent-bridge.${node}Tool`, parameters),
		credentials: { [credential]: { id: credential, name: credential } },
		...settings,
	};
	const workflow = new Workflow({
		nodes: [tool],
		connections: {},
		active: false,
		nodeTypes: { ...nodeTypes, getByName: byName, getByNameAndVersion: byName },
	});
	const credentials = new Credentials(sources.credentialTypes, secrets);
	const additional = additionalData(workflow, credentials, 'internal', undefined);
	const base = { ...additional, hooks: undefined, executionId: undefined };
	const input = [{ json: given }];
	const inputs = { main: [input] };
	const context = new ExecuteContext(
		workflow,
		tool,
		base as unknown as IWorkflowExecuteAdditionalData,
		'internal',
		createEmptyRunExecutionData(),
		0,
		input,
		inputs,
		{ node: tool, data: inputs, source: null },
		[],
	);
	try {
		const output = await byName(tool.type).execute!.call(context as unknown as IExecuteFunctions);
		return { items: (output as INodeExecutionData[][])[0] ?? [], error: undefined };
	} catch (error) {
		return { items: [], error: error as Error };
	}
}
