import { once } from 'node:events';

import type { Editor } from './editor.ts';

/** What n8n's chat sends and expects beside the words. */
const HEARTBEAT = 'n8n|heartbeat';
const CONTROL = /^n8n\|/;

/** A person at a hosted chat whose workflow answers by Chat nodes, as n8n's chat page speaks with it. */
export class ChatVisitor {
	readonly execution: string;
	readonly #socket: WebSocket;
	readonly #sessionId: string;
	readonly #messages: string[] = [];
	readonly #told = new EventTarget();

	private constructor(execution: string, sessionId: string, socket: WebSocket) {
		this.execution = execution;
		this.#sessionId = sessionId;
		this.#socket = socket;
		socket.addEventListener('message', ({ data }) => {
			const message = String(data);
			if (message === HEARTBEAT) socket.send(`${HEARTBEAT}-ack`);
			if (CONTROL.test(message)) return;
			this.#messages.push(message);
			this.#told.dispatchEvent(new Event('message'));
		});
	}

	/** Says the first words, which start the workflow. */
	static async open(editor: Editor, webhookId: string, sessionId: string, chatInput: string) {
		const said = { action: 'sendMessage', sessionId, chatInput };
		const { body } = await editor.webhook(`${webhookId}/chat`, said);
		const { executionId, resumeToken } = body as { executionId: string; resumeToken?: string };
		const url = new URL('/chat', editor.url.replace(/^http/, 'ws'));
		url.search = new URLSearchParams({
			sessionId,
			executionId,
			isPublic: 'true',
			...(resumeToken && { token: resumeToken }),
		}).toString();
		const socket = new WebSocket(url);
		const visitor = new ChatVisitor(executionId, sessionId, socket);
		await once(socket, 'open');
		return visitor;
	}

	/** The next message of the workflow. */
	async next(): Promise<string> {
		while (!this.#messages.length) await once(this.#told, 'message');
		return this.#messages.shift()!;
	}

	say(chatInput: string) {
		const said = { action: 'sendMessage', sessionId: this.#sessionId, chatInput };
		this.#socket.send(JSON.stringify(said));
	}

	async leave() {
		if (this.#socket.readyState === WebSocket.CLOSED) return;
		const closed = once(this.#socket, 'close');
		this.#socket.close();
		await closed;
	}
}
