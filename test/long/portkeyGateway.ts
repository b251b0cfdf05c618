import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { freePort } from '../n8n/freePort.ts';
import { OwnedProcess } from '../n8n/ownedProcess.ts';

const host = resolve('test/host-gateway');

/** `@portkey-ai/gateway`, in a process of its own: test/host-gateway. */
export class PortkeyGateway extends OwnedProcess {
	url = '';

	static async start(): Promise<PortkeyGateway> {
		if (!existsSync(join(host, 'node_modules')))
			throw new Error(`there is no gateway in ${host}: run "node scripts/install.mjs agents"`);
		const gateway = new PortkeyGateway('Gateway', mkdtempSync(join(tmpdir(), 'gateway-')));
		const port = await freePort();
		await gateway.launch({
			command: process.execPath,
			args: [join(host, 'main.mjs'), `--port=${port}`, '--headless'],
			// nothing of the surroundings: no key for any service
			env: { PATH: process.env['PATH'] ?? '' },
			isReady: () => gateway.log().includes('Ready for connections'),
			seconds: 60,
		});
		gateway.url = `http://127.0.0.1:${port}`;
		return gateway;
	}

	async stop() {
		await this.end('SIGTERM', 5_000);
		this.removeFolder();
	}
}
