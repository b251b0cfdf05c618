import { ExecuteContext } from 'n8n-core';
import {
	createEmptyRunExecutionData,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';

import { additionalData, ours, workflowOf } from './flow';
import type { RunOptions } from './run';
import { asTool } from './standIns';

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
	given = {},
	secrets,
	...options
}: ToolOptions): Promise<{ items: INodeExecutionData[]; error: Error | undefined }> {
	const node = ours('Target Node', `${options.node}Tool`, options);
	const { workflow, credentials } = workflowOf({ nodes: [node], wires: [], secrets });
	const additional = { ...additionalData(workflow, credentials, 'internal') };
	const base = { ...additional, hooks: undefined, executionId: undefined };
	const input = [{ json: given }];
	const data = { main: [input] };
	const context = new ExecuteContext(
		workflow,
		node,
		base as unknown as IWorkflowExecuteAdditionalData,
		'internal',
		createEmptyRunExecutionData(),
		0,
		input,
		data,
		{ node, data, source: null },
		[],
	) as unknown as IExecuteFunctions;
	try {
		const type = asTool(workflow.nodeTypes.getByNameAndVersion(node.type));
		const output = await type.execute!.call(context);
		return { items: (output as INodeExecutionData[][])[0] ?? [], error: undefined };
	} catch (error) {
		return { items: [], error: error as Error };
	}
}
