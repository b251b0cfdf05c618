import { registerJob } from '../../../src/ledger/manualChanges';
import { virtualClock } from '../virtualClock';
import { Rows } from './simulatedTable';

const job = { jobId: '1', segment: 'images', account: 'a', label: '' };

function openLedger() {
	const clock = virtualClock();
	const table = new Rows().client(clock, { latency: () => 1 });
	let claims = 0;
	return {
		table,
		clock,
		uncancellableClock: clock,
		newClaim: () => `c${++claims}`,
		execution: 'e',
	};
}

it('knows a job that was entered before', async () => {
	const ledger = openLedger();
	expect(await registerJob(ledger, job)).toMatchObject({ known: false, entry: { id: 1 } });
	expect(await registerJob(ledger, job)).toMatchObject({ known: true, entry: { id: 1 } });
});

it.each([
	['segment', { segment: 'videos' }],
	['account', { account: 'b' }],
])('a job of the same ID and another %s is another job', async (_what, other) => {
	const ledger = openLedger();
	await registerJob(ledger, job);
	expect(await registerJob(ledger, { ...job, ...other })).toMatchObject({
		known: false,
		entry: { id: 2, ...other },
	});
});
