import { ExecutionLifecycleHooks, WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	Workflow,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type INodeType,
	type IRun,
	type IRunExecutionData,
	type ITaskData,
	type IWorkflowBase,
	type IWorkflowExecuteAdditionalData,
	type IWorkflowSettings,
	type NodeConnectionType,
	type StructuredChunk,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

import { Credentials, type Secrets } from './credentials';
import { sources, type Pack } from './pack';
import { asTool } from './standIns';

/** From one node to another: what it carries, and the number of the output. */
export type Wire = [from: string, to: string, carries?: NodeConnectionType, output?: number];

/** A workflow, and what it is run with. */
export interface Flow {
	/** The first one gets the items. */
	nodes: INode[];
	wires: Wire[];
	secrets: Secrets;
	/** Stand-ins, by their type. */
	types?: Record<string, INodeType>;
	pack?: Pack;
	input?: INodeExecutionData[];
	/** What nodes gave that ran before, by name. */
	ran?: Record<string, INodeExecutionData['json']>;
	/** Makes the workflow stream, and is called with every piece that is sent. */
	onChunk?: ((chunk: StructuredChunk) => unknown) | undefined;
	/** By default that of production: executions by hand give what earlier ones have paid. */
	mode?: WorkflowExecuteMode;
	executionId?: string;
	/** The data of an execution that has failed: it is retried with the workflow as it is now. */
	retry?: IRunExecutionData | undefined;
	/** The data of an execution that waits, which goes on. */
	waiting?: IRunExecutionData | undefined;
	/** What an execution has kept from earlier ones. */
	data?: IRunExecutionData;
	workflowId?: string;
	/** By default those of a new workflow. */
	workflowSettings?: IWorkflowSettings;
}

/** What tells one execution from another. */
export type Execution = 'mode' | 'executionId' | 'workflowId';

interface OurNode {
	credential: string;
	parameters?: INodeParameters;
	settings?: Partial<INode>;
}

/** A node of the package with its credential. @param type Without the package's prefix, e.g. `modelRouter`. */
export const ours = (
	name: string,
	type: string,
	{ credential, parameters = {}, settings = {} }: OurNode,
): INode => ({
	...made(name, `n8n-nodes-agent-bridge.${type}`, parameters),
	credentials: { [credential]: { id: credential, name: credential } },
	...settings,
});

export const made = (name: string, type: string, parameters: INodeParameters = {}): INode => ({
	id: name,
	name,
	type,
	typeVersion: 1,
	position: [0, 0],
	parameters,
});

/** Nodes whose type is that of a tool have what n8n makes of the type, unless they are in the chain of nodes themselves. */
export function workflowOf({ nodes, wires, secrets, types = {}, pack = sources, ...flow }: Flow) {
	const connections: Workflow['connectionsBySourceNode'] = {};
	for (const [from, node, type = 'main', output = 0] of wires) {
		const outputs = ((connections[from] ??= {})[type] ??= []);
		while (outputs.length <= output) outputs.push([]);
		outputs[output]!.push({ node, type, index: 0 });
	}
	const isInChain = (node: string) =>
		!connections[node]?.['ai_tool'] && wires.some(([, to]) => to === node);
	const tools = nodes.filter(({ name }) => !isInChain(name)).map(({ type }) => type);
	const byName = (name: string) => {
		const type = types[name] ?? (pack.nodeTypes.getByName(name) as INodeType);
		return tools.includes(name) && name.endsWith('Tool') ? asTool(type) : type;
	};
	const workflow = new Workflow({
		id: flow.workflowId ?? 'workflow-1',
		name: 'test',
		active: false,
		nodes,
		connections,
		nodeTypes: { ...pack.nodeTypes, getByName: byName, getByNameAndVersion: byName },
		settings: flow.workflowSettings ?? { executionOrder: 'v1' },
	});
	return { workflow, credentials: new Credentials(pack.credentialTypes, secrets) };
}

/** Runs a workflow in n8n-core's own engine. */
export function startFlow(flow: Flow) {
	const { onChunk, executionId = flow.retry ? 'execution-2' : undefined } = flow;
	const { mode = onChunk ? 'webhook' : 'trigger' } = flow;
	const { workflow, credentials } = workflowOf(flow);
	const running = new WorkflowExecute(
		additionalData(workflow, credentials, mode, onChunk, executionId),
		mode,
		executionData(flow, workflow),
	).processRunExecutionData(workflow);
	return { finished: Promise.resolve(running), stop: () => running.cancel(), credentials };
}

export const runFlow = async (flow: Flow): Promise<IRun> => await startFlow(flow).finished;

function executionData(
	{ nodes, input = [{ json: {} }], ran = {}, retry, waiting, data }: Flow,
	workflow: Workflow,
) {
	if (retry) return retried(retry, workflow);
	if (waiting) return copy(waiting);
	const begun = data ?? createRunExecutionData();
	begun.executionData!.nodeExecutionStack = [
		{ node: nodes[0]!, data: { main: [input] }, source: null },
	];
	for (const [name, json] of Object.entries(ran)) begun.resultData.runData[name] = [ranWith(json)];
	return begun;
}

/** As n8n's "Retry with currently saved workflow" does (n8n 2.41.1, executions/execution.service.js:171). */
function retried(stored: IRunExecutionData, workflow: Workflow) {
	const data = copy(stored);
	const { lastNodeExecuted = '', runData } = data.resultData;
	delete data.resultData.error;
	if (runData[lastNodeExecuted]?.at(-1)?.error) runData[lastNodeExecuted].pop();
	for (const waiting of data.executionData?.nodeExecutionStack ?? [])
		waiting.node = workflow.getNode(waiting.node.name) ?? waiting.node;
	return data;
}

/** As from n8n's database. */
export const copy = <Value>(value: Value) => JSON.parse(JSON.stringify(value)) as Value;

export const ranWith = (json: INodeExecutionData['json']): ITaskData => ({
	startTime: 0,
	executionTime: 0,
	executionIndex: 0,
	source: [],
	executionStatus: 'success',
	data: { main: [[{ json }]] },
});

const BASE = 'http://n8n.invalid';

export function additionalData(
	workflow: Workflow,
	credentialsHelper: Credentials,
	mode: WorkflowExecuteMode,
	onChunk?: Flow['onChunk'],
	executionId = 'execution-1',
) {
	const { id, nodes } = workflow;
	const base = { id, name: 'test', active: false, nodes: Object.values(nodes), connections: {} };
	const hooks = new ExecutionLifecycleHooks(mode, executionId, base as unknown as IWorkflowBase);
	if (onChunk) hooks.addHandler('sendChunk', async (chunk) => void (await onChunk(chunk)));
	return {
		streamingEnabled: Boolean(onChunk),
		credentialsHelper,
		hooks,
		variables: {},
		executionId,
		currentNodeExecutionIndex: 0,
		// these must be addresses: $execution.resumeUrl is made of them as soon as a parameter is read
		restApiUrl: `${BASE}/rest`,
		instanceBaseUrl: BASE,
		webhookBaseUrl: `${BASE}/webhook`,
		formWaitingBaseUrl: `${BASE}/form-waiting`,
		webhookWaitingBaseUrl: `${BASE}/webhook-waiting`,
		setExecutionStatus() {},
		logAiEvent() {},
	} as unknown as IWorkflowExecuteAdditionalData;
}

export interface Outcome {
	run: IRun;
	/** What went to the first output. */
	items: INodeExecutionData[];
	/** What went to the error output. */
	failed: INodeExecutionData[];
	/** What ended the execution. */
	error: Failure | undefined;
	/** What n8n shows beside the items. */
	hints: string[];
	credentialsRead: number;
}

type Failure = Error & {
	description?: string;
	httpCode?: string;
	context?: { [name: string]: unknown };
};

/** What has become of a node. */
export function outcomeOf(run: IRun, name: string, { read }: Pick<Credentials, 'read'>): Outcome {
	const runs = run.data.resultData.runData[name] ?? [];
	const [items, failed] = runs.at(-1)?.data?.['main'] ?? [];
	return {
		run,
		items: items ?? [],
		failed: failed ?? [],
		credentialsRead: read,
		error: run.data.resultData.error as Outcome['error'],
		hints: runs.flatMap(({ hints = [] }) => hints.map(({ message }) => message)),
	};
}
