import { startService, type Service } from '../service/service.ts';
import { openBridge, type Accounts, type Bridge } from './bridge.ts';
import type { SavedCredential } from './editor.ts';
import { freePort } from './freePort.ts';

let bridge: Bridge;
let elsewhere: Service;
beforeAll(async () => {
	bridge = await openBridge();
	elsewhere = await startService();
});
beforeEach(() => {
	bridge.service.reset();
	elsewhere.reset();
});
afterAll(async () => {
	await bridge.service.stop();
	await elsewhere.stop();
});

const types = ['agent', 'assistant', 'router'] as const satisfies ReadonlyArray<keyof Accounts>;

/** Tests the credential with some of its fields changed, as the editor does before they are saved. */
async function test(type: keyof Accounts, changes: Record<string, unknown> = {}) {
	const account: SavedCredential = bridge.accounts[type];
	return await bridge.editor.testCredential({ ...account, data: { ...account.data, ...changes } });
}

const withPath = (type: keyof Accounts, origin: string) => {
	const { pathname } = new URL(String(bridge.accounts[type].data['baseUrl']));
	return origin + pathname;
};

describe.each(types)('the credential test of %s', (type) => {
	it('accepts the right key with one request that costs nothing', async () => {
		const answer = await test(type);
		expect(answer.status).toBe('OK');
		expect(bridge.service.requests).toHaveLength(1);
		expect(bridge.service.world.sessions.size + bridge.service.world.chats.size).toBe(0);
	});

	it('refuses a wrong key, which was sent once', async () => {
		const answer = await test(type, { apiKey: 'wrong-key-5e1f' });
		expect(answer).toMatchObject({ status: 'Error', message: expect.stringMatching(/key/i) });
		expect(answer.message).not.toContain('wrong-key-5e1f');
		expect(bridge.service.requests).toHaveLength(1);
		expect(bridge.service.requests[0]?.status).toBe(401);
	});

	it('refuses a key without permission', async () => {
		bridge.service.fault({
			do: { type: 'status', status: 403, body: { detail: 'not for this key' } },
		});
		expect(await test(type)).toMatchObject({
			status: 'Error',
			message: expect.stringMatching(/key|permission|403/i),
		});
		expect(bridge.service.requests).toHaveLength(1);
	});

	it.each([302, 307])('does not follow a redirect (%d) with the key', async (status) => {
		const to = withPath(type, elsewhere.url);
		bridge.service.fault({ do: { type: 'redirect', status, to } });
		expect(await test(type)).toMatchObject({
			status: 'Error',
			message: expect.stringMatching(/redirect|30\d/i),
		});
		expect(bridge.service.requests).toHaveLength(1);
		expect(elsewhere.requests).toHaveLength(0);
	});

	it('says that a service cannot be reached', async () => {
		const closed = `http://127.0.0.1:${await freePort()}`;
		expect(await test(type, { baseUrl: withPath(type, closed) })).toMatchObject({
			status: 'Error',
		});
	});

	it.each([
		['with a trailing slash', (url: string) => `${url}/`, 'OK'],
		['without https, on another host', () => 'http://service.invalid/api', 'Error'],
		['with a user', (url: string) => url.replace('http://', 'http://someone:secret@'), 'Error'],
		['with a query', (url: string) => `${url}?a=b`, 'Error'],
	] as const)('takes a base URL %s for what it is', async (_name, changed, status) => {
		const answer = await test(type, {
			baseUrl: changed(String(bridge.accounts[type].data['baseUrl'])),
		});
		expect(answer.status).toBe(status);
		expect(bridge.service.requests).toHaveLength(status === 'OK' ? 1 : 0);
	});
});

it.each([404, 405, 500])(
	'says that an agent was reached (%s), and that its key is not verified',
	async (status) => {
		bridge.service.fault({ do: { type: 'status', status } });
		expect(await test('agent')).toEqual({
			status: 'OK',
			message: expect.stringMatching(/was reached .*not verified/),
		});
	},
);

it('says of a key that is forbidden at the assistant that it is', async () => {
	const answer = await test('assistant', { apiKey: bridge.service.assistant.keys.forbidden });
	expect(answer.status).toBe('Error');
	expect(bridge.service.requests[0]?.status).toBe(403);
});

it.each(['', '/v1', '/v1/', '/v1/v1'])(
	'finds the router with "%s" at the end of its base URL',
	async (end) => {
		expect(await test('router', { baseUrl: bridge.service.url + end })).toMatchObject({
			status: 'OK',
		});
		expect(bridge.service.requests[0]?.path).toMatch(/^\/v1\/models/);
	},
);
