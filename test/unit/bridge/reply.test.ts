import fc from '../../support/fastCheck';

import { toReply } from '../../../src/bridge/reply';

const sent = {
	message: 'told',
	sessionId: 's',
	messages: [{ role: 'user', content: 'told' }],
	turn: 1,
};

it.each<[string, Record<string, unknown>[], string]>([
	['output first', [{ text: 'no', output: 'yes' }], 'yes'],
	['an output that is an object', [{ output: { answer: 'yes', more: 1 } }], 'yes'],
	['an output without any text', [{ output: { a: 1 } }], '{"a":1}'],
	['an output that is a number', [{ output: 0 }], '0'],
	['no output', [{ output: null, text: 'yes' }], 'yes'],
	['any usual place', [{ choices: [{ message: { role: 'assistant', content: 'yes' } }] }], 'yes'],
	['several items', [{ output: 'one' }, { output: ' ' }, { output: 'two' }], 'one\n\ntwo'],
	['what was sent, passed on beside the answer', [{ ...sent, reply: 'yes' }], 'yes'],
	['nothing but what was sent', [sent], ''],
	['another message', [{ ...sent, message: 'yes' }], 'yes'],
	['half a character', [{ output: 'a\ud83d' }], 'a\ufffd'],
	['nothing', [{}], ''],
])('the text of %s', (_what, items, text) => {
	expect(toReply(items, sent, '')).toMatchObject({ text });
});

it.each<[string, Record<string, unknown>, object]>([
	['a.b', { a: { b: 'yes' }, output: 'no' }, { text: 'yes' }],
	['a.b', { 'a.b': 'yes', a: { b: 'no' } }, { text: 'yes' }],
	['list.1', { list: ['no', 'yes'] }, { text: 'yes' }],
	['n', { n: 5 }, { text: '5' }],
	['o', { o: { z: 1 } }, { text: '{"z":1}' }],
	['message', sent, { text: 'told' }],
	['x', { output: 'no' }, { text: '', missing: 'x' }],
	['a.b', { a: 'text' }, { text: '', missing: 'a.b' }],
	['constructor.name', {}, { text: '', missing: 'constructor.name' }],
	['x', { x: null }, { text: '' }],
])('the field %s', (field, item, reply) => {
	expect(toReply([item], sent, field)).toEqual({
		...reply,
		...(item['sessionId'] === 's' && { sessionId: 's' }),
	});
});

it.each<[string, Record<string, unknown>, object]>([
	['a text', { error: 'It broke' }, { error: 'It broke' }],
	['a message', { error: { message: 'It broke', code: 1 } }, { error: 'It broke' }],
	['anything else', { error: { code: 1 } }, { error: '{"code":1}' }],
	['true', { error: true }, { error: 'true' }],
	[
		'details',
		{ error: 'x', details: { outcome: 'unknown' } },
		{ error: 'x', details: { outcome: 'unknown' } },
	],
])('a failure told by %s', (_what, item, failure) => {
	// an error output has the input's fields as well
	expect(toReply([{ ...sent, ...item }], sent, '')).toMatchObject({ text: '', failure });
});

it.each([[null], [undefined], [false], ['']])('an error of %j is none', (error) => {
	expect(toReply([{ error, output: 'yes' }], sent, '')).toEqual({ text: 'yes' });
});

it('one item of several that failed', () => {
	expect(toReply([{ output: 'a' }, { error: 'x' }], sent, '').failure).toEqual({ error: 'x' });
});

it('ids are taken as they are, and only if they are texts', () => {
	const items = [
		{ chatId: 5, sessionId: '' },
		{ output: 'a', chatId: 'c', sessionId: 'i' },
	];
	expect(toReply(items, sent, '')).toEqual({ text: 'a', chatId: 'c', sessionId: 'i' });
});

it('anything is read', () => {
	fc.assert(
		fc.property(
			fc.array(fc.dictionary(fc.string(), fc.jsonValue())),
			fc.string(),
			(items, field) => {
				expect(typeof toReply(items, sent, field).text).toBe('string');
			},
		),
	);
});
