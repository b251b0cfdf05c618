import type { INodeParameters } from 'n8n-workflow';

import type { Fault } from '../service/service';
import {
	chat,
	job,
	model,
	modelRouter,
	models,
	type Paying,
	PICTURE,
	posts,
	response,
	RETRIED,
	withAccount,
} from './rig/calls';
import { run, start, shownText } from './rig/run';
import { secretsOfFreshAccount, serviceForTests } from './rig/service';

// the catalog: its filters, one entry in any spelling, and what it spares the user
const service = serviceForTests();

const failCatalog = (fault: Fault | (() => Fault)) =>
	service.fault({ match: { path: '/v1/models' }, do: fault });
const answerCatalog = (body: () => object) =>
	failCatalog(() => ({ type: 'status', status: 200, body: body() }));

const list = async (filters: INodeParameters = {}, more: INodeParameters = {}) => {
	const { items, error } = await service.run(
		models('getModels', { returnAll: true, filters, ...more }),
	);
	expect(error).toBeUndefined();
	return items.map(({ json }) => json);
};
const ids = async (filters: INodeParameters, more?: INodeParameters) =>
	(await list(filters, more)).map(({ model: id }) => id as string);

/** Of this one the catalog does not say what it is. */
const NO_KIND = 'tiny/plain-text-1';

describe('many models', () => {
	it('hold nothing that the catalog does not say', async () => {
		const all = await list();
		expect(all.length).toBeGreaterThan(10);
		for (const entry of all) {
			expect(entry['requestId']).toMatch(/^req-/);
			expect(Object.values(entry)).not.toContain(null);
		}
		const byId = (id: string) => all.find((entry) => entry['model'] === id);
		expect(byId('canvas/sketch-1')).toMatchObject({ usdPerUnit: 0.04, unit: 'image' });
		expect(byId(NO_KIND)).not.toHaveProperty('kind');
		expect(Object.keys(byId('tiny/no-price-1') ?? {}).join()).not.toMatch(/usd/i);
	});

	it("are the catalog's own entries with Simplify off, and one model is as in the list", async () => {
		const all = await list({}, { simplify: false });
		const pricing = { input_per_mtok: 0.5, output_per_mtok: 1.5, cached_input_per_mtok: 0.05 };
		const own = { id: 'northwind/quill-2.5', owned_by: 'northwind', pricing };
		expect(all.find(({ id }) => id === own.id)).toMatchObject(own);
		const { items } = await service.run(
			models('getModel', { model: model('northwind/QUILL-2.5') }),
		);
		const { requestId, ...listed } = (await list({}, {})).find(
			(entry) => entry['model'] === own.id,
		)!;
		expect(items[0]?.json).toEqual({ ...listed, requestId: expect.stringMatching(/^req-/) });
		expect(requestId).not.toBe(items[0]?.json['requestId']);
	});

	it('of one kind, and those without a kind whose price allows it; a limit counts after the filters', async () => {
		const kinds = async (kind: string) =>
			new Set((await list({}, { kind })).map((entry) => entry['kind']));
		expect(await kinds('image')).toEqual(new Set(['image']));
		expect(await kinds('text')).toEqual(new Set(['text', undefined]));
		const limited = { returnAll: false, limit: 1 };
		expect(await ids({ search: 'northwind' }, limited)).toEqual(['northwind/quill-2.5']);
	});

	it.each<[INodeParameters, kept: string, left: string]>([
		[{ inputModality: 'image' }, 'tiny/no-price-1', 'northwind/quill-2.5'],
		[{ search: 'AURORA labs' }, 'Aurora-Labs/Prism-4.1-Turbo', NO_KIND],
		[{ minContext: 500_000 }, 'tiny/no-context-1', 'northwind/quill-2.5'],
		[{ maxInputPrice: 0.5 }, NO_KIND, 'aurora-labs/deep-reason-1'],
		[{ maxOutputPrice: 1 }, NO_KIND, 'northwind/quill-2.5'],
		[{ search: 'prism 4' }, 'Aurora-Labs/Prism-4.1-Turbo', 'northwind/quill-2.5'],
	])('with %j', async (filters, kept, left) => {
		const found = await ids(filters);
		expect([found.includes(kept), found.includes(left)]).toEqual([true, false]);
	});
});

it('an entry with an error of its own does not make n8n repeat the node', async () => {
	answerCatalog(() => [{ id: 'a/b', owned_by: 'a', pricing: {}, error: { message: 'odd' } }]);
	const { items } = await service.run(models('getModels', { returnAll: true }), {
		settings: RETRIED,
	});
	expect(items).toMatchObject([{ json: { model: 'a/b', failure: { message: 'odd' } } }]);
	expect(service.requests).toHaveLength(1);
});

