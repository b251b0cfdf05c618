import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { MAX_SPENDING_ROWS } from '../../src/spending/recordBook';
import { budget, chat, failPosts, NOVELIST, refusedRequest } from './rig/calls';
import { json, MINUTE, startLedgerRig } from './rig/ledger';
import { logOfTests } from './rig/logged';
import { run } from './rig/run';

// what the Model Router Trigger tells beside jobs: docs/spending.md
const rig = startLedgerRig();
const logged = logOfTests();
const MONTH = new Date().toISOString().slice(0, 7);

const secretsOf = (budgetUsd: string, more: IDataObject = {}) =>
	rig.account({ budgetUsd, ...more });
type Secrets = ReturnType<typeof secretsOf>;
const write = async (secrets: Secrets) =>
	await run({ ...chat('Write.', { model: NOVELIST, spendingCapPerItem: 5 }), secrets });
/** Forgets what this process knows of the budget's row. */
const forget = async (secrets: Secrets) => void (await run({ ...budget('getBudget'), secrets }));
const alarms = () =>
	rig.n8n.rows.filter(({ mediaType }) => mediaType === 'alarm').map(({ jobId }) => jobId);
const watching = (event: string, secrets: Secrets, more: INodeParameters = {}) =>
	rig.watching({ events: [event], ...more }, { secrets });

