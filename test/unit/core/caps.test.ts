import { setImmediate } from 'node:timers/promises';

import fc from 'fast-check';

import {
	Cap,
	checkCaps,
	createConversationCap,
	emptySpending,
	keepEstimate,
	leftIn,
	replaceEstimate,
	type Spending,
} from '../../../src/core/caps';
import { reserve as reserveWithin, type Scope, type Bound } from '../../../src/core/reserve';
import { invalidInputError } from '../../../src/core/errors';
import { failureOf, thrownBy } from '../inMemoryHttp';

const most = (microUsd: number): Bound => ({
	microUsd,
	advise: (field) => `Lower it, or raise "${field}".`,
});
const reserve = async (scopes: Parameters<typeof reserveWithin>[0], bound: Bound) =>
	await reserveWithin(scopes, () => bound);
const UNBOUNDED: Bound = { unbounded: 'There is no price.' };

const ofExecution = (cap: number, spending: Spending, more: object = {}) =>
	new Cap({ cap, field: 'The Cap', of: 'execution', spending, ...more });
const ofItem = (cap: number) => new Cap({ cap, field: 'The Item Cap', of: 'item' });

it('counts a request with the most that it can cost, then with what it did cost', async () => {
	const spending = emptySpending();
	const execution = ofExecution(1, spending);
	const call = await reserve({ execution }, most(800_000));
	expect(spending).toEqual({ spent: '0', reserved: '800000', open: 1 });
	await call.settle(5);
	expect(spending).toEqual({ spent: '5', reserved: '0', open: 0 });
	await (await reserve({ execution }, most(300_000))).release();
	expect(spending).toEqual({ spent: '5', reserved: '0', open: 0 });
	expect(JSON.parse(JSON.stringify(spending))).toEqual(spending);
});

it('a job counts with its cost once it has ended, however often that is said', () => {
	const spending = { ...emptySpending(), spent: '500000' };
	keepEstimate(spending, 'mine', '400000');
	for (const job of ['mine', 'mine', 'of another execution']) replaceEstimate(spending, job, 0);
	expect(spending).toMatchObject({ spent: '100000', jobs: {} });
});

describe('beside others that are under way', () => {
	it('one that does not fit only because of them waits for an end, and is then counted', async () => {
		const spending = emptySpending();
		const execution = () => ofExecution(1, spending);
		const one = await reserve({ execution: execution() }, most(600_000));
		const other = await reserve({ execution: execution() }, most(300_000));
		const ended: string[] = [];
		const waiting = reserve({ execution: execution() }, most(500_000)).then(() =>
			ended.push('waiting'),
		);
		await other.settle(100_000);
		// what it waits for is not enough yet
		expect(await Promise.race([waiting, setImmediate('no')])).toBe('no');
		await one.settle(400_000);
		await waiting;
		expect(spending).toEqual({ spent: '500000', reserved: '500000', open: 1 });
	});

	it.each([
		['what they have cost leaves no room', 400_000],
		['the cost of one is not known', undefined],
	])('it is refused in the end if %s', async (_why, cost) => {
		const execution = ofExecution(1, emptySpending());
		const one = await reserve({ execution }, most(600_000));
		const waiting = failureOf(reserve({ execution }, most(700_000)));
		await one.settle(cost);
		expect((await waiting).message).toContain('what is left of the spending cap of $1.00');
	});

	it('it is refused at once if it would not fit, whatever they cost', async () => {
		const execution = ofExecution(1, { spent: '500000', reserved: '0', open: 0 });
		await reserve({ execution }, most(100_000));
		expect((await failureOf(reserve({ execution }, most(500_001)))).kind).toBe('invalid');
	});

	it('one that is no longer wanted after its wait is not counted', async () => {
		const spending = emptySpending();
		const execution = () => ofExecution(1, spending);
		const one = await reserve({ execution: execution() }, most(900_000));
		const waiting = reserveWithin(
			{ execution: execution() },
			() => most(200_000),
			async (othersEnd) => {
				await othersEnd();
				throw invalidInputError('It is no longer wanted');
			},
		);
		await one.release();
		expect((await failureOf(waiting)).message).toBe('It is no longer wanted');
		expect(spending).toEqual(emptySpending());
	});

	it('what was interrupted, or has an unknown cost, is not waited for', async () => {
		const execution = ofExecution(1, { spent: '0', reserved: '900000', open: 1 });
		expect((await failureOf(reserve({ execution }, most(200_000)))).kind).toBe('invalid');
	});
});