describe('the catalog, which a message needs,', () => {
	const allowed = { options: { allowUnknownCost: true } };

	it('is read once for many items, executions and nodes', async () => {
		const secrets = secretsOfFreshAccount(service);
		const items = Array.from({ length: 30 }, (_, n) => ({ n }));
		for (const call of [chat('x'), response('x'), job('start', PICTURE)])
			await run({ ...call, items, secrets });
		expect(service.requests.filter(({ path }) => path === '/v1/models')).toHaveLength(1);
	});

	it('holds nobody up for long if it never comes', async () => {
		failCatalog({ type: 'timeout' });
		const asked = { items: [{}, {}, {}], secrets: secretsOfFreshAccount(service) };
		expect((await run({ ...chat('x', allowed), ...asked })).items).toHaveLength(3);
		// what a cap needs is waited for as long as anything else
		const needed = chat('x', { requestSettings: { idleTimeout: 1 } });
		const { error } = await run({ ...needed, ...asked });
		expect(error?.message).toBe('The catalog could not be read: it did not arrive in time');
		expect(error?.description).toMatch(/^Run it again later: .*\nOutcome: nothing was started/);
		expect(shownText(error)).not.toContain('Allow Unknown Cost');
	});

	const page = '<!doctype html><title>Sign in</title>';
	const CHECK_URL = /^Check the base URL of the credential "modelRouterApi": /m;
	const LATER = /^Run it again later: /m;
	const calls: Array<[string, Paying]> = [
		['a message', chat('x')],
		['a job', job('start', { ...PICTURE, options: {} })],
		['an estimate', modelRouter({ ...chat('x').parameters, operation: 'estimateCost' })],
	];
	it.each<[string, Fault, title: string, advice: RegExp]>([
		[
			'404',
			{ type: 'status', status: 404 },
			'nothing at this address or with this ID (404)',
			CHECK_URL,
		],
		[
			'a redirect',
			{ type: 'redirect', status: 302, to: '/login' },
			'sent a redirect (302)',
			CHECK_URL,
		],
		[
			'a login page',
			{ type: 'body', contentType: 'text/html', body: page },
			'in a form that cannot be read',
			CHECK_URL,
		],
		[
			'other JSON',
			{ type: 'body', body: '{"ok":true}' },
			'in a form that cannot be read',
			CHECK_URL,
		],
		['500', { type: 'status', status: 500 }, 'reported an internal error (500)', LATER],
		['522', { type: 'status', status: 522 }, 'got no answer that it could use (522)', LATER],
		['429', { type: 'too_many_requests' }, 'too many requests (429)', LATER],
		['a body that breaks off', { type: 'limit_data', bytes: 200 }, 'stopped before its end', LATER],
	])(
		'cannot be read (%s): the title says so, and the advice what to do',
		async (_why, fault, title, advice) => {
			failCatalog(fault);
			for (const [what, call] of calls) {
				const { error } = await run({ ...call, secrets: secretsOfFreshAccount(service) });
				expect([what, error?.message]).toEqual([
					what,
					expect.stringMatching(/^The catalog could not be read: (the|a|th)/),
				]);
				expect(error?.message).toContain(title);
				expect(error?.description).toMatch(advice);
				expect(error?.description).toContain('nothing was started');
				expect(shownText(error)).not.toMatch(/Allow Unknown Cost|\braise "Spending|turn off/);
			}
			expect(posts(service)).toEqual([]);
		},
	);

	it('cannot be read: an AI agent passes on what its chat model says', async () => {
		failCatalog({ type: 'status', status: 404 });
		const { error } = await service.useModel({
			secrets: secretsOfFreshAccount(service),
			use: async (model) => await model.invoke('x'),
		});
		expect(error?.message).toMatch(
			/^The catalog could not be read: .* \(404\).* Check the base URL of the credential "modelRouterApi": /,
		);
		expect(error?.message).not.toContain('Allow Unknown Cost');
	});

	it('cannot be read: a list says so once', async () => {
		failCatalog({ type: 'status', status: 404 });
		const secrets = withAccount(secretsOfFreshAccount(service), {
			modelLists: { list: [{ name: 'both', models: 'northwind/quill-2.5\nnorthwind/quill-mini' }] },
		});
		const both = { model: { __rl: true, mode: 'modelList', value: 'both' } };
		const { error } = await run({ ...chat('x', both), secrets });
		expect(error?.message).toMatch(/^The catalog could not be read: [^:]*: fault_404$/);
		expect(error?.description).toMatch(CHECK_URL);
	});

	it.each([401, 403])('refuses the key (%i): that is what is said', async (status) => {
		failCatalog({ type: 'status', status });
		const { error } = await run({ ...chat('x'), secrets: secretsOfFreshAccount(service) });
		expect(posts(service)).toEqual([]);
		expect(error?.message).toMatch(/^The (service refused the )?API key/);
		expect(shownText(error)).toMatch(/Copy the API key into the credential "modelRouterApi" again/);
		expect(shownText(error)).not.toContain('Allow Unknown Cost');
		expect(error?.description).toContain('nothing was started');
	});

	it('is missing: the service says in the same words that the model is of another kind', async () => {
		failCatalog({ type: 'status', status: 500 });
		const { error } = await run({
			...chat('x', { model: model('canvas/sketch-1'), ...allowed }),
			secrets: secretsOfFreshAccount(service),
		});
		expect(error?.message).toBe('The model canvas/sketch-1 makes images: wrong_endpoint');
		expect(error?.description).toContain('Use "Media" with the Media Type "Image" for it.');
	});

	it('hangs while the execution is stopped: nothing was sent, and that is what is said', async () => {
		failCatalog({ type: 'timeout' });
		const { finished, stop } = start({ ...chat('x'), secrets: secretsOfFreshAccount(service) });
		while (!service.requests.length) await new Promise((resolve) => setTimeout(resolve, 10));
		stop();
		const { error } = await finished;
		expect([error?.message, posts(service)]).toEqual(['The execution was stopped', []]);
		expect(error?.description).toContain('nothing was started');
	});
});

describe('the catalog that cannot be read again after five minutes', () => {
	afterEach(() => void jest.restoreAllMocks());

	const DOWN: Fault = { type: 'status', status: 503 };
	/** An account whose catalog was read some minutes ago, and cannot be read now. */
	const accountOf = async (fault: Fault, minutes = 6) => {
		const secrets = secretsOfFreshAccount(service);
		await run({ ...chat('before'), secrets });
		const { now } = Date;
		jest.spyOn(Date, 'now').mockImplementation(() => now() + 60_000 * minutes);
		failCatalog(fault);
		service.requests.length = 0;
		return secrets;
	};
	const HINT =
		/The catalog could not be read \(The service reported an internal error \(503\)\), so its prices of 20\d\d-\d\d-\d\d \d\d:\d\d UTC count/;

	it.each<[string, Paying]>([
		['a message', chat('x')],
		['a job', job('start', PICTURE)],
	])('counts for %s as it was, and one hint says so', async (_what, call) => {
		const items = [{}, {}];
		const secrets = await accountOf(DOWN);
		const { error, hints } = await run({ ...call, items, secrets });
		expect([error, posts(service).length]).toEqual([undefined, 2]);
		expect(hints).toEqual([expect.stringMatching(HINT)]);
	});

	it('counts for a chat model, which says so once for all its calls', async () => {
		const { calls, given } = await service.useModel({
			secrets: await accountOf(DOWN),
			use: async (model) => {
				await model.invoke('one');
				return (await model.invoke('two')).content;
			},
		});
		expect(given).toEqual([expect.stringContaining('two')]);
		// those of the node, at each of its calls
		const shown = [expect.objectContaining({ message: expect.stringMatching(HINT) })];
		expect(calls.map(({ hints }) => hints)).toEqual([shown, shown]);
	});

	it('refuses what its prices forbid, and says from when they are', async () => {
		const call = chat('x', { spendingCapPerItem: 0.000001 });
		const { error, hints } = await run({ ...call, secrets: await accountOf(DOWN) });
		expect(error?.message).toContain('more than the spending cap');
		expect(error?.description).toMatch(HINT);
		expect([hints, posts(service)]).toEqual([[], []]);
	});
});

it('of a catalog in pages, what is missing is said', async () => {
	answerCatalog(() => ({ data: [{ id: 'v/a' }], total: 7 }));
	const { items, hints } = await service.run(models('getModels', { returnAll: true }));
	expect(items).toHaveLength(1);
	expect(hints.join()).toContain('Only the first 1 entries of the catalog could be read');
});

it('a model that was added, and a price that was lowered, count a minute later', async () => {
	let data: object[] = [];
	answerCatalog(() => ({ data }));
	const listed = (price: number) => {
		const pricing = { input_per_mtok: price, output_per_mtok: price };
		data = [{ id: 'northwind/quill-2.5', kind: 'text', pricing }];
	};
	const call = chat('q', { spendingCapPerItem: 0.1 });
	const secrets = secretsOfFreshAccount(service);
	const ask = async (minutesLater: number) => {
		const { now } = Date;
		const later = jest.spyOn(Date, 'now').mockImplementation(() => now() + 60_000 * minutesLater);
		const { error } = await service.run(call, { secrets });
		later.mockRestore();
		return [error?.message ?? 'answered', service.requests.length];
	};
	const unknown = 'The catalog does not have the model northwind/quill-2.5';
	expect(await ask(0)).toEqual([unknown, 1]);
	listed(1000);
	// at once, it is believed; a minute later it is read again
	expect(await ask(0)).toEqual([unknown, 1]);
	expect(await ask(1)).toEqual([expect.stringContaining('more than the spending cap'), 2]);
	listed(1);
	// the catalog, and the message
	expect(await ask(2)).toEqual(['answered', 4]);
});
