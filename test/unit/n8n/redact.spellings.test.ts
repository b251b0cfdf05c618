import { ServiceError } from '../../../src/core/errors';
import { createRedactor } from '../../../src/n8n/redact';
import fc from '../../support/fastCheck';
import { KEY, spellingsOf } from '../../support/spellings';

const redact = createRedactor(KEY);

/** What comes out of a stream, and how much of each piece was held back. */
function streamed(pieces: string[], by = redact) {
	const stream = by.stream();
	const shown = pieces.map((piece) => stream.push(piece));
	return { shown, text: shown.join('') + stream.end() };
}

describe.each(Object.entries(spellingsOf(KEY)))('a key %s', (_how, spelling) => {
	it('is taken out of errors and answers, and nothing beside it', () => {
		// in base64 the bytes next to it share a character with it
		const around = /^before [\w+/-]{0,10}\*{3}[\w+/-]{0,4}={0,2} after$/;
		for (const text of [redact.text, redact.data<string>])
			expect(text(`before ${spelling} after`)).toMatch(around);
	});

	it('is taken out of a text that comes in pieces of any size', () => {
		const text = `before ${spelling} after, and ${spelling}`;
		for (const size of [1, 2, 3, 7, 20]) {
			const pieces = text.match(new RegExp(`.{1,${size}}`, 'gs')) ?? [];
			expect(streamed(pieces).text).toBe(redact.data(text));
		}
	});

	it('is taken out where a text was cut inside of it', () => {
		for (let length = Math.ceil(spelling.length * 0.6); length < spelling.length; length++) {
			const begun = spelling.slice(0, length);
			for (const mark of ['…', '...', ''])
				expect(redact.text(`${'y'.repeat(90)} ${begun}${mark}`)).toMatch(
					/^y+ [\w+/-]{0,10}\*{3}[\w+/=-]{0,4}[….]*$/,
				);
		}
	});
});

it('every part of a random key of eight characters or more is too much', () => {
	const echoed = 'q7Zt9LmVb4sWc8yHnK3fQ7x9dZtE';
	const { text } = createRedactor(echoed);
	for (let length = 8; length <= echoed.length; length++)
		expect(text(`cut: ${echoed.slice(0, length)}…`)).toBe('cut: ***…');
	expect(text(`cut: ${echoed.slice(0, 7)}…`)).toBe(`cut: ${echoed.slice(0, 7)}…`);
});

it.each([
	['most of a short key', 'longword', 'cut: longw…', 'cut: ***…'],
	['less of it', 'longword', 'cut: long…', 'cut: long…'],
	['a key that contains an ellipsis', 'Q7x...9dZt', 'of Q7x...9dZt.', 'of ***.'],
])('in an error: %s', (_what, key, given, expected) => {
	expect(createRedactor(key).text(given)).toBe(expected);
});

it('an answer that breaks off in the middle of a key does not show it', () => {
	for (const begun of [KEY.slice(0, 14), encodeURIComponent(KEY).slice(0, -1)]) {
		expect(redact.data({ text: `It is ${begun}` })).toEqual({ text: 'It is ***' });
		expect(streamed([...`It is ${begun}`]).text).toBe('It is ***');
	}
	// but it may end with words that a key begins with
	const own = createRedactor('northwind-quill-7f3c9d21');
	for (const text of ['It is northwind-quill', 'It is northwind-quill-7'])
		expect([own.data(text), streamed([...text], own).text]).toEqual([text, text]);
});

it('several keys: the longest counts', () => {
	const both = createRedactor('first-4f0c9d21');
	both.addKey('first-4f0c9d21-and-more-77aa');
	const text = 'of first-4f0c9d21-and-more-77aa and first-4f0c9d21.';
	expect(both.data(text)).toBe('of *** and ***.');
	expect(streamed([...text], both).text).toBe('of *** and ***.');
});

