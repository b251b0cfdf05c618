import { Cap, emptySpending } from '../../../src/core/caps';
import { invalidInputError, ServiceError } from '../../../src/core/errors';
import { reserve } from '../../../src/core/reserve';
import { choose, payInTurn, toEnded } from '../../../src/paid/choose';
import { createModelFinder } from '../../../src/router/model';
import { findModelChoice, readModelLists, toListValue } from '../../../src/core/modelLists';
import fc from '../../support/fastCheck';

const lists = (...list: object[]) => ({ list });

it.each([
	['nothing', undefined, []],
	['a text', 'v/a', []],
	['rows that are none', lists('v/a' as never), []],
	['one row that is no list', { list: { name: 'a', models: 'v/a' } }, [['v/a']]],
	[
		'Windows line ends, blank lines, commas',
		lists({ name: 'a', models: 'v/a\r\n\r\n v/b ,v/c\r' }),
		[['v/a', 'v/b', 'v/c']],
	],
	[
		'two spellings of one model',
		lists({ name: 'a', models: 'V/A-1\nv/a 1\nv/b' }),
		[['V/A-1', 'v/b']],
	],
	['a list of an expression', lists({ name: 'a', models: ['v/a', 'v/b'] }), [['v/a', 'v/b']]],
	['an order that nobody knows', lists({ name: 'a', models: 'v/a', order: 'x' }), [['v/a']]],
	[
		'names of emoji alone as different ones',
		lists(
			{ name: '🐢', models: 'v/a' },
			{ name: '🐇', models: 'v/b' },
			{ name: '!', models: 'v/c' },
		),
		[['v/a'], ['v/b'], ['v/c']],
	],
])('reads %s', (_what, field, models) => {
	expect(readModelLists(field).map((list) => list.models)).toEqual(models);
});

it.each([
	[
		'without a name',
		lists({ name: 'a', models: 'x' }, { name: ' ', models: 'x' }),
		/^Model Lists 2: Name/,
	],
	['without models', lists({ name: 'a', models: ' \n,' }), /^Model Lists 1: "a" has no models$/],
	[
		'of one name',
		lists({ name: 'My list', models: 'x' }, { name: 'my-list', models: 'x' }),
		/"my-list"$/,
	],
])('refuses lists %s', (_what, field, sentence) => {
	expect(() => readModelLists(field)).toThrow(sentence);
});

it.each(['support', 'a: "b"', 'modelList:x', 'ünï/1', "it's"])(
	'finds the list %s, whatever is wrong with others',
	(name) => {
		const faulty = [{ name: ' ', models: 'v/b' }, { name: 'b' }, { name: 'c', models: 'v/b' }];
		const field = lists(...faulty, { name, models: 'v/a' }, { name: 'C', models: 'v/b' });
		const read = (wanted?: string) => readModelLists(field, wanted);
		expect(findModelChoice(` ${toListValue(name)} `, read)).toMatchObject({ list: { name } });
		for (const other of ['b', 'c'])
			expect(() => findModelChoice(toListValue(other), read)).toThrow(/has no models|the name "C"/);
	},
);

const outcomes = ['answers', 'is refused', 'is lost'] as const;
const models = fc.array(
	fc.record({
		isAble: fc.boolean(),
		bound: fc.integer({ min: 0, max: 100 }),
		part: fc.double({ min: 0, max: 1, noNaN: true }),
		outcome: fc.constantFrom(...outcomes),
	}),
	{ minLength: 1, maxLength: 6 },
);

it('whatever a list contains: no cap is exceeded, no model asked that cannot, or twice, or after an unknown outcome', async () => {
	const cap = fc.integer({ min: 0, max: 200 });
	const order = fc.constantFrom('asListed' as const, 'cheapestFirst' as const);
	await fc.assert(
		fc.asyncProperty(models, cap, order, fc.boolean(), async (list, micro, inOrder, twice) => {
			const ids = list.map((_model, at) => `v/${at}`);
			const of = (id: string) => list[ids.indexOf(id)]!;
			const value = { find: createModelFinder(ids.map((id) => ({ id }))) };
			const listed = { name: 'a', models: twice ? [...ids, ...ids] : ids, order: inOrder };
			const spending = emptySpending();
			const item = new Cap({ cap: micro / 1e6, field: 'Cap', of: 'item', spending });
			const asked: string[] = [];
			const mostOf = (microUsd: number) => ({ microUsd, advise: () => '' });
			const ask = async ({ model }: { model: string }) => {
				const { bound, part, outcome } = of(model);
				const share = await reserve({ item }, () => mostOf(bound));
				asked.push(model);
				if (outcome === 'is refused') await share.release();
				else await share.settle(outcome === 'is lost' ? undefined : Math.floor(bound * part));
				if (outcome === 'is refused')
					throw new ServiceError('refused', 'No', { status: 404, outcome: 'not_started' });
				if (outcome === 'is lost')
					throw new ServiceError('unreachable', 'Lost', { outcome: 'unknown' });
				return { outcome };
			};
			const known = { value };
			const lookUp = async () => known;
			const choice = { models: listed.models, list: listed };
			const chosen = await choose({ lookUp } as never, choice, (candidate) => {
				const { isAble, bound } = of(candidate.model);
				if (!isAble) throw invalidInputError('It cannot');
				const body = { model: candidate.model };
				return { ...candidate, body, caps: {}, price: () => ({ ...mostOf(bound), body }) };
			});
			if (!('refusal' in chosen))
				await payInTurn(chosen, async (call) => await toEnded(ask(call))).catch((cause: unknown) =>
					expect(cause).toBeInstanceOf(ServiceError),
				);
			const ended = asked.findIndex((id) => ['answers', 'is lost'].includes(of(id).outcome));
			expect(Number(spending.spent) + Number(spending.reserved)).toBeLessThanOrEqual(micro);
			expect(asked.every((id) => of(id).isAble)).toBe(true);
			expect(new Set(asked).size).toBe(asked.length);
			expect([-1, asked.length - 1]).toContain(ended);
		}),
	);
});

it('the cheapest comes first, and what has no bound last', async () => {
	const costs: Record<string, number | undefined> = { a: undefined, b: 3, c: undefined, d: 1 };
	const models = Object.keys(costs);
	const known = { value: { find: createModelFinder(models.map((id) => ({ id }))) } };
	const list = { name: 'a', models, order: 'cheapestFirst' as const };
	const chosen = await choose(
		{ lookUp: async () => known } as never,
		{ models, list },
		(candidate) => {
			const microUsd = costs[candidate.model];
			const bound =
				microUsd === undefined ? { unbounded: 'unknown' } : { microUsd, advise: () => '' };
			const body = { model: candidate.model };
			return { ...candidate, body, caps: {}, price: () => ({ ...bound, body }) };
		},
	);
	expect('calls' in chosen && chosen.calls.map(({ model }) => model)).toEqual(['d', 'b', 'a', 'c']);
});
