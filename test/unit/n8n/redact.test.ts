import fc, { character } from '../../support/fastCheck';

import { createRedactor } from '../../../src/n8n/redact';

const KEY = 'abcDEF12-34567890-"quoted"&mor3\\3nd';
const { text, data } = createRedactor(KEY);

it.each([
	['the key', `key ${KEY}.`, 'key ***.'],
	['the key, twice', `${KEY}${KEY}`, '******'],
	['the key, url-encoded', `?key=${encodeURIComponent(KEY)}&a=1`, '?key=***&a=1'],
	['the key, JSON-escaped', JSON.stringify({ key: KEY }), '{"key":"***"}'],
	['its beginning', `key ${KEY.slice(0, 8)}…`, 'key ***…'],
	['its end', `key …${KEY.slice(-8)}`, 'key …***'],
	[
		'any bearer',
		'Authorization: Bearer abc.DEF_~+/=-123, and bearer x',
		'Authorization: Bearer ***, and Bearer ***',
	],
	['what looks like a key', 'sk-abcdefgh123 and sk-short', '*** and sk-short'],
	['nothing', 'risk-averse task-abcdefgh of abcDEF1', 'risk-averse task-abcdefgh of abcDEF1'],
])('takes %s out of an error', (_what, given, expected) => {
	expect(text(given)).toBe(expected);
});

it('takes the key out of an answer, in names and at any depth, and nothing else', () => {
	const given = {
		a: [KEY, 1, null, { [KEY]: `x${encodeURIComponent(KEY)}` }],
		b: KEY.slice(0, 8),
		c: 'Bearer abc',
	};
	expect(data(given)).toEqual({
		a: ['***', 1, null, { '***': 'x***' }],
		b: KEY.slice(0, 8),
		c: 'Bearer abc',
	});
});

it('takes the key out of a name that has an ordinary value', () => {
	expect(data({ [KEY]: 1 })).toEqual({ '***': 1 });
});

it('gives back the same object where the key is not in it', () => {
	const given = { a: ['Bearer abc', { b: undefined }] };
	expect(data(given)).toBe(given);
	expect([data(undefined), data(null), data('a'), data(17)]).toEqual([undefined, null, 'a', 17]);
});

it('a short key could be a word of the answer, and is taken out of errors only', () => {
	const short = createRedactor('abc');
	expect(short.data({ a: 'abc' })).toEqual({ a: 'abc' });
	expect(short.text('abc is wrong')).toBe('*** is wrong');
	expect(short.text('Bearer xyz')).toBe('Bearer ***');
});

it('a key that no header can hold is redacted, too', () => {
	expect(createRedactor('ключ-…-4f0c9d21').data('of ключ-…-4f0c9d21')).toBe('of ***');
});

it('without a key nothing but what looks like one is taken out', () => {
	const none = createRedactor('');
	expect([none.text('plain'), none.text('Bearer x'), none.data({ a: '' })]).toEqual([
		'plain',
		'Bearer ***',
		{ a: '' },
	]);
});

it('no key of any form stays in any text or answer', () => {
	const key = fc.string({
		unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
		minLength: 8,
		maxLength: 40,
	});
	const filler = fc.string({ unit: character, maxLength: 10 });
	fc.assert(
		fc.property(key, filler, filler, fc.boolean(), (secret, before, after, encoded) => {
			const redact = createRedactor(secret);
			const echoed = `${before}${encoded ? encodeURIComponent(secret) : secret}${after}`;
			expect(redact.text(echoed)).not.toContain(secret);
			expect(JSON.stringify(redact.data({ [echoed]: [{ echoed }] }))).not.toContain(
				JSON.stringify(secret).slice(1, -1),
			);
			fc.pre(!before.includes(secret) && !after.includes(secret));
			expect(redact.data({ before, after })).toEqual({ before, after });
		}),
	);
});

it('texts does for all that is in a value what text does for one', () => {
	const given = { reason: [`${KEY.slice(0, 8)} "Bearer x"`], code: 17, none: undefined };
	expect(createRedactor(KEY).texts(given)).toEqual({
		reason: ['*** "Bearer ***"'],
		code: 17,
		none: undefined,
	});
});
