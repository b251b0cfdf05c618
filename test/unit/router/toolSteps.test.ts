import { dropRepeatedSteps } from '../../../src/router/chatReply';

const call = (id: string, name = 'add') => ({
	role: 'assistant',
	content: '',
	tool_calls: [{ id, type: 'function', function: { name, arguments: '{}' } }],
});
const result = (id: string, content = '42') => ({ role: 'tool', content, tool_call_id: id });
const user = { role: 'user', content: 'Hello' };
const answer = { role: 'assistant', content: 'Yes' };

it.each([
	['calls and results that come again', [user, call('a'), result('a'), call('a'), result('a')], 3],
	['other calls', [user, call('a'), result('a'), call('b'), result('b')], 5],
	['an ID that is used again for something else', [call('a'), result('a'), call('a', 'sub')], 3],
	['another result with the same ID', [call('a'), result('a'), result('a', '43')], 3],
	['what was said twice', [user, answer, user, answer], 4],
	[
		'an empty list of calls',
		[
			{ ...answer, tool_calls: [] },
			{ ...answer, tool_calls: [] },
		],
		2,
	],
])('%s', (_what, messages, left) => {
	expect(dropRepeatedSteps(messages)).toEqual(messages.slice(0, left));
});

it('what is no list stays as it is', () => {
	expect(dropRepeatedSteps('Hello')).toBe('Hello');
});
