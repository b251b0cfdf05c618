import { startService, type Service } from '../service/service.ts';
import {
	bridgeOfFile,
	createAccounts,
	payingOperations,
	secretsOf,
	type Accounts,
} from './bridge.ts';
import { itemsOf } from './execution.ts';
import { trustedService } from './shared.ts';
import { node, workflow } from './workflow.ts';

const bridge = bridgeOfFile();
let elsewhere: Service;
beforeAll(async () => (elsewhere = await startService({ https: true })));
beforeEach(() => elsewhere.reset());
afterAll(async () => await elsewhere?.stop());

describe.each(['agent', 'assistant', 'router'] as const)('the credential test of %s', (type) => {
	/** Tests the credential with some of its fields changed, as the editor does before they are saved. */
	const test = async (changes: Record<string, unknown> = {}) => {
		const account = bridge.accounts[type];
		return await bridge.editor.testCredential({
			...account,
			data: { ...account.data, ...changes },
		});
	};
	const baseUrl = () => String(bridge.accounts[type].data['baseUrl']);
	const at = (origin: string) => origin + new URL(baseUrl()).pathname;

	/** A catalog may be public: it is asked for once more, without the key. */
	const probes = type === 'router' ? 2 : 1;

	it('accepts the right key with a request that costs nothing', async () => {
		expect(await test({ baseUrl: `${baseUrl()}/` })).toMatchObject({ status: 'OK' });
		expect(bridge.service.requests).toHaveLength(probes);
		expect(bridge.service.world.sessions.size + bridge.service.world.chats.size).toBe(0);
	});

	it.each([302, 307])('does not follow a redirect (%d) with the key', async (status) => {
		bridge.service.fault({ do: { type: 'redirect', status, to: at(elsewhere.url) } });
		expect(await test()).toMatchObject({
			status: 'Error',
			message: expect.stringMatching(/redirect|30\d/i),
		});
		expect(bridge.service.requests).toHaveLength(1);
		expect(elsewhere.requests).toHaveLength(0);
	});

	it('HTTP Request sends its key and headers to the service, and along with no redirect', async () => {
		const { data, ...secret } = secretsOf(bridge.service)[type];
		const header = {
			additionalHeader2Name: 'x-gateway',
			additionalHeader2Value: '={{ "secret-of-the-" + "gateway-7d21" }}',
		};
		const account = await bridge.editor.createCredential({
			...secret,
			data: { ...data, ...header },
		});
		expect(await bridge.editor.testCredential(account)).toMatchObject({ status: 'OK' });
		const ask = async (url: string) => {
			const asking = node(
				'Ask',
				'n8n-nodes-base.httpRequest',
				{ url, authentication: 'predefinedCredentialType', nodeCredentialType: account.type },
				{ typeVersion: 4.2, credentials: { [account.type]: account } },
			);
			return await bridge.editor.runOnce(workflow('HTTP Request', [{}], asking));
		};
		const url = elsewhere.url;
		await ask(`${url}/direct`);
		bridge.service.fault({ do: { type: 'redirect', status: 302, to: `${url}/redirected` } });
		expect((await ask(`${baseUrl()}/anything`)).error?.message).toMatch(/302/);
		expect(elsewhere.requests).toMatchObject([{ path: '/direct' }]);
		expect(JSON.stringify(elsewhere.requests)).not.toMatch(/x-gateway|x-api-key|authorization/);
		const sent = { 'x-gateway': 'secret-of-the-gateway-7d21' };
		const requests = Array.from({ length: probes + 1 }, () => ({ headers: sent }));
		expect(bridge.service.requests).toMatchObject(requests);
	});
});

// the shared n8n was started with the authority of one service; it knows nothing of another service's
describe('https', () => {
	const [, make] = payingOperations.find(([name]) => name === 'router: chat')!;
	const send = async (origin: string) => {
		const secrets = structuredClone(secretsOf(elsewhere));
		for (const { data } of Object.values(secrets) as Array<Accounts['agent']>)
			data['baseUrl'] = String(data['baseUrl']).replace(elsewhere.url, origin);
		const accounts = await createAccounts(bridge.editor, secrets);
		return {
			tested: await bridge.editor.testCredential(accounts.router),
			execution: await bridge.editor.runOnce(workflow('https', [{}], make(accounts, 'hello'))),
		};
	};

	it('is spoken with an authority that n8n was told to trust', async () => {
		const { tested, execution } = await send(trustedService());
		expect(tested.status).toBe('OK');
		expect(execution.error?.message).toBeUndefined();
		expect(itemsOf(execution, 'Node')[0]?.json['output']).toContain('hello');
	});

	it('is not spoken with an authority that n8n does not know', async () => {
		const { tested, execution } = await send(elsewhere.httpsUrl);
		expect(tested).toMatchObject({ status: 'Error' });
		expect(execution.status).toBe('error');
		expect(`${execution.error?.message} ${execution.error?.description}`).toMatch(/certificate/i);
		expect(elsewhere.requests).toEqual([]);
	});
});
