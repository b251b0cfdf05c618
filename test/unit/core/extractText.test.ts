import { extractText } from '../../../src/core/extractText';
import fc from '../../support/fastCheck';

const textPart = (text: string) => ({ type: 'text', text });
const said = (role: string, content: string) => ({ role, content });

it.each<[unknown, string | undefined]>([
	['plain', 'plain'],
	[{ answer: 'a' }, 'a'],
	[{ message: 'success', data: { analysis: 'a' } }, 'a'],
	[{ message: 'OK', result: { answer: 'a' } }, 'a'],
	[{ message: 'Done.', id: 1 }, 'Done.'],
	[{ text: '', response: 'a' }, 'a'],
	[{ text: ' ', response: 'a' }, ' '],
	[{ text: '' }, ''],
	[{ type: 'chunk', payload: { body: 'a' } }, 'a'],
	[{ output: { text: 'a' } }, 'a'],
	[{ data: { result: { message: { content: 'a' } } } }, 'a'],
	[{ choices: [{ message: { role: 'assistant', content: 'a' } }] }, 'a'],
	[{ output: [{ type: 'message', content: [{ type: 'output_text', text: 'a' }] }] }, 'a'],
	[{ content: [textPart('a'), textPart('b')] }, 'ab'],
	[{ messages: [said('user', 'q'), said('assistant', 'a')] }, 'a'],
	[{ messages: [said('assistant', 'a'), said('agent', 'b')] }, 'a\n\nb'],
	[{ answer: '' }, ''],
	[{ answer: null, text: 'b' }, 'b'],
	[{ text: 17, analysis: 'c' }, 'c'],
	[{ chunks: ['a', 'b'] }, 'ab'],
	[{ token: 'SOL', message: 'a' }, 'a'],
	[{ token: 'SOL', summary: 'a' }, 'a'],
	[{ price: 17 }, undefined],
	[{}, undefined],
	[[], undefined],
	[null, undefined],
	[17, undefined],
])('in %j it finds %j', (value, expected) => {
	expect(extractText(value)).toBe(expected);
});

it('takes a text from its bed of any shape, in no time', () => {
	fc.assert(
		fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
			const found = extractText(value);
			expect(found === undefined || typeof found === 'string').toBe(true);
		}),
	);
});
