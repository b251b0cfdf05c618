import { startService, type Service } from '../service/service';
import { chat, models, paying, posts, secretsOf } from './rig/calls';
import { run } from './rig/run';

// the key goes to its own origin, and nowhere else
let service: Service;
let elsewhere: Service;
beforeAll(async () => {
	service = await startService();
	elsewhere = await startService();
});
beforeEach(() => {
	service.reset();
	elsewhere.reset();
});
afterAll(async () => {
	await service.stop();
	await elsewhere.stop();
});

const keyOf = (credential: string) => String(secretsOf(service)[credential]?.['apiKey']);

describe.each(paying)('%s', (_name, call) => {
	const { credential } = call('x');
	const execute = (settings: object = {}) =>
		run({ ...call('x'), secrets: secretsOf(service), settings });

	it.each([301, 302, 303, 307, 308])('does not follow a redirect (%s)', async (status) => {
		service.fault({
			match: { method: 'POST' },
			do: { type: 'redirect', status, to: `${elsewhere.url}/stolen` },
		});
		const { error } = await execute();
		expect(error?.message).toContain('redirect');
		expect(elsewhere.requests).toEqual([]);
		expect(posts(service)).toHaveLength(1);
	});

	it.each(['onError', 'stop'])('an echoed key is in no error (%s)', async (how) => {
		const key = keyOf(credential);
		const body = {
			error: { code: 'bad', message: `bad key ${key}, Bearer ${key}, ${key.slice(0, 8)}` },
		};
		service.fault({ match: { method: 'POST' }, do: { type: 'status', status: 400, body } });
		const { run: done } = await execute(how === 'stop' ? {} : { onError: 'continueErrorOutput' });
		expect(JSON.stringify(done)).toContain('bad key ***');
		expect(JSON.stringify(done)).not.toContain(key);
	});

	it('an echoed key is in no output', async () => {
		const { run: done } = await run({
			...call(`my key is ${keyOf(credential)}`),
			items: [{}],
			secrets: secretsOf(service),
		});
		const data = done.data.resultData.runData['Node']?.[0]?.data;
		expect(JSON.stringify(data)).not.toContain(keyOf(credential));
	});

	it.each([500, 200])(
		'an echoed key is not remembered with the execution either (%s)',
		async (status) => {
			const key = keyOf(credential);
			const body = { error: { message: `failed for ${key}` } };
			service.fault({ match: { bodyIncludes: 'item-one' }, do: { type: 'status', status, body } });
			service.fault({ match: { bodyIncludes: 'item-two' }, do: { type: 'status', status: 403 } });
			const { run: done } = await run({
				...call('={{ $json.text }}'),
				items: [{ text: 'item-one' }, { text: 'item-two' }, { text: 'item-three' }],
				secrets: secretsOf(service),
			});
			expect(JSON.stringify(done)).toContain('item-one');
			expect(JSON.stringify(done)).not.toContain(key);
		},
	);

	it('nothing of a request is stored with a failure', async () => {
		service.fault({ do: { type: 'reset_peer' } });
		const { run: done } = await execute();
		expect(JSON.stringify(done)).not.toContain(keyOf(credential));
	});

	it('reads the credential once, however many items there are', async () => {
		const { credentialsRead } = await run({
			...call('={{ $json.n }}'),
			items: [{ n: 'a' }, { n: 'b' }, { n: 'c' }],
			secrets: secretsOf(service),
		});
		expect(credentialsRead).toBe(1);
	});
});

it.each([301, 307])(
	'the catalog is not read from the target of a redirect (%s)',
	async (status) => {
		const other = await startService();
		other.fault({
			match: { path: '/v1/models' },
			do: { type: 'redirect', status, to: `${elsewhere.url}/stolen` },
		});
		const { error } = await run({ ...chat('x'), secrets: secretsOf(other) });
		const posted = posts(other);
		await other.stop();
		expect(error?.message).toMatch(/the catalog could not be read \(.*redirect/);
		expect([elsewhere.requests, posted]).toEqual([[], []]);
	},
);

describe('base URL and key', () => {
	const withCredential = async (change: object) => {
		const { modelRouterApi } = secretsOf(service);
		const secrets = { modelRouterApi: { ...modelRouterApi, ...change } };
		return await run({ ...models('getMany', {}), secrets });
	};

	it.each(['', '/', '/v1', '/v1/', '/v1/v1', '//'])(
		'takes the base URL with "%s" at its end',
		async (end) => {
			const { error } = await withCredential({ baseUrl: service.url + end });
			expect(error).toBeUndefined();
			expect(service.requests[0]?.path).toBe('/v1/models');
		},
	);

	it.each([
		['', /is empty/],
		['router.example.com', /not a web address/],
		['data:application/json,{}', /not a web address/],
		['http://router.example.com', /https/],
		['https://user:pass@127.0.0.1', /user name/],
		['https://127.0.0.1/?x=1', /"\?"/],
		['https://127.0.0.1/#x', /"#"/],
	])('refuses the base URL "%s"', async (baseUrl, message) => {
		const { error } = await withCredential({ baseUrl });
		expect(error?.message).toMatch(message);
		expect(service.requests).toEqual([]);
	});

	it.each(['', '   ', 'a b', 'ключ', 'x\ny'])('refuses the key %j', async (apiKey) => {
		const { error } = await withCredential({ apiKey });
		expect(error?.message).toMatch(/API key/);
		expect(service.requests).toEqual([]);
	});

	it('takes a key with blanks and zero-width characters around it', async () => {
		const { error } = await withCredential({ apiKey: ` \u200b${keyOf('modelRouterApi')}\n` });
		expect(error).toBeUndefined();
	});

	it('keeps to the domains that the credential allows', async () => {
		const refused = await withCredential({
			allowedHttpRequestDomains: 'domains',
			allowedDomains: 'example.com',
		});
		expect(refused.error?.message).toMatch(/Domain not allowed/);
		const allowed = await withCredential({
			allowedHttpRequestDomains: 'domains',
			allowedDomains: '127.0.0.1',
		});
		expect(allowed.error).toBeUndefined();
		expect(service.requests).toHaveLength(1);
	});

	it('says of every item what is wrong with the credential when the node carries on', async () => {
		const { failed, items } = await run({
			...chat('x'),
			items: [{ n: 1 }, { n: 2 }],
			secrets: { modelRouterApi: { baseUrl: 'nonsense', apiKey: 'x' } },
			settings: { onError: 'continueErrorOutput' },
		});
		expect(items).toEqual([]);
		expect(failed).toMatchObject([
			{ json: { n: 1, error: expect.stringContaining('base URL') } },
			{ json: { n: 2, error: expect.stringContaining('base URL') } },
		]);
	});
});
