import type { INodeProperties } from 'n8n-workflow';

import {
	getExpressions,
	hasExpression,
	isIndependentOfModel,
	rejectModelControlledFields,
	splitExpression,
	walkParam,
	withFieldRules,
} from '../../../src/n8n/parameterFields';
import { executeContext } from './executeContext';

const mayRead = (name: string) => name === 'Chat' || name === "It's" || name === 'A "B"';

it.each([
	'=fixed',
	'={{ $execution.id }}',
	'=order-{{ $execution.id }}-{{ $workflow.id }}',
	"={{ $('Chat').item.json.sessionId }}",
	'={{ $("Chat").first().json["sessionId"] }}',
	"={{ $('It\\'s').last().json.a.b['c d'] }}",
	'={{ $("A \\"B\\"").item.json }}',
	"={{ $('Chat').item.json.$json }}",
	"={{$vars.tenant}}-{{ $vars['the region'] }}-{{ $today }}",
	'={{ $now.year }}-{{\n$now.month\n}}',
	'={{ $workflow.name }}',
])('%s reads nothing of what a model gives', (expression) => {
	expect(isIndependentOfModel(expression, mayRead)).toBe(true);
});

it.each([
	// what the model gives, and other ways to it
	"={{ $fromAI('key', 'The key', 'string') }}",
	'={{ $json.sessionId }}',
	"=a-{{ $('Chat').item.json.id }}-{{ $json.id }}",
	'={{ $node["Chat"].json.id }}',
	'={{ $parameter["message"] }}',
	// what begins as something that is trusted
	'={{ $execution["customData"] }}',
	'={{ $execution.resumeUrl }}',
	'={{ $execution.id + $json.id }}',
	'={{ $workflow[$json.id] }}',
	'={{ $vars[$json.id] }}',
	'={{ $now.plus($json.days) }}',
	'={{ $now }}{{ $json.id }}',
	// of nodes
	'={{ $("Tool").last().json.id }}',
	'={{ $("Chat", $json.id).item.json.id }}',
	'={{ $(`Chat`).item.json.id }}',
	"={{ $('\\x43hat').item.json.id }}",
	"={{ $('').item.json.id }}",
	"={{ $('Chat').params.json.text }}",
	"={{ $('Chat').item.binary.data }}",
	"={{ $('Chat').itemMatching($json.index).json.id }}",
	"={{ $('Chat').first($json.branch).json.id }}",
	"={{ $('Chat').item.json[$json.id] }}",
	"={{ $('Chat').item.json['id' + $json.id] }}",
	"={{ $('Chat').item.json['{{ $json.id }}'] }}",
	"={{ $('Chat}} {{ $json.id }}').item.json.id }}",
	// code
	'={{ `${$json.id}` }}',
	"={{ 1 // ' \n + $json.id + ' }}",
	'={{ \\u0024json.id }}',
	'={{ ＄json }}',
	'={{ $json.id',
	// what is harmless, but no plain path
	'={{ $vars.tenant + "-" + $today }}',
	"={{ $('Chat').item.json.id ?? 'none' }}",
	"={{ $('Chat').item.json.id.trim() }}",
	// what only looks as if it were text
	'=\\{{ $execution.id }}{{ $json.id }}',
	'=\\\\{{ $json.id }}',
	'={{ $execution.id {{ $json.id }} }}',
	"=\\{{ $('Chat').item.json['{{ $json.id //'] }}",
	'={{ $execution.id \\}} + $json.id }}',
])('%s is not trusted', (expression) => {
	expect(isIndependentOfModel(expression, mayRead)).toBe(false);
});

