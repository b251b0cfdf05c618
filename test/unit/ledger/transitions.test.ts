import {
	anyOf,
	applyTransition,
	applyUpdate,
	atMost,
	noneOf,
	where,
	type Where,
} from '../../../src/ledger/ledger';
import { createMemoryTable } from '../../../src/ledger/dataTable';
import { readEntry, toRow, type Entry, type EntryState } from '../../../src/ledger/entry';
import { addFaults, changeFaults, removeFaults } from '../../support/ledgerTransitions';

function recorded(...states: EntryState[]) {
	const rows = states.map((state, at) =>
		readEntry({ ...toRow({ state, claim: 'c' }), id: at + 1 }),
	);
	const table = createMemoryTable(rows);
	const asked: Where[] = [];
	const change: typeof table.change = async (which, changes) => {
		asked.push(which);
		return await table.change(which, changes);
	};
	return { rows, asked, table: { ...table, change } };
}

it('makes a filter of what has to be true, in its order', () => {
	const filter = { startKey: 'k', state: noneOf('withdrawn', 'notStarted'), checkAt: atMost(5) };
	expect(where({ ...filter, label: undefined })).toEqual({
		all: [
			['startKey', 'eq', 'k'],
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
	const change = (state: EntryState, which: Where, changes: Partial<Entry>) =>
		changeFaults([{ id: 1, state }], which, changes).length;
	const claim = { claim: 'c', state: 'intent' } as const;

	it.each<[string, number, number]>([
		['a transition', change('intent', where(claim), { state: 'sending' }), 0],
		[
			'a state that it does not begin in',
			change('pending', where({ claim: 'c' }), { state: 'withdrawn' }),
			1,
		],
		['no such transition', change('intent', where(claim), { state: 'delivered' }), 1],
		[
			'a filter without the state',
			change('intent', where({ claim: 'c' }), { state: 'sending' }),
			1,
		],
		[
			'a filter by another column',
			change('intent', where({ id: 1, state: 'intent' }), { state: 'sending' }),
			1,
		],
		[
			'the claim of everybody',
			change('intent', where({ ...claim, claim: '' }), { state: 'sending' }),
			1,
		],
		[
			'a claim that is left',
			change('unknown', where({ id: 1, claim: 'c', state: 'unknown' }), {
				state: 'notStarted',
				failures: 0,
			}),
			1,
		],
		[
			'a change that is made again',
			change('pending', where({ claim: 'c' }), { state: 'pending' }),
			0,
		],
		[
			'an update',
			change('delivering', where({ claim: 'c', state: 'delivering' }), { leaseUntil: 1 }),
			0,
		],
		[
			'an update of another column',
			change('delivering', where({ claim: 'c', state: 'delivering' }), { jobId: 'j' }),
			1,
		],
		[
			'an update in another state',
			change('emitting', where({ id: 1, claim: 'c' }), { note: 'n' }),
			1,
		],
		['rows that are named', change('emitting', anyOf('id', [1]), { checkAt: 1 }), 0],
		[
			'a state of rows that are named',
			change('pending', anyOf('id', [1]), { state: 'delivered' }),
			1,
		],
		['a row that is added delivered', addFaults({ state: 'delivered' }).length, 1],
		['a row that is added as a start', addFaults({ state: 'sending' }).length, 0],
		[
			'a row that is deleted too soon',
			removeFaults([{ id: 1, state: 'pending' }], anyOf('id', [1])).length,
			1,
		],
		[
			'a row that is deleted',
			removeFaults([{ id: 1, state: 'delivered' }], anyOf('id', [1])).length,
			0,
		],
	])('%s', (_what, found, expected) => {
		expect(found).toBe(expected);
	});
});
