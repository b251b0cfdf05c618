// An agent of the A2A SDK, with its handlers for JSON-RPC and for REST. The SDK keeps tasks; what was said in a context before
// is the agent's to remember.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Role, TaskState } from '@a2a-js/sdk';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import {
	agentCardHandler,
	jsonRpcHandler,
	restHandler,
	UserBuilder,
} from '@a2a-js/sdk/server/express';
import express from 'express';

import { failure, nextTurn, thought, tool, wordsOf } from './script.mjs';

/** @type {Map<string, string[]>} */
const contexts = new Map();

const toParts = (value) => [
	{ content: { $case: 'text', value }, filename: '', mediaType: 'text/plain' },
];

const executor = {
	async execute({ userMessage, taskId, contextId }, bus) {
		const ids = { taskId, contextId };
		const questions = contexts.get(contextId) ?? [];
		contexts.set(contextId, questions);
		questions.push(userMessage.parts.map(({ content }) => content.value).join(''));
		const publishStatus = (state, text) => {
			const message = text && {
				...ids,
				messageId: randomUUID(),
				role: Role.ROLE_AGENT,
				parts: toParts(text),
				extensions: [],
				referenceTaskIds: [],
			};
			const timestamp = new Date().toISOString();
			bus.publish(AgentEvent.statusUpdate({ ...ids, status: { state, message, timestamp } }));
		};
		bus.publish(
			AgentEvent.task({
				id: taskId,
				contextId,
				artifacts: [],
				history: [userMessage],
				status: { state: TaskState.TASK_STATE_SUBMITTED, timestamp: new Date().toISOString() },
			}),
		);
		publishStatus(TaskState.TASK_STATE_WORKING, thought);
		for (const hasLooked of [false, true]) {
			const { text, then } = nextTurn(questions, hasLooked);
			const artifactId = randomUUID();
			let append = false;
			for await (const word of wordsOf(text)) {
				const artifact = {
					artifactId,
					name: '',
					description: '',
					parts: toParts(word),
					extensions: [],
				};
				bus.publish(AgentEvent.artifactUpdate({ ...ids, artifact, append, lastChunk: false }));
				append = true;
			}
			if (then === 'fail') throw new Error(failure);
			if (then === 'call')
				publishStatus(TaskState.TASK_STATE_WORKING, `${tool.args.place}: ${await tool.run()}`);
		}
		publishStatus(TaskState.TASK_STATE_COMPLETED);
	},
	cancelTask: async () => {},
};

/** @param {string} url */
const cardAt = (url) => ({
	name: 'Agent',
	description: 'Looks things up',
	version: '1.0.0',
	supportedInterfaces: ['JSONRPC', 'HTTP+JSON'].map((protocolBinding) => ({
		url,
		protocolBinding,
		tenant: '',
		protocolVersion: '1.0',
	})),
	capabilities: { streaming: true, pushNotifications: false, extensions: [] },
	securitySchemes: {},
	securityRequirements: [],
	skills: [],
	signatures: [],
	defaultInputModes: ['text'],
	defaultOutputModes: ['text'],
});
const requestHandler = new DefaultRequestHandler(cardAt(''), new InMemoryTaskStore(), executor);
const options = { requestHandler, userBuilder: UserBuilder.noAuthentication };

const app = express();
export const a2a = createServer(app);
app
	.use(
		'/.well-known/agent-card.json',
		agentCardHandler({
			agentCardProvider: async () => cardAt(`http://127.0.0.1:${a2a.address().port}/rpc`),
		}),
	)
	.use('/rpc', jsonRpcHandler(options))
	.use('/rest', restHandler(options));
