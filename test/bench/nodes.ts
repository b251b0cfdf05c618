import type { Editor, SavedCredential } from '../n8n/editor.ts';
import { model as locator } from '../engine/rig/calls.ts';
import { node, start, using, type WorkflowNode } from '../n8n/workflow.ts';
import { lineWorkspace, talkWorkspace, TURNS } from './answers.ts';

const apiKey = 'a-key-of-the-benchmark';

/** One expression per item, everywhere the same one; and the one for what was written in a chat. */
const message = '={{ $json.text }}';
export const written = '={{ $json.chatInput }}';

export type Nodes = Awaited<ReturnType<typeof createNodes>>;

/** Saves a credential of each kind. @returns the nodes that are compared, all by the name "Node" */
export async function createNodes(editor: Editor, url: string) {
	const save = async (type: string, data: Record<string, unknown>) =>
		using(await editor.createCredential({ name: type, type, data }));
	const router = await save('modelRouterApi', { baseUrl: url, apiKey });
	const workspace = async (name: string) =>
		await save('workspaceAgentApi', { baseUrl: `${url}/api/v1/workspaces/${name}`, apiKey });
	const [slow, prompt] = [await workspace('bench'), await workspace(talkWorkspace)];
	const line = await workspace(lineWorkspace);
	const market = await save('marketAssistantApi', {
		baseUrl: `${url}/api/ai-assistant/v1`,
		apiKey,
		// so high that nothing waits for its turn
		plan: 'custom',
		requestsPerMinute: 60_000,
	});
	const header = await save('httpHeaderAuth', { name: 'X-API-KEY', value: apiKey });
	/** Of two customers, by the item. */
	const keyOfItem = `=${apiKey}-{{ $json.text.at(-1) % 2 }}`;
	const routerOfItem = await save('modelRouterApi', { baseUrl: url, apiKey: keyOfItem });
	const headerOfItem = await save('httpHeaderAuth', { name: 'X-API-KEY', value: keyOfItem });
	const openAi = await save('openAiApi', { apiKey, url: `${url}/v1` });

	const ours = (type: string, parameters: object, credential: object, name = 'Node') =>
		node(name, `n8n-nodes-agent-bridge.${type}`, { ...parameters }, { ...credential });
	const send = (credential: object, text: string) =>
		ours(
			'workspaceAgent',
			{ sessionMode: 'new', messageSource: 'define', message: text },
			credential,
		);
	const job = (operation: string, parameters: object, name = operation) =>
		ours('modelRouter', { resource: 'media', operation, ...parameters }, router, name);
	/** n8n's HTTP Request with a header from a credential. @param path may hold an expression */
	const http = (path: string, options: object, jsonBody?: string, key = header): WorkflowNode =>
		node(
			'Node',
			'n8n-nodes-base.httpRequest',
			{
				url: (path.includes('{{') ? '=' : '') + url + path,
				options,
				authentication: 'genericCredentialType',
				genericAuthType: 'httpHeaderAuth',
				...(jsonBody && { method: 'POST', sendBody: true, specifyBody: 'json', jsonBody }),
			},
			{ typeVersion: 4.4, ...key },
		);

	return {
		message: (model: string, concurrency: number, hasKeyOfItem = false) =>
			ours(
				'modelRouter',
				{
					resource: 'text',
					operation: 'message',
					model: locator(model),
					inputType: 'list',
					messages: { message: [{ role: 'user', content: message }] },
					requestSettings: { concurrency },
				},
				hasKeyOfItem ? routerOfItem : router,
			),
		agentMessage: (text = message) => send(slow, text),
		/** to the agent that answers at once */
		promptMessage: () => send(prompt, message),
		/** to the agent that answers with one long line */
		lineMessage: () => send(line, message),
		question: (text = message) =>
			ours('marketAssistant', { questionSource: 'define', question: text }, market),
		conversation: (parameters = {}) =>
			ours(
				'agentConversation',
				{
					openingMessageSource: 'define',
					openingMessage: message,
					turnLimit: TURNS,
					...parameters,
				},
				{},
			),
		/** goes below a conversation or an agent */
		speaker: (name: string, parameters = {}) =>
			ours('workspaceAgentTool', parameters, prompt, name),
		download: () =>
			job(
				'download',
				{
					mediaType: 'videos',
					jobId: message,
					binaryProperty: 'data',
					options: { maxSizeMib: 1000 },
				},
				'Node',
			),
		startJob: () =>
			job('start', {
				mediaType: 'images',
				model: locator('bench/picture'),
				prompt: message,
				options: { allowUnknownCost: true },
			}),
		getJob: () => job('getJob', { mediaType: 'images', jobId: '={{ $json.jobId }}' }),
		/** @param credential of the ledger with the jobs */
		trigger: (credential: SavedCredential, parameters: object) =>
			ours('modelRouterTrigger', parameters, using(credential), start),

		floor: (model: string, concurrency: number, text = message) =>
			node('Node', 'CUSTOM.floor', { model, message: text, concurrency }, router),
		/** the request of `message` by n8n's own nodes */
		httpMessage: (model: string, hasKeyOfItem = false) =>
			http(
				'/v1/chat/completions',
				{ batching: { batch: { batchSize: 20, batchInterval: 1 } } },
				`={"model":"${model}","messages":[{"role":"user","content":"{{ $json.text }}"}]}`,
				hasKeyOfItem ? headerOfItem : header,
			),
		openAi: (model: string) =>
			node(
				'Node',
				'@n8n/n8n-nodes-langchain.openAi',
				{
					resource: 'text',
					operation: 'response',
					modelId: locator(model),
					responses: { values: [{ content: message }] },
				},
				{ typeVersion: 2.1, ...openAi },
			),
		noOperation: () => node('Node', 'n8n-nodes-base.noOp', {}),
		httpFile: () =>
			http('/v1/videos/jobs/{{ $json.text }}/content', {
				response: { response: { responseFormat: 'file', outputPropertyName: 'data' } },
			}),
		/** the state of a media job, eight at a time */
		httpState: () =>
			http('/v1/images/jobs/{{ $json.text }}', {
				batching: { batch: { batchSize: 8, batchInterval: 1 } },
			}),
		/** the request that `promptMessage` sends, and with the other workspace the one of `lineMessage` */
		httpPrompt: (workspace = talkWorkspace) =>
			http(
				`/api/v1/workspaces/${workspace}/session/one/messages`,
				{ response: { response: { responseFormat: 'text' } } },
				'={"content":"{{ $json.text }}"}',
			),
		aiAgent: (text = message, maxIterations = 10) =>
			node(
				'Node',
				'@n8n/n8n-nodes-langchain.agent',
				{ promptType: 'define', text, options: { maxIterations } },
				{ typeVersion: 3 },
			),
		/** go below an AI Agent: ours, and n8n's OpenAI Chat Model */
		chatModel: (model: string) =>
			ours('lmChatModelRouter', { model: locator(model), options: {} }, router, 'Chat Model'),
		openAiChatModel: (model: string) =>
			node(
				'Chat Model',
				'@n8n/n8n-nodes-langchain.lmChatOpenAi',
				{ model: locator(model), responsesApiEnabled: false, options: {} },
				{ typeVersion: 1.3, ...openAi },
			),
	};
}
