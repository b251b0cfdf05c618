import { node, type WorkflowFile, type WorkflowNode } from '../n8n/workflow.ts';

interface Surroundings {
	/** Whether the answer is streamed to whoever calls. */
	live?: boolean;
	/** Whether it begins at a Chat Trigger that streams. */
	chat?: boolean;
	/** The chat model of an agent. */
	chatModel?: WorkflowNode;
	/** What is connected to the node as tools. */
	tools?: WorkflowNode[];
	/** Whether n8n stores what a run came to. */
	saved?: boolean;
	/** Whether the answer to `path-check` is the file in the field "data". */
	file?: boolean;
}

/**
 * Webhook, the items of its body, the node under test; or a chat and the node. Called at `path` it answers nothing but its status, so that a long
 * answer is not written and sent a second time; at `path-check`, with all items.
 */
export function benchWorkflow(
	path: string,
	tested: WorkflowNode,
	{
		live = false,
		chat = false,
		chatModel,
		tools = [],
		saved = false,
		file = false,
	}: Surroundings = {},
): WorkflowFile {
	const webhook = (name: string, parameters: Record<string, unknown>) =>
		node(
			name,
			'n8n-nodes-base.webhook',
			{ httpMethod: 'POST', options: {}, ...parameters },
			{ typeVersion: 2.1, webhookId: `${path}-${name}` },
		);
	const measured = live
		? { path, responseMode: 'streaming' }
		: { path, responseMode: 'lastNode', responseData: 'noData' };
	const check = {
		path: `${path}-check`,
		responseMode: 'lastNode',
		...(file
			? { responseData: 'firstEntryBinary', responseBinaryPropertyName: 'data' }
			: { responseData: 'allEntries' }),
	};
	const items = node('Items', 'n8n-nodes-base.splitOut', {
		fieldToSplitOut: 'body.items',
		options: {},
	});
	const chatTrigger = node(
		'Measured',
		'@n8n/n8n-nodes-langchain.chatTrigger',
		{ public: true, mode: 'webhook', options: { responseMode: 'streaming' } },
		{ typeVersion: 1.4, webhookId: path },
	);
	const main = (to: string) => ({ main: [[{ node: to, type: 'main', index: 0 }]] });
	const below = (type: string) =>
		({ [type]: [[{ node: 'Node', type, index: 0 }]] }) as unknown as ReturnType<typeof main>;
	return {
		name: path,
		nodes: [
			chat ? chatTrigger : webhook('Measured', measured),
			webhook('Check', check),
			items,
			tested,
			...(chatModel ? [chatModel] : []),
			...tools,
		],
		connections: {
			Measured: main(chat ? 'Node' : 'Items'),
			Check: main('Items'),
			Items: main('Node'),
			...(chatModel && { [chatModel.name]: below('ai_languageModel') }),
			...Object.fromEntries(tools.map(({ name }) => [name, below('ai_tool')])),
		},
		settings: {
			executionOrder: 'v1',
			saveDataSuccessExecution: saved ? 'all' : 'none',
			saveDataErrorExecution: 'all',
		},
	};
}

/** What n8n's chat sends. */
export const chatBody = JSON.stringify({
	action: 'sendMessage',
	sessionId: '6f1c2b1e8d3a4c0e9a550d2f6b7c8e90',
	chatInput: 'message-0',
});

/** The body of a call: `count` items, each with a text of its own. */
export const bodyOf = (count: number): string =>
	bodyWith(Array.from({ length: count }, (_, n) => `message-${n}`));

/** The body of a call: one item for each text. */
export const bodyWith = (texts: string[]): string =>
	JSON.stringify({ items: texts.map((text) => ({ text })) });
