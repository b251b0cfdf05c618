import { createTextAccumulator } from '../../../src/core/textAccumulator';
import fc from '../../support/fastCheck';

/** A piece, or `['…']` for what the end of a message says. */
type Step = string | [said: string];

function heard(...steps: Step[]) {
	const joined = createTextAccumulator();
	const aloud = steps.map((step) =>
		typeof step === 'string' ? joined.add(step) : joined.finishMessage(step[0]),
	);
	const readAlong = [...aloud, joined.flush()].join('');
	return { text: joined.text(), readAlong };
}

it.each<[string, ...Step[]]>([
	// pieces
	['Hello you', 'Hel', 'lo ', 'you'],
	['haha!', 'ha', 'ha', '!'],
	['very very good', 'very ', 'very ', 'good'],
	['nono, no way', 'no', 'no, no', ' way'],
	['### Title', '#', '##', ' Title'],
	['    a', ' ', '  ', ' a'],
	['  hello you', ' ', ' hello', ' you'],
	['\n\n- a\n- b', '\n', '\n- a', '\n- b'],
	['a line of a song\na line of a song\n', 'a line of a song\n', 'a line of a song\n'],
	['haha', 'ha', 'ha'],
	// the whole so far
	['Hello you!', 'He', 'Hello', 'Hello you', 'Hello you!'],
	['I think so', 'I', 'I t', 'I think', 'I think so'],
	['Good morning, you', 'Good morning', 'Good morning, you'],
	['Good morning', 'Good', 'Good morning'],
	['Hello you', 'Hell', 'Hello', 'Hello', 'Hello you'],
	['Nec, nec augue.', 'Nec, nec ', 'Nec, nec augue.', 'Nec, nec augue.', 'Nec, nec augue.'],
	[
		'Hello youGood day to all',
		'Hello',
		'Hello you',
		[''],
		'Good',
		'Good day to',
		'Good day to all',
	],
	// once a piece does not begin with those before, none does
	['Good dayGood day', 'Good ', 'day', 'Good day'],
	['Hello you ByeHello you Bye', 'He', 'Hello', 'Hello you', ' Bye', 'Hello you Bye'],
	// the end of a message
	['a', 'a', ['a']],
	[' a b\n', ' a b\n', ['a b']],
	['ab', 'a', ['ab']],
	['a', 'a', [''], ['a']],
	['a', ['a']],
	['Hello world', 'Hello ', ['world']],
	['Hello', 'Hel', ['Hello']],
	['Hello \nyou', 'Hello \n', 'you', ['Hello you']],
	['one two', 'one ', ['one '], 'two', ['two'], ['one two']],
	['Hello', 'Hello', ['Hello'], ['Hello'], ['Hello']],
	['Hello there, alland that is it', 'Hello there, all', [''], ['and that is it']],
])('%j', (expected, ...steps) => {
	expect(heard(...steps)).toEqual({ text: expected, readAlong: expected });
});

it('ordinary pieces are joined, whatever they are, unless one holds all before it', () => {
	const unit = fc.constantFrom('a', 'b', ' ', '.');
	const piece = fc.string({ minLength: 1, maxLength: 8, unit });
	fc.assert(
		fc.property(fc.array(piece), (pieces) => {
			const grows = pieces.some((text, at) => at > 0 && text.startsWith(pieces[0]!));
			const { text, readAlong } = heard(...pieces);
			expect(readAlong).toBe(text);
			if (!grows) expect(text).toBe(pieces.join(''));
		}),
	);
});

it('wholes of any text that grow are the text', () => {
	const steps = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 20, maxLength: 60 });
	fc.assert(
		fc.property(fc.lorem({ maxCount: 10, mode: 'sentences' }), steps, (whole, growth) => {
			let end = 0;
			const wholes = growth.map((by) => whole.slice(0, (end += by)));
			fc.pre(wholes.length > 3 && whole.length > 20);
			expect(heard(...wholes, whole)).toEqual({ text: whole, readAlong: whole });
		}),
	);
});

it('takes twenty thousand messages of ten pieces in linear time', () => {
	const joined = createTextAccumulator();
	let length = 0;
	for (let message = 0; message < 20_000; message++) {
		for (let piece = 0; piece < 10; piece++) length += joined.add(`${message} ${piece} `).length;
		length += joined.finishMessage(`${message} is what it said in the end`).length;
	}
	expect(joined.text()).toHaveLength(length);
});

it('pieces that are certainly new text are added as they are', () => {
	const accumulator = createTextAccumulator();
	expect(['a', 'aa', 'aaa'].map(accumulator.append)).toEqual(['a', 'aa', 'aaa']);
	expect(accumulator.text()).toBe('aaaaaa');
});

it('puts its separator between messages only', () => {
	const { add, finishMessage, text, endedCount } = createTextAccumulator('\n\n');
	const begun = [finishMessage(), add('a'), add('b'), finishMessage('ab'), finishMessage('ab')];
	expect(begun).toEqual(['', 'a', 'b', '', '']);
	expect([add('c'), finishMessage('d'), finishMessage('e')]).toEqual(['\n\nc', 'd', '\n\ne']);
	expect([text(), endedCount()]).toEqual(['ab\n\ncd\n\ne', 3]);
});

it('takes twenty thousand ends that repeat the end of a long text in linear time', () => {
	const accumulator = createTextAccumulator();
	accumulator.add(`${'ab'.repeat(2_000_000)} so it ends, my dear friend`);
	accumulator.finishMessage();
	const started = performance.now();
	for (let end = 0; end < 20_000; end++) accumulator.finishMessage('it ends, my dear friend');
	// comparing each with the whole text takes minutes
	expect(performance.now() - started).toBeLessThan(20_000);
	expect(accumulator.text().length).toBeLessThan(5_000_000);
});