it('keeps what was reserved where the cost is not known', async () => {
	const spending = emptySpending();
	await (await reserve({ execution: ofExecution(1, spending) }, most(700_000))).settle(undefined);
	expect(spending).toEqual({ spent: '0', reserved: '700000', open: 1 });
});

it('counts a request without a bound by its cost', async () => {
	const spending = emptySpending();
	const one = await reserve({ execution: ofExecution(1, spending) }, UNBOUNDED);
	expect(spending).toEqual({ spent: '0', reserved: '0', open: 1 });
	await one.settle(9);
	expect(spending).toEqual({ spent: '9', reserved: '0', open: 0 });
});

it.each<[string, 'settle' | 'release', 'settle' | 'release', string]>([
	['settled twice', 'settle', 'settle', '5'],
	['settled, then released', 'settle', 'release', '5'],
	['released, then settled', 'release', 'settle', '0'],
	['released twice', 'release', 'release', '0'],
])('only the first end of a reservation counts: %s', async (_what, first, second, spent) => {
	const spending = emptySpending();
	const call = await reserve({ execution: ofExecution(1, spending) }, most(10));
	for (const end of [first, second]) await call[end](5);
	expect(spending).toEqual({ spent, reserved: '0', open: 0 });
});

it('a scope that refuses gives back what was taken before, and those after it are not asked', async () => {
	const spending = emptySpending();
	const asked: string[] = [];
	const conversation: Scope = {
		reserve() {
			asked.push('conversation');
			return { settle() {}, release() {} };
		},
	};
	const jobs = ofExecution(1, spending);
	const caps = { conversation, jobs, item: ofItem(1) };
	const execution = ofExecution(0.000001, emptySpending());
	const failure = await failureOf(reserve({ ...caps, execution }, most(5)));
	expect(failure.message).toContain('more than the spending cap of $0.000001');
	expect(spending).toEqual(emptySpending());
	expect(asked).toEqual([]);
	await reserve(caps, most(5));
	expect(asked).toEqual(['conversation']);
});

it('takes the scopes of a process before it waits for one that others share', async () => {
	const spending = emptySpending();
	let refuse: (cause: unknown) => void = () => {};
	const conversation: Scope = {
		reserve: async () => await new Promise((_resolve, reject) => (refuse = reject)),
	};
	const waiting = reserve({ conversation, execution: ofExecution(1, spending) }, most(600_000));
	expect(spending.reserved).toBe('600000');
	const second = reserve({ execution: ofExecution(1, spending) }, most(600_000));
	expect(spending.reserved).toBe('600000');
	refuse(invalidInputError('It is empty'));
	expect((await failureOf(waiting)).message).toBe('It is empty');
	await (await second).release();
	expect(spending).toEqual(emptySpending());
});