describe('Budget Threshold Reached', () => {
	const tells = (secrets: Secrets, more?: INodeParameters) =>
		watching('budgetThresholdReached', secrets, more);
	beforeEach(async () => await forget(secretsOf('1')));

	it('whoever reaches a threshold enters it, and a trigger tells it once, as a job', async () => {
		// one text costs 0.09
		const secrets = secretsOf('0.2', { alarmPercents: '40, 80 %' });
		const { deliver } = tells(secrets);
		expect(await deliver()).toEqual([]);
		await write(secrets);
		expect(alarms()).toEqual([`budget:${MONTH}:40`]);
		expect(json(await deliver())).toEqual([
			{
				event: 'budgetThresholdReached',
				jobId: `budget:${MONTH}:40`,
				percent: 40,
				budgetUsd: 0.2,
				raisedUsd: 0,
				spentUsd: expect.any(Number),
				reservedUsd: expect.any(Number),
				period: 'month',
				periodStart: `${MONTH}-01T00:00:00Z`,
				periodEnd: expect.any(String),
			},
		]);
		await write(secrets);
		expect(json(await deliver())).toMatchObject([{ percent: 80 }]);
		await write(secrets);
		expect(await deliver()).toEqual([]);
	});

	it('is not told again when the amount was changed, nor when its entry was deleted', async () => {
		await write(secretsOf('0.1'));
		expect(json(await tells(secretsOf('0.1')).deliver())).toMatchObject([{ percent: 80 }]);
		rig.n8n.rows.splice(
			0,
			Infinity,
			...rig.n8n.rows.filter(({ mediaType }) => mediaType !== 'alarm'),
		);
		await write(secretsOf('0.2'));
		expect(await tells(secretsOf('0.2')).deliver()).toEqual([]);
	});

	it('is a part of the budget with what was raised', async () => {
		const secrets = secretsOf('0.1', { workflowsMayRaiseBy: '0.1', alarmPercents: '40' });
		const raising = { request: refusedRequest(), amount: 0.1, reason: 'Ada said so' };
		await run({ ...budget('raise', raising), secrets });
		await write({ modelRouterApi: { ...secrets['modelRouterApi'], alarmPercents: '80' } });
		expect(alarms()).toEqual([]);
		const told = json(await tells(secrets).deliver());
		expect(told).toMatchObject([{ percent: 40, budgetUsd: 0.2, raisedUsd: 0.1 }]);
	});

	it('each label is told', async () => {
		const secrets = secretsOf('0.05', { alarmPercents: '80' });
		await write(secrets);
		for (const triggerGroup of ['ops', 'finance', '']) {
			const { deliver } = tells(secrets, { triggerGroup });
			const name = `budget:${MONTH}:80${triggerGroup && `:${triggerGroup}`}`;
			expect(json(await deliver())).toMatchObject([{ jobId: name }]);
			expect(await deliver()).toEqual([]);
		}
	});

	it('a poll tells what a killed process could not enter any more', async () => {
		const secrets = secretsOf('0.05', { alarmPercents: '' });
		await write(secrets);
		expect(alarms()).toEqual([]);
		expect(json(await tells(secretsOf('0.05')).deliver())).toMatchObject([{ percent: 80 }]);
	});

	it('comes again until it is confirmed', async () => {
		const secrets = secretsOf('0.05', { alarmPercents: '80' });
		await write(secrets);
		const { deliver } = tells(secrets, { deliveredWhen: 'confirmed' });
		const told = json(await deliver());
		expect(told).toMatchObject([{ percent: 80, deliveryAttempt: 1 }]);
		rig.pass(11 * MINUTE);
		expect(json(await deliver())).toMatchObject([{ deliveryAttempt: 2 }]);
		const { items } = await rig.ledger('confirmDelivery', {}, { items: told, secrets });
		expect(json(items)).toMatchObject([{ state: 'delivered', alreadyDelivered: false }]);
		rig.pass(60 * MINUTE);
		expect(await deliver()).toEqual([]);
	});

	it('one that cannot be entered holds up no finished job', async () => {
		const secrets = secretsOf('1');
		const events = ['budgetThresholdReached', 'mediaJobCompleted'];
		const { poll } = rig.watching({ events }, { secrets });
		expect((await poll()).error).toBeUndefined();
		const jobId = await rig.started('a cat');
		const row = rig.n8n.rows.find(({ state }) => state === 'budget');
		Object.assign(row!, { record: 'edited' });
		// n8n polls every minute
		const { now } = Date;
		const later = jest.spyOn(Date, 'now');
		const pollAfter = async (minutes: number) => {
			later.mockImplementation(() => now() + minutes * MINUTE);
			return await poll();
		};
		expect(json((await pollAfter(1)).items)).toMatchObject([{ jobId }]);
		const line = expect.stringMatching(/^A part of the poll failed: .*cannot be read/);
		expect(logged).toContainEqual([line, expect.anything()]);
		for (const minutes of [2, 3, 4, 5])
			expect((await pollAfter(minutes)).error?.message).toContain('cannot be read');
		later.mockRestore();
	});

	it.each([
		['a credential without a budget', '', {}, 'The credential has no budget'],
		['a list of job IDs', '1', { watch: 'list', jobIds: 'x' }, 'A list of job IDs has no alarms'],
	])('%s is refused', async (_what, amount, more, message) => {
		const { poll } = tells(secretsOf(amount), more);
		expect((await poll()).error?.message).toContain(message);
	});

	it('percentages that cannot be read are refused before anything is sent', async () => {
		const { error } = await write(secretsOf('1', { alarmPercents: '80, most' }));
		expect(error?.message).toContain('has "most", which is not a percentage');
	});
});

