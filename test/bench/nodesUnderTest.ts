import type { SavedCredential } from '../n8n/editor.ts';
import { talkWorkspace, turnCount } from './answers.ts';
import { node, type WorkflowNode } from '../n8n/workflow.ts';

export interface Accounts {
	router: SavedCredential;
	workspaceAgent: SavedCredential;
	/** The agent that answers at once. */
	speaker: SavedCredential;
	assistant: SavedCredential;
	header: SavedCredential;
	openAi: SavedCredential;
}

/** One expression per item, everywhere the same one. */
const message = '={{ $json.text }}';

const locator = (value: string) => ({ __rl: true, mode: 'id', value });

const using = ({ id, name, type }: SavedCredential) => ({ credentials: { [type]: { id, name } } });

export type Nodes = ReturnType<typeof nodesUnderTest>;

/** The nodes that are compared, all by the same name. */
export const nodesUnderTest = (url: string, accounts: Accounts) => ({
	ours: (model: string, concurrency: number): WorkflowNode =>
		node(
			'Node',
			'n8n-nodes-agent-bridge.modelRouter',
			{
				resource: 'text',
				operation: 'message',
				model: locator(model),
				inputType: 'list',
				messages: { message: [{ role: 'user', content: message }] },
				requestSettings: { concurrency },
			},
			using(accounts.router),
		),

	oursAgent: (text = message): WorkflowNode =>
		node(
			'Node',
			'n8n-nodes-agent-bridge.workspaceAgent',
			{ sessionMode: 'new', messageSource: 'define', message: text },
			using(accounts.workspaceAgent),
		),

	/** Sends to the agent that answers at once. */
	oursSend: (): WorkflowNode =>
		node(
			'Node',
			'n8n-nodes-agent-bridge.workspaceAgent',
			{ sessionMode: 'new', messageSource: 'define', message },
			using(accounts.speaker),
		),

	/** The request that `oursSend` sends. */
	httpRequestSend: (): WorkflowNode =>
		node(
			'Node',
			'n8n-nodes-base.httpRequest',
			{
				method: 'POST',
				url: `${url}/api/v1/workspaces/${talkWorkspace}/session/one/messages`,
				authentication: 'genericCredentialType',
				genericAuthType: 'httpHeaderAuth',
				sendBody: true,
				specifyBody: 'json',
				jsonBody: '={"content":"{{ $json.text }}"}',
				options: { response: { response: { responseFormat: 'text' } } },
			},
			{ typeVersion: 4.4, ...using(accounts.header) },
		),

	/** Goes below a conversation or an agent; nothing but the credential has to be set. */
	speaker: (name: string, parameters: Record<string, unknown> = {}): WorkflowNode =>
		node(name, 'n8n-nodes-agent-bridge.workspaceAgentTool', parameters, using(accounts.speaker)),

	conversation: (): WorkflowNode =>
		node('Node', 'n8n-nodes-agent-bridge.agentConversation', {
			openingMessageSource: 'define',
			openingMessage: message,
			turnLimit: turnCount,
		}),

	oursAssistant: (text = message): WorkflowNode =>
		node(
			'Node',
			'n8n-nodes-agent-bridge.marketAssistant',
			{ operation: 'ask', questionSource: 'define', question: text },
			using(accounts.assistant),
		),

	oursGet: (concurrency: number): WorkflowNode =>
		node(
			'Node',
			'n8n-nodes-agent-bridge.modelRouter',
			{
				resource: 'model',
				operation: 'get',
				model: locator(message),
				requestSettings: { concurrency },
			},
			using(accounts.router),
		),

	floor: (model: string, concurrency: number): WorkflowNode =>
		node('Node', 'CUSTOM.floor', { model, message, concurrency }, using(accounts.router)),

	httpRequest: (model: string, stream = false): WorkflowNode =>
		node(
			'Node',
			'n8n-nodes-base.httpRequest',
			{
				method: 'POST',
				url: `${url}/v1/chat/completions`,
				authentication: 'genericCredentialType',
				genericAuthType: 'httpHeaderAuth',
				sendBody: true,
				specifyBody: 'json',
				jsonBody: `={"model":"${model}","messages":[{"role":"user","content":"{{ $json.text }}"}],"stream":${stream}}`,
				options: stream ? { response: { response: { responseFormat: 'text' } } } : {},
			},
			{ typeVersion: 4.4, ...using(accounts.header) },
		),

	openAi: (model: string): WorkflowNode =>
		node(
			'Node',
			'@n8n/n8n-nodes-langchain.openAi',
			{
				resource: 'text',
				operation: 'response',
				modelId: locator(model),
				responses: { values: [{ type: 'text', role: 'user', content: message }] },
				options: {},
			},
			{ typeVersion: 2.3, ...using(accounts.openAi) },
		),

	/** @param maxIterations n8n's own limit by default */
	agent: (text = message, maxIterations?: number): WorkflowNode =>
		node(
			'Node',
			'@n8n/n8n-nodes-langchain.agent',
			{ promptType: 'define', text, options: { ...(maxIterations && { maxIterations }) } },
			{ typeVersion: 3 },
		),

	/** The job ID is the item's text. */
	oursDownload: (): WorkflowNode =>
		node(
			'Node',
			'n8n-nodes-agent-bridge.modelRouter',
			{
				resource: 'media',
				operation: 'download',
				mediaType: 'videos',
				jobId: message,
				binaryProperty: 'data',
				options: { maxSizeMib: 1000 },
			},
			using(accounts.router),
		),

	httpRequestFile: (): WorkflowNode =>
		node(
			'Node',
			'n8n-nodes-base.httpRequest',
			{
				url: `=${url}/v1/videos/jobs/{{ $json.text }}/content`,
				authentication: 'genericCredentialType',
				genericAuthType: 'httpHeaderAuth',
				options: { response: { response: { responseFormat: 'file', outputPropertyName: 'data' } } },
			},
			{ typeVersion: 4.4, ...using(accounts.header) },
		),

	/** The state of a media job, eight at a time; the job ID is the item's text. */
	httpRequestState: (): WorkflowNode =>
		node(
			'Node',
			'n8n-nodes-base.httpRequest',
			{
				url: `=${url}/v1/images/jobs/{{ $json.text }}`,
				authentication: 'genericCredentialType',
				genericAuthType: 'httpHeaderAuth',
				options: { batching: { batch: { batchSize: 8, batchInterval: 1 } } },
			},
			{ typeVersion: 4.4, ...using(accounts.header) },
		),

	oursJob: (name: string, operation: 'start' | 'generate' | 'get' | 'download'): WorkflowNode =>
		node(
			name,
			'n8n-nodes-agent-bridge.modelRouter',
			{
				resource: 'media',
				operation,
				mediaType: 'images',
				...(['start', 'generate'].includes(operation)
					? { model: locator('bench/picture'), prompt: message, parameters: '{}' }
					: { jobId: '={{ $json.jobId }}' }),
				binaryProperty: 'data',
				options: {
					...(['start', 'generate'].includes(operation) && { allowUnknownCost: true }),
					...(operation === 'generate' && { maxWait: 3600 }),
				},
			},
			using(accounts.router),
		),

	noOperation: (): WorkflowNode => node('Node', 'n8n-nodes-base.noOp', {}),

	/** Goes below an agent, like the next one. */
	oursChatModel: (model: string): WorkflowNode =>
		node(
			'Chat Model',
			'n8n-nodes-agent-bridge.lmChatModelRouter',
			{ model: locator(model), options: {} },
			using(accounts.router),
		),

	chatModel: (model: string): WorkflowNode =>
		node(
			'Chat Model',
			'@n8n/n8n-nodes-langchain.lmChatOpenAi',
			{ model: locator(model), responsesApiEnabled: false, options: {} },
			{ typeVersion: 1.3, ...using(accounts.openAi) },
		),
});
