import { createTextAccumulator } from '../../../src/core/textAccumulator';
import fc from '../../support/fastCheck';

const END = null;

function textOf(...parts: Array<string | typeof END>) {
	const answer = createTextAccumulator();
	const told = parts.map((part) => (part === END ? answer.endMessage() : answer.append(part)));
	return { text: answer.text(), told: told.filter(Boolean).join('') };
}

it.each([
	['pieces', ['a', 'b'], 'ab'],
	['messages', ['a', END, 'b', END, 'c'], 'a\n\nb\n\nc'],
	['ends without a message', [END, 'a', END, END, 'b'], 'a\n\nb'],
	['empty pieces', ['', 'a', END, '', END, 'b'], 'a\n\nb'],
	['pieces that come again', ['ha', 'ha'], 'haha'],
])('joins %s', (_what, parts, text) => {
	expect(textOf(...parts)).toEqual({ text, told: text });
});

it('what is told piece by piece is the text', () => {
	fc.assert(
		fc.property(fc.array(fc.oneof(fc.string(), fc.constant(END))), (parts) => {
			const { text, told } = textOf(...parts);
			expect(told).toBe(text);
		}),
	);
});

it('knows a message that has ended, however it is spaced', () => {
	const answer = createTextAccumulator();
	answer.append('a b ');
	expect(answer.isKnown('a b')).toBe(false);
	answer.endMessage();
	expect(['a b', ' ab\n', 'a', 'a b c'].map(answer.isKnown)).toEqual([true, true, false, false]);
});

it('takes twenty thousand messages of ten pieces in linear time', () => {
	const answer = createTextAccumulator();
	for (let message = 0; message < 20_000; message++) {
		for (let piece = 0; piece < 10; piece++) answer.append('0123456789');
		expect(answer.isKnown(`message ${message}`)).toBe(false);
		answer.endMessage();
	}
	expect(answer.text()).toHaveLength(20_000 * 102 - 2);
});