describe('Spending Table Nearly Full', () => {
	const secrets = (fields: IDataObject = {}) => secretsOf('', { recordSpending: true, ...fields });
	const tells = (more?: INodeParameters, fields?: IDataObject) =>
		watching('spendingTableNearlyFull', secrets(fields), more);
	const told = (table: string) => `spending:${MONTH}:${table}`;
	const fill = (count: number) => {
		const row = { day: MONTH, label: 'a customer', costUsd: 1, record: '{}' };
		const added = Array.from({ length: count }, (_, index) => ({ ...row, id: index + 1 }));
		rig.n8n.spending.splice(0, Infinity, ...added);
	};

	it('from 80 % on, it is told once a month, with what to do', async () => {
		const { poll, deliver } = tells();
		expect(await deliver()).toEqual([]);
		fill(MAX_SPENDING_ROWS * 0.8 - 1);
		expect(await deliver()).toEqual([]);
		fill(MAX_SPENDING_ROWS * 0.8);
		const sent = rig.n8n.service.requests.length;
		expect(json(await deliver())).toEqual([
			{
				event: 'spendingTableNearlyFull',
				jobId: told('Agent Spending'),
				spendingTable: 'Agent Spending',
				note: 'The Spending Table has 80 % of the 20,000 rows that it takes.',
				advice: expect.stringContaining('Combine Old Rows'),
			},
		]);
		const read = rig.n8n.service.requests
			.slice(sent)
			.filter(({ path }) => path.includes('offset') || path.includes('cursor'));
		expect(read).toHaveLength(1);
		expect((await poll()).items).toBeNull();
		Object.assign(rig.n8n.rows[0]!, { jobId: 'spending:2026-01:Agent Spending' });
		expect(json(await deliver())).toMatchObject([{ jobId: told('Agent Spending') }]);
		expect(rig.states()).toEqual(['delivered', 'delivered']);
	});

	it('two polls at once tell it once; each label and each table is told', async () => {
		const ofOther = { spendingTable: 'Other Spending' };
		await tells({}, ofOther).deliver();
		fill(MAX_SPENDING_ROWS);
		const both = await Promise.all([tells().deliver(), tells().deliver()]);
		expect(both.flat()).toHaveLength(1);
		expect(json(await tells({ triggerGroup: 'ops' }).deliver())).toMatchObject([
			{ jobId: `${told('Agent Spending')}:ops`, triggerGroup: 'ops' },
		]);
		expect(json(await tells({}, ofOther).deliver())).toMatchObject([
			{ jobId: told('Other Spending') },
		]);
	});

	it('a credential that records nothing is refused', async () => {
		const { poll } = watching('spendingTableNearlyFull', secretsOf(''));
		expect((await poll()).error?.message).toContain('does not record what is spent');
	});
});

describe('Outcome Unknown', () => {
	const secrets = () => secretsOf('');
	const start = async (more: IDataObject = {}) => {
		failPosts(rig.service, { type: 'status', status: 500 }, 1);
		return await run(rig.starting('a cat', more as INodeParameters));
	};

	it('a start whose outcome is unknown is told once, with its entry', async () => {
		await start({ uniqueKey: 'order-7' });
		const { deliver } = watching('outcomeUnknown', secrets());
		expect(json(await deliver())).toEqual([
			{
				event: 'outcomeUnknown',
				jobId: 'unknown:1',
				entryId: 1,
				uniqueKey: 'order-7',
				mediaType: 'images',
				model: 'canvas/sketch-1',
				executionId: 'execution-1',
				note: expect.any(String),
				startedAt: expect.any(String),
			},
		]);
		expect(await deliver()).toEqual([]);
		expect(rig.states()).toEqual(['unknown', 'delivered']);
	});

	it('a start whose process was killed is told when its lease has expired', async () => {
		rig.enter('', { state: 'sending', jobId: '', leaseUntil: Date.now() + 5 * MINUTE, claim: 'c' });
		const { deliver } = watching('outcomeUnknown', secrets());
		expect(await deliver()).toEqual([]);
		rig.pass(6 * MINUTE);
		expect(json(await deliver())).toMatchObject([{ jobId: 'unknown:1' }]);
		expect(rig.states()[0]).toBe('unknown');
	});

	it('a label hears of its own starts only, and no other event of alarms', async () => {
		rig.enter('', { state: 'unknown', jobId: '', triggerGroup: 'videos' });
		expect(await watching('mediaJobCompleted', secrets()).deliver()).toEqual([]);
		expect(
			await watching('outcomeUnknown', secrets(), { triggerGroup: 'other' }).deliver(),
		).toEqual([]);
		const { deliver } = watching('outcomeUnknown', secrets(), { triggerGroup: 'videos' });
		expect(json(await deliver())).toMatchObject([{ jobId: 'unknown:1:videos' }]);
	});
});
