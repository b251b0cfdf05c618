import Big from 'big.js';

import { ServiceError } from '../../../src/core/errors';
import {
	addEstimate,
	markSpendingUnknown,
	unknownCostError,
	checkMinimumCost,
	checkExecutionCap,
	emptySpending,
} from '../../../src/router/spendingCap';

function thrownBy(action: () => unknown): ServiceError | undefined {
	try {
		action();
	} catch (error) {
		if (error instanceof ServiceError) return error;
		throw error;
	}
	return undefined;
}

const after = (...estimates: unknown[]) => {
	const spending = emptySpending();
	for (const estimate of estimates) addEstimate(spending, estimate);
	return spending;
};
const refusal = (spending: ReturnType<typeof emptySpending>, cap: number) =>
	thrownBy(() => checkExecutionCap(spending, cap));

it.each<[unknown[], number, boolean]>([
	[[], 0.000001, false],
	[[], 0, true],
	[[40_000], 0.040001, false],
	[[40_000], 0.04, true],
	[['40000', 30_000], 0.07, true],
	[['40000', 29_999], 0.07, false],
	[[0], 0.01, false],
	[['9007199254740993'], 9007199254.740993, true],
])('after %j, a cap of %d: nothing more is %s', (estimates, cap, refused) => {
	expect(refusal(after(...estimates), cap) !== undefined).toBe(refused);
});

it.each<[unknown, string]>([
	[0, '40000'],
	[4, '40000'],
	[40_000, '40000'],
	[50_000, '50000'],
])('an estimate of %j counts at least what the catalog says: %s', (estimate, sum) => {
	const spending = emptySpending();
	addEstimate(spending, estimate, Big(40_000));
	expect(spending).toEqual({ microUsd: sum });
});

it('says what was reached, and what to do', () => {
	expect(refusal(after(40_000, 40_000), 0.05)).toMatchObject({
		kind: 'invalid',
		message: 'The spending cap of $0.05 for this execution is reached',
		details: {
			advice:
				'Nothing was sent for this item. The jobs that were started before are estimated at $0.08, by the service or, where that is more, by the catalog. Raise "Spending Cap per Execution", or start the rest in another execution.',
		},
	});
});

it.each<[unknown, string]>([
	[undefined, 'the service did not report the estimated cost of an earlier job'],
	[null, 'the estimated cost of an earlier job is not a whole number of micro-dollars'],
	[0.04, 'the estimated cost of an earlier job is not a whole number of micro-dollars'],
	['0.04', 'the estimated cost of an earlier job is not a whole number of micro-dollars'],
	[-1, 'the estimated cost of an earlier job is not a whole number of micro-dollars'],
	[{ usd: 1 }, 'the estimated cost of an earlier job is not a whole number of micro-dollars'],
])('an estimate of %j is not guessed at', (estimate, why) => {
	const spending = after(10, estimate, 20);
	expect(spending).toEqual({ microUsd: '30', untold: why });
	expect(refusal(spending, 100)).toMatchObject({
		kind: 'invalid',
		message: `The spending cap for this execution cannot be enforced: ${why}`,
		details: { advice: expect.stringMatching(/^Nothing was sent.*"Spending Cap per Execution"/) },
	});
});

it('the first reason stays', () => {
	const spending = after(undefined);
	const [first] = [spending.untold];
	markSpendingUnknown(spending);
	addEstimate(spending, 0.5);
	expect(spending.untold).toBe(first);
	const other = after(1);
	markSpendingUnknown(other);
	expect(other.untold).toBe('it is not known whether an earlier job was started');
});

it('is plain data, which is kept with the execution', () => {
	const spending = after(5, undefined);
	expect(JSON.parse(JSON.stringify(spending))).toEqual(spending);
});

it.each<[number, number, boolean]>([
	[40_000, 0.04, false],
	[40_001, 0.04, true],
	// a cap between two micro-dollars is the lower one
	[2, 0.0000019, true],
	[1, 0.0000019, false],
	[0, 0, false],
	[70_000, 0.07, false],
])('%d against a cap of %d', (microUsd, cap, refused) => {
	const check = () =>
		checkMinimumCost({ microUsd: Big(microUsd), counted: '1 image at $1' }, cap, 'The Cap');
	expect(thrownBy(check) !== undefined).toBe(refused);
});

it('says what it costs at least, and how that was counted', () => {
	const bound = { microUsd: Big(160_000), counted: '4 images at $0.04' };
	expect(thrownBy(() => checkMinimumCost(bound, 0.1, 'The Cap'))).toMatchObject({
		kind: 'invalid',
		message: 'This costs at least $0.16, more than the spending cap of $0.10',
		details: {
			advice:
				'Nothing was sent. The catalog has the price of the cheapest configuration: 4 images at $0.04. Ask for less, or raise "The Cap".',
		},
	});
});

it('a cap that cannot be enforced', () => {
	expect(unknownCostError('nobody knows')).toMatchObject({
		kind: 'invalid',
		message: 'The cost cannot be calculated beforehand: nobody knows',
		details: { advice: expect.stringContaining('turn on "Allow Unknown Cost"') },
	});
});
