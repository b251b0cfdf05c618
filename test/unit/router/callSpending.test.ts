import fc from 'fast-check';

import { emptyCallSpending, reserveCall, type Reservation } from '../../../src/router/callSpending';
import type { CostBound } from '../../../src/router/pricing';

const bound = (microUsd: number): CostBound => ({
	microUsd,
	promptTokens: 1,
	promptCountedBy: 'bytes',
	outputTokens: 1,
});
const unbounded = { unbounded: 'There is no price.' };

it('counts a call with the most that it can cost, then with what it did cost', () => {
	const spending = emptyCallSpending();
	const call = reserveCall(spending, bound(800_000), 1);
	expect(spending).toEqual({ microUsd: '800000', atMost: 1, uncounted: 0 });
	expect(() => reserveCall(spending, bound(300_000), 1)).toThrow('is reached');
	call.settle(5);
	expect(spending).toEqual({ microUsd: '5', atMost: 0, uncounted: 0 });
	reserveCall(spending, bound(300_000), 1).release();
	expect(spending).toEqual({ microUsd: '5', atMost: 0, uncounted: 0 });
});

it('keeps the most that a call can cost where its cost is not known', () => {
	const spending = emptyCallSpending();
	reserveCall(spending, bound(700_000), 1).settle(undefined);
	expect(spending.microUsd).toBe('700000');
});

it('counts calls without a bound apart, until their cost is known', () => {
	const spending = emptyCallSpending();
	const one = reserveCall(spending, unbounded, 1);
	reserveCall(spending, unbounded, 1);
	expect(spending).toEqual({ microUsd: '0', atMost: 0, uncounted: 2 });
	one.settle(9);
	expect(spending).toEqual({ microUsd: '9', atMost: 0, uncounted: 1 });
});

it('says what was spent, and what could come', () => {
	const spending = { microUsd: '900000', atMost: 0, uncounted: 0 };
	expect(() => reserveCall(spending, bound(200_000), 1)).toThrow(
		expect.objectContaining({
			message: 'The spending cap of $1.00 for this execution is reached',
			details: {
				advice:
					'Nothing was sent. The calls before cost $0.90. This call could cost up to $0.20: raise "Spending Cap per Execution", or lower "Maximum Output Tokens".',
			},
		}),
	);
});

it.each([
	[1, '1 of them with the most that it can cost'],
	[2, '2 of them with the most that they can cost'],
])('says how many calls count with the most that they can cost (%s)', (atMost, words) => {
	const spending = { microUsd: '900000', atMost, uncounted: 0 };
	expect(() => reserveCall(spending, bound(200_000), 1)).toThrow(
		expect.objectContaining({
			details: {
				advice: expect.stringContaining(`The calls before count with $0.90, ${words}. This call`),
			},
		}),
	);
});

it('a cap of 0 lets a call pass only if it certainly costs nothing', () => {
	expect(() => reserveCall(emptyCallSpending(), bound(1), 0)).toThrow('is reached');
	expect(() => reserveCall(emptyCallSpending(), unbounded, 0)).toThrow('is reached');
	reserveCall(emptyCallSpending(), bound(0), 0);
});

it('never lets the calls cost more than the cap, in any order of starts and ends', () => {
	const step = fc.record({
		most: fc.integer({ min: 0, max: 400_000 }),
		share: fc.double({ min: 0, max: 1, noNaN: true }),
		end: fc.constantFrom('settle', 'release', 'stay' as const),
		endsFirst: fc.boolean(),
	});
	fc.assert(
		fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
			const spending = emptyCallSpending();
			const open: Array<{ call: Reservation; cost: number; end: string }> = [];
			let paid = 0;
			const endOne = () => {
				const ended = open.shift();
				if (ended?.end === 'settle') {
					ended.call.settle(ended.cost);
					paid += ended.cost;
				} else if (ended?.end === 'release') ended.call.release();
			};
			for (const { most, share, end, endsFirst } of steps) {
				if (endsFirst) endOne();
				try {
					const call = reserveCall(spending, bound(most), 1);
					open.push({ call, cost: Math.floor(most * share), end });
				} catch {
					// refused
				}
			}
			while (open.length) endOne();
			expect(paid).toBeLessThanOrEqual(1_000_000);
			expect(Number(spending.microUsd)).toBeGreaterThanOrEqual(paid);
			expect(Number(spending.microUsd)).toBeLessThanOrEqual(1_000_000);
		}),
	);
});
