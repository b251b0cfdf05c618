import fc, { character } from '../../support/fastCheck';
import {
	added,
	answerTo,
	call,
	delta,
	done,
	fragment,
	itemDone,
	message,
	said,
	type Event,
	type Given,
} from './responseStream';

const F = { id: 'call f', name: 'f', arguments: { a: 1 } };
const G = { id: 'call g', name: 'g', arguments: {} };

it.each<[string, Given[], unknown[]]>([
	['at the end', [done({ output: [call('f', { arguments: '{"a":1}' })] })], [F]],
	['by an item', [itemDone(0, call('f', { arguments: '{"a":1}' })), done()], [F]],
	[
		'by fragments',
		[added(0, call('f', { arguments: '' })), fragment(0, '{"a"'), fragment(0, ':1}'), done()],
		[F],
	],
	[
		'by fragments, with an end that is empty',
		[
			added(0, call('f')),
			fragment(0, '{"a":1}'),
			itemDone(0, call('f', { arguments: '' })),
			done(),
		],
		[F],
	],
	[
		'two, woven into each other',
		[
			added(0, call('f')),
			added(1, call('g')),
			fragment(1, '{'),
			fragment(0, '{"a"'),
			fragment(1, '}'),
			fragment(0, ':1}'),
		],
		[F, G],
	],
	[
		'one without a place and an id',
		[added(undefined, call('f')), fragment(undefined, '{"a"'), fragment(undefined, ':1}')],
		[F],
	],
	[
		'two without a place, told apart by their ids',
		[
			added(undefined, call('f', { id: 'i1' })),
			added(undefined, call('g', { id: 'i2' })),
			fragment(undefined, '{"a":1}', { item_id: 'i1' }),
			fragment(undefined, '{}', { item_id: 'i2' }),
			itemDone(undefined, call('f', { id: 'i1' })),
		],
		[F, G],
	],
	[
		'the arguments whole after their fragments',
		[
			added(0, call('f')),
			fragment(0, '{"a"'),
			{ type: 'response.function_call_arguments.done', output_index: 0, arguments: '{"a":1}' },
		],
		[F],
	],
	[
		'done with arguments of another type',
		[
			added(0, call('f')),
			fragment(0, '{"a":1}'),
			fragment(0, 5),
			{ type: 'response.function_call_arguments.done', output_index: 0, arguments: null },
		],
		[F],
	],
	[
		'without a beginning',
		[
			fragment(0, '{"a":1}', { item_id: 'i' }),
			{ type: 'response.function_call_arguments.done', output_index: 0, name: 'f' },
		],
		[{ ...F, id: 'i' }],
	],
	[
		'with an end in place of a beginning',
		[fragment(0, '{"a":1}', { item_id: 'i' }), itemDone(0, call('f'))],
		[F],
	],
	[
		'behind a message',
		[itemDone(0, message(said('x'))), itemDone(1, call('g', { arguments: '{}' })), done()],
		[G],
	],
	[
		'an id alone',
		[done({ output: [{ type: 'function_call', id: 'i' }] })],
		[{ id: 'i', name: '', arguments: '' }],
	],
	['no JSON', [itemDone(0, call('f', { arguments: '{"a":' }))], [{ ...F, arguments: '{"a":' }]],
])('tool calls: %s', (_name, given, expected) => {
	expect(answerTo(...given).toolCalls).toEqual(expected);
});

const piece = fc.string({ minLength: 1, maxLength: 5, unit: character });
const pieces = fc.array(piece, { maxLength: 4 });
const anItem = fc.oneof(
	fc.record({ type: fc.constant('message' as const), pieces }),
	fc.record({ type: fc.constant('function_call' as const), pieces, name: piece }),
);
type Item = typeof anItem extends fc.Arbitrary<infer Value> ? Value : never;

const wholeItem = (item: Item, index: number) =>
	item.type === 'message'
		? { ...message(said(item.pieces.join(''))), id: `i${index}` }
		: call(item.name, { id: `i${index}`, arguments: item.pieces.join('') });