describe('a field that the model must not choose', () => {
	const fixed = withFieldRules({ inTool: 'fixed' });
	const notFromModel = withFieldRules({ inTool: 'notFromModel' });
	const declare = (type: INodeProperties['type'], more: Partial<INodeProperties> = {}) =>
		({ displayName: 'Field', name: 'field', type, default: '', ...more }) as INodeProperties;
	const text = fixed(declare('string', { displayName: 'Cap', name: 'cap' }));
	const key = notFromModel(declare('string', { displayName: 'Key', name: 'key' }));
	const open = declare('string', { displayName: 'Text', name: 'text' });
	const collection = declare('collection', { options: [text, key, open] });
	const rows = declare('fixedCollection', {
		typeOptions: { multipleValues: true },
		options: [{ displayName: 'Row', name: 'row', values: [key, open] }],
	});
	const nested = declare('collection', {
		options: [{ ...rows, displayName: 'Rows', name: 'rows' }],
	});
	const expr = '{{ $json.given }}';
	const model = `=${expr}`;
	const check = (param: INodeProperties, stored: unknown) => () =>
		rejectModelControlledFields(executeContext({}), param, stored);

	const row = (value: unknown) => ({ row: value });
	const locator = declare('resourceLocator');
	const json = declare('json');

	it.each([
		['in a collection', collection, { text: model, cap: '={{ 1 }}' }, 'Field: Cap cannot be'],
		['in a collection, not fixed', collection, { key: `=a ${expr}` }, 'Field: Key has an'],
		['in a row', rows, row([{ key: 'a' }, { key: model }]), 'Field 2: Key has an'],
		['in a row that is no list', rows, row({ key: model }), 'Field 1: Key has an'],
		['in rows in a collection', nested, { rows: row([{ key: model }]) }, 'Field: Rows 1: Key has'],
		[
			'by the rule of its collection',
			notFromModel(collection),
			{ text: model },
			'Field: Text has an',
		],
		['by the rule of its rows', fixed(rows), row([{ text: model }]), 'Field 1: Text cannot'],
		['in place of a collection', collection, model, 'Field cannot be'],
		['in place of all rows', rows, model, 'Field cannot be'],
		['in place of the rows of a group', rows, row(model), 'Field 1 cannot be'],
		['in place of a row', rows, row([{}, model]), 'Field 2 cannot be'],
		['in place of rows in a collection', nested, { rows: model }, 'Field: Rows cannot be'],
		['in a locator', notFromModel(locator), { mode: 'id', value: model }, 'Field has an'],
		['in its mode', fixed(locator), { mode: model, value: 'a' }, 'Field cannot be'],
		['in a JSON text', notFromModel(json), `={"a": "${expr}"}`, 'Field has an'],
		['in JSON that is an object', fixed(json), { a: [{ b: model }] }, 'Field: a: b cannot'],
		['in a list of choices', fixed(declare('multiOptions')), ['a', model], 'Field cannot be'],
	])('cannot be an expression of the model %s', (_where, param, stored, message) => {
		expect(check(param, stored)).toThrow(
			expect.objectContaining({ kind: 'invalid', message: expect.stringContaining(message) }),
		);
	});

	it.each([
		['a fixed value', collection, { cap: '1', key: 'a' }],
		['an expression in a field beside it', collection, { text: model, cap: '1' }],
		['an expression in a row beside it', nested, { rows: row([{ text: model, key: 'a' }]) }],
		['what the model cannot influence', rows, row([{ key: '={{ $execution.id }}' }])],
		['nothing', nested, undefined],
	])('takes %s', (_what, param, stored) => {
		expect(check(param, stored)).not.toThrow();
	});
});

it.each([
	['=', ['']],
	['=a', ['a']],
	['={{ $json.a }}', ['', ' $json.a ', '']],
	['=a {{ b\n }} c {{ d }}', ['a ', ' b\n ', ' c ', ' d ', '']],
	['={{ "a}}b" }}', ['', ' "a', 'b" }}']],
	['={{ a', ['', ' a', '']],
])('%j is split into texts and code', (expression, parts) => {
	expect(splitExpression(expression)).toEqual(parts);
});

it.each([
	['=a', true],
	[{ a: ['1', { b: '=2' }] }, true],
	[' =a', false],
	[{ a: ['1'], c: null, d: 4 }, false],
	[undefined, false],
])('whether %j has an expression: %s', (stored, expected) => {
	expect(hasExpression(stored)).toBe(expected);
});

const field = (type: INodeProperties['type'], more: Partial<INodeProperties> = {}) => ({
	displayName: type,
	name: type,
	type,
	default: '',
	...more,
});

it('finds the expressions of a field at any depth, and in JSON says where', () => {
	const stored = { a: ['=1', { b: '=2' }], c: '3', d: null };
	const value = { a: [1, { b: 2 }], c: '3', d: null };
	const found = (type: INodeProperties['type']) =>
		getExpressions({ param: field(type), path: 'F', stored, value }).map((one) => [
			one.path,
			one.stored,
			one.value,
		]);
	expect(found('json')).toEqual([
		['F: a', '=1', 1],
		['F: a: b', '=2', 2],
	]);
	expect(found('resourceLocator').map(([path]) => path)).toEqual(['F', 'F']);
	expect(found('collection')).toEqual([]);
});

describe('the walk', () => {
	const row = { displayName: 'Row', name: 'row', values: [field('string'), field('number')] };
	const rows = field('fixedCollection', {
		displayName: 'Rows',
		options: [row],
		typeOptions: { multipleValues: true },
	});
	const param = field('collection', { displayName: 'Options', options: [rows, field('boolean')] });
	const stored = { fixedCollection: { row: [{ string: 'a' }, { string: '=b', number: 2 }] } };
	const value = { fixedCollection: { row: [{ string: 'a' }, { string: 'B', number: 2 }] } };

	it('visits every field with its path, what is stored and its value', () => {
		const visited: unknown[] = [];
		walkParam({ param, path: 'Options', stored, value }, (one) => {
			if (one.param.type === 'string') visited.push([one.path, one.stored, one.value]);
			return one.value;
		});
		expect(visited).toEqual([
			['Options: Rows 1: string', 'a', 'a'],
			['Options: Rows 2: string', '=b', 'B'],
		]);
	});

	it('returns what the visits gave, and leaves out what they did not', () => {
		const values = walkParam({ param, path: 'Options', stored, value }, (one) =>
			typeof one.value === 'number' ? undefined : one.value,
		);
		expect(values).toEqual({ fixedCollection: { row: [{ string: 'a' }, { string: 'B' }] } });
	});
});