describe('what a refusal says', () => {
	const NO_ROOM = 'This does not fit into what is left of the spending cap of';
	const spent: Spending = { spent: '900000', reserved: '0', open: 0 };
	const say = (cap: { check(bound: Bound): void }, bound: Bound) => {
		const { kind, message, details } = thrownBy(() => cap.check(bound));
		return { kind, message, advice: details.advice, computed: details.computed };
	};

	it.each<[string, { check(bound: Bound): void }, Bound, string, string]>([
		[
			'of a request alone',
			ofItem(0.1),
			most(160_000),
			'This could cost up to $0.16, more than the spending cap of $0.10',
			'Nothing was sent. Lower it, or raise "The Item Cap".',
		],
		[
			'after others',
			ofExecution(1, spent),
			most(200_000),
			`${NO_ROOM} $1.00 for this execution`,
			'Nothing was sent. $0.90 is spent. This could cost up to $0.20. Lower it, or raise "The Cap".',
		],
		[
			'beside one other',
			ofExecution(1, { spent: '0', reserved: '900000', open: 1 }),
			most(200_000),
			`${NO_ROOM} $1.00 for this execution`,
			'Nothing was sent. $0.00 is spent, and $0.90 is reserved for 1 request that is under way or of unknown cost. This could cost up to $0.20. Lower it, or raise "The Cap".',
		],
		[
			'beside several others',
			ofExecution(1, { spent: '5', reserved: '999995', open: 2 }),
			UNBOUNDED,
			'The spending cap of $1.00 for this execution is reached',
			'Nothing was sent. $0.000005 is spent, and $0.999995 is reserved for 2 requests that are under way or of unknown cost. The cost of this is not known: there is no price. To send it anyway, raise "The Cap".',
		],
		[
			'of a known cost, where nothing is left: to ask for less does not help',
			ofExecution(1, { spent: '1000000', reserved: '0', open: 0 }),
			most(200_000),
			'The spending cap of $1.00 for this execution is reached',
			'Nothing was sent. $1.00 is spent. This could cost up to $0.20. To send it anyway, raise "The Cap".',
		],
		[
			'of an unknown cost, where nothing may be spent',
			ofItem(0),
			UNBOUNDED,
			'The spending cap of $0.00 allows no cost. The cost of this is not known: there is no price',
			'Nothing was sent. To send it anyway, raise "The Item Cap".',
		],
		[
			'of a known cost, where nothing may be spent',
			ofItem(0),
			most(100_000),
			'The spending cap of $0.00 allows no cost. This could cost up to $0.10',
			'Nothing was sent. To send it anyway, raise "The Item Cap".',
		],
		[
			'in a conversation',
			createConversationCap(0.3, 0.25),
			most(100_000),
			`${NO_ROOM} $0.30 for this conversation`,
			'Nothing was sent. $0.25 is spent. This could cost up to $0.10. Lower it, or raise "Spending Cap per Conversation".',
		],
	])('%s', (_what, cap, bound, message, advice) => {
		expect(say(cap, bound)).toMatchObject({ kind: 'invalid', message, advice });
	});

	it('names the cap in its details', () => {
		expect(say(ofItem(0), most(1)).computed).toEqual({ reachedCap: 'The Item Cap' });
	});
});

it.each([
	[40_000, 0.04, false],
	[40_001, 0.04, true],
	// a cap between two micro-dollars is the lower one
	[2, 0.0000019, true],
	[1, 0.0000019, false],
	[0, 0, false],
	[1, 0, true],
	[70_000, 0.07, false],
	[9_007_199_254_740_991, 9_007_199_254.740_99, true],
])('%d against a cap of %d', (microUsd, cap, refused) => {
	const check = () => ofItem(cap).check(most(microUsd));
	if (refused) expect(thrownBy(check).kind).toBe('invalid');
	else check();
});

it.each([
	[0.3, 0.1, '200000'],
	[0.000_001, 0.000_000_5, '0'],
	[1, 3, '-2000000'],
])('of a conversation of %d, %d leaves %s', (cap, spent, left) => {
	expect(createConversationCap(cap, spent).remaining().toFixed()).toBe(left);
});

it('a conversation may have cost any number', () => {
	expect(createConversationCap(1, Number.MAX_VALUE).remaining().lt(0)).toBe(true);
});

it('the least of several caps counts', () => {
	const execution = ofExecution(1, { spent: '900000', reserved: '0', open: 0 });
	expect(leftIn({ item: ofItem(0.5), execution })?.toFixed()).toBe('100000');
	expect(leftIn({ item: ofItem(0.05), execution })?.toFixed()).toBe('50000');
	expect(leftIn({})).toBeUndefined();
});

