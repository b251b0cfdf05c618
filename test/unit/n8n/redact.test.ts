import { ServiceError } from '../../../src/core/errors';
import { createRedactor } from '../../../src/n8n/redact';
import fc, { character } from '../../support/fastCheck';
import { KEY, spellingsOf } from '../../support/spellings';

const redact = createRedactor(KEY);
const MIXED = 'abcDEF12-34567890-7mor3end';

/** What comes out of a stream, and how much of each piece was held back. */
function streamed(pieces: string[], by = redact) {
	const stream = by.stream();
	const shown = pieces.map((piece) => stream.push(piece));
	return { shown, text: shown.join('') + stream.end() };
}
const cutInto = (size: number, text: string) => text.match(new RegExp(`.{1,${size}}`, 'gs')) ?? [];

describe.each(Object.entries(spellingsOf(KEY)))('a key %s', (_how, spelling) => {
	it('is taken out of errors and answers, and nothing beside it', () => {
		// in base64 the bytes next to it share a character with it
		const around = /^before [\w+/-]{0,10}\*{3}[\w+/-]{0,4}={0,2} after$/;
		for (const text of [redact.text, redact.data<string>])
			expect(text(`before ${spelling} after`)).toMatch(around);
	});

	it('is taken out of a text that comes in pieces of any size', () => {
		const text = `before ${spelling} after, and ${spelling}`;
		for (const size of [1, 2, 3, 7, 20])
			expect(streamed(cutInto(size, text)).text).toBe(redact.data(text));
	});

	it('is taken out where a text was cut inside of it', () => {
		for (let length = Math.ceil(spelling.length * 0.6); length < spelling.length; length++)
			for (const mark of ['…', '...', ''])
				expect(redact.text(`${'y'.repeat(90)} ${spelling.slice(0, length)}${mark}`)).toMatch(
					/^y+ [\w+/-]{0,10}\*{3}[\w+/=-]{0,4}[….]*$/,
				);
	});
});

it.each<readonly [string, string, string, string]>([
	['the key, twice', KEY, `${KEY}${KEY}`, '******'],
	['its beginning', MIXED, 'key abcDEF12, and', 'key ***, and'],
	['its end', MIXED, 'key 7mor3end, and', 'key ***, and'],
	['any bearer', KEY, 'Bearer abc.DEF_~+/=-123; bearer x', 'Bearer ***; Bearer ***'],
	['what looks like a key', KEY, 'sk-abcdefgh123, sk-short', '***, sk-short'],
	['nothing', KEY, 'risk-averse task-abcdefgh of rk-Q7+x', 'risk-averse task-abcdefgh of rk-Q7+x'],
	['most of a short key', 'longword', 'cut: longw…', 'cut: ***…'],
	['but less of it stays', 'longword', 'cut: long…', 'cut: long…'],
	['a key that contains an ellipsis', 'Q7x...9dZt', 'of Q7x...9dZt.', 'of ***.'],
	['without a key what looks like one', '', 'plain Bearer x', 'plain Bearer ***'],
	// ordinary words in which a key begins
	...[
		['requests-of-team-a-7f3c9d21', 'The service is receiving too many requests (429).'],
		['workspace-4f0c9d217ab3e655', 'The service does not know this workspace'],
		['service', 'The services are busy'],
	].map(([key = '', words = '']) => ['but words stay', key, words, words] as const),
])('takes %s out of an error: %s', (_what, key, given, expected) => {
	expect(createRedactor(key).text(given)).toBe(expected);
});

it('every part of a random key of eight characters or more is too much', () => {
	const echoed = 'q7Zt9LmVb4sWc8yHnK3fQ7x9dZtE';
	const { text } = createRedactor(echoed);
	for (let length = 8; length <= echoed.length; length++)
		expect(text(`cut: ${echoed.slice(0, length)}…`)).toBe('cut: ***…');
	expect(text(`cut: ${echoed.slice(0, 7)}…`)).toBe(`cut: ${echoed.slice(0, 7)}…`);
});

it('takes the key out of an answer, in names and at any depth, and nothing else', () => {
	const [begun, encoded] = [KEY.slice(0, 8), `x${encodeURIComponent(KEY)}`];
	expect(
		redact.data({ a: [KEY, 1, null, { [KEY]: 1 }, { [KEY]: encoded }], b: begun, c: 'Bearer x' }),
	).toEqual({ a: ['***', 1, null, { '***': 1 }, { '***': 'x***' }], b: begun, c: 'Bearer x' });
	// the same object where the key is not in it
	const given = { a: ['Bearer abc', { b: undefined }] };
	expect(redact.data(given)).toBe(given);
	const plain = [undefined, null, 'a', 17, ''];
	for (const value of plain) expect(redact.data(value)).toBe(value);
	expect(createRedactor('ключ-…-4f0c9d21').data('of ключ-…-4f0c9d21')).toBe('of ***');
});

