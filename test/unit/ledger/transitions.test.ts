import { applyTransition, applyUpdate, findRowsOfJobs } from '../../../src/ledger/ledger';
import { anyOf, atMost, chunks, noneOf, where, type Where } from '../../../src/tables/table';
import { createMemoryTable } from '../../../src/tables/memoryTable';
import { transitions, updates } from '../../../src/ledger/transitions';
import {
	readEntry,
	toRow,
	type Entry,
	type EntryState,
	ledgerFormat,
} from '../../../src/ledger/entry';
import { addFaults, changeFaults, removeFaults } from '../../support/ledgerTransitions';

function recorded(...states: EntryState[]) {
	const rows = states.map((state, at) =>
		readEntry({ ...toRow({ state, claim: 'c' }), id: at + 1 }),
	);
	const table = createMemoryTable(rows, ledgerFormat);
	const asked: Where<Entry>[] = [];
	const change: typeof table.change = async (which, changes) => {
		asked.push(which);
		return await table.change(which, changes);
	};
	return { rows, asked, table: { ...table, change } };
}

it('makes a filter of what has to be true, in its order', () => {
	const filter = { uniqueKey: 'k', state: noneOf('withdrawn', 'notStarted'), checkAt: atMost(5) };
	expect(where({ ...filter, triggerGroup: undefined })).toEqual({
		all: [
			['uniqueKey', 'eq', 'k'],
			['state', 'neq', 'withdrawn'],
			['state', 'neq', 'notStarted'],
			['checkAt', 'lte', 5],
		],
	});
	expect(anyOf('id', [1, 2])).toEqual({
		any: [
			['id', 'eq', 1],
			['id', 'eq', 2],
		],
	});
});

it('a change names the state or the claim that it relies on', () => {
	type Change = { readonly from?: unknown; readonly matches?: readonly string[] };
	const all = Object.entries<Change>({ ...transitions, ...updates });
	const others = all.filter(([, { matches }]) => matches && !/state|claim/.test(matches.join()));
	// the first three delete rows that nothing changes any more, the others keep the state
	const names = ['deleteEntry', 'forgetChat', 'forgetReusable', 'changeRows', 'restoreOutcome'];
	expect(others.map(([name]) => name)).toEqual(names);
});

it('a row that is given back or confirmed has neither claim nor lease', () => {
	const { redeliverJob, yieldJob, releaseJob, requeueJob, confirmDelivery } = transitions;
	for (const { clears } of [redeliverJob, yieldJob, releaseJob, requeueJob, confirmDelivery])
		expect(clears).toEqual(expect.arrayContaining(['claim', 'leaseUntil']));
});

it('finds all rows of some jobs, also of more than n8n returns at once', async () => {
	const rows = Array.from({ length: 260 }, (_, at) =>
		readEntry({ ...toRow({ state: 'pending', jobId: `${at % 3}` }), id: at + 1 }),
	);
	const found = await findRowsOfJobs(createMemoryTable(rows, ledgerFormat), ['0', '1', '2', '0']);
	expect(new Set(found.map(({ id }) => id)).size).toBe(260);
	expect(found).toHaveLength(260);
	// n8n takes an empty filter for all rows
	expect([[...chunks([], 2)], [...chunks([1, 2, 3, 4], 2)]]).toEqual([
		[],
		[
			[1, 2],
			[3, 4],
		],
	]);
});

it('tries one state after the other, until there are rows in it', async () => {
	const { rows, asked, table } = recorded('unknown');
	const ofClaim = (state: EntryState) => ({
		all: [
			['claim', 'eq', 'c'],
			['state', 'eq', state],
		],
	});
	await applyTransition(table, 'renewStart', { claim: 'c' }, { leaseUntil: 7 });
	expect(asked).toEqual([ofClaim('sending'), ofClaim('unknown')]);
	expect(rows).toMatchObject([{ state: 'sending', leaseUntil: 7 }]);
	asked.length = 0;
	await applyTransition(table, 'renewStart', { claim: 'c' });
	expect(asked).toEqual([ofClaim('sending')]);
});

it('asks for the state that was seen, and empties what the transition clears', async () => {
	const { rows, asked, table } = recorded('unknown');
	const seen = { id: 1, claim: 'c', state: 'unknown' } as const;
	expect(await applyTransition(table, 'markAsStarted', seen, { jobId: 'j' })).toHaveLength(1);
	expect(asked).toEqual([where(seen)]);
	expect(rows).toMatchObject([{ state: 'pending', jobId: 'j', claim: '' }]);
});

it('keeps the state with an update, and leaves rows of other states alone', async () => {
	const { rows, table } = recorded('delivering', 'delivered');
	await applyUpdate(table, 'renewDelivery', { claim: 'c' }, { leaseUntil: 9 });
	expect(rows.map(({ state, leaseUntil }) => [state, leaseUntil])).toEqual([
		['delivering', 9],
		['delivered', 0],
	]);
});

describe('what tests take for a fault', () => {
	const claim = { claim: 'c', state: 'intent' } as const;
	const row = { id: 1, claim: 'c' };
	const unknown = where({ ...row, state: 'unknown' });
	const sends = { state: 'sending' } as const;

	it.each<[string, EntryState, Where<Entry>, Partial<Entry>, number]>([
		['a transition', 'intent', where(claim), sends, 0],
		['a state that it does not begin in', 'pending', where(row), { state: 'withdrawn' }, 1],
		['no such transition', 'intent', where(claim), { state: 'delivered' }, 1],
		['a filter without the state', 'intent', where({ claim: 'c' }), sends, 1],
		['a filter by another column', 'intent', where({ id: 1, state: 'intent' }), sends, 1],
		['the claim of everybody', 'intent', where({ ...claim, claim: '' }), sends, 1],
		['a claim that is left', 'unknown', unknown, { state: 'notStarted', failures: 0 }, 1],
		['a change that is made again', 'pending', where({ claim: 'c' }), { state: 'pending' }, 0],
		['an update', 'emitting', anyOf('id', [1]), { checkAt: 1 }, 0],
		['an update of another column', 'emitting', anyOf('id', [1]), { jobId: 'j' }, 1],
		['an update in another state', 'emitting', where(row), { note: 'n' }, 1],
		['a state of rows that are named', 'pending', anyOf('id', [1]), { state: 'delivered' }, 1],
	])('%s', (_what, state, which, changes, faults) => {
		expect(changeFaults([{ id: 1, state }], which, changes)).toHaveLength(faults);
	});

	it.each([
		['added delivered', addFaults({ state: 'delivered' }), 1],
		['added as a start', addFaults({ state: 'sending' }), 0],
		['deleted too soon', removeFaults([{ id: 1, state: 'pending' }], anyOf('id', [1])), 1],
		['deleted', removeFaults([{ id: 1, state: 'delivered' }], anyOf('id', [1])), 0],
	])('a row that is %s', (_what, found, faults) => {
		expect(found).toHaveLength(faults);
	});
});
