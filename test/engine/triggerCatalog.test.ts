import type { INodeParameters } from 'n8n-workflow';

import { activated, executed } from './rig/poll';
import { json, MINUTE, triggerRig, type TriggerRig } from './rig/triggers';

// events of the catalog, with the job ledger and without
let rig: TriggerRig;
let [service, n8n] = [{} as TriggerRig['service'], {} as TriggerRig['n8n']];
let { trigger, pass } = {} as TriggerRig;
beforeAll(async () => {
	rig = await triggerRig();
	({ service, n8n, trigger, pass } = rig);
});
beforeEach(() => {
	rig.reset();
	serve(base);
});
afterAll(async () => await rig.stop());

type Prices = Record<string, unknown>;
const price = (input: number) => ({ input_per_mtok: input, output_per_mtok: 2 * input });
const base: Prices = {
	'v/one': price(1),
	'v/two': price(2),
	'v/three': price(3),
	'v/four': price(4),
};
let [catalog, body] = [base, ''];
const serve = (prices: Prices) => {
	catalog = prices;
	body = JSON.stringify({
		data: Object.entries(catalog).map(([id, pricing]) => ({ id, owned_by: 'v', pricing })),
	});
	service.reset();
	service.fault({ match: { path: '/v1/models' }, do: { type: 'body', body } });
};
const without = (id: string) =>
	Object.fromEntries(Object.entries(catalog).filter(([name]) => name !== id));
const all = { events: ['modelAdded', 'modelRetired', 'priceChanged'], simplify: false };

/** For the catalog alone, the ledger is used if the credential has one. */
function catalogTrigger(kept: string, parameters: INodeParameters = all) {
	const options = trigger(parameters);
	const router = { ...options.secrets['modelRouterApi'], useJobLedger: kept === 'ledger' };
	return { ...options, secrets: { ...options.secrets, modelRouterApi: router } };
}

describe.each(['ledger', 'list'])('with the %s', (watch) => {
	const active = (
		parameters: INodeParameters = all,
		options = catalogTrigger(watch, parameters),
	) => {
		const { poll, staticData } = activated(options);
		/** Readings are minutes apart. */
		const later = async () => {
			pass(6 * MINUTE);
			const data = staticData() as { ledger?: Array<{ checkAt: number; leaseUntil: number }> };
			data.ledger = (data.ledger ?? []).map((row) => ({ ...row, checkAt: 0, leaseUntil: 0 }));
			return await poll();
		};
		const deliver = async (items: Parameters<typeof executed>[0]['items']) =>
			await executed({ ...options, items });
		return { options, poll, later, deliver };
	};

	it('tells what has changed, once, with the prices as they are', async () => {
		const { poll, later, deliver } = active();
		expect(await poll()).toEqual({ items: null, error: undefined });
		expect((await later()).items).toBeNull();
		serve({ ...without('v/two'), 'v/one': { ...price(1), cached: 0.5 }, 'v/new': price(9) });
		const { items } = await later();
		const { items: out } = await deliver(items!);
		expect(json(out)).toEqual([
			{
				...{ event: 'modelAdded', model: 'v/new', pricing: price(9) },
				entry: { id: 'v/new', owned_by: 'v', pricing: price(9) },
			},
			{ event: 'modelRetired', model: 'v/two', oldPricing: price(2) },
			{
				...{ event: 'priceChanged', model: 'v/one', oldPricing: price(1) },
				pricing: { ...price(1), cached: 0.5 },
				entry: expect.objectContaining({ id: 'v/one' }),
			},
		]);
		expect((await later()).items).toBeNull();
	});

	it('tells only what is wanted, and not later what was not', async () => {
		const { poll, later, options, deliver } = active({ events: ['modelAdded'] });
		await poll();
		serve({ ...base, 'v/one': price(7) });
		expect((await later()).items).toBeNull();
		serve({ ...catalog, 'v/new': null });
		const { items } = await later();
		await deliver(items!);
		expect(json(items)).toMatchObject([{ event: 'modelAdded', model: 'v/new' }]);
		const { later: wider } = active(all, { ...options, parameters: all });
		expect((await wider()).items).toBeNull();
	});

	it.each([
		['empty', {}],
		['shrunken', { 'v/one': price(1) }],
	])('a catalog that is %s is an outage at first', async (_what, prices) => {
		const { poll, later } = active();
		await poll();
		serve(prices);
		for (let time = 0; time < 5; time++)
			expect(await later()).toEqual({ items: null, error: undefined });
		serve(base);
		expect((await later()).items).toBeNull();
	});

	it('one that stays small is believed after an hour', async () => {
		const { poll, later } = active();
		await poll();
		serve({ 'v/one': price(1) });
		let told = 0;
		for (let time = 1; time <= 12; time++) told = (await later()).items?.length ? time : told;
		expect(told).toBe(12);
	});

	it('one that cannot be read changes nothing', async () => {
		const { poll, later } = active();
		await poll();
		service.reset();
		service.fault({ match: { path: '/v1/models' }, do: { type: 'login_page' } });
		const { items, error } = await later();
		expect([items, error?.message]).toEqual([null, expect.stringContaining('cannot be read')]);
	});

	it('another spelling is the same model', async () => {
		const { poll, later } = active();
		await poll();
		serve({ ...without('v/one'), 'V/O.ne': price(1) });
		expect((await later()).items).toBeNull();
	});
});

