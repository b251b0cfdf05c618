import { keepMessage } from '../../../src/paid/readAnswer';

const words = { type: 'message', content: [{ type: 'output_text', text: 'x' }] };
const thoughts = { type: 'reasoning', summary: [], encrypted_content: 'gAAA' };
const answer = { text: 'x', toolCalls: [] } as never;

it.each([
	['words alone is not', [words], undefined],
	['thoughts that cannot be read is', [thoughts, words], { output: [thoughts, words] }],
])('the message of %s kept', (_what, output, message) => {
	const kept = keepMessage(answer, { output }, 'responses').message;
	expect(kept).toEqual(message && expect.objectContaining(message));
});
