import type { INodeParameters, WorkflowActivateMode } from 'n8n-workflow';

import { idsOf, MINUTE, startLedgerRig } from './rig/ledger';

// what n8n gets from a poll that fails: at the activation, at its own start, and later
const rig = startLedgerRig();
const down = { type: 'status', status: 503 } as const;
const FOUND = { outcome: 'completed', record: '{"status":"completed"}' };
const NOTHING = { items: null, error: undefined };

/** The credential with one field changed. */
const secretsWith = (change: object) => ({ secrets: rig.account(change) });

it.each<[string, object, INodeParameters, RegExp]>([
	['a wrong key of the router', { apiKey: 'wrong' }, {}, /refused the API key \(401\)/],
	['a wrong key of n8n', { n8nApiKey: 'wrong' }, {}, /ledger could not be used.*n8n API key again/],
	['no key of the router', { apiKey: '' }, {}, /key/i],
	['no address', { baseUrl: 'router' }, {}, /Base URL/i],
	['no table', { ledgerTable: ' ' }, {}, /job ledger table is empty/],
	[
		'an expression that fails',
		{},
		{ triggerGroup: '={{ JSON.parse("{") }}' },
		/Trigger Group is empty: its expression found nothing/,
	],
	['no event', {}, { events: [] }, /Trigger On is empty/],
])(
	'a person who activates it reads what to put right: %s',
	async (_what, change, parameters, message) => {
		await rig.started('one');
		for (const activation of ['activate', 'update'] as WorkflowActivateMode[]) {
			const { poll } = rig.watching(parameters, { ...secretsWith(change), activation });
			const { items, error } = await poll();
			expect(items).toBeNull();
			expect(`${error?.message} ${error?.description}`).toMatch(message);
			// n8n tries it again, which must not look as if it went well
			expect((await poll()).error?.message).toBe(error?.message);
			expect(JSON.stringify(error)).not.toContain(rig.n8n.ledgerFields.n8nApiKey);
		}
	},
);

describe('a temporary fault', () => {
	it.each([
		['the router is down', () => rig.service.fault({ do: down })],
		['the router closes connections', () => rig.service.fault({ do: { type: 'reset_peer' } })],
		['n8n is down', () => rig.n8n.service.fault({ do: down })],
	])('%s: the trigger lives', async (_what, fail) => {
		await rig.started('one');
		fail();
		const { poll } = rig.watching();
		expect(await poll()).toEqual(NOTHING);
		const later = await poll();
		expect(later.items).toBeNull();
		expect(later.error?.message).toMatch(/503|connection/);
		// the pause of a minute is ours
		const count = rig.service.requests.length;
		expect(await poll()).toEqual(NOTHING);
		expect(rig.service.requests).toHaveLength(count);
	});

	it('later it is told to n8n as what it is', async () => {
		await rig.started('one');
		const { poll } = rig.watching();
		rig.service.fault({ do: { type: 'too_many_requests', retryAfter: 240 } });
		expect((await poll()).error).toBeUndefined();
		expect((await poll()).error).toMatchObject({
			httpCode: '429',
			failure: { cause: 'rate-limited', retryAfterMs: 240_000 },
		});
	});

	it('a refused key at the start of n8n is logged only, since nobody is there to read it', async () => {
		await rig.started('one');
		const { poll } = rig.watching({}, { ...secretsWith({ apiKey: 'wrong' }), activation: 'init' });
		expect((await poll()).error).toBeUndefined();
		expect((await poll()).error).toMatchObject({
			httpCode: '401',
			failure: { cause: 'credential-invalid' },
		});
	});

	it('with the durable scheduler every poll may fail, and n8n makes the pauses', async () => {
		await rig.started('one');
		rig.service.fault({ do: down });
		const { poll } = rig.watching({}, { activation: 'update', budget: 36_000 });
		for (let time = 0; time < 3; time++)
			expect((await poll()).error).toMatchObject({ failure: { cause: 'temporarily-unavailable' } });
	});

	it('the pause does not outlast a clock that is set back', async () => {
		await rig.started('one');
		rig.service.fault({ do: down });
		const { poll } = rig.watching();
		await poll();
		expect((await poll()).error).toBeDefined();
		const { now } = Date;
		const setBack = jest.spyOn(Date, 'now').mockImplementation(() => now() - 24 * 60 * MINUTE);
		const count = rig.n8n.service.requests.length;
		await poll();
		setBack.mockRestore();
		expect(rig.n8n.service.requests.length).toBeGreaterThan(count);
	});

	it('the pause is over with the next activation', async () => {
		const jobId = await rig.started('one');
		const workflow = { workflowId: 'activated again' };
		const { poll } = rig.watching({}, workflow);
		rig.service.fault({ times: 3, do: down });
		await poll();
		expect((await poll()).error).toBeDefined();
		expect(idsOf((await rig.watching({}, workflow).poll()).items)).toEqual([jobId]);
	});
});

it('of two polls of one trigger at the same time one works', async () => {
	for (let job = 0; job < 5; job++) await rig.started(`job ${job}`);
	const { poll } = rig.watching();
	const [one, other] = await Promise.all([poll(), poll()]);
	expect([one, other].filter(({ items }) => items)).toHaveLength(1);
});

it('a budget that is nearly over claims nothing', async () => {
	await rig.started('one');
	expect(await rig.watching({}, { budget: 1000 }).poll()).toEqual(NOTHING);
	expect(rig.states()).toEqual(['pending']);
});

it('version 2 of the engine is refused instead of emitting for ever', async () => {
	await rig.started('one');
	const { error } = await rig.watching({}, { workflowSettings: { engineType: 'v2' } }).poll();
	expect(error?.message).toMatch(/version 2 of the workflow engine/);
	expect(rig.states()).toEqual(['pending']);
});

describe('a test run in the editor', () => {
	/** It changes nothing. */
	const test = async () => {
		const before = JSON.stringify(rig.n8n.rows);
		const outcome = await rig.watching().execute([{ json: {} }], { mode: 'manual' });
		expect(JSON.stringify(rig.n8n.rows)).toBe(before);
		expect(rig.n8n.service.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
		return outcome;
	};

	it('gives finished jobs, the first with its file, and takes nothing away', async () => {
		const ids = [await rig.started('one'), await rig.started('two')];
		await rig.started('three [[never]]');
		const { items, error } = await test();
		expect(error).toBeUndefined();
		expect(idsOf(items).sort()).toEqual([...ids].sort());
		expect(items.map(({ binary }) => Boolean(binary))).toEqual([true, false]);
		expect(items[0]?.json).not.toHaveProperty('claim');
		expect(idsOf((await rig.watching().poll()).items).sort()).toEqual([...ids].sort());
	});

	it('gives what a poll has found before, and others when the status of one cannot be read', async () => {
		const broken = await rig.started('one');
		const whole = await rig.started('two');
		const found = await rig.started('three', FOUND);
		rig.service.fault({ match: { path: `/jobs/${broken}` }, do: down, times: 9 });
		expect(idsOf((await test()).items).sort()).toEqual([whole, found].sort());
	});

	it('says so when there is nothing', async () => {
		await rig.started('running [[never]]');
		expect((await test()).error?.message).toMatch(/nothing to show yet.*Track in Job Ledger/s);
	});

	it('a refused key is told', async () => {
		await rig.started('one');
		rig.service.fault({ do: { type: 'status', status: 401 } });
		expect((await test()).error?.message).toMatch(/refused the API key/);
	});
});
