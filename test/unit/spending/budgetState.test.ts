import { Big } from '../../../src/core/money';
import {
	type BudgetState,
	EMPTY_STATE,
	figuresOf,
	moveOn,
	parseBudget,
} from '../../../src/spending/budgetState';
import { periodOf, type PeriodLength } from '../../../src/spending/periods';
import { claimReservation, closeReservation, findFree } from '../../../src/spending/reservations';

const NOON = Date.parse('2026-11-24T12:00:00Z');
const MINUTE = 60_000;
const micro = (amount: number) => new Big(amount);
const holder = (id: string) => ({ id, executionId: '1', workflow: 'w' });

/** A budget of 1,000 micro-dollars a month, at noon of a Tuesday. */
function budgetOf(amount = 1000, length: PeriodLength = 'month') {
	const state: BudgetState = structuredClone(EMPTY_STATE);
	moveOn(state, NOON, length);
	const limit = { amount: micro(amount), length };
	const claim = (id: string, need: number, { counted = 0, wish = need, at = NOON } = {}) => {
		const wanted = { counted: micro(counted), need: micro(need), wish: micro(wish) };
		const claimed = claimReservation(state, limit, holder(id), wanted, at);
		return 'refused' in claimed ? claimed.refused : Number(claimed.claimed.most);
	};
	const figures = (of = length) => {
		const { spent, reserved, open } = figuresOf(state, { ...limit, length: of });
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

it('what was announced is forgotten once both its week and its month are over', () => {
	const { state } = budgetOf();
	state.announced = { earlier: '2026-11-29', ofWeek: '2026-11-30', ofMonth: '2026-12-01' };
	moveOn(state, Date.parse('2026-12-02T12:00:00Z'), 'month');
	expect(Object.keys(state.announced)).toEqual(['ofWeek', 'ofMonth']);
	moveOn(state, Date.parse('2026-12-09T12:00:00Z'), 'month');
	expect(Object.keys(state.announced)).toEqual(['ofMonth']);
});

describe('a part', () => {
	it('is what it needs, and of what it could use a tenth of what is left', () => {
		const { claim, figures } = budgetOf();
		expect(claim('a', 50, { wish: 500 })).toBe(100);
		expect(claim('b', 200, { wish: 500 })).toBe(200);
		expect(figures()).toEqual([0, 300, 2]);
	});

	it('is not made twice by the same claim, and becomes smaller with what it needs', () => {
		const { state, claim, figures } = budgetOf();
		for (let time = 1; time <= 2; time++) claim('a', 200);
		expect(figures()).toEqual([0, 200, 1]);
		expect([claim('a', 50), claim('a', 0), state.reservations]).toEqual([50, 0, {}]);
	});

	it('what it has spent counts once, and is no longer reserved', () => {
		const { state, claim, figures } = budgetOf();
		claim('a', 200);
		for (let time = 1; time <= 2; time++) claim('a', 50, { counted: 120 });
		expect(figures()).toEqual([120, 50, 1]);
		for (let time = 1; time <= 2; time++) closeReservation(state, 'a', micro(150));
		expect(figures()).toEqual([150, 0, 0]);
	});

	it.each([
		['fits exactly', 600, 600, [0, 1000, 2]],
		['waits for what others have', 601, 'reserved', [0, 400, 1]],
		['does not fit at all', 1001, 'spent', [0, 400, 1]],
	])('that %s', (_what, need, claimed, left) => {
		const { claim, figures } = budgetOf();
		claim('a', 400);
		expect(claim('b', need)).toBe(claimed);
		expect(figures()).toEqual(left);
	});

	it('that is refused stays, without what it has spent, however often it asks', () => {
		const { claim, figures } = budgetOf();
		claim('a', 500);
		claim('b', 400);
		expect(claim('a', 700, { counted: 100 })).toBe('reserved');
		expect(claim('a', 700, { counted: 100 })).toBe('reserved');
		expect(figures()).toEqual([100, 800, 2]);
	});

	it('that was released does not count, and what it costs is added', () => {
		const { state, claim, figures } = budgetOf();
		claim('a', 900);
		state.reservations['a']!.isReleased = true;
		expect([claim('b', 900), claim('a', 200)]).toEqual([900, 'reserved']);
		closeReservation(state, 'a', micro(70));
		expect(figures()).toEqual([70, 900, 1]);
	});

	it('that was released counts again as soon as its holder needs more', () => {
		const { state, claim, figures } = budgetOf();
		claim('a', 300);
		state.reservations['a']!.isReleased = true;
		expect(claim('a', 200, { counted: 50 })).toBe(200);
		expect(figures()).toEqual([50, 200, 1]);
	});
});

it.each([
	['its own part', false, 890],
	['once that was released, no more', true, 890],
])('a holder may reserve what is free, and %s', (_what, isReleased, free) => {
	const { state, claim } = budgetOf();
	claim('a', 300);
	claim('b', 100);
	if (isReleased) state.reservations['a']!.isReleased = true;
	const own = { id: 'a', spent: micro(0), held: micro(10) };
	const limit = { amount: micro(1000), length: 'month' as const };
	expect(Number(findFree(state, limit, own).free)).toBe(free);
});

describe('time', () => {
	const DAY = 24 * 60 * MINUTE;

	it('another period begins with nothing', () => {
		const { state, claim, figures } = budgetOf(1000, 'day');
		claim('a', 500);
		claim('b', 100);
		closeReservation(state, 'b', micro(90));
		state.factors['m.c'] = '22.5';
		expect(figures()).toEqual([90, 500, 1]);
		moveOn(state, NOON + DAY, 'day');
		expect([figures(), state.factors]).toEqual([[0, 0, 0], { 'm.c': '22.5' }]);
		closeReservation(state, 'a', micro(400));
		expect(figures()).toEqual([0, 0, 0]);
	});

	it('what is reserved counts on the day on which it was last written', () => {
		const { state, claim } = budgetOf();
		claim('a', 300);
		moveOn(state, NOON + DAY, 'month');
		claim('a', 500, { at: NOON + DAY });
		closeReservation(state, 'a', micro(400));
		expect(state.spent).toEqual({ '2026-11-25': '400' });
	});

	it('what is reserved on the first day counts to the last one', () => {
		const { state, claim, figures } = budgetOf(1000, 'week');
		state.day = '2026-11-23';
		claim('a', 500, { at: NOON - DAY });
		moveOn(state, NOON + 5 * DAY, 'week');
		expect(figures()).toEqual([0, 500, 1]);
		moveOn(state, NOON + 6 * DAY, 'week');
		expect(figures()).toEqual([0, 0, 0]);
	});

	it('never moves back', () => {
		const { state } = budgetOf();
		expect(moveOn(state, NOON - DAY, 'month')).toBe(true);
		expect(state.day).toBe('2026-11-24');
	});

	it('a state that is more than a day ahead is not moved', () => {
		const { state } = budgetOf();
		expect(moveOn(state, NOON - 2 * DAY, 'month')).toBe(false);
	});

	it('what was spent before a clock ran ahead is still there when a person sets the day back', () => {
		const { state, claim, figures } = budgetOf();
		claim('a', 900);
		closeReservation(state, 'a', micro(900));
		moveOn(state, NOON + 366 * DAY, 'month');
		expect(figures()).toEqual([0, 0, 0]);
		claim('b', 700);
		closeReservation(state, 'b', micro(700));
		state.day = '2026-11-24';
		expect(figures()).toEqual([900, 0, 0]);
	});

	it('what was spent counts in a longer period that is chosen later', () => {
		const { state, claim, figures } = budgetOf(1000, 'day');
		claim('a', 100);
		closeReservation(state, 'a', micro(80));
		moveOn(state, NOON + DAY, 'day');
		expect([figures('day'), figures('week'), figures('month')]).toEqual([
			[0, 0, 0],
			[80, 0, 0],
			[80, 0, 0],
		]);
	});

	it('keeps what was spent on the last 40 days', () => {
		const { state, claim } = budgetOf(1000, 'day');
		for (let day = 1; day <= 50; day++) {
			moveOn(state, NOON + day * DAY, 'day');
			claim('a', 1);
			closeReservation(state, 'a', micro(1));
		}
		moveOn(state, NOON + 51 * DAY, 'day');
		expect(Object.keys(state.spent)).toHaveLength(40);
	});
});

it.each([
	['', '{', '[]', 'null', '{}', '{"day":"d","spent":{},"reservations":{}}'],
	['{"day":"d","spent":{"d":-1},"reservations":{},"factors":{}}'],
	['{"day":"d","spent":{"d":"-1"},"reservations":{},"factors":{}}'],
	[
		'{"day":"d","spent":{},"reservations":{"a":{"most":"x","at":"2026-11-24T12:00:00Z"}},"factors":{}}',
	],
	['{"day":"d","spent":{},"reservations":{},"factors":{"m.c":"-2"}}'],
])('a record that nobody of us has written: %s', (...records) => {
	for (const record of records) expect(parseBudget(record)).toBeUndefined();
	expect(parseBudget(JSON.stringify(EMPTY_STATE))).toEqual(EMPTY_STATE);
});
