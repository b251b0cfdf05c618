// The agent of a2a.mjs by version 0.3 of the protocol, as the SDK of that time serves it: the one that the tests of this package have.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import {
	DefaultRequestHandler,
	InMemoryTaskStore,
	JsonRpcTransportHandler,
} from '../../node_modules/@a2a-js/sdk/dist/server/index.js';

import { failure, nextTurn, thought, tool, wordsOf } from './script.mjs';

/** @type {Map<string, string[]>} */
const contexts = new Map();

const toParts = (text) => [{ kind: 'text', text }];

const executor = {
	async execute({ userMessage, taskId, contextId }, bus) {
		const ids = { taskId, contextId };
		const questions = contexts.get(contextId) ?? [];
		contexts.set(contextId, questions);
		questions.push(userMessage.parts.map(({ text }) => text).join(''));
		const publishStatus = (state, text) => {
			const says = { kind: 'message', role: 'agent', messageId: randomUUID(), ...ids };
			const message = text && { ...says, parts: toParts(text) };
			const final = state === 'completed';
			bus.publish({ kind: 'status-update', ...ids, status: { state, message }, final });
		};
		bus.publish({
			kind: 'task',
			id: taskId,
			contextId,
			history: [userMessage],
			status: { state: 'submitted' },
		});
		publishStatus('working', thought);
		for (const hasLooked of [false, true]) {
			const { text, then } = nextTurn(questions, hasLooked);
			const artifactId = randomUUID();
			let append = false;
			for await (const word of wordsOf(text)) {
				const artifact = { artifactId, parts: toParts(word) };
				bus.publish({ kind: 'artifact-update', ...ids, artifact, append, lastChunk: false });
				append = true;
			}
			if (then === 'fail') throw new Error(failure);
			if (then === 'call') publishStatus('working', `${tool.args.place}: ${await tool.run()}`);
		}
		publishStatus('completed');
		bus.finished();
	},
	cancelTask: async () => {},
};

const card = {
	name: 'Agent',
	description: 'Looks things up',
	version: '1.0.0',
	protocolVersion: '0.3.0',
	preferredTransport: 'JSONRPC',
	capabilities: { streaming: true },
	skills: [],
	defaultInputModes: ['text'],
	defaultOutputModes: ['text'],
};
const handler = new JsonRpcTransportHandler(
	new DefaultRequestHandler(card, new InMemoryTaskStore(), executor),
);

export const a2a03 = createServer(async (request, response) => {
	if (request.method === 'GET') {
		const url = `http://${request.headers.host}/rpc`;
		response.setHeader('content-type', 'application/json');
		response.end(JSON.stringify({ ...card, url }));
		return;
	}
	const answer = await handler.handle(await json(request));
	// as the SDK's own handler for Express
	if (!(Symbol.asyncIterator in answer)) {
		response.setHeader('content-type', 'application/json');
		response.end(JSON.stringify(answer));
		return;
	}
	response.setHeader('content-type', 'text/event-stream');
	for await (const event of answer) response.write(`data: ${JSON.stringify(event)}\n\n`);
	response.end();
});