const ALLOW =
	'To send it anyway, turn on "Allow Unknown Cost" in Options: no spending cap then limits what it costs.';

it('a check reserves nothing, and unknown cost has to be allowed', () => {
	const spending = emptySpending();
	const caps = { item: ofItem(1), execution: ofExecution(1, spending) };
	checkCaps(caps, most(1_000_000), false);
	checkCaps(caps, UNBOUNDED, true);
	expect(spending).toEqual(emptySpending());
	expect(thrownBy(() => checkCaps(caps, most(1_000_001), true)).kind).toBe('invalid');
});

it.each<[string, Partial<Extract<Bound, { unbounded: string }>>, string, string]>([
	['a price', {}, 'The cost cannot be calculated: there is no price', ALLOW],
	[
		'a price, with a remedy',
		{ remedy: 'Choose one.' },
		'The cost cannot be calculated: there is no price',
		`Choose one. ${ALLOW}`,
	],
	[
		'a model',
		{ remedy: 'Choose one.', trouble: 'model' },
		'There is no price',
		`Choose one. ${ALLOW}`,
	],
	['a fault', { remedy: 'Repair it.', trouble: 'fault' }, 'There is no price', 'Repair it.'],
])(
	'to allow an unknown cost is the last remedy for what is not known, and none for a fault: %s',
	(_what, more, message, advice) => {
		const bound = { unbounded: 'There is no price.', ...more };
		expect(thrownBy(() => checkCaps({ item: ofItem(1) }, bound, false))).toMatchObject({
			kind: 'invalid',
			message,
			details: { advice: `Nothing was sent. ${advice}` },
		});
	},
);

it('where every cost is needed, nothing is sent after one that is not known', async () => {
	const spending = emptySpending();
	const execution = ofExecution(100, spending, { needsCosts: true });
	await (await reserve({ execution }, most(5))).settle(undefined);
	expect(await failureOf(reserve({ execution }, most(5)))).toMatchObject({
		kind: 'invalid',
		message:
			'The spending cap for this execution cannot be enforced: it is not known what an earlier request costs, or whether it was started',
		details: {
			advice: expect.stringMatching(
				/^Nothing was sent.*in a new execution: "The Cap" counts from 0/,
			),
		},
	});
});

it('whatever order of starts and ends: no cap is exceeded, none waits for ever, and none is refused that fits', async () => {
	const step = fc.record({
		bound: fc.integer({ min: 0, max: 1_100_000 }),
		share: fc.double({ min: 0, max: 1, noNaN: true }),
		end: fc.constantFrom('settle', 'release', 'unknown' as const),
		endsFirst: fc.boolean(),
	});
	await fc.assert(
		fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
			const spending = emptySpending();
			const open: Array<() => Promise<void>> = [];
			/** What is certain to count: costs, and what was reserved for those that are not known. */
			let certain = 0;
			const counted = () => Number(spending.spent) + Number(spending.reserved);
			const asked = steps.map(async ({ bound, share, end, endsFirst }) => {
				if (endsFirst) await open.shift()?.();
				const call = await reserve({ execution: ofExecution(1, spending) }, most(bound)).catch(
					() => undefined,
				);
				if (!call) return expect(certain + bound).toBeGreaterThan(1_000_000);
				expect(counted()).toBeLessThanOrEqual(1_000_000);
				const cost = Math.floor(bound * share);
				open.push(async () => {
					certain += { settle: cost, release: 0, unknown: bound }[end];
					if (end === 'release') await call.release();
					else await call.settle(end === 'settle' ? cost : undefined);
				});
			});
			let isOver = false;
			void Promise.all(asked).finally(() => (isOver = true));
			while (!isOver) {
				await setImmediate();
				await open.shift()?.();
			}
			await Promise.all(asked);
			for (const end of open) await end();
			expect(counted()).toBe(certain);
		}),
	);
});
