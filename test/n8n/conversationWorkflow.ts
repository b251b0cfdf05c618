import { randomUUID } from 'node:crypto';

import { model, packageName, type Accounts, type Bridge } from './bridge.ts';
import type { SavedCredential } from './editor.ts';
import { itemsOf, type Execution } from './execution.ts';
import {
	attach,
	beginAt,
	node,
	using,
	workflow,
	type Attached,
	type WorkflowFile,
	type WorkflowNode,
} from './workflow.ts';

/** The name of the conversation's node. */
export const CONVERSATION = 'Conversation';

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
	attach(file, CONVERSATION, [
		...speakers.map((speaker) => ({ node: speaker, as: 'ai_tool' as const })),
		...(moderator ? [{ node: moderator, as: 'ai_languageModel' as const }] : []),
		...(talk.attached ?? []),
	]);
	return trigger ? beginAt(file, trigger) : file;
}

/** A conversation of four turns. */
export const fourTurns = ({ parameters, ...talk }: Talk): WorkflowFile =>
	conversationFile({ ...talk, parameters: { turnLimit: 4, ...parameters } });

/** Our own nodes as the editor adds them below a conversation: only a credential and a model are chosen. Settings are those of the node. */
export const speakersOf = (accounts: Accounts) => {
	const made =
		(type: string, account: SavedCredential, parameters: Record<string, unknown> = {}) =>
		(name: string, settings: Record<string, unknown> = {}) =>
			node(name, `${packageName}.${type}Tool`, parameters, {
				...using(account),
				...settings,
			});
	const chosen = { model: model('northwind/quill-2.5') };
	const responses = { ...chosen, options: { protocol: 'responses' } };
	return {
		agent: made('workspaceAgent', accounts.agent),
		secondAgent: made('workspaceAgent', accounts.secondAgent),
		assistant: made('marketAssistant', accounts.assistant),
		model: made('modelRouter', accounts.router, chosen),
		response: made('modelRouter', accounts.router, responses),
	};
};

/** Retry On Fail with the shortest wait. */
export const retryOnFail = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

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

/** n8n's HTTP Request as a speaker: it posts the message to `url` and returns what comes. */
export const httpSpeaker = (name: string, url: string, settings: Record<string, unknown> = {}) =>
	node(
		name,
		'n8n-nodes-base.httpRequestTool',
		{
			method: 'POST',
			url,
			sendBody: true,
			options: {},
			bodyParameters: { parameters: [{ name: 'said', value: asked('parameters0_Value') }] },
		},
		{ typeVersion: 4.2, ...settings },
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
	{ id, name: accountName }: Mailer,
	type: 'emailSend' | 'emailSendTool' | 'emailSendHitlTool',
	name: string,
	parameters: Record<string, unknown>,
): WorkflowNode =>
	node(
		name,
		`n8n-nodes-base.${type}`,
		{
			operation: 'sendAndWait',
			fromEmail: 'n8n@example.org',
			toEmail: 'ada@example.org',
			subject: 'The conversation',
			options: {},
			...parameters,
		},
		{ typeVersion: 2.1, credentials: { smtp: { id, name: accountName } } },
	);

/** A speaker who is a person: writes an answer to a mail. */
export const personByMail = (account: Mailer, name: string, more = {}): WorkflowNode =>
	mailNode(account, 'emailSendTool', name, {
		message: asked('Message'),
		responseType: 'freeText',
		...more,
	});

/** A person who allows or refuses by mail that a tool is used. */
export const gateByMail = (account: Mailer, name: string, more = {}): WorkflowNode =>
	mailNode(account, 'emailSendHitlTool', name, { ...APPROVAL, ...more });

/** What n8n's mail nodes ask with two buttons. */
export const APPROVAL = {
	responseType: 'approval',
	approvalOptions: { values: { approvalType: 'double' } },
};

type Mailer = Pick<SavedCredential, 'id' | 'name'>;

/** One row of a transcript, as far as it is looked at. */
export interface Row extends Record<string, unknown> {
	conversationId: string;
	turn: number;
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
	turns: number;
	conversationId: string;
	transcript: Row[];
}

/** What all conversations of the last run came to. */
export const resultsOf = (execution: Execution): Outcome[] =>
	itemsOf(execution, CONVERSATION).map(({ json }) => json as Outcome);

/** @throws if the conversation's node failed. */
export function outcomeOf(execution: Execution): Outcome {
	const [outcome] = resultsOf(execution);
	if (!outcome) throw new Error(JSON.stringify(execution.error ?? execution.runData[CONVERSATION]));
	return outcome;
}

/** Who said what, in order. */
export const saidIn = ({ transcript }: Outcome) =>
	transcript.map(({ speaker, text }) => [speaker, text]);

/** Who said something, turn by turn; in parentheses who was to, and did not. */
export const namesIn = ({ transcript }: Outcome): string[] =>
	transcript.map(({ speaker, text }) => (text.trim() ? speaker : `(${speaker})`));

/** All messages that the service received, in order: every one may have cost. */
export const messagesTo = ({ service }: Bridge): string[] =>
	service.requests
		.filter(({ method }) => method === 'POST')
		.map(({ body }) => {
			const { content, message, question, said } = (body ?? {}) as Record<string, unknown>;
			return String(content ?? message ?? question ?? said);
		});

/** The sessions of the workspace agents that received a message, in order. */
export const sessionsAt = ({ service }: Pick<Bridge, 'service'>): string[] =>
	service.requests.flatMap(({ path }) => /\/session\/([^/]+)\//.exec(path)?.[1] ?? []);
