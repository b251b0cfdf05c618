import type { WorkflowActivateMode } from 'n8n-workflow';

import { activated, executed } from './rig/poll';
import { idsOf, triggerRig, type TriggerRig } from './rig/triggers';

// what n8n gets from a poll that fails: at the activation, at its own start, and later
let rig: TriggerRig;
let [service, n8n] = [{} as TriggerRig['service'], {} as TriggerRig['n8n']];
let { trigger, started, states } = {} as TriggerRig;
beforeAll(async () => {
	rig = await triggerRig();
	({ service, n8n, trigger, started, states } = rig);
});
beforeEach(() => rig.reset());
afterAll(async () => await rig.stop());

const down = { type: 'status', status: 503 } as const;

/** The credentials with one field changed. */
const secretsWith = (credential: string, field: string, value: string) => {
	const { secrets } = trigger();
	return { secrets: { ...secrets, [credential]: { ...secrets[credential], [field]: value } } };
};

describe.each<WorkflowActivateMode>(['activate', 'update'])(
	'a person activates it (%s)',
	(activation) => {
		it.each([
			['router', 'modelRouterApi', 'apiKey', 'wrong', /refused the API key \(401\)/],
			[
				'ledger',
				'modelRouterApi',
				'n8nApiKey',
				'wrong',
				/job ledger could not be used.*refused the API key.*n8n API key again/,
			],
			['no router key', 'modelRouterApi', 'apiKey', '', /key/i],
			['no address', 'modelRouterApi', 'baseUrl', 'router', /Base URL/i],
			['no table', 'modelRouterApi', 'ledgerTable', ' ', /job ledger table is empty/],
		])('%s: says what to put right', async (_what, credential, field, value, message) => {
			await started('one');
			const options = { ...trigger({}, secretsWith(credential, field, value)), activation };
			const active = activated(options);
			const { items, error } = await active.poll();
			expect([
				items,
				`${error?.message} ${(error as { description?: string }).description}`,
			]).toEqual([null, expect.stringMatching(message)]);
			// n8n tries it again, which must not look as if it went well
			expect((await active.poll()).error?.message).toBe(error?.message);
			expect(JSON.stringify(error)).not.toContain(n8n.ledgerFields.n8nApiKey);
		});

		it('an expression that fails', async () => {
			const { error } = await activated({
				...trigger({ ledgerLabel: '={{ JSON.parse("{") }}' }),
				activation,
			}).poll();
			expect(error?.message).toMatch(/Label is empty: its expression found nothing/);
		});

		it('no event', async () => {
			const { error } = await activated({ ...trigger({ events: [] }), activation }).poll();
			expect(error?.message).toMatch(/Trigger On is empty/);
		});
	},
);

describe('a temporary fault', () => {
	it.each<[string, () => void]>([
		['the router is down', () => service.fault({ do: down })],
		['the router closes connections', () => service.fault({ do: { type: 'reset_peer' } })],
		['n8n is down', () => n8n.service.fault({ do: down })],
	])('%s: the trigger lives', async (_what, fail) => {
		const jobId = await started('one');
		fail();
		const { poll } = activated(trigger());
		expect(await poll()).toEqual({ items: null, error: undefined });
		const later = await poll();
		expect([later.items, later.error?.message]).toEqual([
			null,
			expect.stringMatching(/503|connection/),
		]);
		// the pause of a minute is ours
		const { requests } = service;
		const count = requests.length;
		expect(await poll()).toEqual({ items: null, error: undefined });
		expect(requests).toHaveLength(count);
		expect(jobId).toBeTruthy();
	});

	it('does not cost the jobs that an earlier poll has found', async () => {
		const { poll } = activated(trigger());
		await poll();
		const found = await started('one', { outcome: 'completed', record: '{"status":"completed"}' });
		await started('two');
		service.fault({ do: down });
		const { items, error } = await poll();
		expect([idsOf(items), error]).toEqual([[found], undefined]);
	});

	it('later it is told to n8n as what it is', async () => {
		await started('one');
		const { poll } = activated(trigger());
		service.fault({ do: { type: 'too_many_requests', retryAfter: 240 } });
		expect((await poll()).error).toBeUndefined();
		expect((await poll()).error).toMatchObject({
			httpCode: '429',
			failure: { cause: 'rate-limited', retryAfterMs: 240_000 },
		});
	});

	it('a refused key at the start of n8n is logged only, since nobody is there to read it', async () => {
		const wrong = trigger({}, secretsWith('modelRouterApi', 'apiKey', 'wrong'));
		await started('one');
		const { poll } = activated({ ...wrong, activation: 'init' });
		expect((await poll()).error).toBeUndefined();
		expect((await poll()).error).toMatchObject({
			httpCode: '401',
			failure: { cause: 'credential-invalid' },
		});
	});

	it('with the durable scheduler every poll may fail, and n8n makes the pauses', async () => {
		await started('one');
		service.fault({ do: down });
		const { poll } = activated({ ...trigger(), activation: 'update', budget: 36_000 });
		for (let time = 0; time < 3; time++)
			expect((await poll()).error).toMatchObject({ failure: { cause: 'temporarily-unavailable' } });
	});

	it('the pause is over with the next activation', async () => {
		const jobId = await started('one');
		const options = trigger();
		const { poll } = activated(options);
		service.fault({ times: 3, do: down });
		await poll();
		expect((await poll()).error).toBeDefined();
		expect(idsOf((await activated(options).poll()).items)).toEqual([jobId]);
	});
});

