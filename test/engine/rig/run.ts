import {
	CHAT_NODE_TYPE,
	CHAT_TRIGGER_NODE_TYPE,
	type IBinaryKeyData,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
} from 'n8n-workflow';

import { readSchema, schemaFile, schemaProblems } from '../../../scripts/docs/schemas';
import {
	made,
	ours,
	outcomeOf,
	startFlow,
	type Execution,
	type Flow,
	type Outcome,
	type Wire,
} from './flow';

export { made, type Outcome } from './flow';

export interface RunOptions
	extends Pick<Flow, 'secrets' | 'onChunk' | 'pack' | 'retry' | 'data' | Execution> {
	/** Without the package's prefix, e.g. `modelRouter`. */
	node: string;
	parameters: INodeParameters;
	/** The credential type that the node uses. */
	credential: string;
	items?: Array<INodeExecutionData['json']>;
	/** Files that every item has. */
	files?: IBinaryKeyData;
	/** The node's type ends in `Tool`, as when an AI agent uses it. */
	asTool?: boolean;
	/** Settings of the node, e.g. `{ onError: 'continueErrorOutput', retryOnFail: true }`. */
	settings?: Partial<INode>;
	/** What a Chat Trigger gave before Start, whose items are others. */
	chatted?: INodeExecutionData['json'];
	/** What a visitor answered to a Chat node, after the Chat Trigger. */
	replied?: INodeExecutionData['json'];
	/** Whether two speakers and a moderator are attached to the node. */
	withSpeakers?: boolean;
}

/** What the editor shows of an error: its title, and its description. */
export const shownText = (error: Outcome['error']) =>
	error && `${error.message}. ${error.description}`;

export const CHAT = 'The "Chat"';

const SPEAKERS = ['Ada', 'Bob'].map((name) => made(name, 'test.speakerTool'));
const ATTACHED: Wire[] = [
	['Ada', 'Node', 'ai_tool'],
	['Bob', 'Node', 'ai_tool'],
	['Chair', 'Node', 'ai_languageModel'],
];
export const CHATTED: Wire[] = [[CHAT, 'Start']];

/** Runs Start -> node -> sinks; the first node gets the items. */
export function start(options: RunOptions) {
	const { node, items = [{}], files, asTool, chatted, replied, withSpeakers } = options;
	const { finished, stop, credentials } = startFlow({
		...options,
		nodes: [
			made('Start', 'test.start'),
			ours('Node', asTool ? `${node}Tool` : node, options),
			made('Items', 'test.sink'),
			made('Failed', 'test.sink'),
			// the one by which nobody has started the workflow is found first
			...(chatted ? ['Another', CHAT].map((name) => made(name, CHAT_TRIGGER_NODE_TYPE)) : []),
			...(replied ? [made('Reply', CHAT_NODE_TYPE)] : []),
			...(withSpeakers ? [...SPEAKERS, made('Chair', 'test.model')] : []),
		],
		wires: [
			...(chatted ? CHATTED : []),
			['Start', 'Node'],
			['Node', 'Items'],
			['Node', 'Failed', 'main', 1],
			...(withSpeakers ? ATTACHED : []),
		],
		ran: { ...(chatted && { [CHAT]: chatted }), ...(replied && { Reply: replied }) },
		input: items.map((json) => ({ json, ...(files && { binary: files }) })),
	});
	return {
		finished: finished.then((run) => {
			const outcome = outcomeOf(run, 'Node', credentials);
			checkSchema(options, outcome);
			return outcome;
		}),
		stop,
	};
}

/**
 * Every run of a test is one more sample for the schema of its operation.
 *
 * @throws when a value has another type than the schema says, or the schema lacks a field.
 */
function checkSchema({ node, parameters }: RunOptions, { items, failed }: Outcome) {
	const schema = readSchema(node, parameters);
	// `npm run docs` makes the schemas anew
	if (!schema || process.env['AGENT_BRIDGE_DOCS'] === 'write') return;
	const isRaw = parameters['simplify'] === false;
	const problems = [
		...items.flatMap(({ json }) => schemaProblems(json, schema, isRaw)),
		// with what n8n adds: the fields of the item before the node
		...failed.flatMap(({ json }) => schemaProblems(json, schema, true)),
	];
	if (problems.length)
		throw new Error(`${schemaFile(node, parameters)} (npm run docs): ${problems.join('; ')}`);
}

export const run = async (options: RunOptions) => await start(options).finished;
