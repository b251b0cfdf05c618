import type {
	IDataObject,
	IExecuteFunctions,
	INode,
	INodeParameters,
	ITaskData,
} from 'n8n-workflow';

import { made, ours, outcomeOf, startFlow, type Flow, type Wire } from './flow';
import { standIn } from './standIns';

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
export async function collect(stream: Promise<AsyncIterable<ModelMessage>>) {
	const pieces: ModelMessage[] = [];
	for await (const piece of await stream) pieces.push(piece);
	return pieces;
}

export interface ModelOptions extends Pick<Flow, 'secrets' | 'retry' | 'pack'> {
	parameters?: INodeParameters;
	/** What a stand-in for n8n's AI nodes does with the model: as they do, it asks for the model itself. */
	use(model: LanguageModel, n8n: IExecuteFunctions): Promise<unknown>;
	/** Settings of the node that uses the model. */
	settings?: Partial<INode>;
	items?: IDataObject[];
	/** How often the node that uses the model runs, one run after another. */
	runs?: number;
}

export const MODEL = 'Model Router Chat Model';
const TEXT_MODEL = { __rl: true, mode: 'id', value: 'northwind/quill-2.5' };

/** Lets a stand-in for an AI agent use the chat model, with n8n's own SDK. */
export async function useModel(options: ModelOptions) {
	const { parameters, use, settings, items = [{}], runs = 1, ...flow } = options;
	const users = Array.from({ length: runs }, (_, index) => (index ? `User ${index + 1}` : 'User'));
	const given: unknown[] = [];
	const user = standIn(
		{
			async execute() {
				const models = await this.getInputConnectionData('ai_languageModel', 0);
				given.push(await use([models].flat()[0] as LanguageModel, this));
				return [this.getInputData()];
			},
		},
		{ inputs: ['main', { type: 'ai_languageModel', displayName: 'Model' }] },
	);
	const model = { credential: 'modelRouterApi', parameters: { model: TEXT_MODEL, ...parameters } };
	const { finished, credentials } = startFlow({
		...flow,
		nodes: [
			made('Start', 'test.start'),
			...users.map((name) => ({ ...made(name, 'test.user'), ...settings })),
			ours(MODEL, 'lmChatModelRouter', model),
		],
		wires: users.flatMap((name, index): Wire[] => [
			[users[index - 1] ?? 'Start', name],
			[MODEL, name, 'ai_languageModel'],
		]),
		types: { 'test.user': user },
		input: items.map((json) => ({ json })),
	});
	const { run, error } = outcomeOf(await finished, 'User', credentials);
	const { runData, metadata = {} } = run.data.resultData;
	/** `given` is what `use` has returned, `calls` those that the model's node shows. */
	return { run, error, given, calls: (runData[MODEL] ?? []).map(toCall), customData: metadata };
}

function toCall({ data, inputOverride, error, hints }: ITaskData) {
	const [input] = inputOverride?.['ai_languageModel']?.[0] ?? [];
	const [output] = data?.['ai_languageModel']?.[0] ?? [];
	return { input: input?.json, output: output?.json, error, hints };
}
