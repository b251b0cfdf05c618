import { enterUnknownAlarms } from '../../../src/spending/alarms';
import { createMemoryTable } from '../../../src/tables/memoryTable';
import { type Entry, readEntry, toRow, ledgerFormat } from '../../../src/ledger/entry';

it('every start of unknown outcome gets its alarm, however many there are', async () => {
	const rows: Entry[] = Array.from({ length: 600 }, (_, index) =>
		readEntry({
			...toRow({ state: 'unknown', mediaType: 'images', credentialId: 'c' }),
			id: index + 1,
		}),
	);
	const clock = { now: () => 1, random: () => 0, sleep: async () => await Promise.resolve() };
	const ledger = {
		...{
			table: createMemoryTable(rows, ledgerFormat),
			clock,
			uncancellableClock: clock,
			executionId: '1',
		},
		newClaim: () => 'claim',
	};
	for (let time = 1; time <= 2; time++)
		await enterUnknownAlarms(ledger, { credentialId: 'c', ledgerLabel: '' });
	const alarms = rows.filter(({ mediaType }) => mediaType === 'alarm').map(({ jobId }) => jobId);
	expect(alarms).toEqual(Array.from({ length: 600 }, (_, index) => `unknown:${index + 1}`));
});
