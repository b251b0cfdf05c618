import { openBridge } from '../n8n/bridge.ts';
import { startInstance, withoutPages } from '../n8n/instance.ts';

/** An n8n that only one test file uses, and may kill, with a service and credentials for it. */
export async function openOwn(env: Record<string, string> = {}) {
	const tarball = process.env['AGENT_BRIDGE_TARBALL'];
	const instance = await startInstance({ tarball, env: { ...withoutPages, ...env } });
	const bridge = await openBridge({}, instance.editor);
	const stop = async () => {
		await instance.remove();
		await bridge.service.stop();
	};
	return { ...bridge, instance, stop };
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
