// An agent that speaks AG-UI, with the events and the encoder of the protocol's own packages: it knows only the messages that it is sent.
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { EventType } from '@ag-ui/core';
import { RunAgentInputSchema } from '@ag-ui/core/schemas';
import { EventEncoder } from '@ag-ui/encoder';

import { failure, nextTurn, tool, wordsOf } from './script.mjs';

export const agUi = createServer(async (request, response) => {
	if (request.headers.authorization !== 'Bearer key') {
		response.writeHead(401).end('Invalid API key');
		return;
	}
	const { data: input } = RunAgentInputSchema.safeParse(await json(request));
	if (!input) {
		response.writeHead(400).end('No input of an agent');
		return;
	}
	const encoder = new EventEncoder({ accept: request.headers.accept });
	response.writeHead(200, { 'content-type': encoder.getContentType() });
	try {
		for await (const event of eventsFor(input)) response.write(encoder.encode(event));
		response.end();
	} catch {
		response.destroy();
	}
});

/** @param {import('@ag-ui/core').RunAgentInput} input */
async function* eventsFor({ threadId, runId, messages }) {
	const questions = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
	yield { type: EventType.RUN_STARTED, threadId, runId };
	const first = nextTurn(questions, false);
	yield* textOf(first.text);
	if (first.then !== 'call') {
		yield { type: EventType.RUN_ERROR, message: failure };
		return;
	}
	const toolCallId = crypto.randomUUID();
	yield { type: EventType.TOOL_CALL_START, toolCallId, toolCallName: tool.name };
	yield { type: EventType.TOOL_CALL_ARGS, toolCallId, delta: JSON.stringify(tool.args) };
	yield { type: EventType.TOOL_CALL_END, toolCallId };
	const content = await tool.run();
	yield {
		type: EventType.TOOL_CALL_RESULT,
		messageId: crypto.randomUUID(),
		toolCallId,
		content,
		role: 'tool',
	};
	yield* textOf(nextTurn(questions, true).text);
	yield { type: EventType.RUN_FINISHED, threadId, runId };
}

/** @param {string} text */
async function* textOf(text) {
	const messageId = crypto.randomUUID();
	yield { type: EventType.TEXT_MESSAGE_START, messageId, role: 'assistant' };
	for await (const delta of wordsOf(text))
		yield { type: EventType.TEXT_MESSAGE_CONTENT, messageId, delta };
	yield { type: EventType.TEXT_MESSAGE_END, messageId };
}
