import { WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	Workflow,
	type IConnections,
	type IDataObject,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type INodeType,
	type INodeTypes,
	type IRun,
	type IRunExecutionData,
	type StructuredChunk,
} from 'n8n-workflow';

import { asTool } from './agentTool';
import { Credentials, type Secrets } from './credentials';
import { sources } from './pack';
import { additionalData, made, retried } from './run';

/** What a stand-in for a speaker does with the item of its turn. */
export type Speaker = (
	json: IDataObject,
	n8n: IExecuteFunctions,
) => IDataObject | INodeExecutionData[] | Promise<IDataObject | INodeExecutionData[]>;

export interface ConverseOptions {
	/** Parameters of the conversation. */
	parameters?: INodeParameters;
	/** Settings of the conversation's node. */
	settings?: Partial<INode>;
	/** By name, in the order in which they are connected: a stand-in, or a node with its parameters and settings. */
	speakers: Record<string, Speaker | INode>;
	/** Settings of speakers that are stand-ins, by name. */
	speakerSettings?: Record<string, Partial<INode>>;
	/** What the moderator answers, one after the other. */
	moderator?: Array<string | Error>;
	items?: IDataObject[];
	secrets?: Secrets;
	onChunk?: (chunk: StructuredChunk) => unknown;
	/** The data of an execution that has failed: it is retried with the workflow as it is now. */
	retry?: IRunExecutionData;
	/** The data of an execution that waits: its time is over, and nobody has answered. */
	timedOut?: IRunExecutionData;
	executionOrder?: 'v0' | 'v1';
	/** Called after each call of the conversation's node. If it throws, that try of the node has failed. */
	onCalled?: () => void;
	/** Replaces or adds connections. */
	connections?: IConnections;
	others?: INode[];
}

/** Runs Start -> Conversation -> Done with speakers as tools, in n8n-core's own engine. */
export async function converse({
	parameters = {},
	settings,
	speakers,
	speakerSettings = {},
	moderator,
	items = [{ chatInput: 'Hello' }],
	secrets = {},
	onChunk,
	retry,
	timedOut,
	executionOrder = 'v1',
	onCalled,
	connections,
	others = [],
}: ConverseOptions) {
	const told: Array<{ speaker: string; json: IDataObject }> = [];
	const prompts: string[] = [];
	const standIns: Record<string, Speaker> = {};
	const speakerNodes = Object.entries(speakers).map(([name, speaker]) => {
		if (typeof speaker !== 'function') return { ...speaker, id: name, name };
		standIns[name] = speaker;
		return { ...made(name, 'test.speakerTool'), ...speakerSettings[name] };
	});
	const nodes = [
		made('Start', 'test.start'),
		{
			...made('Conversation', 'n8n-nodes-agent-bridge.agentConversation', parameters),
			...settings,
		},
		made('Done', 'test.sink'),
		...speakerNodes,
		...(moderator ? [made('Chair', 'test.model')] : []),
		...others,
	];
	const attached = (type: 'ai_tool' | 'ai_languageModel') => ({
		[type]: [[{ node: 'Conversation', type, index: 0 }]],
	});
	const to = (node: string) => ({ main: [[{ node, type: 'main' as const, index: 0 }]] });
	const workflow = new Workflow({
		id: 'workflow-1',
		name: 'test',
		active: false,
		nodes,
		connections: {
			Start: to('Conversation'),
			Conversation: to('Done'),
			...Object.fromEntries(speakerNodes.map(({ name }) => [name, attached('ai_tool')])),
			...(moderator && { Chair: attached('ai_languageModel') }),
			...connections,
		},
		nodeTypes: withStandIns({
			async speak(n8n) {
				const [item] = n8n.getInputData();
				const speaker = n8n.getNode().name;
				told.push({ speaker, json: item?.json ?? {} });
				const said = (await standIns[speaker]?.(item?.json ?? {}, n8n)) ?? {};
				return Array.isArray(said) ? said : [{ json: said }];
			},
			moderate(prompt) {
				prompts.push(prompt);
				const answer = moderator?.[prompts.length - 1] ?? '';
				if (answer instanceof Error) throw answer;
				return answer;
			},
			...(onCalled && { onCalled }),
		}),
		settings: { executionOrder },
	});
	const mode = onChunk ? 'webhook' : 'manual';
	const stored = timedOut && (JSON.parse(JSON.stringify(timedOut)) as IRunExecutionData);
	const data = retry
		? retried(retry, workflow)
		: (stored ??
			createRunExecutionData({
				executionData: {
					nodeExecutionStack: [
						{ node: nodes[0]!, data: { main: [items.map((json) => ({ json }))] }, source: null },
					],
				},
			}));
	const credentials = new Credentials(sources.credentialTypes, secrets);
	const run = await new WorkflowExecute(
		additionalData(workflow, credentials, mode, onChunk),
		mode,
		data,
	).processRunExecutionData(workflow);
	return { ...outcomeOf(run), told, prompts };
}

function outcomeOf(run: IRun) {
	const { runData, error } = run.data.resultData;
	const items = (runData['Done'] ?? []).flatMap(({ data }) => data?.['main']?.[0] ?? []);
	return {
		run,
		error: error as (Error & { description?: string | null }) | undefined,
		hints: (runData['Conversation'] ?? []).flatMap(({ hints = [] }) =>
			hints.map(({ message }) => message),
		),
		/** The items after the conversation. */
		items,
		/** The first of them. */
		json: items[0]?.json ?? {},
		customData: run.data.resultData.metadata,
	};
}

interface StandIns {
	speak(n8n: IExecuteFunctions): Promise<INodeExecutionData[]>;
	moderate(prompt: string): string;
	onCalled?(): void;
}

function withStandIns({ speak, moderate, onCalled }: StandIns): INodeTypes {
	const description = {
		group: ['transform'],
		version: 1,
		description: '',
		inputs: [],
		properties: [],
	};
	const speaker = {
		description: {
			...description,
			displayName: 'Speaker',
			name: 'speakerTool',
			defaults: { name: 'Speaker' },
			outputs: ['ai_tool'],
			properties: [{ displayName: 'Say', name: 'say', type: 'string', default: '' }],
		},
		async execute() {
			return [await speak(this)];
		},
	} as INodeType;
	const model = {
		description: {
			...description,
			displayName: 'Model',
			name: 'model',
			defaults: { name: 'Model' },
			outputs: ['ai_languageModel'],
		},
		async supplyData() {
			return { response: { invoke: async (prompt: string) => ({ content: moderate(prompt) }) } };
		},
	} as unknown as INodeType;
	const { nodeTypes } = sources;
	const byName = (name: string) => {
		if (name === 'test.speakerTool') return speaker;
		if (name === 'test.model') return model;
		const type = nodeTypes.getByName(name) as INodeType;
		if (onCalled && name.endsWith('.agentConversation')) return watched(type, onCalled);
		return name.endsWith('Tool') ? asTool(type) : type;
	};
	return { ...nodeTypes, getByName: byName, getByNameAndVersion: byName };
}

/** The same node, after each call of which something happens. */
function watched(type: INodeType, onCalled: () => void): INodeType {
	const execute: INodeType['execute'] = async function (response) {
		const given = await type.execute!.call(this, response);
		onCalled();
		return given;
	};
	return Object.create(type, { execute: { value: execute } }) as INodeType;
}
