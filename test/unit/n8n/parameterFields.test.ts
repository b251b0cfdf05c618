import type { INodeProperties } from 'n8n-workflow';

import {
	getExpressions,
	hasExpression,
	splitExpression,
	walkParam,
} from '../../../src/n8n/parameterFields';

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

it.each<[unknown, boolean]>([
	['=a', true],
	[{ a: ['1', { b: '=2' }] }, true],
	[' =a', false],
	[{ a: ['1'], c: null, d: 4 }, false],
	[undefined, false],
])('whether %j has an expression: %s', (stored, expected) => {
	expect(hasExpression(stored)).toBe(expected);
});

const field = (type: INodeProperties['type'], more: Partial<INodeProperties> = {}) => ({
	...{ displayName: type, name: type, type, default: '' },
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
