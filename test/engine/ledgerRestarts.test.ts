import type { Fault } from '../service/service';
import { secretsWithLedger } from './rig/calls';
import { startLedgerRig } from './rig/ledger';
import { run, shownText } from './rig/run';

// starts and the job ledger while n8n restarts: its Data Tables answer as n8n does before its API is there
const rig = startLedgerRig();

const html = { 'content-type': 'text/html; charset=utf-8' };
const expressPage = (method: string) =>
	`<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Error</title>\n</head>\n<body>\n<pre>Cannot ${method} /api/v1/data-tables</pre>\n</body>\n</html>\n`;

const notReady = { code: 503, message: 'Database is not ready!' };
const forms: Array<[string, (method: string) => Fault]> = [
	[
		'a sentence',
		() => ({
			type: 'body',
			body: 'n8n is starting up. Please wait',
			contentType: html['content-type'],
		}),
	],
	[
		'a page',
		(method) => ({ type: 'status', status: 404, headers: html, body: expressPage(method) }),
	],
	['no database', () => ({ type: 'status', status: 503, body: notReady })],
	[
		'502 of a proxy',
		() => ({ type: 'status', status: 502, headers: html, body: '<h1>Bad Gateway</h1>' }),
	],
	[
		'504 of a proxy',
		() => ({ type: 'status', status: 504, headers: html, body: '<h1>Timeout</h1>' }),
	],
	['no connection', () => ({ type: 'down', effect: false })],
];

const keys = [
	['with a key', 'order-1'],
	['without a key', ''],
] as const;

const [, page] = forms[1]!;

it.each(forms)('the outcome is recorded behind %s', async (_form, fault) => {
	const match = { method: 'PATCH', bodyIncludes: '"pending"' };
	rig.n8n.service.fault({ match, times: 1, do: fault('PATCH') });
	const { items } = await run(rig.starting('one', { idempotencyKey: 'order-1' }));
	expect(rig.n8n.entries()).toMatchObject([{ state: 'pending', jobId: items[0]?.json['jobId'] }]);
	expect(rig.service.starts('one')).toBe(1);
});

describe.each(keys)('n8n is starting, a start %s', (_how, idempotencyKey) => {
	it.each([
		['the row is added', 'POST', '"data"'],
		['the claim is renewed', 'PATCH', '"sending"'],
		['the outcome is recorded', 'PATCH', '"pending"'],
	])('when %s: it waits, and there is one job', async (_when, method, bodyIncludes) => {
		rig.n8n.service.fault({ match: { method, bodyIncludes }, times: 2, do: page(method) });
		const { items, error } = await run(rig.starting('one', { idempotencyKey }));
		expect(error).toBeUndefined();
		expect(rig.service.starts('one')).toBe(1);
		const active = rig.n8n.entries().filter(({ state }) => state !== 'withdrawn');
		expect(active).toMatchObject([{ state: 'pending', jobId: items[0]?.json['jobId'] }]);
	});
});

it('the table is looked for until n8n has started, and created once', async () => {
	rig.n8n.service.fault({ match: { method: 'GET' }, times: 2, do: page('GET') });
	const ledgerFields = { ...rig.n8n.ledgerFields, ledgerTable: 'New' };
	const secrets = secretsWithLedger(rig.service, { ledgerFields });
	const { error } = await run(rig.starting('one', {}, { secrets }));
	expect(error).toBeUndefined();
	expect(rig.n8n.entries()).toMatchObject([{ state: 'pending' }]);
	const created = rig.n8n.service.requests.filter(({ path }) => path.endsWith('/data-tables'));
	expect(created).toHaveLength(1);
});

it('a refused start leaves its key free', async () => {
	rig.service.fault({ match: { method: 'POST' }, times: 1, do: { type: 'status', status: 422 } });
	const match = { method: 'PATCH', bodyIncludes: '"notStarted"' };
	rig.n8n.service.fault({ match, times: 2, do: page('PATCH') });
	const refused = await run(rig.starting('one', { idempotencyKey: 'k' }));
	expect(refused.error?.context?.['metadata']).toMatchObject({ outcome: 'not_started' });
	expect(rig.n8n.entries()).toMatchObject([{ state: 'notStarted' }]);
	const { items } = await run(rig.starting('one', { idempotencyKey: 'k' }));
	expect(items[0]?.json).toMatchObject({ startedBefore: false });
});

it('without a start nothing waits: what came is said at once', async () => {
	rig.n8n.service.fault({ do: page('GET') });
	const { error } = await rig.ledger('getMany');
	expect(error?.message).toMatch(/^The job ledger could not be used: n8n .*\(404\)/);
	expect(shownText(error)).toMatch(
		/An HTML page: "Error".*if it is starting, .*n8n 2\.7 or newer/s,
	);
});

it('a known table is not looked for again because n8n is starting', async () => {
	await run(rig.starting('one'));
	rig.n8n.service.requests.length = 0;
	rig.n8n.service.fault({ match: { method: 'POST' }, times: 1, do: page('POST') });
	expect((await run(rig.starting('two'))).error).toBeUndefined();
	expect(rig.n8n.service.requests.filter(({ path }) => /\/data-tables\?/.test(path))).toEqual([]);
});

it('a row whose answer is lost does not stay: the next attempt has one of its own', async () => {
	const fault: Fault = { type: 'reset_peer', effect: true };
	rig.n8n.service.fault({ match: { method: 'POST' }, times: 1, do: fault });
	const { items } = await run(rig.starting('one'));
	const { jobId } = items[0]!.json;
	expect(rig.n8n.entries()).toMatchObject([{ state: 'withdrawn' }, { state: 'pending', jobId }]);
	expect(rig.service.starts('one')).toBe(1);
});