it('texts does for all that is in a value what text does for one', () => {
	const given = { reason: [`cut: ${KEY.slice(0, 30)}… "Bearer x"`], code: 17, none: undefined };
	const reason = ['cut: ***… "Bearer ***"'];
	expect(redact.texts(given)).toEqual({ reason, code: 17, none: undefined });
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

it('many keys, such as one for each item, are prepared together, and once', () => {
	const made = jest.spyOn(globalThis, 'RegExp');
	const many = createRedactor();
	const keys = Array.from({ length: 200 }, (_, n) => `${KEY}-of-customer-${n}`);
	for (const key of keys) many.addKey(key);
	expect(many.data(keys.join(' '))).toBe(keys.map(() => '***').join(' '));
	expect(made.mock.calls.length).toBeLessThan(10);
	made.mockRestore();
});

it('our own sentences stay, even where the key is one of their words', () => {
	// a decision has to be about the same words as an answer has
	const computed = { waitsFor: { text: 'Run sk-learn-pipeline?' } };
	const kept = { advice: 'Ask the service.', ids: { jobId: 'sk-abcdefgh123' }, computed };
	const message = 'The service refused the request (400)';
	const error = new ServiceError('refused', message, { reason: 'no such service', ...kept });
	const details = { reason: 'no such ***', ...kept };
	expect(createRedactor('service').error(error)).toMatchObject({ message, details });
});

it('a stream holds back nothing but what may be the beginning of a key', () => {
	const text = 'The quick brown fox jumps over the lazy dog: 12 + 30 = 42 (that is all). ';
	const pieces = text.repeat(200).match(/\S+\s/g) ?? [];
	expect(streamed(pieces).shown).toEqual(pieces);
	expect(streamed(['see rk-Q7', ' there']).shown).toEqual(['see ', 'rk-Q7 there']);
	const longest = Math.max(...Object.values(spellingsOf(KEY)).map(({ length }) => length));
	const begun = KEY.slice(0, 20).repeat(50);
	expect(streamed([begun]).shown[0]?.length).toBeGreaterThan(begun.length - longest);
});

it.each([
	['abc', 'abc is wrong', '*** is wrong', 'abc is wrong'],
	['abc', 'abcdef is wrong', 'abcdef is wrong', 'abcdef is wrong'],
	['12345', 'code 12345', 'code ***', 'code 12345'],
	['k-17x', 'it is k-17x, K-17X', 'it is ***, ***', 'it is ***, ***'],
	['k/17x', 'it is k%2F17x', 'it is ***', 'it is ***'],
	['k-17x', 'ask-17x, k-17xy, k-17x-', 'ask-17x, k-17xy, k-17x-', 'ask-17x, k-17xy, k-17x-'],
])('a key below eight characters: %s in "%s"', (key, text, inErrors, inAnswers) => {
	const short = createRedactor(key);
	expect([short.text(text), short.data(text)]).toEqual([inErrors, inAnswers]);
	expect(streamed([...text], short).text).toBe(inAnswers);
});

const anyKey = fc.string({
	unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
	minLength: 3,
	maxLength: 40,
});
const filler = fc.oneof(
	fc.string({ unit: fc.constantFrom(...'ab-\\%&+/= \n4'), maxLength: 12 }),
	fc.string({ unit: character, maxLength: 10 }),
);

it('no key of any form stays, and a stream gives what the whole text would, wherever it is split', () => {
	fc.assert(
		fc.property(
			anyKey,
			fc.array(filler, { minLength: 2, maxLength: 4 }),
			fc.nat(),
			(secret, around, seed) => {
				const own = createRedactor(secret);
				const ways = Object.values(spellingsOf(secret));
				const text = around.join(ways[seed % ways.length]);
				expect(streamed(cutInto(1 + (seed % 7), text), own).text).toBe(own.data(text));
				if (secret.length < 8) return;
				expect([own.data(text), own.text(text)].join()).not.toContain(secret);
				expect(JSON.stringify(own.data({ [text]: [{ text }] }))).not.toContain(
					JSON.stringify(secret).slice(1, -1),
				);
				const plain = around.filter((part) => !part.toLowerCase().includes(secret.toLowerCase()));
				expect(own.data(plain)).toEqual(plain);
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
