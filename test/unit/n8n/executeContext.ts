import { ExecuteContext } from 'n8n-core';
import {
	createRunExecutionData,
	NodeHelpers,
	Workflow,
	type IConnections,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
	type IRunExecutionData,
	type ISourceData,
	type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';

import { ModelRouter } from '../../../nodes/ModelRouter/ModelRouter.node';

export interface Execution {
	parameters?: INode['parameters'];
	items?: INodeExecutionData[];
	/** Given again, the node runs once more in the same execution. */
	data?: IRunExecutionData;
	runIndex?: number;
	/** The node's type in the workflow; one that ends in "Tool" is called by an AI agent. */
	type?: string;
	name?: string;
	/** The types of the other nodes, by name. */
	others?: Record<string, string>;
	connections?: IConnections;
	/** The node of the execution data: another one where an agent calls its tools by itself. */
	executed?: string;
	source?: Partial<ISourceData> | null;
}

/** n8n-core's own execution context around our Model Router node: real parameters, expressions and node context. */
export function executeContext({
	parameters = {},
	items = [{ json: {} }],
	data = createRunExecutionData(),
	runIndex = 0,
	type = 'test.modelRouter',
	name = 'Model Router',
	others = {},
	connections = {},
	executed = name,
	source = null,
}: Execution) {
	const router = new ModelRouter();
	const nodes = Object.entries({ ...others, [name]: type }).map(([name, type]): INode => {
		return { id: name, name, type, typeVersion: 1, position: [0, 0], parameters };
	});
	const workflow = new Workflow({
		nodes,
		connections,
		active: false,
		nodeTypes: {
			getByName: () => router,
			getByNameAndVersion: (_name, version) => NodeHelpers.getVersionedNodeType(router, version),
			getKnownTypes: () => ({}),
		},
	});
	const additional = {
		variables: {},
		webhookWaitingBaseUrl: 'http://127.0.0.1/webhook-waiting',
		formWaitingBaseUrl: 'http://127.0.0.1/form-waiting',
	} as unknown as IWorkflowExecuteAdditionalData;
	const input = { main: [items] };
	return new ExecuteContext(
		workflow,
		workflow.getNode(name)!,
		additional,
		'manual',
		data,
		runIndex,
		items,
		input,
		{
			node: workflow.getNode(executed)!,
			data: input,
			source: source && { main: [source as ISourceData] },
		},
		[],
	) as unknown as IExecuteFunctions & { workflow: Workflow };
}
