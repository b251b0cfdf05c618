import type { AddressInfo, Server } from 'node:net';

/** Starts a server on loopback; port 0 is a free one. @returns its port */
export async function listen(server: Server, port = 0): Promise<number> {
	await new Promise<void>((resolve, reject) => {
		server.once('error', reject);
		server.listen(port, '127.0.0.1', () => {
			server.off('error', reject);
			resolve();
		});
	});
	return (server.address() as AddressInfo).port;
}
