import { randomUUID } from 'crypto';

import { Big } from '../../../src/core/money';
import {
	claimStartReservation,
	decideStart,
	endJobReservation,
	jobReservationId,
	keepUnknownStart,
	startJobReservation,
	startReservationId,
} from '../../../src/spending/budgetStarts';
import {
	type BudgetState,
	EMPTY_STATE,
	figuresOf,
	moveOn,
} from '../../../src/spending/budgetState';
import { factorKey } from '../../../src/spending/jobFactors';
import { claimReservation, closeReservation } from '../../../src/spending/reservations';

const NOON = Date.parse('2026-11-24T12:00:00Z');
const LEASE = 600_000;
const micro = (amount: number) => new Big(amount);
const holder = (id: string) => ({ id, executionId: '1', workflow: 'w' });
const [cheap, dear] = ['1K', '4K'].map((settings) => factorKey({ model: 'm', settings }));
const other = factorKey({ model: 'other', settings: '1K' });

const CLAIMED = { most: '40', at: '2026-11-24T12:00:00Z', executionId: '1', workflow: 'w' };

/** A budget of so many micro-dollars a month. */
function budgetOf(amount: number) {
	const state: BudgetState = structuredClone(EMPTY_STATE);
	moveOn(state, NOON, 'month');
	const limit = { amount: micro(amount), length: 'month' as const };
	/** @returns what is reserved, or why nothing is. */
	const claim = (id: string, key = cheap!, least = 40, at = NOON) => {
		const start = { key, least: micro(least), lease: LEASE };
		const claimed = claimStartReservation(state, limit, holder(id), start, at);
		return 'refused' in claimed ? claimed.refused : Number(claimed.claimed.most);
	};
	const start = (id: string, estimate: number | undefined, key = cheap!, least = 40) => {
		const claimed = { ...CLAIMED, most: String(least) };
		const given = estimate === undefined ? undefined : micro(estimate);
		const job = jobReservationId('images', id);
		const of = { model: 'm', key, least: micro(least) };
		startJobReservation(state, { id, job, ...of, estimate: given, claimed });
	};
	/** Its outcome is not known. */
	const lose = (id: string, key = dear!, least = 40) => {
		const claimed = { ...CLAIMED, most: String(least) };
		keepUnknownStart(state, { id, key, least: micro(least), claimed });
	};
	const figures = () => {
		const { spent, reserved, open } = figuresOf(state, limit);
		return [Number(spent), Number(reserved), open];
	};
	return { state, limit, claim, start, lose, figures };
}

describe('a start reserves its minimum, times a factor', () => {
	it('of its configuration, whatever the minimum counts', () => {
		const { claim, start } = budgetOf(10_000);
		claim('a', cheap, 40);
		start('a', 900, cheap, 40);
		expect(claim('b', cheap, 4)).toBe(90);
		expect(claim('c', cheap, 80)).toBe(1800);
	});

	it('a refusal leaves nothing of an attempt whose answer was lost', () => {
		const { claim, start, figures } = budgetOf(1000);
		expect(claim('a')).toBe(40);
		start('b', 900);
		expect(claim('a')).toBe('reserved');
		expect(figures()).toEqual([0, 900, 1]);
	});

	it.each([
		['the highest of several', [900, 80, 400], 900],
		['not below the minimum', [20], 40],
		['rounded up', [40.001], 41],
	])('%s', (_what, estimates, reserved) => {
		const { claim, start } = budgetOf(10_000);
		for (const [index, estimate] of estimates.entries()) {
			claim(`a${index}`);
			start(`a${index}`, estimate);
		}
		expect(claim('b')).toBe(reserved);
	});

	it('without an estimate it is the minimum', () => {
		const { claim, start } = budgetOf(10_000);
		claim('a');
		start('a', undefined);
		expect([claim('b'), claim('c')]).toEqual([40, 40]);
	});

	it('a configuration without a factor has the highest one of its model', () => {
		const { state, claim, start } = budgetOf(10_000);
		claim('a', cheap);
		start('a', 900, cheap);
		expect(claim('b', dear)).toBe(900);
		closeReservation(state, 'b', micro(0));
		expect(claim('c', other)).toBe(40);
	});

	it('of a model that costs nothing, what others have cost', () => {
		const { claim, start } = budgetOf(10_000);
		expect(claim('a', cheap, 0)).toBe(0);
		start('a', 30, cheap, 0);
		expect(claim('b', cheap, 0)).toBe(30);
	});
});

