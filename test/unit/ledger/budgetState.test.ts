import { Big } from '../../../src/core/money';
import {
	type BudgetState,
	claimLump,
	closeLump,
	EMPTY_STATE,
	figuresOf,
	jobLump,
	moveOn,
	parseBudget,
	periodOf,
	type PeriodLength,
	startJobLump,
} from '../../../src/ledger/budgetState';

const NOON = Date.parse('2026-11-24T12:00:00Z');
const MINUTE = 60_000;
const micro = (amount: number) => new Big(amount);
const holder = (id: string) => ({ id, execution: '1', workflow: 'w' });

/** A budget of 1,000 micro-dollars a month, at noon of a Tuesday. */
function budgetOf(amount = 1000, length: PeriodLength = 'month') {
	const state: BudgetState = structuredClone(EMPTY_STATE);
	moveOn(state, NOON, length);
	const limit = { amount: micro(amount), length };
	const claim = (
		id: string,
		need: number,
		more: {
			counted?: number;
			held?: number;
			wish?: number;
			awaitsEstimate?: boolean;
			at?: number;
		} = {},
	) => {
		const { counted = 0, held = 0, wish = need, awaitsEstimate = false, at = NOON } = more;
		const amounts = { counted: micro(counted), held: micro(held), need: micro(need) };
		const claimed = { ...amounts, wish: micro(wish), awaitsEstimate };
		const { most, refused } = claimLump(state, limit, holder(id), claimed, at);
		return [Number(most), refused];
	};
	const figures = (of = length) => {
		const { spent, reserved, open } = figuresOf(state, of);
		return [Number(spent), Number(reserved), open];
	};
	return { state, claim, figures };
}

it.each<[PeriodLength, string, start: string, end: string]>([
	['day', '2026-11-24', '2026-11-24', '2026-11-25'],
	['day', '2026-12-31', '2026-12-31', '2027-01-01'],
	['week', '2026-11-24', '2026-11-23', '2026-11-30'],
	['week', '2026-11-23', '2026-11-23', '2026-11-30'],
	['week', '2026-11-29', '2026-11-23', '2026-11-30'],
	['week', '2026-12-30', '2026-12-28', '2027-01-04'],
	['month', '2026-11-24', '2026-11-01', '2026-12-01'],
	['month', '2028-02-29', '2028-02-01', '2028-03-01'],
	['month', '2026-12-01', '2026-12-01', '2027-01-01'],
])('the %s of %s', (length, day, start, end) => {
	expect(periodOf(day, length)).toEqual({ start, end });
});

describe('a part', () => {
	it('is what it needs, and of what it could use a tenth of what is left', () => {
		const { claim, figures } = budgetOf();
		expect(claim('a', 50, { wish: 500 })).toEqual([100, undefined]);
		expect(claim('b', 200, { wish: 500 })).toEqual([200, undefined]);
		expect(figures()).toEqual([0, 300, 2]);
	});

	it('is not made twice by the same claim', () => {
		const { claim, figures } = budgetOf();
		for (let time = 1; time <= 2; time++) claim('a', 200);
		expect(figures()).toEqual([0, 200, 1]);
	});

	it('what it has spent counts once, and is no longer reserved', () => {
		const { state, claim, figures } = budgetOf();
		claim('a', 200);
		for (let time = 1; time <= 2; time++) claim('a', 50, { counted: 120 });
		expect(figures()).toEqual([120, 80, 1]);
		for (let time = 1; time <= 2; time++) closeLump(state, 'a', micro(150));
		expect(figures()).toEqual([150, 0, 0]);
	});

	it.each<[string, before: number, need: number, number, string | undefined]>([
		['fits exactly', 400, 600, 600, undefined],
		['waits for what others have', 400, 601, 0, 'reserved'],
		['does not fit at all', 400, 1001, 0, 'spent'],
	])('that %s', (_what, before, need, most, refused) => {
		const { claim, figures } = budgetOf();
		claim('a', before);
		expect(claim('b', need)).toEqual([most, refused]);
		expect(figures()).toEqual([0, before + most, most ? 2 : 1]);
	});

	it('that is refused keeps what its requests hold, and gives the rest back', () => {
		const { claim, figures } = budgetOf();
		claim('a', 500);
		claim('b', 400);
		expect(claim('a', 700, { held: 300 })).toEqual([300, 'reserved']);
		expect(figures()).toEqual([0, 700, 2]);
		expect(claim('a', 700)).toEqual([0, 'reserved']);
		expect(figures()).toEqual([0, 400, 1]);
	});

	it('that was released does not count, and what it costs is added', () => {
		const { state, claim, figures } = budgetOf();
		claim('a', 900);
		state.lumps['a']!.isReleased = true;
		expect(claim('b', 900)).toEqual([900, undefined]);
		closeLump(state, 'a', micro(70));
		expect(figures()).toEqual([70, 900, 1]);
	});

	it('that was released stays as long as its holder has requests under way, although it gets no more', () => {
		const { state, claim, figures } = budgetOf();
		claim('a', 900);
		state.lumps['a']!.isReleased = true;
		claim('b', 900);
		expect(claim('a', 200, { held: 100 })).toEqual([0, 'reserved']);
		closeLump(state, 'a', micro(70));
		expect(figures()).toEqual([70, 900, 1]);
	});

	it('that was released counts again as soon as its holder needs more', () => {
		const { state, claim, figures } = budgetOf();
		claim('a', 300);
		state.lumps['a']!.isReleased = true;
		expect(claim('a', 200, { counted: 50, held: 100 })).toEqual([200, undefined]);
		expect(figures()).toEqual([50, 200, 1]);
	});

	it('the row takes 500 of them', () => {
		const { claim } = budgetOf(1_000_000);
		for (let index = 0; index < 500; index++) claim(`p${index}`, 1);
		expect(claim('more', 1)).toEqual([0, 'full']);
		expect(claim('p7', 2)).toEqual([2, undefined]);
	});
});

