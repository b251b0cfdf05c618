import type { Editor } from '../n8n/editor.ts';
import { talkWorkspace } from './answers.ts';
import type { Accounts } from './nodesUnderTest.ts';
import type { LeanService } from './service.ts';

/** A credential of each kind, for the service. */
export async function createAccounts(editor: Editor, { url }: LeanService): Promise<Accounts> {
	const apiKey = 'a-key-of-the-benchmark';
	const save = async (type: string, data: Record<string, unknown>) =>
		await editor.createCredential({ name: type, type, data });
	return {
		router: await save('modelRouterApi', { baseUrl: url, apiKey }),
		workspaceAgent: await save('workspaceAgentApi', {
			baseUrl: `${url}/api/v1/workspaces/bench`,
			apiKey,
		}),
		speaker: await save('workspaceAgentApi', {
			baseUrl: `${url}/api/v1/workspaces/${talkWorkspace}`,
			apiKey,
		}),
		assistant: await save('marketAssistantApi', {
			baseUrl: `${url}/api/ai-assistant/v1`,
			apiKey,
			plan: 'custom',
			// what is measured here is not how long it waits for its turn
			requestsPerMinute: 60_000,
		}),
		header: await save('httpHeaderAuth', { name: 'X-API-KEY', value: apiKey }),
		openAi: await save('openAiApi', { apiKey, url: `${url}/v1` }),
	};
}
