import { enterUnknownAlarms } from '../../../src/spending/alarms';
import { createMemoryTable } from '../../../src/tables/memoryTable';
import { type Entry, readEntry, toRow, ledgerFormat } from '../../../src/ledger/entry';
import { ledgerOn } from '../ledger/simulatedTable';
import { virtualClock } from '../virtualClock';

it('every start of unknown outcome gets its alarm, however many there are', async () => {
	const rows: Entry[] = Array.from({ length: 600 }, (_, index) =>
		readEntry({
			...toRow({ state: 'unknown', mediaType: 'images', credentialId: 'c' }),
			id: index + 1,
		}),
	);
	const ledger = ledgerOn(createMemoryTable(rows, ledgerFormat), virtualClock());
	for (let time = 1; time <= 2; time++)
		await enterUnknownAlarms(ledger, { credentialId: 'c', triggerGroup: '' });
	const alarms = rows.filter(({ mediaType }) => mediaType === 'alarm').map(({ jobId }) => jobId);
	expect(alarms).toEqual(Array.from({ length: 600 }, (_, index) => `unknown:${index + 1}`));
});
