import { ServiceError } from '../../../src/core/errors';
import { addInputs } from '../../../src/router/jobStart';
import fc from '../../support/fastCheck';

const inputs = (...pairs: Array<[name: string, value: string]>) =>
	pairs.map(([name, value]) => ({ name, value }));

it.each<[string, object, Array<[string, string]>, object]>([
	['nothing', { a: 1 }, [], { a: 1 }],
	['a plain name', { a: 1 }, [['image', 'x']], { a: 1, image: 'x' }],
	['blanks around it', {}, [[' image ', 'x']], { image: 'x' }],
	[
		'several under one name',
		{},
		[
			['image', 'x'],
			['image', 'y'],
		],
		{ image: ['x', 'y'] },
	],
	['a list of one', {}, [['image[]', 'x']], { image: ['x'] }],
	[
		'both spellings of one name',
		{},
		[
			['image[]', 'x'],
			['image', 'y'],
		],
		{ image: ['x', 'y'] },
	],
	['a path', {}, [['a.b.c', 'x']], { a: { b: { c: 'x' } } }],
	['a path into what is there', { a: { k: 1 } }, [['a.b', 'x']], { a: { k: 1, b: 'x' } }],
	[
		'two paths into one object',
		{},
		[
			['a.b', 'x'],
			['a.c', 'y'],
		],
		{ a: { b: 'x', c: 'y' } },
	],
	[
		'a list at a path',
		{},
		[
			['a.b', 'x'],
			['a.b', 'y'],
		],
		{ a: { b: ['x', 'y'] } },
	],
	['names of every object', {}, [['toString', 'x']], { toString: 'x' }],
])('%s', (_what, body, given, expected) => {
	expect(addInputs({ ...body }, inputs(...given))).toEqual(expected);
});

it.each<[string, object, Array<[string, string]>, RegExp]>([
	['no name', {}, [['  ', 'x']], /Parameter Name is empty/],
	['only a list', {}, [['[]', 'x']], /Parameter Name is empty/],
	['an empty part', {}, [['a..b', 'x']], /"a\.\.b" cannot be the name/],
	['a dot at the end', {}, [['a.', 'x']], /cannot be the name/],
	['a way to the prototype', {}, [['__proto__.b', 'x']], /cannot be the name/],
	['another one', {}, [['a.constructor', 'x']], /cannot be the name/],
	['a field that is there', { image: 1 }, [['image', 'x']], /must not contain "image"/],
	['one that is there below', { a: { b: 1 } }, [['a.b', 'x']], /must not contain "a\.b"/],
	['a text on the way', { a: 'x' }, [['a.b', 'x']], /nothing can be added to "a"/],
	['a list on the way', { a: { b: [] } }, [['a.b.c', 'x']], /nothing can be added to "a\.b"/],
	[
		'an input on the way',
		{},
		[
			['a', 'x'],
			['a.b', 'x'],
		],
		/nothing can be added to "a"/,
	],
	[
		'an input below',
		{},
		[
			['a.b', 'x'],
			['a', 'x'],
		],
		/must not contain "a"/,
	],
])('refuses %s', (_what, body, given, message) => {
	let error: unknown;
	try {
		addInputs({ ...body }, inputs(...given));
	} catch (cause) {
		error = cause;
	}
	expect(error).toBeInstanceOf(ServiceError);
	expect(error).toMatchObject({ kind: 'invalid', message: expect.stringMatching(message) });
});

it('leaves what it was given as it was', () => {
	const body = { a: { b: 1 } };
	addInputs(body, inputs(['a.c', 'x'], ['d', 'y']));
	expect(body).toEqual({ a: { b: 1 } });
});

it('sends every value, or refuses', () => {
	const name = fc.constantFrom('a', 'b', 'a.b', 'a.c', 'b[]', 'c.d.e');
	fc.assert(
		fc.property(fc.array(fc.tuple(name, fc.uuid())), (pairs) => {
			let body: unknown;
			try {
				body = addInputs({}, inputs(...pairs));
			} catch (cause) {
				expect(cause).toBeInstanceOf(ServiceError);
				return;
			}
			for (const [, value] of pairs) expect(JSON.stringify(body)).toContain(value);
		}),
	);
});
