import type { INodeProperties } from 'n8n-workflow';

import { validateParam } from '../../../src/n8n/parameterValidation';
import fc from '../../support/fastCheck';

const param = (
	type: INodeProperties['type'],
	more: Partial<INodeProperties> = {},
): INodeProperties => ({
	displayName: 'Field',
	name: 'field',
	default: '',
	type,
	...more,
});
const text = param('string');
const needed = param('string', { required: true });
const whole = param('number', { typeOptions: { minValue: 1, maxValue: 50 } });
const fraction = param('number', { typeOptions: { minValue: 0, maxValue: 2, numberPrecision: 2 } });
const open = param('number', { typeOptions: { minValue: 1 } });
const flag = param('boolean');
const choice = param('options', {
	options: [
		{ name: 'A', value: 'a' },
		{ name: 'Any', value: '' },
	],
});
const object = param('json');
const list = param('json', { default: '[]' });
const collection = param('collection', {
	options: [
		{ ...fraction, displayName: 'Temperature', name: 'temperature' },
		{ ...text, displayName: 'Model', name: 'model' },
		{ ...choice, displayName: 'Effort', name: 'effort' },
	],
});
const capped = param('collection', {
	options: [{ ...fraction, displayName: 'Cap', name: 'cap', required: true }],
});
const rows = param('fixedCollection', {
	typeOptions: { multipleValues: true },
	options: [
		{
			displayName: 'Row',
			name: 'row',
			values: [
				{ ...choice, name: 'role', displayName: 'Role' },
				{ ...text, name: 'content', displayName: 'Content' },
			],
		},
	],
});

it.each<[string, INodeProperties, unknown, unknown]>([
	['text', text, ' a ', ' a '],
	['a number as text', text, 17, '17'],
	['an object as text', text, { a: [1] }, '{"a":[1]}'],
	['a date as text', text, new Date(0), '1970-01-01T00:00:00.000Z'],
	['a date of n8n as text', text, { toJSON: () => '1970-01-01' }, '1970-01-01'],
	['nothing as text', text, undefined, ''],
	['null as text', text, null, ''],
	[
		'a chosen model',
		param('resourceLocator', { required: true }),
		{ __rl: true, mode: 'id', value: 'v/m' },
		'v/m',
	],
	['a model by expression', param('resourceLocator', { required: true }), 'v/m', 'v/m'],
	[
		'hidden and empty, though needed',
		param('string', { required: true, displayOptions: { show: { a: ['b'] } } }),
		'',
		'',
	],
	['a number', whole, 7, 7],
	['a number in a text', whole, ' 7 ', 7],
	['a fraction in a text', fraction, '0.7', 0.7],
	['a large number', open, 1e12, 1e12],
	['true', flag, true, true],
	['"true"', flag, 'true', true],
	['"false"', flag, 'false', false],
	['a choice', choice, 'a', 'a'],
	['the empty choice', choice, '', ''],
	['JSON', object, '{"a":{"b":1}}', { a: { b: 1 } }],
	['JSON that is empty', object, '  ', {}],
	['an object by expression', object, { a: 1 }, { a: 1 }],
	['a prototype in JSON', object, '{"__proto__":{"a":1},"b":2}', { b: 2 }],
	[
		'a large number in quotes',
		object,
		'{"id":"12345678901234567890"}',
		{ id: '12345678901234567890' },
	],
	['the largest number', object, '{"seed":9007199254740991}', { seed: 9007199254740991 }],
	['a large number with an exponent', object, '{"seed":1e21}', { seed: 1e21 }],
	[
		'a date in an object by expression',
		object,
		{ at: new Date(0) },
		{ at: '1970-01-01T00:00:00.000Z' },
	],
	['a JSON list', list, ' [1, {"a": []}]\n', [1, { a: [] }]],
	['a JSON list that is empty', list, '[]', []],
	['no JSON list', list, ' \n', []],
	['a list by expression', list, [1, 'a'], [1, 'a']],
	[
		'a JSON list that begins with entries',
		param('json', { default: '[{"a": 1}]' }),
		'[{"b":2}]',
		[{ b: 2 }],
	],
	[
		'a JSON list in options',
		param('collection', { options: [{ ...list, name: 'stop', displayName: 'Stop' }] }),
		{ stop: '["a"]' },
		{ stop: ['a'] },
	],
	[
		'no JSON list in options',
		param('collection', { options: [{ ...list, name: 'stop', displayName: 'Stop' }] }),
		{ stop: '' },
		{},
	],
	[
		'options',
		collection,
		{ temperature: '0.5', model: '', unknown: 1 },
		{ temperature: 0.5, model: '' },
	],
	['a needed option that was not chosen', capped, {}, {}],
	['options that are empty', collection, { temperature: '', effort: '' }, {}],
	['options that are null', collection, { temperature: null, model: undefined }, { model: '' }],
	[
		'rows',
		rows,
		{ row: [{ role: 'a', content: 'x' }, { content: 'y' }] },
		{ row: [{ role: 'a', content: 'x' }, { content: 'y' }] },
	],
	['one row', rows, { row: { role: 'a' } }, { row: [{ role: 'a' }] }],
	['no rows', rows, {}, {}],
])('%s', (_name, declared, value, expected) => {
	expect(validateParam(declared, value, 'Field')).toEqual(expected);
});

