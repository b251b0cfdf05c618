import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

import { listen } from '../service/listen.ts';

interface Message {
	role: string;
	content: unknown;
}

interface ChatRequest {
	messages: Message[];
	stream?: boolean;
	tools?: Array<{ function: object }>;
}

/** A call of a tool, with what the model fills in. */
export interface ToolCall {
	tool: string;
	given: Record<string, unknown>;
}

/**
 * A model server on loopback that speaks chat completions, and not the protocol that n8n's agents try first. It makes the calls that
 * it is told to. When none is left, it says what the last tool has returned.
 */
export async function startModel() {
	let planned: ToolCall[][] = [];
	const requests: ChatRequest[] = [];
	let calls = 0;
	function answer(request: ChatRequest): { message: object; finish_reason: string } {
		// n8n also asks for the title of a chat, without tools
		const next = request.tools ? planned.shift() : undefined;
		if (!next) {
			const last = request.messages.findLast(({ role }) => role === 'tool');
			const message = { role: 'assistant', content: `The tool said: ${String(last?.content)}` };
			return { message, finish_reason: 'stop' };
		}
		const tool_calls = next.map(({ tool: name, given }, index) => {
			const named = { name, arguments: JSON.stringify(given) };
			return { index, id: `call_${++calls}`, type: 'function', function: named };
		});
		return {
			message: { role: 'assistant', content: null, tool_calls },
			finish_reason: 'tool_calls',
		};
	}
	const server = createServer((request, response) => {
		void (async () => {
			if (request.url !== '/v1/chat/completions') return void response.writeHead(404).end();
			const asked = JSON.parse(await bodyOf(request)) as ChatRequest;
			requests.push(asked);
			send(response, asked.stream ?? false, answer(asked));
		})();
	});
	const port = await listen(server);
	return {
		url: `http://127.0.0.1:${port}/v1`,
		/** Has it make these calls, one after another; those of a list in one answer. */
		plan: (...next: Array<ToolCall | ToolCall[]>) =>
			void (planned = next.map((one) => [one].flat())),
		/** The tools of n8n that it saw first. */
		toolsShown: () =>
			requests.find(({ tools }) => tools)?.tools?.map((tool) => tool.function) ?? [],
		reset() {
			planned = [];
			requests.length = 0;
		},
		async stop() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

async function bodyOf(request: IncomingMessage) {
	let text = '';
	for await (const chunk of request) text += String(chunk);
	return text;
}

function send(
	response: ServerResponse,
	asStream: boolean,
	{ message, finish_reason }: { message: object; finish_reason: string },
) {
	const head = { id: 'c', created: 1, model: 'stand-in' };
	const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
	if (!asStream) {
		const choices = [{ index: 0, message, finish_reason }];
		response.writeHead(200, { 'content-type': 'application/json' });
		response.end(JSON.stringify({ ...head, object: 'chat.completion', choices, usage }));
		return;
	}
	const events = [
		{ index: 0, delta: message, finish_reason: null },
		{ index: 0, delta: {}, finish_reason },
	].map((choice) =>
		JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [choice], usage }),
	);
	response.writeHead(200, { 'content-type': 'text/event-stream' });
	response.end([...events, '[DONE]'].map((event) => `data: ${event}\n\n`).join(''));
}
