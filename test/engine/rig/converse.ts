import {
	type IDataObject,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type INodeProperties,
	type INodeType,
	type ISupplyDataFunctions,
} from 'n8n-workflow';

import { CONVERSATION } from './conversation';
import { made, outcomeOf, startFlow, type Flow, type Wire } from './flow';
import { sources } from './pack';
import { standIn } from './standIns';

/** What a stand-in for a speaker does with the item of its turn. */
export type Speaker = (
	json: IDataObject,
	n8n: IExecuteFunctions,
) => IDataObject | INodeExecutionData[] | Promise<IDataObject | INodeExecutionData[]>;

export interface ConverseOptions
	extends Pick<Flow, 'onChunk' | 'ran' | 'retry' | 'waiting' | 'workflowSettings'> {
	/** Parameters of the conversation. */
	parameters?: INodeParameters;
	/** Settings of the conversation's node. */
	settings?: Partial<INode>;
	/** By name, in the order in which they are connected: a stand-in, or a node with its parameters and settings. */
	speakers: Record<string, Speaker | INode>;
	/** Settings of speakers that are stand-ins, by name. */
	speakerSettings?: Record<string, Partial<INode>>;
	/** What the moderator answers, one after the other; with a cost, its node's run says so, as that of our chat model does. */
	moderator?: Array<string | Error | { content: string; costUsd: number }>;
	items?: IDataObject[];
	secrets?: Flow['secrets'];
	/** Called after each call of the conversation's node. If it throws, that try of the node has failed. */
	onCalled?: () => void;
	/** A node of this type before Start. */
	trigger?: string;
}

/** Runs Start -> Conversation -> Done with speakers as tools. */
export async function converse(options: ConverseOptions) {
	const { speakers, speakerSettings = {}, moderator, secrets = {}, onCalled, trigger } = options;
	const told: Array<{ speaker: string; json: IDataObject }> = [];
	const prompts: string[] = [];
	const speakerNodes = Object.entries(speakers).map(([name, speaker]) =>
		typeof speaker === 'function'
			? { ...made(name, 'test.speakerTool'), ...speakerSettings[name] }
			: { ...speaker, id: name, name },
	);
	const operation = { displayName: 'Operation', name: 'operation', type: 'string', default: '' };
	const settings = { displayName: 'Options', name: 'options', type: 'json', default: '{}' };
	const speaker = standIn(
		{
			async execute() {
				const json = this.getInputData()[0]?.json ?? {};
				const { name } = this.getNode();
				told.push({ speaker: name, json });
				const said = await (speakers[name] as Speaker)(json, this);
				return [Array.isArray(said) ? said : [{ json: said }]];
			},
		},
		{ properties: [operation, settings] as INodeProperties[] },
	);
	const moderate = async (n8n: ISupplyDataFunctions, prompt: string) => {
		const answer = moderator?.[prompts.push(prompt) - 1] ?? '';
		if (answer instanceof Error) throw answer;
		if (typeof answer === 'string') return await Promise.resolve({ content: answer });
		const { content, ...json } = answer;
		const { index } = n8n.addInputData('ai_languageModel', [[{ json: { prompt } }]]);
		n8n.addOutputData('ai_languageModel', index, [[{ json }]]);
		return await Promise.resolve({ content });
	};
	const wires: Wire[] = [
		['Start', 'Conversation'],
		['Conversation', 'Done'],
		...speakerNodes.map(({ name }): Wire => [name, 'Conversation', 'ai_tool']),
	];
	if (moderator) wires.push(['Chair', 'Conversation', 'ai_languageModel']);
	if (trigger) wires.push(['Trigger', 'Start']);
	const { finished, credentials } = startFlow({
		...options,
		secrets,
		wires,
		nodes: [
			made('Start', 'test.start'),
			{ ...made('Conversation', CONVERSATION, options.parameters), ...options.settings },
			made('Done', 'test.sink'),
			...speakerNodes,
			...(moderator ? [made('Chair', 'test.model')] : []),
			...(trigger ? [made('Trigger', trigger)] : []),
		],
		types: {
			'test.speakerTool': speaker,
			'test.chatTool': speaker,
			'test.agentTool': speaker,
			'test.model': standIn(
				{
					async supplyData() {
						const invoke = async (prompt: string) => await moderate(this, prompt);
						return await Promise.resolve({ response: { invoke } });
					},
				},
				{ inputs: [], outputs: ['ai_languageModel'] },
			),
			...(onCalled && { [CONVERSATION]: watched(onCalled) }),
		},
		input: (options.items ?? [{ chatInput: 'Hello' }]).map((json) => ({ json })),
	});
	const { run, error, hints } = outcomeOf(await finished, 'Conversation', credentials);
	const { runData, metadata } = run.data.resultData;
	const items = (runData['Done'] ?? []).flatMap(({ data }) => data?.['main']?.[0] ?? []);
	/** `items` are those after the conversation, `json` the first of them. */
	return {
		run,
		error,
		hints,
		items,
		json: items[0]?.json ?? {},
		customData: metadata,
		told,
		prompts,
	};
}

/** The same node, after each call of which something happens. */
function watched(onCalled: () => void) {
	const type = sources.nodeTypes.getByName(CONVERSATION) as INodeType;
	const execute: INodeType['execute'] = async function (response) {
		const given = await type.execute!.call(this, response);
		onCalled();
		return given;
	};
	return Object.create(type, { execute: { value: execute } }) as INodeType;
}
