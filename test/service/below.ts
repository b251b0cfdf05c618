import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type Server, type Socket } from 'node:net';

import { listen } from './listen.ts';
import { selfSigned } from './tls.ts';

/** A server for what goes wrong below HTTP. */
export interface Below {
	url: string;
	/** How many connections came. */
	readonly connections: number;
	/** How many requests came: none where the connection fails before. */
	readonly requests: number;
	stop(): Promise<void>;
}

/** An address where nothing listens. */
export async function refusedUrl(): Promise<string> {
	const server = createServer();
	const port = await listen(server);
	await new Promise((resolve) => server.close(resolve));
	return `http://127.0.0.1:${port}`;
}

/** A proxy that asks for a login, whatever is asked of it (407). */
export async function startProxy407(): Promise<Below> {
	let requests = 0;
	const head = { 'proxy-authenticate': 'Basic realm="proxy"', 'content-type': 'text/html' };
	const server = createHttpServer((_request, response) => {
		requests++;
		response.writeHead(407, head).end('<h1>Proxy login</h1>');
	});
	return await below('http://127.0.0.1', server, () => requests);
}

/** Resets every connection when the first bytes came: those of the client's hello, so the request is never sent. */
export async function startResetting(): Promise<Below> {
	const server = createServer((socket) => {
		socket.on('error', () => undefined).once('data', () => socket.resetAndDestroy());
	});
	return await below('https://127.0.0.1', server, () => 0);
}

/** Takes connections and says nothing. */
export async function startSilent(): Promise<Below> {
	const server = createServer((socket) => socket.on('error', () => undefined).resume());
	return await below('http://127.0.0.1', server, () => 0);
}

/** An HTTPS server that has signed its certificate itself. */
export async function startBadTls(): Promise<Below> {
	let requests = 0;
	const server = createHttpsServer(selfSigned(), (_request, response) => {
		requests++;
		response.end('{}');
	});
	// not by name: where localhost has two addresses, Node may give up a slow first one and connect once more
	return await below('https://127.0.0.1', server, () => requests);
}

async function below(origin: string, server: Server, requests: () => number): Promise<Below> {
	const open = new Set<Socket>();
	let connections = 0;
	server.on('connection', (socket: Socket) => {
		connections++;
		open.add(socket);
		socket.on('close', () => open.delete(socket));
	});
	const port = await listen(server);
	return {
		url: `${origin}:${port}`,
		get connections() {
			return connections;
		},
		get requests() {
			return requests();
		},
		async stop() {
			for (const socket of open) socket.destroy();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
