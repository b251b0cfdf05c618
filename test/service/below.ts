import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type Server, type Socket } from 'node:net';

import { listen } from './listen.ts';
import { createAuthority, selfSigned, type Authority } from './tls.ts';

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

export type BadCertificate = 'self-signed' | 'expired' | 'wrong-host';

/** An HTTPS server whose certificate is not to be trusted, even by who trusts the authority. */
export async function startBadTls(
	kind: BadCertificate,
	authority: Authority = createAuthority(),
): Promise<Below & { ca: string }> {
	let requests = 0;
	const certificate = {
		'self-signed': selfSigned,
		expired: () => authority.issue({ expired: true }),
		'wrong-host': () => authority.issue({ host: 'elsewhere.example' }),
	}[kind]();
	const { key, cert } = certificate;
	const server = createHttpsServer({ key, cert }, (_request, response) => {
		requests++;
		response.end('{}');
	});
	// not by name: where localhost has two addresses, Node may give up a slow first one and connect once more
	const started = await below('https://127.0.0.1', server, () => requests);
	return Object.assign(started, { ca: authority.cert });
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
	return Object.defineProperties({} as Below, {
		url: { value: `${origin}:${port}`, enumerable: true },
		connections: { get: () => connections, enumerable: true },
		requests: { get: requests, enumerable: true },
		stop: { value: stop, enumerable: true },
	});

	async function stop() {
		for (const socket of open) socket.destroy();
		await new Promise((resolve) => server.close(resolve));
	}
}