describe('what is no key', () => {
	it.each([
		['requests-of-team-a-7f3c9d21', 'The service is receiving too many requests (429).'],
		['workspace-4f0c9d217ab3e655', 'The workspace does not answer'],
		['workspace-4f0c9d217ab3e655', 'The service does not know this workspace'],
		['service', 'The services are busy'],
	])('stays, for the key %s: %s', (key, text) => {
		expect(createRedactor(key).text(text)).toBe(text);
	});

	it('our own sentences stay, even where the key is one of their words', () => {
		const error = new ServiceError('refused', 'The service refused the request (400)', {
			reason: 'no such service',
			advice: 'Ask the service.',
			ids: { jobId: 'sk-abcdefgh123' },
		});
		expect(createRedactor('service').error(error)).toMatchObject({
			message: 'The service refused the request (400)',
			details: {
				reason: 'no such ***',
				advice: 'Ask the service.',
				ids: { jobId: 'sk-abcdefgh123' },
			},
		});
	});

	it('is never held back, but for what may be the beginning of a key', () => {
		const text = 'The quick brown fox jumps over the lazy dog: 12 + 30 = 42 (that is all). ';
		const pieces = text.repeat(200).match(/\S+\s/g) ?? [];
		expect(streamed(pieces).shown).toEqual(pieces);
		expect(streamed(['see rk-Q7', ' there']).shown).toEqual(['see ', 'rk-Q7 there']);
		const longest = Math.max(...Object.values(spellingsOf(KEY)).map(({ length }) => length));
		const begun = KEY.slice(0, 20).repeat(50);
		expect(streamed([begun]).shown[0]?.length).toBeGreaterThan(begun.length - longest);
	});
});

describe('a key below eight characters', () => {
	it.each([
		['abc', 'abc is wrong', '*** is wrong', 'abc is wrong'],
		['abc', 'abcdef is wrong', 'abcdef is wrong', 'abcdef is wrong'],
		['12345', 'code 12345', 'code ***', 'code 12345'],
		['k-17x', 'it is k-17x, K-17X', 'it is ***, ***', 'it is ***, ***'],
		['k/17x', 'it is k%2F17x', 'it is ***', 'it is ***'],
		['k-17x', 'ask-17x, k-17xy, k-17x-', 'ask-17x, k-17xy, k-17x-', 'ask-17x, k-17xy, k-17x-'],
	])('%s in "%s"', (key, text, inErrors, inAnswers) => {
		const short = createRedactor(key);
		expect([short.text(text), short.data(text)]).toEqual([inErrors, inAnswers]);
		expect(streamed([...text], short).text).toBe(inAnswers);
	});
});

it('a stream gives what the whole text would, wherever it is split', () => {
	const key = fc.string({
		unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
		minLength: 3,
		maxLength: 40,
	});
	const filler = fc.string({ unit: fc.constantFrom(...'ab-\\%&+/= \n4'), maxLength: 12 });
	fc.assert(
		fc.property(
			key,
			fc.array(filler, { minLength: 2, maxLength: 4 }),
			fc.nat(),
			(secret, around, seed) => {
				const own = createRedactor(secret);
				const ways = Object.values(spellingsOf(secret));
				const text = around.join(ways[seed % ways.length]);
				const size = 1 + (seed % 7);
				const pieces = text.match(new RegExp(`.{1,${size}}`, 'gs')) ?? [];
				expect(streamed(pieces, own).text).toBe(own.data(text));
				if (secret.length >= 8) expect(own.data(text)).not.toContain(secret);
			},
		),
	);
});

// it would take long, if it took the square of the time
it.each([['\\'], ['%25'], ['rk-Q'], ['…'], ['.']])('goes through %j in a row', (unit) => {
	const error = unit.repeat(2 ** 16 / unit.length);
	expect(redact.text(error)).toBe(error);
	const answer = unit.repeat(2 ** 20 / unit.length);
	expect(redact.data(answer) === answer).toBe(true);
});
