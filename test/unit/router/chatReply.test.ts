import { toChatCompletion, toLastChunks } from '../../../src/router/chatReply';

const createId = () => 'call_made';
const answer = {
	text: 'Hello',
	model: 'vendor/model',
	requestId: 'req-1',
	toolCalls: [],
	usage: { input_tokens: 3, output_tokens: 2, output_tokens_details: { reasoning_tokens: 1 } },
};
const usage = {
	prompt_tokens: 3,
	completion_tokens: 2,
	total_tokens: 5,
	completion_tokens_details: { reasoning_tokens: 1 },
};
const choices = (completion: object) => (completion as { choices: object[] }).choices;

it('writes an answer of either protocol as a chat completion', () => {
	expect(toChatCompletion(answer, createId)).toEqual({
		id: 'req-1',
		object: 'chat.completion',
		created: 0,
		model: 'vendor/model',
		choices: [
			{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' },
		],
		usage,
	});
});

it('writes no token counts that the model did not report', () => {
	const uncounted = { text: 'Hello', model: 'vendor/model', toolCalls: [] };
	expect(toChatCompletion(uncounted, createId)).not.toHaveProperty('usage');
	expect(
		toChatCompletion({ ...uncounted, usage: { input_tokens: 1 } }, createId),
	).not.toHaveProperty('usage');
});

it.each<[string, unknown, string]>([
	['an object', { city: 'Oslo' }, '{"city":"Oslo"}'],
	['nothing', '', '{}'],
	['what the model wrote, where it is no JSON', '{"city":', '{"city":'],
])('writes the arguments of a call: %s', (_what, given, written) => {
	const call = { id: '', name: 'look', arguments: given };
	const [choice] = choices(toChatCompletion({ ...answer, text: '', toolCalls: [call] }, createId));
	expect(choice).toEqual({
		index: 0,
		message: {
			role: 'assistant',
			content: null,
			tool_calls: [
				{
					index: 0,
					id: 'call_made',
					type: 'function',
					function: { name: 'look', arguments: written },
				},
			],
		},
		finish_reason: 'tool_calls',
	});
});

it('ends a stream with the calls, the finish reason and the counts, each in a chunk', () => {
	const call = { id: 'c1', name: 'look', arguments: {} };
	const chunks = toLastChunks({ ...answer, toolCalls: [call] }, true, createId);
	expect(chunks.map((chunk) => choices(chunk)[0])).toEqual([
		{
			index: 0,
			delta: { role: 'assistant', tool_calls: [expect.objectContaining({ id: 'c1' })] },
			finish_reason: null,
		},
		{ index: 0, delta: {}, finish_reason: 'tool_calls' },
		undefined,
	]);
	expect(chunks.at(-1)).toMatchObject({ usage });
});

it('a refusal is the text of an answer that has no other', () => {
	const refused = { ...answer, text: '', refusal: 'I will not.' };
	const [last] = toLastChunks(refused, false, createId);
	expect(choices(last!)[0]).toMatchObject({ delta: { content: 'I will not.' } });
});
