import { model, type Bridge } from './bridge.ts';
import type { Editor } from './editor.ts';
import { node, type WorkflowNode } from './workflow.ts';

const TYPE = '@n8n/n8n-nodes-langchain.lmChatOpenAi';

/** n8n's own OpenAI Chat Model, whose service is the router of the reference service: both speak the same protocol. */
export async function chatModel({ editor, service }: Bridge, name: string): Promise<WorkflowNode> {
	const { main } = service.router.keys;
	const openAi = await editor.createCredential({
		name: 'The router as a chat model',
		type: 'openAiApi',
		data: {
			apiKey: main,
			url: `${service.url}/v1`,
			header: true,
			headerName: 'X-API-KEY',
			headerValue: main,
		},
	});
	return node(
		name,
		TYPE,
		{ model: model('northwind/quill-2.5'), responsesApiEnabled: false, options: {} },
		{
			typeVersion: await newestVersion(editor),
			credentials: { openAiApi: { id: openAi.id, name: openAi.name } },
		},
	);
}

/** Version 1.3, or the newest that an older n8n has. */
async function newestVersion(editor: Editor): Promise<number> {
	const found = await editor.nodeType(TYPE);
	return Math.max(
		...[found?.['version']]
			.flat()
			.map(Number)
			.filter((known) => known <= 1.3),
	);
}

/** The chat model calls the tool with these arguments, whatever its schema says, as soon as it is asked the next time. */
export function callWith({ service }: Bridge, tool: string, given: Record<string, unknown>): void {
	const call = { name: tool, arguments: JSON.stringify(given) };
	const calls = [{ index: 0, id: 'call_1', type: 'function', function: call }];
	answerOnce(service, { content: null, tool_calls: calls });
}

/** What the chat model answers the next time that it is asked. */
export const sayOnce = ({ service }: Bridge, content: string): void =>
	answerOnce(service, { content });

/** In the form in which it is asked for: at once, or as a stream. */
function answerOnce({ fault }: Bridge['service'], said: Record<string, unknown>): void {
	const finish = said['tool_calls'] ? 'tool_calls' : 'stop';
	const message = { role: 'assistant', ...said };
	const head = { id: 'c', created: 1, model: 'northwind/quill-2.5' };
	const chunk = (delta: object, finish_reason: string | null) =>
		`data: ${JSON.stringify({
			...{ ...head, object: 'chat.completion.chunk' },
			choices: [{ index: 0, delta, finish_reason }],
		})}\n\n`;
	fault({
		// what it is to look like is in the body, which is read only if a rule asks for it
		match: { method: 'POST', path: 'chat/completions', bodyIncludes: '"messages"' },
		times: 1,
		do: ({ body }) =>
			(body as { stream?: boolean }).stream
				? {
						type: 'body',
						contentType: 'text/event-stream',
						body: `${chunk(message, null)}${chunk({}, finish)}data: [DONE]\n\n`,
					}
				: {
						type: 'body',
						contentType: 'application/json',
						body: JSON.stringify({
							...{ ...head, object: 'chat.completion' },
							choices: [{ index: 0, message, finish_reason: finish }],
						}),
					},
	});
}
