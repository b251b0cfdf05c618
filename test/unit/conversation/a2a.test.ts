import type { Message, Part, Task, TaskStatus } from '@a2a-js/sdk';

import { readA2a } from '../../../src/conversation/a2a';
import { readReply } from '../../../src/conversation/reply';
import { patternOf, recordings } from '../agent/recordings';
import { begun, talk } from './talk';

// the responses of @a2a-js/sdk 0.3.14
const says = (...parts: Part[]): Message => ({
	kind: 'message',
	role: 'agent',
	messageId: 'm',
	contextId: 'c',
	parts,
});
const text = (words: string): Part => ({ kind: 'text', text: words });
const task = (state: TaskStatus['state'], words?: string, ...results: Part[][]): Task => ({
	kind: 'task',
	id: 't',
	contextId: 'c',
	status: { state, ...(words !== undefined && { message: says(text(words)) }) },
	...(results.length && {
		artifacts: results.map((parts, index) => ({ artifactId: `${index}`, parts })),
	}),
});
/** As Google's ADK marks them: https://github.com/google/adk-python/issues/4676 and its part_converter.py */
const thought: Part = { ...text('no'), metadata: { adk_thought: true } };
const called: Part = {
	kind: 'data',
	data: { name: 'no' },
	metadata: { adk_type: 'function_call' },
};
const file: Part = { kind: 'file', file: { name: 'a.txt', bytes: 'YQ==' } };
const read = (result: Message | Task) => readA2a({ jsonrpc: '2.0', id: 1, result });
const ids = { sessionId: 'c' };

it.each([
	['a message', says(text('a')), { text: 'a', ids }],
	['parts', says(text('a'), { kind: 'data', data: { b: 1 } }, file), { text: 'a\n\n{"b":1}', ids }],
	['several texts', says(text('a'), thought, called, text('b')), { text: 'a\n\nb', ids }],
	['a result', task('completed', undefined, [text('a')], [text('b')]), { text: 'a\n\nb', ids }],
	[
		'a result in pieces',
		task('completed', 'no', [
			thought,
			text('a'),
			text(' '),
			text('b'),
			file,
			{ kind: 'data', data: {} },
		]),
		{ text: 'a b\n\n{}', ids },
	],
	['the last words', task('completed', 'a'), { text: 'a', ids }],
	['nothing', task('completed'), { text: '', ids }],
	[
		'a question',
		task('input-required', 'On which day?'),
		{
			text: 'On which day?',
			notice: 'The agent needs an answer to continue.',
			ids: { sessionId: 'c', taskId: 't' },
		},
	],
	[
		'a failure',
		task('failed', 'Out of order', [text('half')]),
		{ text: 'half', error: 'The task of the agent is "failed": Out of order', ids },
	],
	[
		'a task under way',
		task('working'),
		{ text: '', error: 'The task of the agent is "working"', ids },
	],
])('reads %s', (_what, result, answer) => {
	expect(read(result)).toEqual(answer);
});

const status = {
	state: 'TASK_STATE_INPUT_REQUIRED',
	message: { role: 'ROLE_AGENT', parts: [{ text: 'When?' }] },
};

it.each([
	['a message', { message: { contextId: 'c', parts: [{ text: 'a' }] } }, { text: 'a', ids }],
	[
		'a question',
		{ task: { id: 't', contextId: 'c', status } },
		{ text: 'When?', notice: expect.any(String), ids: { ...ids, taskId: 't' } },
	],
])('reads %s of version 1.0', (_what, result, answer) => {
	expect(readA2a({ jsonrpc: '2.0', id: 1, result })).toEqual(answer);
});

it.each([
	[{ result: says(text('a')) }],
	[{ jsonrpc: '2.0', result: { output: 'a' } }],
	[{ jsonrpc: '2.0', result: { message: { role: 'assistant', content: 'a' } } }],
	[{ jsonrpc: '2.0', result: { kind: 'task', status: 'completed' } }],
	[{ jsonrpc: '2.0', error: { code: -32601, message: 'Method not found' } }],
])('leaves %j to others', (item) => {
	expect(readA2a(item)).toBeUndefined();
});

const sent = recordings.filter(
	({ framework, case: what, status }) =>
		framework === 'a2a' && /^rpc-send-/.test(what) && status === 200,
);

it.each(sent.map((each) => [`${each.version} ${each.case}`, each] as const))(
	'reads what a server has sent: %s',
	(_name, { body, expectedOutcome, expectedText }) => {
		const { text: said, error } = readA2a(JSON.parse(body) as Record<string, unknown>) ?? {};
		expect(error === undefined ? 'complete' : 'error').toBe(expectedOutcome);
		if (!error) expect(said).toMatch(new RegExp(`^(${patternOf(expectedText)})$`));
	},
);

const asked = { sent: {}, hasWaited: false };
const replyTo = (result: Message | Task, isOurs = false) =>
	readReply([{ jsonrpc: '2.0', id: 1, result }], { ...asked, isOurs });

it('what our own nodes return is no A2A, and a question is said to be one', () => {
	expect(replyTo(task('failed'), true)).not.toHaveProperty('failure');
	expect(replyTo(task('input-required', 'When?'))).toHaveProperty('notice', expect.any(String));
});

it('the context and the task of the agent are those of its next turn; a task that is done is not', () => {
	const rules = { turnLimit: 6 };
	const after = (...results: Array<Message | Task>) =>
		talk(
			rules,
			results.flatMap((result) => [replyTo(result), 'ok']),
		).conversation.ids['Ada'];
	expect(begun(rules).ids['Ada']).toEqual({ sessionId: 'session of Ada' });
	expect(after(task('input-required', 'When?'))).toEqual({ sessionId: 'c', taskId: 't' });
	expect(after(task('input-required', 'When?'), says(text('a')))).toEqual({ sessionId: 'c' });
	expect(after(task('input-required', 'When?'), task('completed', 'a'))).toEqual({
		sessionId: 'c',
	});
});
