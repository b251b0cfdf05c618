import type { Cost } from '../../../src/core/reserve';
import { describeJobCosts } from '../../../src/n8n/hints';
import { Big } from '../../../src/core/money';

it.each<[Cost[], string | undefined, string | undefined]>([
	[[], '$1.00 left today', undefined],
	[[undefined, undefined], '$1.00 left today', undefined],
	[[40_000], undefined, 'This job cost $0.04.'],
	[[40_000], '$0.06 left this month', 'This job cost $0.04. Budget: $0.06 left this month.'],
	[[new Big(1), 2, 3], undefined, 'These 3 jobs cost $0.000006.'],
	[[0], undefined, 'This job cost $0.00.'],
	[[40_000, undefined], undefined, '1 job cost $0.04. The cost of 1 more is not known.'],
	[[1e6, undefined, 1e6], undefined, '2 jobs cost $2.00. The cost of 1 more is not known.'],
])('%j and what is left, %j: %j', (costs, left, sentence) => {
	expect(describeJobCosts(costs, left)).toBe(sentence);
});