it('of two polls of one trigger at the same time one works', async () => {
	for (let job = 0; job < 5; job++) await started(`job ${job}`);
	const { poll } = activated(trigger());
	const [one, other] = await Promise.all([poll(), poll()]);
	expect([one, other].filter(({ items }) => items)).toHaveLength(1);
});

it('a budget that is nearly over claims nothing', async () => {
	await started('one');
	const { poll } = activated({ ...trigger(), budget: 1000 });
	expect(await poll()).toEqual({ items: null, error: undefined });
	expect(states()).toEqual(['pending']);
});

it('version 2 of the engine is refused instead of emitting for ever', async () => {
	await started('one');
	const options = trigger({}, { workflowSettings: { engineType: 'v2' } });
	expect((await activated(options).poll()).error?.message).toMatch(
		/version 2 of the workflow engine/,
	);
	expect(states()).toEqual(['pending']);
});

describe('a test run in the editor', () => {
	const test = async (parameters = {}) =>
		await executed({ ...trigger(parameters), items: [{ json: {} }], mode: 'manual' });
	const untouched = async (work: () => Promise<void>) => {
		const before = JSON.stringify(n8n.rows);
		await work();
		expect(JSON.stringify(n8n.rows)).toBe(before);
		expect(n8n.service.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
	};

	it('gives finished jobs, the first with its file, and takes nothing away', async () => {
		const ids = [await started('one'), await started('two')];
		await started('three [[never]]');
		await untouched(async () => {
			const { items, error } = await test();
			expect(error).toBeUndefined();
			expect(idsOf(items).sort()).toEqual([...ids].sort());
			expect(items.map(({ binary }) => Boolean(binary))).toEqual([true, false]);
			expect(items[0]?.json).not.toHaveProperty('claim');
		});
		expect(idsOf((await activated(trigger()).poll()).items).sort()).toEqual([...ids].sort());
	});

	it('gives what a poll has found before', async () => {
		const jobId = await started('one', { outcome: 'completed', record: '{"status":"completed"}' });
		await untouched(async () => expect(idsOf((await test()).items)).toEqual([jobId]));
	});

	it('shows the others when the status of one cannot be read', async () => {
		const [broken, whole] = [await started('one'), await started('two')];
		service.fault({
			match: { path: `/jobs/${broken}` },
			do: { type: 'status', status: 503 },
			times: 9,
		});
		await untouched(async () => expect(idsOf((await test()).items)).toEqual([whole]));
	});

	it('says so when there is nothing', async () => {
		await started('running [[never]]');
		await untouched(async () => {
			const { error } = await test();
			expect(error?.message).toMatch(/no finished job to show/);
			expect(error?.message).toMatch(/Track in Job Ledger/);
		});
	});

	it('a refused key is told', async () => {
		await started('one');
		service.fault({ do: { type: 'status', status: 401 } });
		expect((await test()).error?.message).toMatch(/refused the API key/);
	});
});
