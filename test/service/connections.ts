import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** The TCP connections of the servers, numbered in order of arrival. */
export interface Connections {
	watch(server: Server): void;
	/** `socket` may be the TLS socket on top of the connection. */
	numberOf(socket: Socket): number;
	/** Sends an RST. */
	reset(socket: Socket): void;
}

export function createConnections(): Connections {
	let last = 0;
	// a TLS socket tells the ports of the TCP socket below it, but not the socket
	const open = new Map<string, { number: number; socket: Socket }>();
	const name = (socket: Socket) => `${socket.localPort}-${socket.remotePort}`;
	return {
		watch(server) {
			server.on('connection', (socket: Socket) => {
				const key = name(socket);
				open.set(key, { number: ++last, socket });
				socket.setNoDelay(true);
				socket.on('close', () => open.delete(key));
			});
		},
		numberOf: (socket) => open.get(name(socket))?.number ?? 0,
		reset(socket) {
			open.get(name(socket))?.socket.resetAndDestroy();
		},
	};
}
