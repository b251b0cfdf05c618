import { ExecuteContext } from 'n8n-core';
import {
	createRunExecutionData,
	NodeHelpers,
	Workflow,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
	type IRunExecutionData,
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
}

/** n8n-core's own execution context around our Model Router node: real parameters, expressions and node context. */
export function executeContext({
	parameters = {},
	items = [{ json: {} }],
	data = createRunExecutionData(),
	runIndex = 0,
	type = 'test.modelRouter',
}: Execution): IExecuteFunctions {
	const router = new ModelRouter();
	const node: INode = {
		id: '1',
		name: 'Model Router',
		type,
		typeVersion: 1,
		position: [0, 0],
		parameters,
	};
	const workflow = new Workflow({
		nodes: [node],
		connections: {},
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
	const execution = { node, data: input, source: null };
	return new ExecuteContext(
		workflow,
		node,
		additional,
		'manual',
		data,
		runIndex,
		items,
		input,
		execution,
		[],
	) as unknown as IExecuteFunctions;
}
