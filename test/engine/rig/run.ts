import { ExecutionLifecycleHooks, WorkflowExecute } from 'n8n-core';
import {
	CHAT_NODE_TYPE,
	CHAT_TRIGGER_NODE_TYPE,
	createRunExecutionData,
	Workflow,
	type IBinaryKeyData,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type IRun,
	type IRunExecutionData,
	type ITaskData,
	type StructuredChunk,
	type IWorkflowBase,
	type IWorkflowExecuteAdditionalData,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

import { Credentials, type Secrets } from './credentials';
import { sources, type Pack } from './pack';

const BASE = 'http://n8n.invalid';

export interface RunOptions {
	/** Without the package's prefix, e.g. `modelRouter`. */
	node: string;
	parameters: INodeParameters;
	secrets: Secrets;
	/** The credential type that the node uses. */
	credential: string;
	items?: Array<INodeExecutionData['json']>;
	/** Files that every item has. */
	files?: IBinaryKeyData;
	/** Makes the workflow stream, and is called with every piece that is sent. */
	onChunk?: (chunk: StructuredChunk) => unknown;
	/** The node's type ends in `Tool`, as when an AI agent uses it. */
	asTool?: boolean;
	/** Settings of the node, e.g. `{ onError: 'continueErrorOutput', retryOnFail: true }`. */
	settings?: Partial<INode>;
	mode?: WorkflowExecuteMode;
	pack?: Pack;
	/** What a Chat Trigger gave before Start, whose items are others. */
	chatted?: INodeExecutionData['json'];
	/** What a visitor answered to a Chat node, after the Chat Trigger. */
	replied?: INodeExecutionData['json'];
	/** Whether two speakers and a moderator are attached to the node. */
	withSpeakers?: boolean;
	/** The data of an execution that has failed: it is retried, with the node as it is now. */
	retry?: IRunExecutionData;
}

export interface Outcome {
	run: IRun;
	/** What went to the first output. */
	items: INodeExecutionData[];
	/** What went to the error output. */
	failed: INodeExecutionData[];
	/** What ended the execution. */
	error:
		| (Error & { description?: string; httpCode?: string; context?: { [name: string]: unknown } })
		| undefined;
	credentialsRead: number;
}

/** What the editor shows of an error: its title, and its description. */
export const shownText = (error: Outcome['error']) =>
	error && `${error.message}. ${error.description}`;

/** Runs Start -> node -> sinks in n8n-core's own engine; the first node gets the items. */
export function start({
	node,
	parameters,
	secrets,
	credential,
	items = [{}],
	files,
	onChunk,
	asTool = false,
	settings,
	mode = 'manual',
	pack = sources,
	chatted,
	replied,
	withSpeakers = false,
	retry,
}: RunOptions) {
	const under: INode = {
		...made('Node', `n8n-nodes-agent-bridge.${node}${asTool ? 'Tool' : ''}`, parameters),
		credentials: { [credential]: { id: credential, name: credential } },
		...settings,
	};
	const nodes = [
		made('Start', 'test.start'),
		under,
		made('Items', 'test.sink'),
		made('Failed', 'test.sink'),
		// the one by which nobody has started the workflow is found first
		...(chatted ? ['Another', 'The "Chat"'].map((name) => made(name, CHAT_TRIGGER_NODE_TYPE)) : []),
		...(replied ? [made('Reply', CHAT_NODE_TYPE)] : []),
		...(withSpeakers ? SPEAKERS : []),
	];
	const to = (name: string) => [{ node: name, type: 'main' as const, index: 0 }];
	const workflow = new Workflow({
		id: 'workflow-1',
		name: 'test',
		active: false,
		nodes,
		connections: {
			...(chatted && { 'The "Chat"': { main: [to('Start')] } }),
			Start: { main: [to('Node')] },
			Node: { main: [to('Items'), to('Failed')] },
			...(withSpeakers && {
				Ada: { ai_tool: [[{ node: 'Node', type: 'ai_tool', index: 0 }]] },
				Bob: { ai_tool: [[{ node: 'Node', type: 'ai_tool', index: 0 }]] },
				Chair: { ai_languageModel: [[{ node: 'Node', type: 'ai_languageModel', index: 0 }]] },
			}),
		},
		nodeTypes: pack.nodeTypes,
		settings: { executionOrder: 'v1' },
	});
	const credentials = new Credentials(pack.credentialTypes, secrets);
	const input = items.map((json) => ({ json, ...(files && { binary: files }) }));
	const execution = new WorkflowExecute(
		additionalData(workflow, credentials, mode, onChunk),
		mode,
		retry
			? retried(retry, workflow)
			: createRunExecutionData({
					resultData: {
						runData: {
							...(chatted && { 'The "Chat"': [ranWith(chatted)] }),
							...(replied && { Reply: [ranWith(replied)] }),
						},
					},
					executionData: {
						nodeExecutionStack: [{ node: nodes[0]!, data: { main: [input] }, source: null }],
					},
				}),
	);
	const running = execution.processRunExecutionData(workflow);
	const finished = Promise.resolve(running).then((run): Outcome => {
		const last = run.data.resultData.runData['Node']?.at(-1)?.data?.['main'];
		const error = run.data.resultData.error as Outcome['error'];
		return {
			run,
			items: last?.[0] ?? [],
			failed: last?.[1] ?? [],
			error,
			credentialsRead: credentials.read,
		};
	});
	return { finished, stop: () => running.cancel() };
}

const SPEAKERS = [
	made('Ada', 'test.speakerTool'),
	made('Bob', 'test.speakerTool'),
	made('Chair', 'test.model'),
];

export const run = async (options: RunOptions) => await start(options).finished;

/** As n8n's "Retry with currently saved workflow" does (n8n 2.41.1, executions/execution.service.js:171). */
export function retried(stored: IRunExecutionData, workflow: Workflow): IRunExecutionData {
	const data = JSON.parse(JSON.stringify(stored)) as IRunExecutionData;
	const { lastNodeExecuted = '', runData } = data.resultData;
	delete data.resultData.error;
	if (runData[lastNodeExecuted]?.at(-1)?.error) runData[lastNodeExecuted].pop();
	for (const waiting of data.executionData?.nodeExecutionStack ?? [])
		waiting.node = workflow.getNode(waiting.node.name) ?? waiting.node;
	return data;
}

export const ranWith = (json: INodeExecutionData['json']): ITaskData => ({
	startTime: 0,
	executionTime: 0,
	executionIndex: 0,
	source: [],
	executionStatus: 'success',
	data: { main: [[{ json }]] },
});

export function made(name: string, type: string, parameters: INodeParameters = {}): INode {
	return { id: name, name, type, typeVersion: 1, position: [0, 0], parameters };
}

export function additionalData(
	workflow: Workflow,
	credentialsHelper: Credentials,
	mode: WorkflowExecuteMode,
	onChunk: RunOptions['onChunk'],
) {
	const hooks = new ExecutionLifecycleHooks(mode, 'execution-1', {
		id: workflow.id,
		name: 'test',
		active: false,
		nodes: Object.values(workflow.nodes),
		connections: {},
	} as unknown as IWorkflowBase);
	if (onChunk) hooks.addHandler('sendChunk', async (chunk) => void (await onChunk(chunk)));
	return {
		streamingEnabled: Boolean(onChunk),
		credentialsHelper,
		hooks,
		executionId: 'execution-1',
		currentNodeExecutionIndex: 0,
		// these must be addresses: $execution.resumeUrl is made of them as soon as a parameter is read
		restApiUrl: `${BASE}/rest`,
		instanceBaseUrl: BASE,
		formWaitingBaseUrl: `${BASE}/form-waiting`,
		webhookBaseUrl: `${BASE}/webhook`,
		webhookWaitingBaseUrl: `${BASE}/webhook-waiting`,
		variables: {},
		setExecutionStatus() {},
		logAiEvent() {},
	} as unknown as IWorkflowExecuteAdditionalData;
}