it.each<[string, INodeProperties, unknown, string, string?]>([
	['empty', needed, '', 'Field is empty'],
	['blank', needed, ' \n', 'Field is empty'],
	['undefined', needed, undefined, 'Field is empty'],
	[
		'an empty model',
		param('resourceLocator', { required: true }),
		{ __rl: true, mode: 'list', value: '' },
		'Field is empty',
	],
	['10 MB', text, 'x'.repeat(10_000_000), 'Field is longer than 4 million characters'],
	[
		'half a character',
		text,
		'a\ud800',
		'Field contains an incomplete character, such as half of an emoji',
	],
	['no number', whole, 'seven', 'Field must be a number'],
	['an empty number', whole, '', 'Field must be a number'],
	['true as a number', whole, true, 'Field must be a number'],
	['a list as a number', whole, [1, 2], 'Field must be a number'],
	['NaN', whole, NaN, 'Field must be a number'],
	['Infinity', open, Infinity, 'Field must be a number'],
	['too small', whole, 0, 'Field must be 1 to 50', 'It is 0.'],
	['too large', fraction, 3, 'Field must be 0 to 2', 'It is 3.'],
	['too small, no upper end', open, -1, 'Field must be 1 or more', 'It is -1.'],
	['a fraction', whole, 1.5, 'Field must be a whole number', 'It is 1.5.'],
	['no flag', flag, 'yes', 'Field must be true or false'],
	['1 as a flag', flag, 1, 'Field must be true or false'],
	['another choice', choice, 'b', 'Field must be one of: a, '],
	['a choice of another type', choice, ['a'], 'Field must be one of: a, '],
	[
		'a list as JSON',
		object,
		'[1]',
		'Field must be a JSON object',
		'It has to begin with { and end with }.',
	],
	['a text as JSON', object, '"a"', 'Field must be a JSON object'],
	['null as JSON', object, null, 'Field must be a JSON object'],
	['broken JSON', object, '{"a":', 'Field is not valid JSON'],
	[
		'JSON that is too deep',
		object,
		`${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}`,
		'Field is not valid JSON',
		'nested more than 200 levels deep.',
	],
	[
		'an object as a JSON list',
		list,
		'{"a":1}',
		'Field must be a JSON list',
		'It has to begin with [ and end with ].',
	],
	['a text as a JSON list', list, '"a"', 'Field must be a JSON list'],
	['null as a JSON list', list, null, 'Field must be a JSON list'],
	['nothing as a JSON list', list, undefined, 'Field must be a JSON list'],
	['a number as a JSON list', list, 5, 'Field must be a JSON list'],
	['an object by expression as a JSON list', list, { length: 0 }, 'Field must be a JSON list'],
	['a broken JSON list', list, '[1,', 'Field is not valid JSON'],
	[
		'a JSON list that is too deep',
		list,
		'['.repeat(1000) + ']'.repeat(1000),
		'Field is not valid JSON',
		'nested more than 200 levels deep.',
	],
	[
		'a large number in a JSON list',
		list,
		'[12345678901234567890]',
		'Field has a whole number with more digits than n8n keeps (12345678901234567890)',
	],
	[
		'an object by expression that is too deep',
		object,
		Array(300)
			.fill(0)
			.reduce<object>((inner) => ({ a: inner }), {}),
		'Field is not valid JSON',
	],
	['an object that cannot be JSON', object, { a: 1n }, 'Field is not valid JSON'],
	['a text as options', collection, 'x', 'Field must be an object'],
	['an option out of range', collection, { temperature: 3 }, 'Field: Temperature must be 0 to 2'],
	['an option of another choice', collection, { effort: 'x' }, 'Field: Effort must be one of: a, '],
	['a row that is a text', rows, { row: ['x'] }, 'Field 1 must be an object'],
	[
		'a bad second row',
		rows,
		{ row: [{ role: 'a' }, { role: 'x' }] },
		'Field 2: Role must be one of: a, ',
	],
	[
		'the only row of a collection that has one, without a number,',
		{ ...rows, typeOptions: {} },
		{ row: { role: 'x' } },
		'Field: Role must be one of: a, ',
	],
])('%s is refused', (_name, declared, value, message, ...[advice]) => {
	const details = advice === undefined ? {} : { advice };
	expect(() => validateParam(declared, value, 'Field')).toThrow(
		expect.objectContaining({
			kind: 'invalid',
			message,
			details: expect.objectContaining(details),
		}),
	);
});

it.each<[unknown, string]>([
	['{"seed":12345678901234567890}', '12345678901234567890'],
	['{"a":{"b":[1,-9007199254740993]},"c":9007199254740993}', '-9007199254740993'],
	[`{"a":${'9'.repeat(40)}}`, '9'.repeat(40)],
	['{"a":1e400}', '1e400'],
	[{ seed: 2 ** 53 }, '9007199254740992'],
	[{ seed: Number('12345678901234567890') }, '12345678901234567000'],
])('%j would be sent as another number, and is refused', (value, digits) => {
	expect(() => validateParam(object, value, 'Field')).toThrow(
		expect.objectContaining({
			message: `Field has a whole number with more digits than n8n keeps (${digits})`,
			details: {
				advice:
					'It would be sent as another number. Write it in quotes, if the service takes a text there.',
			},
		}),
	);
});

it('refuses with words, whatever an expression may give', () => {
	const declared = fc.constantFrom(
		text,
		needed,
		whole,
		fraction,
		flag,
		choice,
		object,
		list,
		collection,
		rows,
	);
	fc.assert(
		fc.property(declared, fc.anything(), (declaration, value) => {
			try {
				validateParam(declaration, value, 'Field');
			} catch (error) {
				expect(error).toMatchObject({
					name: 'ServiceError',
					kind: 'invalid',
					message: expect.stringMatching(/^Field/),
				});
			}
		}),
	);
});

it.each([undefined, null, ''])('a needed option that is %j is not passed over', (cap) => {
	expect(() => validateParam(capped, { cap }, 'Field')).toThrow(
		expect.objectContaining({ message: 'Field: Cap must be a number' }),
	);
});
