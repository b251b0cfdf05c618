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
	type IRun,
	type IRunExecutionData,
	type StructuredChunk,
} from 'n8n-workflow';

import { Credentials, type Secrets } from './credentials';
import { sources } from './pack';
import { additionalData, made } from './run';

/** What a stand-in for a speaker does with the items that it gets. */
export type Speaker = (
	items: INodeExecutionData[],
	n8n: IExecuteFunctions,
) => INodeExecutionData[][] | Promise<INodeExecutionData[][]>;

export interface LoopOptions {
	/** Parameters of the bridge. */
	bridge: INodeParameters;
	/** Settings of the bridge's node. */
	settings?: Partial<INode>;
	/** A stand-in, or a node: at the first and the second output. */
	first: Speaker | INode;
	second: Speaker | INode;
	items?: IDataObject[];
	secrets?: Secrets;
	/** Replaces or adds connections. */
	wiring?: IConnections;
	/** Further stand-ins, by the name of their node. */
	others?: Record<string, Speaker>;
	onChunk?: (chunk: StructuredChunk) => unknown;
	/** An execution that has failed, to be retried as n8n does. */
	retry?: IRunExecutionData;
	/** v0 runs branches side by side. */
	executionOrder?: 'v0' | 'v1';
}

export const to = (...nodes: string[]) =>
	nodes.map((node) => ({ node, type: 'main' as const, index: 0 }));

/** One item of a speaker: what it says. */
export const says = (output: string, more: IDataObject = {}): INodeExecutionData[][] => [
	[{ json: { output, ...more }, pairedItem: { item: 0 } }],
];

/** Runs Start -> Bridge, with First and Second wired back into it, in n8n-core's own engine. */
export async function runLoop({
	bridge,
	settings,
	first,
	second,
	items = [{}],
	secrets = {},
	wiring,
	others = {},
	onChunk,
	retry,
	executionOrder = 'v1',
}: LoopOptions) {
	const speakers: Record<string, Speaker> = { ...others };
	const nodeOf = (name: string, speaker: Speaker | INode): INode => {
		if (typeof speaker !== 'function') return { ...speaker, id: name, name };
		speakers[name] = speaker;
		return made(name, 'test.speaker');
	};
	const nodes = [
		made('Start', 'test.start'),
		{ ...made('Bridge', 'n8n-nodes-agent-bridge.agentBridge', bridge), ...settings },
		nodeOf('First', first),
		nodeOf('Second', second),
		made('Done', 'test.sink'),
		...Object.keys(others).map((name) => made(name, 'test.speaker')),
	];
	const workflow = new Workflow({
		id: 'workflow-1',
		name: 'test',
		active: false,
		nodes,
		connections: {
			Start: { main: [to('Bridge')] },
			Bridge: { main: [to('First'), to('Second'), to('Done')] },
			First: { main: [to('Bridge')] },
			Second: { main: [to('Bridge')] },
			...wiring,
		},
		nodeTypes: withSpeakers(speakers),
		settings: { executionOrder },
	});
	const input = items.map((json) => ({ json }));
	const mode = onChunk ? 'webhook' : 'manual';
	const credentials = new Credentials(sources.credentialTypes, secrets);
	const data =
		retry ??
		createRunExecutionData({
			executionData: {
				nodeExecutionStack: [{ node: nodes[0]!, data: { main: [input] }, source: null }],
			},
		});
	const run = await new WorkflowExecute(
		additionalData(workflow, credentials, mode, onChunk),
		mode,
		data,
	).processRunExecutionData(workflow);
	return outcomeOf(run);
}

function outcomeOf(run: IRun) {
	const { runData, error } = run.data.resultData;
	const outputsOf = (node: string, output: number) =>
		(runData[node] ?? []).map((each) => each.data?.['main']?.[output] ?? []);
	const tasksAt = (output: number) =>
		outputsOf('Bridge', output).flatMap((items) => items.map(({ json }) => json));
	return {
		run,
		error: error as (Error & { description?: string | null }) | undefined,
		hints: (runData['Bridge'] ?? []).flatMap(({ hints = [] }) =>
			hints.map(({ message }) => message),
		),
		/** What the speakers got. */
		tasks: { first: tasksAt(0), second: tasksAt(1) },
		/** The items that went to the node Done. */
		done: outputsOf('Done', 0).flat(),
		/** How often Done has run. */
		ends: runData['Done']?.length ?? 0,
		runsOf: (node: string) => runData[node]?.length ?? 0,
	};
}

function withSpeakers(speakers: Record<string, Speaker>) {
	const speaker = {
		description: {
			displayName: 'Speaker',
			name: 'speaker',
			group: ['transform'],
			version: 1,
			description: '',
			defaults: { name: 'Speaker' },
			inputs: ['main'],
			outputs: ['main'],
			properties: [{ displayName: 'See', name: 'see', type: 'string', default: '' }],
		},
		async execute() {
			return (await speakers[this.getNode().name]?.(this.getInputData(), this)) ?? [[]];
		},
	} as INodeType;
	const { nodeTypes } = sources;
	return {
		...nodeTypes,
		getByName: (name: string) => (name === 'test.speaker' ? speaker : nodeTypes.getByName(name)),
		getByNameAndVersion: (name: string, version?: number) =>
			name === 'test.speaker' ? speaker : nodeTypes.getByNameAndVersion(name, version),
	};
}
