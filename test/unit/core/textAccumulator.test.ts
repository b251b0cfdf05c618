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

it.each<[string, Step[], string]>([
	['pieces', ['Hel', 'lo ', 'you'], 'Hello you'],
	['a piece twice', ['ha', 'ha', '!'], 'haha!'],
	['a word twice', ['very ', 'very ', 'good'], 'very very good'],
	['a syllable that grows once', ['no', 'no, no', ' way'], 'nono, no way'],
	['marks that grow', ['#', '##', ' Title'], '### Title'],
	['white space that grows', [' ', '  ', ' a'], '    a'],
	['white space before a word', [' ', ' hello', ' you'], '  hello you'],
	['a line feed before more', ['\n', '\n- a', '\n- b'], '\n\n- a\n- b'],
	['the whole so far', ['He', 'Hello', 'Hello you', 'Hello you!'], 'Hello you!'],
	['the whole so far, from one letter on', ['I', 'I t', 'I think', 'I think so'], 'I think so'],
	['the whole so far, twice only', ['Good morning', 'Good morning, you'], 'Good morning, you'],
	['the whole so far, two short ones', ['Good', 'Good morning'], 'Good morning'],
	['the whole so far, the same again', ['Hell', 'Hello', 'Hello', 'Hello you'], 'Hello you'],
	[
		'wholes of two messages',
		['Hello', 'Hello you', [''], 'Good', 'Good day to', 'Good day to all'],
		'Hello youGood day to all',
	],
	[
		'a line twice',
		['a line of a song\n', 'a line of a song\n'],
		'a line of a song\na line of a song\n',
	],
	['a piece twice, and no more', ['ha', 'ha'], 'haha'],
	[
		'once a piece does not begin with those before, none does',
		['Good ', 'day', 'Good day'],
		'Good dayGood day',
	],
	[
		'the end of the whole so far',
		['He', 'Hello', 'Hello you', ' Bye', 'Hello you Bye'],
		'Hello you ByeHello you Bye',
	],
	['the whole at the end', ['a', ['a']], 'a'],
	['the whole at the end, trimmed', [' a b\n', ['a b']], ' a b\n'],
	['a piece at the end that begins alike', ['a', ['ab']], 'ab'],
	['the same message again', ['a', [''], ['a']], 'a'],
	['the whole at the end only', [['a']], 'a'],
	['a last piece at the end', ['Hello ', ['world']], 'Hello world'],
	['the whole with more at the end', ['Hel', ['Hello']], 'Hello'],
	[
		'the whole at the end, with other white space',
		['Hello \n', 'you', ['Hello you']],
		'Hello \nyou',
	],
	[
		'each message at its end, and all at last',
		['one ', ['one '], 'two', ['two'], ['one two']],
		'one two',
	],
	['an end said three times', ['Hello', ['Hello'], ['Hello'], ['Hello']], 'Hello'],
	[
		'another message at the end',
		['Hello there, all', [''], ['and that is it']],
		'Hello there, alland that is it',
	],
])('%s', (_name, steps, expected) => {
	expect(heard(...steps)).toEqual({ text: expected, readAlong: expected });
});

it('ordinary pieces are joined, whatever they are, unless one holds all before it', () => {
	const piece = fc.string({
		minLength: 1,
		maxLength: 8,
		unit: fc.constantFrom('a', 'b', ' ', '.'),
	});
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

it('all the text so far may come again as it is, after a short beginning', () => {
	const whole = 'Nec, nec augue massa.';
	expect(heard('Nec, nec ', whole, whole, whole)).toEqual({ text: whole, readAlong: whole });
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
	const accumulator = createTextAccumulator('\n\n');
	const aloud = [
		accumulator.finishMessage(),
		accumulator.add('a'),
		accumulator.add('b'),
		accumulator.finishMessage('ab'),
		accumulator.finishMessage('ab'),
		accumulator.add('c'),
		accumulator.finishMessage('d'),
		accumulator.finishMessage('e'),
	];
	expect(aloud).toEqual(['', 'a', 'b', '', '', '\n\nc', 'd', '\n\ne']);
	expect(accumulator.text()).toBe('ab\n\ncd\n\ne');
	expect(accumulator.endedCount()).toBe(3);
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
