import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AgentCard, Message, Part, SendMessageRequest, TaskStatus } from '@a2a-js/sdk';
import {
	DefaultRequestHandler,
	type ExecutionEventBus,
	InMemoryTaskStore,
	JsonRpcTransportHandler,
	type RequestContext,
} from '@a2a-js/sdk/server';

import { listen } from '../service/listen.ts';

type Asked = Pick<SendMessageRequest, 'method' | 'params'>;

/**
 * An agent that speaks A2A 0.3, as the SDK for servers does (@a2a-js/sdk 0.3.14): it reads requests, keeps tasks, and gives out IDs.
 *
 * It says what it heard, and how many messages its context has had. What it hears may hold `[ask]`: then it asks for a day, and is done with
 * the next message of that task.
 */
export class A2aServer {
	/** As they came. */
	readonly messages: Message[] = [];
	/** What a user enters as Base URL. */
	url = '';
	readonly #contexts = new Map<string, string[]>();
	readonly #answer: (said: readonly string[]) => string;
	readonly #server: Server;

	private constructor(answer: (said: readonly string[]) => string) {
		this.#answer = answer;
		const handler = new JsonRpcTransportHandler(
			new DefaultRequestHandler(CARD, new InMemoryTaskStore(), {
				execute: async (asked, bus) => await Promise.resolve(this.#reply(asked, bus)),
				cancelTask: async () => await Promise.resolve(),
			}),
		);
		this.#server = createServer((request, response) => {
			if (request.url === '/.well-known/agent-card.json') {
				response.setHeader('content-type', 'application/json');
				response.end(JSON.stringify({ ...CARD, url: `${this.url}/a2a` }));
				return;
			}
			void request.toArray().then(async (chunks) => {
				const asked = JSON.parse(Buffer.concat(chunks).toString()) as Asked;
				// as it came: the SDK adds what it makes of it
				if (asked.method === 'message/send') this.messages.push(asked.params.message);
				const answer = await handler.handle(asked);
				response.setHeader('content-type', 'application/json');
				response.end(JSON.stringify(answer));
			});
		});
	}

	/** @param answer What it says after these messages of a context. */
	static async start(answer = heard): Promise<A2aServer> {
		const server = new A2aServer(answer);
		server.url = `http://127.0.0.1:${await listen(server.#server)}`;
		return server;
	}

	/** Forgets what it has heard. */
	clear() {
		this.messages.length = 0;
		this.#contexts.clear();
	}

	async stop() {
		this.#server.closeAllConnections();
		await new Promise((resolve) => this.#server.close(resolve));
	}

	#reply({ userMessage, contextId, taskId, task }: RequestContext, bus: ExecutionEventBus) {
		const text = textOf(userMessage.parts);
		const said = [...(this.#contexts.get(contextId) ?? []), text];
		this.#contexts.set(contextId, said);
		const says = (words: string): Message => ({
			kind: 'message',
			role: 'agent',
			messageId: randomUUID(),
			contextId,
			parts: [{ kind: 'text', text: words }],
		});
		const publishTask = (state: TaskStatus['state'], words?: string, result?: string) =>
			bus.publish({
				kind: 'task',
				id: taskId,
				contextId,
				history: [userMessage],
				status: { state, ...(words !== undefined && { message: says(words) }) },
				...(result !== undefined && {
					artifacts: [{ artifactId: randomUUID(), parts: [{ kind: 'text', text: result }] }],
				}),
			});
		if (task) publishTask('completed', undefined, `Noted: ${text}`);
		else if (text.includes('[ask]')) publishTask('input-required', 'On which day?');
		else bus.publish(says(this.#answer(said)));
		bus.finished();
	}
}

const heard = (said: readonly string[]) =>
	`I heard "${said.at(-1)}". This is message ${said.length} of this context.`;

const textOf = (parts: Part[]) =>
	parts.map((part) => (part.kind === 'text' ? part.text : '')).join('\n');

const CARD: AgentCard = {
	name: 'Agent Elsewhere',
	description: 'Says what it heard',
	version: '1.0.0',
	protocolVersion: '0.3.0',
	url: 'http://127.0.0.1/a2a',
	capabilities: {},
	skills: [],
	defaultInputModes: ['text/plain'],
	defaultOutputModes: ['text/plain'],
};
