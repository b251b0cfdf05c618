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
	['an older one late', ['Hello', 'Hello you', 'Hello you!', 'Hello you'], 'Hello you!'],
	[
		'wholes of two messages',
		['Hello', 'Hello you', [''], 'Good', 'Good day to', 'Good day to all'],
		'Hello youGood day to all',
	],
	[
		'wholes of a new message',
		['Hello', 'Hello you', 'Hello you all', 'Bye', 'Bye bye'],
		'Hello you all\n\nBye bye',
	],
	['the whole once more', ['Good morning, ', 'you', 'Good morning, you'], 'Good morning, you'],
	[
		'the whole once more, with more',
		['Good morning, ', 'you', 'Good morning, you two'],
		'Good morning, you two',
	],
	[
		'the whole once more after its end',
		['Good ', 'morning, you', [''], 'Good morning, you'],
		'Good morning, you',
	],
	[
		'a line twice',
		['a line of a song\n', 'a line of a song\n'],
		'a line of a song\na line of a song\n',
	],
	['the whole at the end', ['a', ['a']], 'a'],
	['the whole at the end only', [['a']], 'a'],
	['a last piece at the end', ['Hello ', ['world']], 'Hello world'],
	['a last piece that begins alike', ['a', ['and b']], 'aand b'],
	['the whole with more at the end', ['Hel', ['Hello']], 'Hello'],
	[
		'the whole at the end, with other white space',
		['Hello \n', 'you', ['Hello you']],
		'Hello \nyou',
	],
	[
		'the whole at the end, a little corrected',
		['The price of it is 5 USD', ['The price of it is 6 USD']],
		'The price of it is 5 USD',
	],
	[
		'the whole at the end, with words around it',
		['forty-two and a half', ['Answer: forty-two and a half.']],
		'forty-two and a half',
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

it('a correction of the whole so far is taken over', () => {
	const { text } = heard('The pri', 'The price is', 'The price is 5 USd', 'The price is 5 USD now');
	expect(text).toBe('The price is 5 USD now');
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
