import { extractText, TEXT_FIELDS } from '../../../src/core/extractText';

const textPart = (text: string) => ({ type: 'text', text });
const said = (role: string, content: string) => ({ role, content });

it.each([
	['plain', 'plain'],
	[{ message: 'OK', result: { answer: 'a' } }, 'a'],
	[{ message: 'Done.', id: 1 }, 'Done.'],
	[{ text: '', response: 'a' }, 'a'],
	[{ text: '' }, ''],
	[{ data: { result: { message: { content: 'a' } } } }, 'a'],
	[{ choices: [{ message: { role: 'assistant', content: 'a' } }] }, 'a'],
	[{ output: [{ type: 'message', content: [{ type: 'output_text', text: 'a' }] }] }, 'a'],
	[{ content: [textPart('a'), textPart('b')] }, 'ab'],
	[{ messages: [said('assistant', 'a'), said('agent', 'b')] }, 'a\n\nb'],
	[{ answer: null, text: 'b' }, 'b'],
	[{ choices: [{ message: { content: 'a' } }, { message: { content: 'b' } }] }, 'a'],
	[[{ text: 'a' }, { text: 'b' }], 'a\n\nb'],
	[
		{ content: [{ type: 'reasoning', text: 'no' }, { text: 'no', thought: true }, textPart('a')] },
		'a',
	],
	[{ messages: [said('ROLE_USER', 'q'), said('ROLE_AGENT', 'a')] }, 'a'],
	[{ history: [said('user', 'q'), said('assistant', 'old')] }, undefined],
	[{ price: 17 }, undefined],
	[[], undefined],
	[null, undefined],
	[17, undefined],
])('in %j it finds %j', (value, expected) => {
	expect(extractText(value)).toBe(expected);
});

it('looks in no more than twenty fields, of which the specification names one', () => {
	expect(TEXT_FIELDS.length).toBeLessThanOrEqual(20);
	expect(TEXT_FIELDS).toContain('t');
});
