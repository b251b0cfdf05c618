import { createAccounts, secretsOf } from '../n8n/bridge.ts';
import { startInstance, withoutPages } from '../n8n/instance.ts';
import { startService } from '../service/service.ts';

/** An n8n that only one test file uses, and may kill, with a service and credentials for it. */
export async function openOwn(env: Record<string, string> = {}) {
	const service = await startService();
	const tarball = process.env['AGENT_BRIDGE_TARBALL'];
	const instance = await startInstance({ tarball, env: { ...withoutPages, ...env } });
	const accounts = await createAccounts(instance.editor, secretsOf(service));
	const stop = async () => {
		await instance.remove();
		await service.stop();
	};
	return { ...{ service, instance, accounts, stop }, editor: instance.editor };
}

export type Own = Awaited<ReturnType<typeof openOwn>>;

/** That of the test file which calls this; its service begins anew with each test. */
export function ownOfFile(env: Record<string, string> = {}): Own {
	const own = {} as Own;
	beforeAll(async () => void Object.assign(own, await openOwn(env)));
	beforeEach(() => own.service.reset());
	afterAll(async () => await own.stop?.());
	return own;
}