describe('a job', () => {
	const job = jobLump('images', '7');

	it('one start at a time waits for its estimate', () => {
		const { state, claim } = budgetOf();
		claim('a', 10, { awaitsEstimate: true });
		expect(claim('b', 10, { awaitsEstimate: true })).toEqual([0, 'estimate']);
		expect(claim('b', 10, { awaitsEstimate: true, at: NOON + 16 * MINUTE })[1]).toBeUndefined();
		startJobLump(state, 'a', { job, model: 'm', estimate: micro(40) });
		expect(state.estimates).toEqual({ m: { most: '40', day: '2026-11-24' } });
		startJobLump(state, 'b', { job: 'job:images:8', model: 'm', estimate: micro(30) });
		expect(state.estimates['m']?.most).toBe('40');
		expect(claim('c', 10, { awaitsEstimate: true })[1]).toBeUndefined();
	});

	it.each<[string, number | undefined, number | undefined, reserved: number, spent: number]>([
		['a cost', 40, 35, 40, 35],
		['a cost above its estimate', 40, 55, 40, 55],
		['no cost', 40, undefined, 40, 40],
		['no estimate', undefined, undefined, 10, 10],
		['nothing, since it failed', 40, 0, 40, 0],
	])('with %s', (_what, estimate, cost, reserved, spent) => {
		const { state, claim, figures } = budgetOf();
		claim('a', 10, { awaitsEstimate: true });
		for (let time = 1; time <= 2; time++)
			startJobLump(state, 'a', {
				...{ job, model: 'm' },
				estimate: estimate === undefined ? undefined : micro(estimate),
			});
		expect(figures()).toEqual([0, reserved, 1]);
		for (let time = 1; time <= 2; time++)
			closeLump(state, job, cost === undefined ? undefined : micro(cost));
		expect(figures()).toEqual([spent, 0, 0]);
	});
});

describe('time', () => {
	const DAY = 24 * 60 * MINUTE;

	it('another period begins with nothing', () => {
		const { state, claim, figures } = budgetOf(1000, 'day');
		claim('a', 500);
		claim('b', 100);
		closeLump(state, 'b', micro(90));
		state.estimates['m'] = { most: '40', day: state.day };
		expect(figures()).toEqual([90, 500, 1]);
		moveOn(state, NOON + DAY, 'day');
		expect([figures(), state.estimates]).toEqual([[0, 0, 0], {}]);
		closeLump(state, 'a', micro(400));
		expect(figures()).toEqual([0, 0, 0]);
	});

	it('never moves back', () => {
		const { state } = budgetOf();
		moveOn(state, NOON - 40 * DAY, 'month');
		expect(state.day).toBe('2026-11-24');
	});

	it('what was spent counts in a longer period that is chosen later', () => {
		const { state, claim, figures } = budgetOf(1000, 'day');
		claim('a', 100);
		closeLump(state, 'a', micro(80));
		moveOn(state, NOON + DAY, 'day');
		expect([figures('day'), figures('week'), figures('month')]).toEqual([
			[0, 0, 0],
			[80, 0, 0],
			[80, 0, 0],
		]);
		moveOn(state, NOON + 8 * DAY, 'day');
		expect(state.spent).toEqual({});
	});
});

it.each([
	['', '{', '[]', 'null', '{}', '{"day":"d","spent":{},"lumps":{}}'],
	['{"day":"d","spent":{"d":-1},"lumps":{},"estimates":{}}'],
	['{"day":"d","spent":{"d":"-1"},"lumps":{},"estimates":{}}'],
	['{"day":"d","spent":{},"lumps":{"a":{"most":"x","counted":"0","day":"d"}},"estimates":{}}'],
	['{"day":"d","spent":{},"lumps":{},"estimates":{"m":{"most":"-2"}}}'],
])('a record that nobody of us has written: %s', (...records) => {
	for (const record of records) expect(parseBudget(record)).toBeUndefined();
	expect(parseBudget(JSON.stringify(EMPTY_STATE))).toEqual(EMPTY_STATE);
});