describe('one start without a factor is under way at a time', () => {
	it('of whatever model, and known ones do not wait', () => {
		const { claim, start } = budgetOf(10_000);
		claim('known');
		start('known', 40);
		claim('a', dear);
		expect([claim('b', dear), claim('c', other), claim('d')]).toEqual(['estimate', 'estimate', 40]);
		start('a', 900, dear);
		expect(claim('c', other)).toBe(40);
	});

	it.each<[string, (budget: ReturnType<typeof budgetOf>) => unknown]>([
		['its estimate has come', ({ start }) => start('a', 900, dear)],
		['it was not sent', ({ state }) => closeReservation(state, 'a', micro(0))],
		['its outcome is unknown', ({ lose }) => lose('a')],
		['a person has released it', ({ state }) => (state.reservations['a']!.isReleased = true)],
	])('until %s', (_what, end) => {
		const budget = budgetOf(10_000);
		budget.claim('a', dear);
		expect(budget.claim('b', other)).toBe('estimate');
		end(budget);
		expect(budget.claim('b', other)).toBe(40);
	});

	it('until its lease is over, and it may be renewed before that', () => {
		const { claim } = budgetOf(10_000);
		claim('a', dear);
		expect(claim('b', other, 40, NOON + LEASE - 1)).toBe('estimate');
		claim('a', dear, 40, NOON + LEASE / 2);
		expect(claim('b', other, 40, NOON + LEASE)).toBe('estimate');
		expect(claim('b', other, 40, NOON + 2 * LEASE)).toBe(40);
		expect(claim('a', dear, 40, NOON + 2 * LEASE)).toBe('estimate');
	});
});

describe('a start of unknown outcome', () => {
	const unknown = () => {
		const budget = budgetOf(10_000);
		budget.claim('a', dear);
		budget.lose('a');
		return budget;
	};

	it('counts as the most that others of its configuration cost, also later ones', () => {
		const { figures, claim, start } = unknown();
		expect(figures()).toEqual([0, 40, 1]);
		claim('b', dear);
		start('b', 900, dear);
		expect(figures()).toEqual([0, 1800, 2]);
	});

	it.each([
		['its configuration', dear!, 900],
		['its model, if its own was never started', cheap!, 900],
		['neither', other, 40],
	])('counts as what is known of %s', (_what, key, reserved) => {
		const { state, start } = unknown();
		start('b', 900, key);
		expect(state.reservations['a']?.most).toBe(String(reserved));
	});

	it('counts as what has become known while it was under way', () => {
		const { state, claim, start, lose } = budgetOf(10_000);
		claim('a', dear);
		start('b', 900, dear);
		lose('a');
		expect(state.reservations['a']?.most).toBe('900');
	});

	it('counts again if a person has given it back too early', () => {
		const { state, lose, figures } = unknown();
		decideStart(state, 'a', undefined);
		for (let time = 1; time <= 2; time++) lose('a');
		expect(figures()).toEqual([0, 40, 1]);
	});

	it('is given back if nothing was started', () => {
		const { state, figures } = unknown();
		for (let time = 1; time <= 2; time++) decideStart(state, 'a', undefined);
		expect(figures()).toEqual([0, 0, 0]);
	});

	it('is handed to its job, whose cost counts once', () => {
		const { state, figures } = unknown();
		for (let time = 1; time <= 2; time++) decideStart(state, 'a', jobReservationId('images', '7'));
		expect(figures()).toEqual([0, 40, 1]);
		for (let time = 1; time <= 2; time++)
			closeReservation(state, jobReservationId('images', '7'), micro(900));
		expect(figures()).toEqual([900, 0, 0]);
	});

	it('a job that comes after a person has given it back is reserved again', () => {
		const { state, figures, start } = unknown();
		decideStart(state, 'a', undefined);
		for (let time = 1; time <= 2; time++) start('a', 900, dear);
		expect(figures()).toEqual([0, 900, 1]);
	});

	it('has no effect in the next period', () => {
		const { state, figures } = unknown();
		moveOn(state, Date.parse('2026-12-01T00:00:00Z'), 'month');
		decideStart(state, 'a', jobReservationId('images', '7'));
		expect([figures(), state.reservations]).toEqual([[0, 0, 0], {}]);
	});
});

describe('a job', () => {
	const job = jobReservationId('images', 'a');

	it.each<[string, number | undefined, number | undefined, reserved: number, spent: number]>([
		['a cost', 40, 35, 40, 35],
		['a cost above its estimate', 40, 55, 40, 55],
		['no cost', 40, undefined, 40, 40],
		['no estimate', undefined, undefined, 10, 10],
		['nothing, since it failed', 40, 0, 40, 0],
	])('with %s', (_what, estimate, cost, reserved, spent) => {
		const { state, claim, start, figures } = budgetOf(1000);
		claim('a', cheap, 10);
		for (let time = 1; time <= 2; time++) start('a', estimate, cheap, 10);
		expect(figures()).toEqual([0, reserved, 1]);
		for (let time = 1; time <= 2; time++)
			closeReservation(state, job, cost === undefined ? undefined : micro(cost));
		expect(figures()).toEqual([spent, 0, 0]);
	});
});

