import { startService, type Fault } from '../service/service';
import { CARRY_ON, chat, failPosts, models, paying, posts, secretsOf } from './rig/calls';
import { run, type RunOptions } from './rig/run';
import { serviceForTests } from './rig/service';

// the key goes to its own origin, and nowhere else
const service = serviceForTests();
const elsewhere = serviceForTests();

const keyOf = (credential: string) => String(secretsOf(service)[credential]?.['apiKey']);
const redirect = (status: number): Fault => ({
	...{ type: 'redirect', status, to: `${elsewhere.url}/stolen` },
});

describe.each(paying)('%s', (_name, call) => {
	const { credential } = call('x');
	const execute = async (text: string, more: Partial<RunOptions> = {}) => {
		const outcome = await service.run(call(text), more);
		const stored = JSON.stringify(outcome.run);
		return { ...outcome, stored };
	};

	it.each([301, 307])('does not follow a redirect (%s)', async (status) => {
		failPosts(service, redirect(status));
		expect((await execute('x')).error?.message).toContain('redirect');
		expect(elsewhere.requests).toEqual([]);
		expect(posts(service)).toHaveLength(1);
	});

	// in all other places: keyEchoes
	it('an echoed key is in no error', async () => {
		const key = keyOf(credential);
		const message = `bad key ${key}, Bearer ${key}, ${key.slice(0, 8)}`;
		failPosts(service, { type: 'status', status: 400, body: { error: { code: 'bad', message } } });
		const { stored } = await execute('item-one');
		expect(stored).toContain('item-one');
		expect(stored).toContain('bad key ***');
		expect(stored).not.toContain(key);
	});

	it('nothing of a request is stored with a failure', async () => {
		service.fault({ do: { type: 'reset_peer' } });
		expect((await execute('x')).stored).not.toContain(keyOf(credential));
	});

	it('reads the credential once, however many items there are', async () => {
		const items = [{ n: 'a' }, { n: 'b' }, { n: 'c' }];
		expect((await execute('={{ $json.n }}', { items })).credentialsRead).toBe(1);
	});
});

it('the catalog is not read from the target of a redirect', async () => {
	const other = await startService();
	other.fault({ match: { path: '/v1/models' }, do: redirect(307) });
	const { error } = await run({ ...chat('x'), secrets: secretsOf(other) });
	const posted = posts(other);
	await other.stop();
	expect(error?.message).toMatch(/the catalog could not be read \(.*redirect/);
	expect([elsewhere.requests, posted]).toEqual([[], []]);
});

// all forms of addresses and keys are in unit/core/urls
describe('base URL and key', () => {
	const withCredential = async (change: object) => {
		const { modelRouterApi } = secretsOf(service);
		const secrets = { modelRouterApi: { ...modelRouterApi, ...change } };
		return await run({ ...models('getModels', {}), secrets });
	};

	it('keeps to the domains that the credential allows', async () => {
		const allowing = async (allowedDomains: string) =>
			(await withCredential({ allowedHttpRequestDomains: 'domains', allowedDomains })).error;
		expect((await allowing('example.com'))?.message).toMatch(/Domain not allowed/);
		expect(await allowing('127.0.0.1')).toBeUndefined();
		expect(service.requests).toHaveLength(1);
	});

	it('says of every item what is wrong with the credential when the node carries on', async () => {
		const secrets = { modelRouterApi: { baseUrl: 'nonsense', apiKey: 'x' } };
		const items = [{ n: 1 }, { n: 2 }];
		const outcome = await run({ ...chat('x'), items, secrets, settings: CARRY_ON });
		expect(outcome.items).toEqual([]);
		const error = expect.stringContaining('base URL');
		expect(outcome.failed).toMatchObject(items.map(({ n }) => ({ json: { n, error } })));
	});
});
