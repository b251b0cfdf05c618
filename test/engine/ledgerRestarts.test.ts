import type { Fault } from '../service/service';
import { LOST } from './rig/calls';
import { startLedgerRig } from './rig/ledger';
import { run, shownText } from './rig/run';

// starts and the job ledger while n8n restarts: its Data Tables answer as n8n does before its API is there
const rig = startLedgerRig();

// all forms in which n8n says that it is starting are in unit/ledger/n8nApi
const express: Fault = {
	...{ type: 'status', status: 404, headers: { 'content-type': 'text/html; charset=utf-8' } },
	body: '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Error</title>\n</head>\n<body>\n<pre>Cannot GET /api/v1/data-tables</pre>\n</body>\n</html>\n',
};
const n8nFails = (method: string, bodyIncludes: string, times: number, fault: Fault = express) =>
	rig.n8n.service.fault({ match: { method, bodyIncludes }, times, do: fault });

describe.each(['order-1', ''])('a start with the key "%s"', (uniqueKey) => {
	it.each([
		['added', 'POST', '"data"'],
		['renewed', 'PATCH', '"sending"'],
		['told the outcome', 'PATCH', '"pending"'],
	])('waits where its row is to be %s, and there is one job', async (_when, method, what) => {
		n8nFails(method, what, 2);
		const { items, error } = await run(rig.starting('one', { uniqueKey }));
		expect(error).toBeUndefined();
		expect(rig.service.starts('one')).toBe(1);
		const active = rig.n8n.entries().filter(({ state }) => state !== 'withdrawn');
		expect(active).toMatchObject([{ state: 'pending', jobId: items[0]?.json['jobId'] }]);
	});
});

it('the table is looked for until n8n has started, and created once', async () => {
	n8nFails('GET', '', 2);
	const secrets = rig.secrets({ ledgerTable: 'New' });
	expect((await run(rig.starting('one', {}, { secrets }))).error).toBeUndefined();
	expect(rig.states()).toEqual(['pending']);
	const created = rig.n8n.service.requests.filter(({ path }) => path.endsWith('/data-tables'));
	expect(created).toHaveLength(1);
});

it('without a start nothing waits: what came is said at once', async () => {
	rig.n8n.service.fault({ do: express });
	const { error } = await rig.ledger('getEntries');
	expect(error?.message).toMatch(/^The job ledger could not be used: n8n .*\(404\)/);
	expect(shownText(error)).toMatch(
		/An HTML page: "Error".*if it is starting, .*n8n 2\.7 or newer/s,
	);
});

it('a known table is not looked for again because n8n is starting', async () => {
	await run(rig.starting('one'));
	rig.n8n.service.requests.length = 0;
	n8nFails('POST', '', 1);
	expect((await run(rig.starting('two'))).error).toBeUndefined();
	expect(rig.n8n.service.requests.filter(({ path }) => /\/data-tables\?/.test(path))).toEqual([]);
});

it('a row whose answer is lost does not stay: the next attempt has one of its own', async () => {
	n8nFails('POST', '', 1, LOST);
	const { items } = await run(rig.starting('one'));
	const { jobId } = items[0]!.json;
	expect(rig.n8n.entries()).toMatchObject([{ state: 'withdrawn' }, { state: 'pending', jobId }]);
	expect(rig.service.starts('one')).toBe(1);
});
