import { readOwnPrices } from '../../../src/core/ownPrices';
import { thrownBy } from '../inMemoryHttp';

const PUBLIC = 'api.example.com';
const read = (text: unknown, host = PUBLIC) => {
	const lines = [...readOwnPrices(text, host).values()];
	return Object.fromEntries(lines.map(({ model, ...prices }) => [model, prices]));
};

it('reads a model and two prices from each line', () => {
	expect(read(' gpt-5-mini 0.25 2\r\n\n*\t1 4 \nmodels/gemini 0.001 1000\n')).toEqual({
		'gpt-5-mini': { input: '0.25', output: '2' },
		'*': { input: '1', output: '4' },
		'models/gemini': { input: '0.001', output: '1000' },
	});
	expect(read('a\u200b 1\u200d 2\u2060\u200b')).toEqual({ a: { input: '1', output: '2' } });
	expect([read(''), read(undefined), read(null)]).toEqual([{}, {}, {}]);
});

it.each(['ollama', '127.0.0.1', 'localhost', '10.0.0.1'])('0 counts for the host %s', (host) => {
	expect(read('* 0 0', host)).toEqual({ '*': { input: '0', output: '0' } });
});

it('lines that a request tells apart are taken', () => {
	const lines = ['* 1 1', '- 1 1', 'vendor/a 1 1', 'vendor-a 1 1', 'a:1 1 1', 'constructor 1 1'];
	expect(Object.keys(read(lines.join('\n')))).toHaveLength(lines.length);
});

it.each(['a 0 0', 'a 1 0', 'a 0 1'])('elsewhere the line "%s" is none', (line) => {
	expect(read(line)).toEqual({});
});

it.each([
	['gpt 1,25 2', '"1,25" is not a plain number'],
	['gpt $2 2', '"$2" is not a plain number'],
	['gpt 1e3 2', '"1e3" is not a plain number'],
	['gpt -1 2', '"-1" is not a plain number'],
	['gpt .5 2', '".5" is not a plain number'],
	['gpt 1 2 3', 'it has not exactly three parts'],
	['gpt 1', 'it has not exactly three parts'],
	['gpt', 'it has not exactly three parts'],
	['a 1 1', 'line 1 is for the same model'],
	['A 2 2', 'line 1 is for the same model'],
	['a. 0 0', 'line 1 is for the same model'],
	['gpt-* 1 1', '"*" is all other models, and only alone'],
	['** 1 1', '"*" is all other models, and only alone'],
	['__proto__ 1 1', '"__proto__" is not the ID of a model'],
	['gpt 0.00000025 0.000002', 'a million tokens cost $0.001 to $1000, or nothing'],
	['gpt 1 1001', 'a million tokens cost $0.001 to $1000, or nothing'],
])('a line that cannot be read is named with its number: %s', (line, why) => {
	const { kind, message, details } = thrownBy(() => read(`a 1 1\n\n${line}`));
	expect(kind).toBe('invalid');
	expect(message).toBe(`Line 3 of Prices cannot be read: ${why}`);
	expect(details.advice).toContain(`It reads "${line}".`);
});