describe('the reservation of a job', () => {
	const job = jobReservationId('images', '7');
	const answer = { job, model: 'm', key: dear!, least: micro(40), claimed: CLAIMED };

	it.each<[string, (budget: ReturnType<typeof budgetOf>) => unknown]>([
		[
			'two starts are answered with it',
			({ state }) => startJobReservation(state, { ...answer, id: 'b', estimate: micro(30) }),
		],
		[
			'a person says that another start has started it',
			({ state }) => decideStart(state, 'b', job),
		],
	])('is one, although %s', (_what, again) => {
		const budget = budgetOf(10_000);
		budget.claim('a', dear);
		startJobReservation(budget.state, { ...answer, id: 'a', estimate: micro(900) });
		budget.claim('b', dear);
		again(budget);
		expect(budget.figures()).toEqual([0, 900, 1]);
	});

	it.each<[string, (budget: ReturnType<typeof budgetOf>) => unknown]>([
		[
			'answered',
			({ state }) => startJobReservation(state, { ...answer, id: 'a', estimate: micro(900) }),
		],
		['decided about', ({ state }) => decideStart(state, 'a', job)],
	])('belongs to the period of its start, which was %s', (_what, end) => {
		const budget = budgetOf(10_000);
		const { state, claim } = budget;
		// another process was there first, and its clock is ahead
		const [before, after] = ['2026-11-30T23:59:59Z', '2026-12-01T00:00:01Z'].map(Date.parse);
		moveOn(state, after!, 'month');
		claim('a', dear, 40, before);
		end(budget);
		moveOn(state, after!, 'month');
		expect(Object.keys(state.reservations)).toEqual([job]);
		moveOn(state, Date.parse('2027-01-01T00:00:00Z'), 'month');
		expect(state.reservations).toEqual({});
	});

	it('is of one job, however long its ID and whatever its media type is', () => {
		const ids = ['1', '2'].map((end) => `${'x'.repeat(50)}${end}`);
		const idsOfJobs = ['images', 'videos'].flatMap((type) =>
			ids.map((id) => jobReservationId(type, id)),
		);
		expect(new Set(idsOfJobs).size).toBe(4);
	});
});

describe('the row', () => {
	const longHolder = (id: string) => ({
		id,
		executionId: '1234567',
		workflow: '長い名前'.repeat(20),
	});

	/** As full as it gets: with the longest names. @param end What becomes of each start. */
	const fill = (end: 'under way' | 'job') => {
		const budget = budgetOf(1e12);
		for (let index = 0; index < 300; index++) {
			const key = factorKey({ model: `m${index}`, settings: '4K' });
			budget.claim(`s${index}`, key);
			budget.start(`s${index}`, 912.3456, key);
			closeReservation(budget.state, jobReservationId('images', `s${index}`), micro(1_234_567));
		}
		budget.start('known', 40);
		closeReservation(budget.state, jobReservationId('images', 'known'), micro(40));
		for (let index = 0; index < 500; index++) {
			const id = startReservationId(randomUUID());
			const least = micro(123_456_789);
			const start = { key: cheap!, least, lease: LEASE };
			claimStartReservation(budget.state, budget.limit, longHolder(id), start, NOON);
			if (end === 'under way') continue;
			const job = jobReservationId('images', `${index}-${'x'.repeat(index % 2 ? 35 : 1900)}`);
			const claimed = budget.state.reservations[id]!;
			const answer = { id, job, model: 'm', key: cheap!, least, claimed };
			startJobReservation(budget.state, { ...answer, estimate: undefined });
		}
		return budget;
	};

	it.each(['under way', 'job'] as const)('of starts that are %s stays below 130 kB', (end) => {
		const { state } = fill(end);
		expect(Buffer.byteLength(JSON.stringify(state))).toBeLessThan(130_000);
		expect(Object.values(state.reservations)[0]?.workflow).toBe('長い名前長い名前長い名前長');
	});

	it('keeps the 200 factors that were used last', () => {
		const { state } = fill('job');
		expect(Object.keys(state.factors)).toHaveLength(200);
		expect(state.factors).toHaveProperty([cheap!]);
		expect(state.factors).not.toHaveProperty([factorKey({ model: 'm0', settings: '4K' })]);
	});

	it('keeps a factor that was learnt again', () => {
		const { state, start } = budgetOf(10_000);
		for (let index = 0; index < 200; index++) {
			start('first', 80);
			start(`s${index}`, 80, factorKey({ model: `m${index}`, settings: '4K' }));
		}
		expect([state.factors[cheap!], Object.keys(state.factors).length]).toEqual(['2', 200]);
	});

	it('with 500 reservations it takes no more starts, and refuses no text', () => {
		const { state, limit, claim } = fill('under way');
		expect(Object.keys(state.reservations)).toHaveLength(500);
		const [own] = Object.keys(state.reservations);
		expect([claim('more'), claim(own!)]).toEqual(['full', 123_456_789]);
		const text = claimReservation(state, limit, holder('text'), { need: micro(10) }, NOON);
		expect(text).not.toHaveProperty('refused');
	});

	it('takes starts again for reservations that a person has released, and does not grow', () => {
		const { state, claim } = fill('job');
		const [first, second] = Object.values(state.reservations);
		first!.isReleased = second!.isReleased = true;
		expect([claim('a'), claim('b'), claim('c')]).toEqual([40, 40, 'full']);
		expect(Object.keys(state.reservations)).toHaveLength(500);
	});
});

