import { WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	Workflow,
	type IDataObject,
	type IExecuteFunctions,
	type INode,
	type INodeParameters,
	type INodeType,
	type IRunExecutionData,
	type ITaskData,
} from 'n8n-workflow';

import { Credentials, type Secrets } from './credentials';
import { sources, type Pack } from './pack';
import { additionalData, made, retried } from './run';

/** LangChain's model, as n8n's AI nodes use it. */
export interface LanguageModel {
	invoke(asked: unknown, options?: object): Promise<ModelMessage>;
	stream(asked: unknown, options?: object): Promise<AsyncIterable<ModelMessage>>;
	bindTools(tools: object[], options?: object): LanguageModel;
	withConfig(config: object): LanguageModel;
	withRetry(options: object): LanguageModel;
	withFallbacks(models: LanguageModel[]): LanguageModel;
}

export interface ModelMessage {
	content: unknown;
	tool_calls?: Array<{ id: string; name: string; args: object }>;
	usage_metadata?: object;
	response_metadata?: IDataObject;
	/** Of a piece of a stream. */
	concat(other: ModelMessage): ModelMessage;
}

/** All pieces of a streamed answer. */
export async function collect(
	stream: Promise<AsyncIterable<ModelMessage>>,
): Promise<ModelMessage[]> {
	const pieces: ModelMessage[] = [];
	for await (const piece of await stream) pieces.push(piece);
	return pieces;
}

/** What a stand-in for n8n's AI nodes does with the model: as they do, it asks for the model itself. */
export type UseModel = (model: LanguageModel, n8n: IExecuteFunctions) => Promise<unknown>;

export interface ModelOptions {
	secrets: Secrets;
	parameters?: INodeParameters;
	use: UseModel;
	/** Settings of the node that uses the model. */
	settings?: Partial<INode>;
	items?: IDataObject[];
	/** The data of an execution that has failed, which is retried. */
	retry?: IRunExecutionData;
	pack?: Pack;
	/** How often the node that uses the model runs, one run after another. */
	runs?: number;
}

const MODEL = 'Model Router Chat Model';
const TEXT_MODEL = 'northwind/quill-2.5';

/** Lets a stand-in for an AI agent use the chat model, in n8n-core's own engine and with n8n's own SDK. */
export async function useModel({
	secrets,
	parameters = {},
	use,
	settings,
	items = [{}],
	retry,
	pack = sources,
	runs = 1,
}: ModelOptions) {
	const users = Array.from({ length: runs }, (_, index) => (index ? `User ${index + 1}` : 'User'));
	const nodes: INode[] = [
		made('Start', 'test.start'),
		...users.map((name) => ({ ...made(name, 'test.user'), ...settings })),
		{
			...made(MODEL, 'n8n-nodes-agent-bridge.lmChatModelRouter', {
				model: { __rl: true, mode: 'id', value: TEXT_MODEL },
				...parameters,
			}),
			credentials: { modelRouterApi: { id: 'modelRouterApi', name: 'modelRouterApi' } },
		},
	];
	const chain = ['Start', ...users];
	const given: unknown[] = [];
	const workflow = new Workflow({
		id: 'workflow-1',
		name: 'test',
		active: false,
		nodes,
		connections: {
			...Object.fromEntries(
				users.map((name, index) => [
					chain[index]!,
					{ main: [[{ node: name, type: 'main' as const, index: 0 }]] },
				]),
			),
			[MODEL]: {
				ai_languageModel: [
					users.map((name) => ({ node: name, type: 'ai_languageModel' as const, index: 0 })),
				],
			},
		},
		nodeTypes: withUser(pack, use, given),
		settings: { executionOrder: 'v1' },
	});
	const data = retry ? retried(retry, workflow) : createRunExecutionData();
	if (!retry)
		data.executionData!.nodeExecutionStack = [
			{ node: nodes[0]!, data: { main: [items.map((json) => ({ json }))] }, source: null },
		];
	const credentials = new Credentials(pack.credentialTypes, secrets);
	const run = await new WorkflowExecute(
		additionalData(workflow, credentials, 'manual', undefined),
		'manual',
		data,
	).processRunExecutionData(workflow);
	const { runData, error, metadata } = run.data.resultData;
	return {
		run,
		/** What `use` has returned. */
		given,
		/** What ended the execution. */
		error: error as (Error & { description?: string }) | undefined,
		/** The calls that the model's node shows, each with its input and its output. */
		calls: (runData[MODEL] ?? []).map(toCall),
		customData: metadata ?? {},
	};
}

function toCall({ data, inputOverride, error, hints }: ITaskData) {
	const [input] = inputOverride?.['ai_languageModel']?.[0] ?? [];
	const [output] = data?.['ai_languageModel']?.[0] ?? [];
	return { input: input?.json, output: output?.json, error, hints };
}

function withUser({ nodeTypes }: Pack, use: UseModel, given: unknown[]) {
	const user = {
		description: {
			displayName: 'User',
			name: 'user',
			group: ['transform'],
			version: 1,
			description: '',
			defaults: { name: 'User' },
			inputs: ['main', { type: 'ai_languageModel', displayName: 'Model' }],
			outputs: ['main'],
			properties: [],
		},
		async execute(this: IExecuteFunctions) {
			const model = (await this.getInputConnectionData('ai_languageModel', 0)) as
				| LanguageModel
				| LanguageModel[];
			given.push(await use([model].flat()[0]!, this));
			return [this.getInputData()];
		},
	} as unknown as INodeType;
	const byName = (name: string) =>
		name === 'test.user' ? user : (nodeTypes.getByName(name) as INodeType);
	return { ...nodeTypes, getByName: byName, getByNameAndVersion: byName };
}
