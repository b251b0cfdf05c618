import { randomInt } from 'node:crypto';
import { createServer, type AddressInfo } from 'node:net';

/** Below the ports that systems give to connections: such a port may be taken between its choice and its use. */
const anyPort = () => randomInt(20_000, 32_000);

/** A loopback port that nobody listens on: `wanted` if it is given and free. */
export async function freePort(wanted = anyPort()): Promise<number> {
	return await new Promise((resolve, reject) => {
		const probe = createServer();
		probe.once('error', (error: NodeJS.ErrnoException) =>
			error.code === 'EADDRINUSE' ? resolve(freePort()) : reject(error),
		);
		probe.listen(wanted, '127.0.0.1', () => {
			const { port } = probe.address() as AddressInfo;
			probe.close(() => resolve(port));
		});
	});
}
