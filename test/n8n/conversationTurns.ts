import type { Accounts, Bridge } from './bridge.ts';
import { CONVERSATION, conversationFile, speakersOf, type Talk } from './conversationWorkflow.ts';
import { itemsOf, type Execution } from './execution.ts';
import { node, type WorkflowFile, type WorkflowNode } from './workflow.ts';

/** A conversation of four turns. */
export const fourTurns = ({ parameters, ...talk }: Talk): WorkflowFile =>
	conversationFile({ ...talk, parameters: { turnLimit: 4, ...parameters } });

/** Nodes of the package as speakers, with only a credential chosen. Settings are those of the node, such as `onError`. */
export function speakersWith(accounts: Accounts) {
	const { agent, secondAgent, assistant } = speakersOf(accounts);
	const withSettings =
		(build: (name: string) => WorkflowNode) =>
		(name: string, settings: Record<string, unknown> = {}): WorkflowNode => ({
			...build(name),
			...settings,
		});
	return {
		agent: withSettings(agent),
		secondAgent: withSettings(secondAgent),
		assistant: withSettings(assistant),
	};
}

/** A node of n8n's own as a speaker: it posts the message to `url` and returns what comes. */
export const httpSpeaker = (name: string, url: string, settings: Record<string, unknown> = {}) =>
	node(
		name,
		'n8n-nodes-base.httpRequestTool',
		{
			method: 'POST',
			url,
			sendBody: true,
			specifyBody: 'json',
			jsonBody: '={{ JSON.stringify({ message: $json.message }) }}',
			options: {},
		},
		{ typeVersion: 4.2, ...settings },
	);

/** Retry On Fail with the shortest wait. */
export const retryOnFail = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

export interface Row {
	conversationId: string;
	turn: number;
	speaker: string;
	text: string;
	sessionId: string | null;
	note: string | null;
	[column: string]: unknown;
}

/** The output of a conversation. */
export interface ConversationResult {
	output: string;
	ended: string;
	reason: string;
	turns: number;
	conversationId: string;
	transcript: Row[];
	speakers: Array<{ name: string; sessionId?: string; chatId?: string }>;
	failure?: { turn: number; speaker: string; message: string; error: string };
}

/** The results of all conversations of the last run. */
export const resultsOf = (execution: Execution): ConversationResult[] =>
	itemsOf(execution, CONVERSATION).map(({ json }) => json as unknown as ConversationResult);

/** Who said something, turn by turn; in parentheses who was to, and did not. */
export const namesIn = ({ transcript }: ConversationResult): string[] =>
	transcript.map(({ speaker, text }) => (text.trim() ? speaker : `(${speaker})`));

/** All messages that the service received, in order: every one may have cost. */
export const messagesTo = ({ service }: Bridge): string[] =>
	service.requests
		.filter(({ method }) => method === 'POST')
		.map(({ body }) => {
			const { content, message, question } = (body ?? {}) as Record<string, unknown>;
			return String(content ?? message ?? question);
		});

/** The sessions of the workspace agents that received a message, in order. */
export const sessionsAt = ({ service }: Bridge): string[] =>
	service.requests.flatMap(({ path }) => /\/session\/([^/]+)\//.exec(path)?.[1] ?? []);

/** Connects the nodes before the conversation in another way. */
export function rewire(file: WorkflowFile, connections: Record<string, string[][]>): WorkflowFile {
	const rewired = Object.fromEntries(
		Object.entries(connections).map(([from, outputs]) => [
			from,
			{ main: outputs.map((names) => names.map((to) => ({ node: to, type: 'main', index: 0 }))) },
		]),
	);
	return { ...file, connections: { ...file.connections, ...rewired } };
}