/** What streams an item; `needed` are the events without which it could not be put together. */
function eventsOf(item: Item, index: number): Array<{ event: Event; needed: boolean }> {
	const begun = item.type === 'message' ? message() : { ...wholeItem(item, index), arguments: '' };
	const [kind, one] =
		item.type === 'message'
			? ['output_text', delta]
			: ['function_call_arguments', fragmentAt(index)];
	const around = { output_index: index, item_id: `i${index}` };
	return [
		{ event: added(index, begun), needed: false },
		{ event: { type: 'response.content_part.added', ...around, part: said('') }, needed: false },
		...item.pieces.map((text) => ({ event: one(text), needed: item.type === 'message' })),
		{
			event: { type: `response.${kind}.done`, ...around, text: item.pieces.join('') },
			needed: false,
		},
		{ event: itemDone(index, wholeItem(item, index)), needed: true },
	];
}

const fragmentAt = (index: number) => (text: string) => fragment(index, text);

const essence = (items: Item[]) => ({
	text: items.flatMap((item) => (item.type === 'message' ? item.pieces : [])).join(''),
	calls: items.flatMap((item) => (item.type === 'message' ? [] : [item.name])),
	output: items.map(wholeItem),
});

const essenceOf = ({ text, toolCalls, response }: ReturnType<typeof answerTo>) => ({
	text,
	calls: toolCalls.map(({ name }) => name),
	output: response['output'],
});

it('the end alone, or the items alone, make the same response', () => {
	fc.assert(
		fc.property(
			fc.array(anItem, { maxLength: 5 }),
			fc.infiniteStream(fc.boolean()),
			(items, kept) => {
				const all = items.flatMap(eventsOf);
				const some = all.filter(() => kept.next().value).map(({ event }) => event);
				const output = items.map(wholeItem);
				expect(essenceOf(answerTo(...some, done({ output })))).toEqual(essence(items));
				const needed = all.filter((one) => one.needed || kept.next().value);
				const answer = answerTo(...needed.map(({ event }) => event), done());
				expect(essenceOf(answer)).toEqual(essence(items));
				expect(answer.readAlong).toBe(answer.text);
			},
		),
	);
});

it('what is cut holds every piece of text that came', () => {
	fc.assert(
		fc.property(fc.array(anItem, { maxLength: 5 }), fc.nat(60), (items, end) => {
			const came = items.flatMap(eventsOf).slice(0, end);
			const texts = came.filter(({ event }) => event['type'] === 'response.output_text.delta');
			const answer = answerTo(...came.map(({ event }) => event));
			expect(answer).toMatchObject({
				text: texts.map(({ event }) => event['delta']).join(''),
				whole: false,
			});
		}),
	);
});

const KINDS =
	`created output_text.delta refusal.delta reasoning_text.delta output_item.added output_item.done
	function_call_arguments.delta function_call_arguments.done completed incomplete failed`.split(
		/\s+/,
	);

it('whatever the events hold, the answer has its form', () => {
	const anEvent = fc.record(
		{
			type: fc.oneof(
				fc.constantFrom(...KINDS.map((kind) => `response.${kind}`), 'error'),
				fc.jsonValue(),
			),
			delta: fc.jsonValue(),
			arguments: fc.jsonValue(),
			output_index: fc.jsonValue(),
			item_id: fc.jsonValue(),
			item: fc.oneof(
				fc.jsonValue(),
				fc.record({
					type: fc.constantFrom('message', 'function_call', 'reasoning'),
					content: fc.jsonValue(),
					arguments: fc.jsonValue(),
				}),
			),
			response: fc.oneof(
				fc.jsonValue(),
				fc.record({
					output: fc.jsonValue(),
					usage: fc.jsonValue(),
					error: fc.jsonValue(),
					incomplete_details: fc.jsonValue(),
				}),
			),
		},
		{ requiredKeys: ['type'] },
	);
	fc.assert(
		fc.property(fc.array(anEvent, { maxLength: 8 }), (given) => {
			expect(answerTo(...(given as Event[]))).toMatchObject({
				text: expect.any(String),
				model: 'asked/for',
				toolCalls: expect.any(Array),
				response: { output: expect.any(Array) },
			});
		}),
	);
});
