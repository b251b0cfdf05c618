import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export type Connections = ReturnType<typeof createConnections>;

/** The TCP connections of the servers. */
export function createConnections() {
	// a TLS socket tells the ports of the TCP socket below it, but not the socket
	const open = new Map<string, Socket>();
	const name = (socket: Socket) => `${socket.localPort}-${socket.remotePort}`;
	return {
		watch(server: Server) {
			server.on('connection', (socket: Socket) => {
				const key = name(socket);
				open.set(key, socket);
				socket.setNoDelay(true);
				socket.on('close', () => open.delete(key));
			});
		},
		/** Sends an RST. */
		reset: (socket: Socket) => void open.get(name(socket))?.resetAndDestroy(),
	};
}
