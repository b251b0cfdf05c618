import { randomUUID } from 'node:crypto';

import { model, packageName, type Accounts } from './bridge.ts';
import type { SavedCredential } from './editor.ts';
import { itemsOf, type Execution } from './execution.ts';
import { node, workflow, type WorkflowFile, type WorkflowNode } from './workflow.ts';

/** The name of the conversation's node. */
export const CONVERSATION = 'Conversation';

/** A node that is attached to another one: a chat model, a memory, a tool. */
export interface Attached {
	node: WorkflowNode;
	/** By default the conversation. */
	to?: string;
	as: 'ai_tool' | 'ai_languageModel' | 'ai_memory';
}

export interface Talk {
	/** What is said first. */
	opening?: string;
	/** In place of one item with the opening. */
	items?: Array<Record<string, unknown>>;
	/** Parameters of the conversation. */
	parameters?: Record<string, unknown>;
	/** Settings of its node, such as `retryOnFail`. */
	settings?: Record<string, unknown>;
	/** In the order in which they are connected. */
	speakers: WorkflowNode[];
	moderator?: WorkflowNode;
	/** What is attached to the speakers, or to the nodes before the conversation. */
	attached?: Attached[];
	/** Nodes between the trigger and the conversation. */
	before?: WorkflowNode[];
	/** Nodes behind the conversation. */
	after?: WorkflowNode[];
}

/** A Manual Trigger, or what `trigger` gives, and behind it the conversation with all that is attached to it. */
export function conversationFile(talk: Talk, trigger?: Partial<WorkflowNode>): WorkflowFile {
	const { opening = 'Hello', parameters = {}, settings, speakers, moderator } = talk;
	const { before = [], after = [], items = [{ chatInput: opening }] } = talk;
	const type = `${packageName}.agentConversation`;
	const conversation = node(CONVERSATION, type, parameters, settings);
	const name = `conversation ${randomUUID()}`;
	const file = workflow(name, items, ...before, conversation, ...after);
	if (trigger) Object.assign(file.nodes[0]!, trigger);
	const attached: Attached[] = [
		...speakers.map((speaker) => ({ node: speaker, as: 'ai_tool' as const })),
		...(moderator ? [{ node: moderator, as: 'ai_languageModel' as const }] : []),
		...(talk.attached ?? []),
	];
	for (const [index, each] of attached.entries()) attach(file, each, index);
	return trigger ? { ...file, pinData: {} } : file;
}

/** A node may be attached to several others. */
function attach(file: WorkflowFile, { node: added, to = CONVERSATION, as }: Attached, at: number) {
	if (!file.nodes.some(({ name }) => name === added.name))
		file.nodes.push({ ...added, position: [at * 160, 260] });
	const connections = file.connections as unknown as Record<string, Record<string, object[][]>>;
	const own = (connections[added.name] ??= {});
	(own[as] ??= [[]])[0]?.push({ node: to, type: as, index: 0 });
}

/** A webhook that streams; the opening message is `chatInput` in the body. */
export const streamingWebhook = (path: string): Partial<WorkflowNode> => ({
	...{ type: 'n8n-nodes-base.webhook', typeVersion: 2.1, webhookId: path },
	parameters: { path, httpMethod: 'POST', responseMode: 'streaming', options: {} },
});

/** A Chat Trigger at `<webhookId>/chat`. */
export const chatTrigger = (
	webhookId: string,
	responseMode: 'streaming' | 'lastNode',
): Partial<WorkflowNode> => ({
	...{ type: '@n8n/n8n-nodes-langchain.chatTrigger', typeVersion: 1.4, webhookId },
	parameters: { public: true, mode: 'webhook', options: { responseMode } },
});

/** Our own nodes as the editor adds them below a conversation: only a credential and a model are chosen. */
export const speakersOf = (accounts: Accounts) => {
	const made =
		(type: string, account: SavedCredential, given: Record<string, unknown> = {}) =>
		(name: string, parameters: Record<string, unknown> = {}): WorkflowNode =>
			node(
				name,
				`${packageName}.${type}Tool`,
				{ ...given, ...parameters },
				{ credentials: { [account.type]: { id: account.id, name: account.name } } },
			);
	const chosen = { model: model('northwind/quill-2.5') };
	return {
		agent: made('workspaceAgent', accounts.agent),
		secondAgent: made('workspaceAgent', accounts.secondAgent),
		assistant: made('marketAssistant', accounts.assistant),
		model: made('modelRouter', accounts.router, chosen),
		response: made('modelRouter', accounts.router, {
			...chosen,
			options: { protocol: 'responses' },
		}),
	};
};

/** A value that the conversation hands over, as the editor's button "Let the model define this parameter" writes it. */
export const asked = (key: string) =>
	`={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('${key}', \`\`, 'string') }}`;

/** n8n's own AI Agent as a tool. Its chat model is to be attached. */
export const agentTool = (name: string): WorkflowNode =>
	node(
		name,
		'@n8n/n8n-nodes-langchain.agentTool',
		{ text: asked('Prompt__User_Message_'), options: {} },
		{ typeVersion: 3 },
	);

/** n8n's Code Tool. `query` is what it was told. */
export const codeTool = (name: string, jsCode: string): WorkflowNode =>
	node(
		name,
		'@n8n/n8n-nodes-langchain.toolCode',
		{ description: `Code of ${name}`, jsCode },
		{ typeVersion: 1.3 },
	);

/** n8n's Call n8n Workflow Tool. */
export const workflowTool = (
	name: string,
	workflowId: string,
	parameters: Record<string, unknown> = {},
): WorkflowNode =>
	node(
		name,
		'@n8n/n8n-nodes-langchain.toolWorkflow',
		{
			description: 'Answers',
			workflowId: { __rl: true, mode: 'id', value: workflowId },
			...parameters,
		},
		{ typeVersion: 2.2 },
	);

/** A node that writes to a person by mail, and waits for the answer. */
export const mailNode = (
	{ id, name: accountName }: Pick<SavedCredential, 'id' | 'name'>,
	type: 'emailSend' | 'emailSendTool' | 'emailSendHitlTool',
	name: string,
	parameters: Record<string, unknown>,
): WorkflowNode =>
	node(
		name,
		`n8n-nodes-base.${type}`,
		{
			...{ operation: 'sendAndWait', fromEmail: 'n8n@example.org', toEmail: 'ada@example.org' },
			...{ subject: 'The conversation', options: {} },
			...parameters,
		},
		{ typeVersion: 2.1, credentials: { smtp: { id, name: accountName } } },
	);

/** One row of a transcript, as far as it is looked at. */
export interface Row extends Record<string, unknown> {
	speaker: string;
	text: string;
	sessionId: string | null;
	approvedBy: string | null;
	note: string | null;
}

/** What a conversation came to. */
export interface Outcome extends Record<string, unknown> {
	output: string;
	ended: string;
	transcript: Row[];
}

/** @throws if the conversation's node failed. */
export function outcomeOf(execution: Execution): Outcome {
	const [item] = itemsOf(execution, CONVERSATION);
	if (!item) throw new Error(JSON.stringify(execution.error ?? execution.runData[CONVERSATION]));
	return item.json as Outcome;
}

/** Who said what, in order. */
export const saidIn = ({ transcript }: Outcome) =>
	transcript.map(({ speaker, text }) => [speaker, text]);
