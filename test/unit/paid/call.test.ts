import { Cap, emptySpending } from '../../../src/core/caps';
import { ZERO } from '../../../src/core/money';
import { reserveCall } from '../../../src/paid/call';

it('a call that its cap refuses does not wait for the budget', async () => {
	const item = new Cap({ cap: 0.000_004, field: 'Cap', of: 'item', spending: emptySpending() });
	const price = () => ({ microUsd: 5, advise: () => '', body: {} });
	const findFree = jest.fn(async () => await Promise.resolve(ZERO));
	const shared = { findFree, reserve: () => undefined };
	const reserved = reserveCall({ caps: { item }, price } as never, { shared });
	await expect(reserved).rejects.toMatchObject({ kind: 'invalid' });
	expect(findFree).not.toHaveBeenCalled();
});