describe('a factor follows what jobs have cost', () => {
	/** Starts a job, and reads its cost. */
	const job = (budget: ReturnType<typeof budgetOf>, id: string, estimate: number, cost: number) => {
		budget.claim(id);
		budget.start(id, estimate);
		return endJobReservation(budget.state, jobReservationId('images', id), micro(cost));
	};

	it.each<[string, Array<[estimate: number, cost: number]>, number]>([
		['an estimate that its own job has refuted', [[900, 40]], 40],
		['a job that costs more than its estimate', [[40, 120]], 120],
		[
			'a dearer job before: half of the way',
			[
				[200, 200],
				[40, 40],
			],
			120,
		],
		[
			'a dearer one after',
			[
				[40, 40],
				[200, 200],
			],
			200,
		],
		[
			'a dearer one after, whose estimate was too low',
			[
				[200, 200],
				[40, 400],
			],
			400,
		],
		['not below the minimum', [[80, 10]], 40],
		['a job that was free says nothing', [[80, 0]], 80],
		['an estimate of more than 1,000 times the minimum is not believed', [[40_001, 40]], 40],
		['nor a cost of more than 1,000 times what is reserved', [[80, 80_001]], 80],
	])('%s', (_what, jobs, reserved) => {
		const budget = budgetOf(1e9);
		for (const [index, [estimate, cost]] of jobs.entries())
			job(budget, `a${index}`, estimate, cost);
		expect(budget.claim('b')).toBe(reserved);
	});

	it('after one wrong estimate, the next start fits again once the cost is read', () => {
		const budget = budgetOf(1000);
		budget.claim('a');
		budget.start('a', 39_000);
		expect(budget.claim('b')).toBe('spent');
		endJobReservation(budget.state, jobReservationId('images', 'a'), micro(40));
		expect(budget.claim('b')).toBe(40);
	});

	it.each([-1, 40_001, 1e29])('an estimate of %d is not reserved: the minimum is', (estimate) => {
		const budget = budgetOf(1e6);
		budget.claim('a');
		budget.start('a', estimate);
		expect(budget.figures()).toEqual([0, 40, 1]);
	});

	it.each([-1, 40_001, 1e29])('a cost of %d is not counted: what is reserved is', (cost) => {
		const budget = budgetOf(10_000);
		expect(job(budget, 'a', 40, cost)).toEqual({ isMissing: false, isOdd: true });
		expect(budget.figures()).toEqual([40, 0, 0]);
	});

	it('that a person has deleted stays deleted', () => {
		const budget = budgetOf(10_000);
		budget.claim('a');
		budget.start('a', 900);
		budget.state.factors = {};
		endJobReservation(budget.state, jobReservationId('images', 'a'), micro(900));
		expect(budget.state.factors).toEqual({});
	});

	it('of a job of which a person says that it was started, too', () => {
		const budget = budgetOf(10_000);
		budget.start('known', 40, dear);
		budget.claim('a', dear);
		budget.lose('a');
		const id = jobReservationId('images', '7');
		decideStart(budget.state, 'a', id);
		endJobReservation(budget.state, id, micro(400));
		expect(budget.claim('b', dear)).toBe(400);
	});

	it('its model is named as long as it has one', () => {
		const budget = budgetOf(10_000);
		budget.start('a', 40);
		expect(Object.values(budget.state.models ?? {})).toEqual(['m']);
		budget.state.factors = {};
		budget.start('b', 40, other);
		expect(Object.keys(budget.state.models ?? {})).toEqual([other!.split('.')[0]]);
	});
});
