// A chat of the AI SDK, with both servers that its documentation shows: one is sent all messages, as its own client does by default. The
// other keeps the messages of each chat, and is sent the last one.
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import {
	convertToModelMessages,
	isStepCount,
	jsonSchema,
	pipeUIMessageStreamToResponse,
	streamText,
	toUIMessageStream,
	tool as aiTool,
} from 'ai';
import { MockLanguageModelV4 } from 'ai/test';

import { failure, nextTurn, thought, tool, wordsOf } from './script.mjs';

/** @type {Map<string, import('ai').UIMessage[]>} */
const chats = new Map();

export const aiSdk = createServer(async (request, response) => {
	const { id, message, messages: sent } = await json(request);
	const originalMessages = sent ?? [...(chats.get(id) ?? []), message];
	const result = streamText({
		model: new MockLanguageModelV4({
			doStream: async ({ prompt }) => ({ stream: ReadableStream.from(partsFor(prompt)) }),
		}),
		messages: await convertToModelMessages(originalMessages),
		tools: {
			[tool.name]: aiTool({
				description: tool.description,
				inputSchema: jsonSchema(tool.parameters),
				execute: tool.run,
			}),
		},
		stopWhen: isStepCount(5),
		onError: () => {},
	});
	const passedOn = pipeUIMessageStreamToResponse({
		response,
		stream: toUIMessageStream({
			stream: result.stream,
			originalMessages,
			onError: ({ message: reason }) => reason,
			// as in its documentation: the client takes the ID of a message that it did not make
			generateMessageId: () => crypto.randomUUID(),
			onEnd: ({ messages }) => void (message && chats.set(id, messages)),
		}),
	});
	// it has ended the body
	passedOn.catch(() => {});
});

/**
 * What the model of a chat streams.
 *
 * @param {Array<{ role: string, content: any }>} prompt
 */
async function* partsFor(prompt) {
	const questions = prompt
		.filter(({ role }) => role === 'user')
		.map(({ content }) => content.map(({ text }) => text).join(''));
	const { text, then } = nextTurn(questions, prompt.at(-1).role === 'tool');
	yield { type: 'stream-start', warnings: [] };
	yield { type: 'reasoning-start', id: 'thought' };
	yield { type: 'reasoning-delta', id: 'thought', delta: thought };
	yield { type: 'reasoning-end', id: 'thought' };
	yield { type: 'text-start', id: 'text' };
	for await (const delta of wordsOf(text)) yield { type: 'text-delta', id: 'text', delta };
	// a provider reports what the service reports, and throws when the connection breaks
	if (then === 'fail') yield { type: 'error', error: new Error(failure) };
	if (then === 'break') throw new Error(failure);
	yield { type: 'text-end', id: 'text' };
	if (then === 'call') {
		const { name: toolName, args } = tool;
		yield {
			type: 'tool-call',
			toolCallId: crypto.randomUUID(),
			toolName,
			input: JSON.stringify(args),
		};
	}
	const finishReason = then === 'call' ? 'tool-calls' : 'stop';
	yield {
		type: 'finish',
		finishReason: { unified: finishReason, raw: finishReason },
		usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
	};
}
