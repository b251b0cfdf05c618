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
const model = param('resourceLocator', { required: true });
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

const options = (...given: INodeProperties[]) => param('collection', { options: given });
const stop = options({ ...list, name: 'stop', displayName: 'Stop' });
const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

it.each<[string, INodeProperties, unknown, unknown]>([
	['text', text, ' a ', ' a '],
	['a number as text', text, 17, '17'],
	['an object as text', text, { a: [1] }, '{"a":[1]}'],
	['a date as text', text, new Date(0), '1970-01-01T00:00:00.000Z'],
	['a date of n8n as text', text, { toJSON: () => '1970-01-01' }, '1970-01-01'],
	['nothing as text', text, undefined, ''],
	['null as text', text, null, ''],
	['a chosen model', model, { __rl: true, mode: 'id', value: 'v/m' }, 'v/m'],
	['a model by expression', model, 'v/m', 'v/m'],
	['hidden and empty', { ...needed, displayOptions: { show: { a: ['b'] } } }, '', ''],
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
	['a date in an object', object, { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
	['a JSON list', list, ' [1, {"a": []}]\n', [1, { a: [] }]],
	['a JSON list that is empty', list, '[]', []],
	['no JSON list', list, ' \n', []],
	['a list by expression', list, [1, 'a'], [1, 'a']],
	['a list that begins with entries', { ...list, default: '[{"a": 1}]' }, '[{"b":2}]', [{ b: 2 }]],
	['a JSON list in options', stop, { stop: '["a"]' }, { stop: ['a'] }],
	['no JSON list in options', stop, { stop: '' }, {}],
	['options', collection, { temperature: '0.5', model: '', x: 1 }, { temperature: 0.5, model: '' }],
	['a needed option that was not chosen', capped, {}, {}],
	['options that are empty', collection, { temperature: '', effort: '' }, {}],
	['options that are null', collection, { temperature: null, model: undefined }, { model: '' }],
	[
		'rows',
		rows,
		{ row: [{ role: 'a' }, { content: 'y' }] },
		{ row: [{ role: 'a' }, { content: 'y' }] },
	],
	['one row', rows, { row: { role: 'a' } }, { row: [{ role: 'a' }] }],
	['no rows', rows, {}, {}],
])('%s', (_name, declared, value, expected) => {
	expect(validateParam(declared, value, 'Field')).toEqual(expected);
});

const NUMBER = 'Field must be a number';
const NO_OBJECT = 'Field must be a JSON object';
const NO_LIST = 'Field must be a JSON list';
const NO_JSON = 'Field is not valid JSON';
const TOO_DEEP = 'nested more than 200 levels deep.';
const HALF = 'Field contains an incomplete character, such as half of an emoji';
const inexact = (digits: string) =>
	[
		`Field has a whole number with more digits than n8n keeps (${digits})`,
		'It would be sent as another number. Write it in quotes, if the service takes a text there.',
	] as const;

it.each<[string, INodeProperties, unknown, string, string?]>([
	['empty', needed, '', 'Field is empty'],
	['blank', needed, ' \n', 'Field is empty'],
	['undefined', needed, undefined, 'Field is empty'],
	['an empty model', model, { __rl: true, mode: 'list', value: '' }, 'Field is empty'],
	['10 MB', text, 'x'.repeat(10_000_000), 'Field is longer than 4 million characters'],
	['half a character', text, 'a\ud800', HALF],
	['no number', whole, 'seven', NUMBER],
	['an empty number', whole, '', NUMBER],
	['true as a number', whole, true, NUMBER],
	['a list as a number', whole, [1, 2], NUMBER],
	['NaN', whole, NaN, NUMBER],
	['Infinity', open, Infinity, NUMBER],
	['too small', whole, 0, 'Field must be 1 to 50', 'It is 0.'],
	['too large', fraction, 3, 'Field must be 0 to 2', 'It is 3.'],
	['too small, no upper end', open, -1, 'Field must be 1 or more', 'It is -1.'],
	['a fraction', whole, 1.5, 'Field must be a whole number', 'It is 1.5.'],
	['no flag', flag, 'yes', 'Field must be true or false'],
	['1 as a flag', flag, 1, 'Field must be true or false'],
	['another choice', choice, 'b', 'Field must be one of: a, '],
	['a choice of another type', choice, ['a'], 'Field must be one of: a, '],
	['a list as JSON', object, '[1]', NO_OBJECT, 'It has to begin with { and end with }.'],
	['a text as JSON', object, '"a"', NO_OBJECT],
	['null as JSON', object, null, NO_OBJECT],
	['broken JSON', object, '{"a":', NO_JSON],
	['JSON that is too deep', object, `{"a":${deep(1000)}}`, NO_JSON, TOO_DEEP],
	['an object as a JSON list', list, '{"a":1}', NO_LIST, 'It has to begin with [ and end with ].'],
	['a text as a JSON list', list, '"a"', NO_LIST],
	['null as a JSON list', list, null, NO_LIST],
	['nothing as a JSON list', list, undefined, NO_LIST],
	['a number as a JSON list', list, 5, NO_LIST],
	['an object by expression as a JSON list', list, { length: 0 }, NO_LIST],
	['a broken JSON list', list, '[1,', NO_JSON],
	['a JSON list that is too deep', list, deep(1000), NO_JSON, TOO_DEEP],
	['an object that is too deep', object, { a: JSON.parse(deep(300)) as unknown }, NO_JSON],
	['an object that cannot be JSON', object, { a: 1n }, NO_JSON],
	['a large number in a list', list, '[12345678901234567890]', ...inexact('12345678901234567890')],
	['a large number', object, '{"a":[1, -9007199254740993]}', ...inexact('-9007199254740993')],
	['the first of two', object, '{"a":{"b":1e400},"c":9007199254740993}', ...inexact('1e400')],
	['40 digits', object, `{"a":${'9'.repeat(40)}}`, ...inexact('9'.repeat(40))],
	['a large number by expression', object, { seed: 2 ** 53 }, ...inexact('9007199254740992')],
	[
		'a rounded one',
		object,
		{ a: Number('12345678901234567890') },
		...inexact('12345678901234567000'),
	],
	['a text as options', collection, 'x', 'Field must be an object'],
	['an option out of range', collection, { temperature: 3 }, 'Field: Temperature must be 0 to 2'],
	['an option of another choice', collection, { effort: 'x' }, 'Field: Effort must be one of: a, '],
	['an empty needed option', capped, { cap: '' }, 'Field: Cap must be a number'],
	['a needed option of null', capped, { cap: null }, 'Field: Cap must be a number'],
	['an undefined needed option', capped, { cap: undefined }, 'Field: Cap must be a number'],
	['a row that is a text', rows, { row: ['x'] }, 'Field 1 must be an object'],
	['a second row', rows, { row: [{}, { role: 'x' }] }, 'Field 2: Role must be one of: a, '],
	// of a collection that has one row it has no number
	[
		'an only row',
		{ ...rows, typeOptions: {} },
		{ row: { role: 'x' } },
		'Field: Role must be one of: a, ',
	],
])('%s is refused', (_name, declared, value, message, ...[advice]) => {
	const details = expect.objectContaining(advice === undefined ? {} : { advice });
	expect(() => validateParam(declared, value, 'Field')).toThrow(
		expect.objectContaining({ kind: 'invalid', message, details }),
	);
});

it('refuses with words, whatever an expression may give', () => {
	const declared = fc.constantFrom(
		...[text, needed, whole, fraction, flag, choice, object, list, collection, rows],
	);
	const message = expect.stringMatching(/^Field/);
	fc.assert(
		fc.property(declared, fc.anything(), (declaration, value) => {
			try {
				validateParam(declaration, value, 'Field');
			} catch (error) {
				expect(error).toMatchObject({ name: 'ServiceError', kind: 'invalid', message });
			}
		}),
	);
});
