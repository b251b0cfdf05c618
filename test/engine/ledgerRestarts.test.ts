import type { INodeParameters } from 'n8n-workflow';

import type { Fault } from '../service/service';
import { CARRY_ON, LOST, posts } from './rig/calls';
import { startLedgerRig } from './rig/ledger';
import { run, shownText } from './rig/run';

// what the job ledger decides about a start, and what becomes of it where the ledger fails, or n8n restarts: its Data Tables answer
// as n8n does before its API is there
const rig = startLedgerRig();

// all forms in which n8n says that it is starting are in unit/ledger/n8nApi
const express: Fault = {
	type: 'status',
	status: 404,
	headers: { 'content-type': 'text/html; charset=utf-8' },
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
		/An HTML page: "Error".*if it is starting, .*n8n 2\.22\.6 or newer/s,
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

const startAll = async (prompts: string[], uniqueKey: string, secrets = rig.secrets()) => {
	const { parameters, ...options } = rig.starting('={{ $json.prompt }}', { uniqueKey });
	return await run({
		...options,
		secrets,
		settings: CARRY_ON,
		items: prompts.map((prompt) => ({ prompt })),
		parameters: { ...parameters, requestSettings: { concurrency: 1 } } as INodeParameters,
	});
};

describe('a start that waits after a 429', () => {
	/** Changes the only row when the service answers 429. */
	const meanwhile = (changes: object) => {
		const act = (): Fault[] => {
			Object.assign(rig.n8n.rows[0]!, changes);
			return [{ type: 'status', status: 429 }];
		};
		rig.service.fault({ match: { method: 'POST' }, times: 1, do: act });
	};

	it.each(['order-1', ''])('is not sent again once a person has resolved it (%s)', async (key) => {
		meanwhile({ state: 'notStarted', claim: '' });
		const { failed } = await startAll(['one'], key);
		expect(failed[0]?.json).toMatchObject({
			error: expect.stringContaining('a person resolved it in the meantime'),
			details: { outcome: 'not_started' },
		});
		expect(posts(rig.service)).toHaveLength(1);
		expect(rig.service.world.starts).toEqual([]);
	});
});

it('a failure of n8n costs the items that it meets, and not those after it', async () => {
	// one that does not pass, for which a start would wait
	const fault = { type: 'status', status: 401 } as const;
	rig.n8n.service.fault({ match: { method: 'GET' }, times: 1, do: fault });
	const unseen = rig.secrets({ ledgerTable: 'Not seen before' });
	const { items, failed } = await startAll(['one', 'two', 'three'], '', unseen);
	expect(failed).toMatchObject([
		{ json: { details: { status: 401, outcome: 'not_started' } }, pairedItem: { item: 0 } },
	]);
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 1 }, { item: 2 }]);
});
