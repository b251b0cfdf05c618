import {
	findExpressions,
	hasExpression,
	isShown,
	splitExpression,
} from '../../../src/n8n/expressions';

const text = (given: string) => ({ isCode: false, text: given });
const code = (given: string) => ({ isCode: true, text: given });

it.each([
	['=', [text('')]],
	['=a', [text('a')]],
	['={{ $json.a }}', [text(''), code(' $json.a '), text('')]],
	['=a {{ b }} c {{ d }}', [text('a '), code(' b '), text(' c '), code(' d '), text('')]],
	['={{ "a}}b" }}', [text(''), code(' "a'), text('b" }}')]],
	['=\\{{ a }}', [text('\\{{ a }}')]],
	['={{ a', [text(''), { ...code(' a'), isOpen: true }]],
])('%s is taken apart', (expression, pieces) => {
	expect(splitExpression(expression)).toEqual(pieces);
});

it('finds expressions at any depth', () => {
	expect(findExpressions({ a: ['=1', { b: '=2' }], c: '3', d: null, e: 4 })).toEqual(['=1', '=2']);
	expect([hasExpression('=a'), hasExpression(' =a'), hasExpression([])]).toEqual([
		true,
		false,
		false,
	]);
});

it('a field is shown for what was chosen', () => {
	const field = (show: object) => ({ displayOptions: { show } }) as never;
	expect(isShown({}, {}, {})).toBe(true);
	expect(isShown(field({ source: ['url'] }), { source: 'url' }, {})).toBe(true);
	expect(isShown(field({ source: ['url'] }), { source: 'binary' }, { source: 'url' })).toBe(false);
	expect(isShown(field({ '/reading': ['whole'] }), {}, { reading: 'streaming' })).toBe(false);
	// what nobody knows, such as whether the node is a tool
	expect(isShown(field({ '@tool': [true] }), {}, {})).toBe(true);
});
