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
const choices: INodeProperties = { ...choice, type: 'multiOptions' };
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

it.each([
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
	['choices', choices, ['a', 'a'], ['a']],
	['choices with commas, as an AI agent writes them', choices, 'a, a,', ['a']],
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

const ONE_OF = 'must be one of: a, ';
const rounded = Number('12345678901234567890');
const deepObject = { a: JSON.parse(deep(300)) as unknown };

it.each<[message: string, INodeProperties, ...values: unknown[]]>([
	['Field is empty', needed, '', ' \n', undefined],
	['Field is empty', model, { __rl: true, mode: 'list', value: '' }],
	['Field is longer than 4 million characters', text, 'x'.repeat(4_000_001)],
	['Field contains an incomplete character, such as half of an emoji', text, 'a\ud800'],
	['Field must be a number', whole, 'seven', '', true, [1, 2], NaN],
	['Field must be a number', open, Infinity],
	['Field must be true or false', flag, 'yes', 1],
	[`Field ${ONE_OF}`, choice, 'b', ['a']],
	[`Field ${ONE_OF}`, choices, ['b'], 'a, b'],
	['Field must be a list', choices, 7],
	['Field must be a JSON object', object, '"a"', null],
	['Field is not valid JSON', object, '{"a":', deepObject, { a: 1n }],
	['Field must be a JSON list', list, '"a"', null, undefined, 5, { length: 0 }],
	['Field is not valid JSON', list, '[1,'],
	['Field must be an object', collection, 'x'],
	['Field: Temperature must be 0 to 2', collection, { temperature: 3 }],
	[`Field: Effort ${ONE_OF}`, collection, { effort: 'x' }],
	['Field: Cap must be a number', capped, { cap: '' }, { cap: null }, { cap: undefined }],
	['Field 1 must be an object', rows, { row: ['x'] }],
	[`Field 2: Role ${ONE_OF}`, rows, { row: [{}, { role: 'x' }] }],
	// of a collection that has one row it has no number
	[`Field: Role ${ONE_OF}`, { ...rows, typeOptions: {} }, { row: { role: 'x' } }],
])('"%s" is said', (message, declared, ...values) => {
	for (const value of values)
		expect(() => validateParam(declared, value, 'Field')).toThrow(
			expect.objectContaining({ kind: 'invalid', message }),
		);
});

const TOO_DEEP = ['is not valid JSON', 'nested more than 200 levels deep.'] as const;
const inexact = (digits: string) =>
	[
		`has a whole number with more digits than n8n keeps (${digits})`,
		'It would be sent as another number. Write it in quotes, if the service takes a text there.',
	] as const;

it.each<[INodeProperties, value: unknown, message: string, advice: string]>([
	[whole, 0, 'must be 1 to 50', 'It is 0.'],
	[fraction, 3, 'must be 0 to 2', 'It is 3.'],
	[open, -1, 'must be 1 or more', 'It is -1.'],
	[whole, 1.5, 'must be a whole number', 'It is 1.5.'],
	[object, '[1]', 'must be a JSON object', 'It has to begin with { and end with }.'],
	[list, '{"a":1}', 'must be a JSON list', 'It has to begin with [ and end with ].'],
	[object, `{"a":${deep(1000)}}`, ...TOO_DEEP],
	[list, deep(1000), ...TOO_DEEP],
	[list, '[12345678901234567890]', ...inexact('12345678901234567890')],
	[object, '{"a":[1, -9007199254740993]}', ...inexact('-9007199254740993')],
	[object, '{"a":{"b":1e400},"c":9007199254740993}', ...inexact('1e400')],
	[object, `{"a":${'9'.repeat(40)}}`, ...inexact('9'.repeat(40))],
	[object, { seed: 2 ** 53 }, ...inexact('9007199254740992')],
	[object, { seed: rounded }, ...inexact('12345678901234567000')],
])('%# is refused, and says what to do', (declared, value, message, advice) => {
	expect(() => validateParam(declared, value, 'Field')).toThrow(
		expect.objectContaining({ message: `Field ${message}`, details: { advice } }),
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
