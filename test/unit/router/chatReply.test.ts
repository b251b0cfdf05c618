import { dropRepeatedSteps, toChatCompletion, toLastChunks } from '../../../src/router/chatReply';

const answer = {
	text: 'Hello',
	model: 'vendor/model',
	requestId: 'req-1',
	toolCalls: [],
	usage: {
		input_tokens: 3,
		input_tokens_details: { cached_tokens: 2 },
		output_tokens: 2,
		output_tokens_details: { reasoning_tokens: 1 },
	},
};
const usage = {
	prompt_tokens: 3,
	prompt_tokens_details: { cached_tokens: 2 },
	completion_tokens: 2,
	completion_tokens_details: { reasoning_tokens: 1 },
	total_tokens: 5,
};
const head = { object: 'chat.completion', created: 0, model: 'vendor/model' };
const choices = (completion: object) => (completion as { choices: object[] }).choices;

it('writes an answer of either protocol as a chat completion', () => {
	const message = { role: 'assistant', content: 'Hello' };
	const choice = { index: 0, message, finish_reason: 'stop' };
	expect(toChatCompletion(answer)).toEqual({
		...head,
		id: 'req-1',
		choices: [choice],
		usage,
	});
});

it('writes no token counts that the model did not report', () => {
	for (const counts of [{}, { usage: { input_tokens: 1 } }]) {
		const uncounted = { text: 'Hello', model: 'vendor/model', toolCalls: [], ...counts };
		expect(toChatCompletion(uncounted)).not.toHaveProperty('usage');
	}
});

it.each([
	['an object', { city: 'Oslo' }, '{"city":"Oslo"}'],
	['nothing', '', '{}'],
	['what the model wrote, where it is no JSON', '{"city":', '{"city":'],
])('writes the arguments of a call: %s', (_what, given, written) => {
	const call = { id: 'c1', name: 'look', arguments: given };
	const called = { name: 'look', arguments: written };
	const tool_calls = [{ index: 0, id: 'c1', type: 'function', function: called }];
	const [choice] = choices(toChatCompletion({ ...answer, text: '', toolCalls: [call] }));
	expect(choice).toEqual({
		index: 0,
		message: { role: 'assistant', content: null, tool_calls },
		finish_reason: 'tool_calls',
	});
});

it('ends a stream with the calls, the finish reason and the counts, each in a chunk', () => {
	const call = { id: 'c1', name: 'look', arguments: {} };
	const chunks = toLastChunks({ ...answer, toolCalls: [call] }, true);
	const delta = { role: 'assistant', tool_calls: [expect.objectContaining({ id: 'c1' })] };
	expect(chunks.map((chunk) => choices(chunk)[0])).toEqual([
		{ index: 0, delta, finish_reason: null },
		{ index: 0, delta: {}, finish_reason: 'tool_calls' },
		undefined,
	]);
	expect(chunks.at(-1)).toMatchObject({ usage });
});

it('a refusal is the text of an answer that has no other', () => {
	const refused = { ...answer, text: '', refusal: 'I will not.' };
	const [last] = toLastChunks(refused, false);
	expect(choices(last!)[0]).toMatchObject({ delta: { content: 'I will not.' } });
});

const called = (id: string, name = 'add') => ({
	role: 'assistant',
	content: '',
	tool_calls: [{ id, type: 'function', function: { name, arguments: '{}' } }],
});
const result = (id: string, content = '42') => ({ role: 'tool', content, tool_call_id: id });
const user = { role: 'user', content: 'Hello' };
const said = { role: 'assistant', content: 'Yes', tool_calls: [] };

it.each([
	[
		'calls and results that come again',
		[user, called('a'), result('a'), called('a'), result('a')],
		3,
	],
	['other calls', [user, called('a'), result('a'), called('b'), result('b')], 5],
	['an ID that is used again for something else', [called('a'), called('a', 'sub')], 2],
	['another result with the same ID', [called('a'), result('a'), result('a', '43')], 3],
	['what was said twice', [user, said, user, said], 4],
	['what is no list', 'Hello', 5],
])('drops steps that come again: %s', (_what, messages, left) => {
	expect(dropRepeatedSteps(messages)).toEqual(messages.slice(0, left));
});
