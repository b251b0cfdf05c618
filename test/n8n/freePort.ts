import { createServer, type AddressInfo } from 'node:net';

/** A loopback port that nobody listens on: `wanted` if it is given and free. */
export async function freePort(wanted = 0): Promise<number> {
	return await new Promise((resolve, reject) => {
		const probe = createServer();
		probe.once('error', (error) => (wanted ? resolve(freePort()) : reject(error)));
		probe.listen(wanted, '127.0.0.1', () => {
			const { port } = probe.address() as AddressInfo;
			probe.close(() => resolve(port));
		});
	});
}