describe('with the ledger', () => {
	const prepared = async () => {
		const options = catalogTrigger('ledger');
		const { poll } = activated(options);
		await poll();
		serve({ ...base, 'v/new': price(9) });
		pass(6 * MINUTE);
		const { items } = await poll();
		expect(items).toHaveLength(1);
		return { options, poll, items: items! };
	};

	it('what nobody marked is told again, and the first one is too late', async () => {
		const { options, poll, items } = await prepared();
		pass(6 * MINUTE);
		expect((await poll()).items).toBeNull();
		pass(6 * MINUTE);
		const second = (await poll()).items!;
		expect(json(second)).toMatchObject([{ model: 'v/new' }]);
		expect((await executed({ ...options, items })).items).toEqual([]);
		expect((await executed({ ...options, items: second })).items).toHaveLength(1);
		// and a run after its end gives the same
		expect((await executed({ ...options, items: second, mode: 'retry' })).items).toHaveLength(1);
		pass(6 * MINUTE);
		expect((await poll()).items).toBeNull();
	});

	it('each trigger tells every change; a restart forgets nothing', async () => {
		const [one, other] = [catalogTrigger('ledger'), catalogTrigger('ledger')];
		await activated(one).poll();
		await activated(other).poll();
		serve({ ...base, 'v/new': price(9) });
		pass(6 * MINUTE);
		for (const options of [one, other])
			expect((await activated({ ...options, activation: 'init' }).poll()).items).toHaveLength(1);
	});

	it('another account begins anew', async () => {
		const options = catalogTrigger('ledger');
		await activated(options).poll();
		serve({ 'w/one': price(1) });
		pass(6 * MINUTE);
		const credentials = { modelRouterApi: { id: 'another', name: 'another' } };
		const secrets = { ...options.secrets, another: options.secrets['modelRouterApi']! };
		const { items } = await activated({ ...options, secrets, settings: { credentials } }).poll();
		expect([items, n8n.entries().map(({ account }) => account)]).toEqual([
			null,
			['modelRouterApi', 'another'],
		]);
	});

	it('a baseline that cannot be read is replaced by the current state, with a note', async () => {
		const options = catalogTrigger('ledger');
		await activated(options).poll();
		n8n.rows[0]!.record = 'spoilt';
		pass(6 * MINUTE);
		expect((await activated(options).poll()).items).toBeNull();
		expect(n8n.entries()).toMatchObject([
			{
				note: expect.stringContaining('recorded instead'),
				record: expect.stringContaining('v/one'),
			},
		]);
	});

	it('comes in one execution with jobs, and trouble with one does not cost the other', async () => {
		const { started } = rig;
		const options = trigger({ events: [...all.events, 'mediaJobCompleted'] });
		const { poll } = activated(options);
		await poll();
		serve({ ...base, 'v/new': price(9) });
		service.forms.jobSteps = 0;
		const jobId = await started('one');
		pass(6 * MINUTE);
		const { items } = await poll();
		const { items: out } = await executed({ ...options, items: items! });
		expect(json(out)).toMatchObject([{ jobId, file: {} }, { model: 'v/new' }]);
		service.reset();
		service.fault({ match: { path: '/v1/models' }, do: { type: 'login_page' } });
		service.forms.jobSteps = 0;
		// the service has forgotten everything, and begins with the same ids
		n8n.rows[1]!['jobId'] = 'an earlier one';
		const second = await started('two');
		pass(6 * MINUTE);
		expect(json((await poll()).items)).toMatchObject([{ jobId: second }]);
	});
});

it('what a trigger without a ledger has kept may be anything', async () => {
	const { poll, staticData } = activated(catalogTrigger('list'));
	for (const kept of [7, ['x'], [{ id: 'x' }], { told: {} }]) {
		staticData()['ledger'] = kept as never;
		expect(await poll()).toEqual({ items: null, error: undefined });
		expect(staticData()['ledger']).toMatchObject([{ state: 'baseline' }]);
	}
});
