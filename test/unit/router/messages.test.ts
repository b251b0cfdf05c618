import { checkMessages, roles, toResponseInput } from '../../../src/router/messages';
import fc from '../../support/fastCheck';

const HI = { role: 'user', content: 'Hi' };
const CALL = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
const CALLED = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' };
const PARTS = [
	{ type: 'text', text: 'a' },
	{ type: 'image_url', image_url: { url: 'x' } },
];
const RESULT = { role: 'tool', content: 'sunny', tool_call_id: 'c' };

it.each<[string, unknown[]]>([
	['a text', [HI]],
	['every role', roles.map((role) => ({ role, content: 'a', tool_call_id: 'c' }))],
	['parts', [{ role: 'user', content: PARTS }]],
	['calls beside a text', [{ role: 'assistant', content: 'a', tool_calls: [CALL] }]],
	['calls without a text', [{ role: 'assistant', content: null, tool_calls: [CALL] }]],
	['calls without content', [{ role: 'assistant', tool_calls: [CALL] }]],
	['calls with an empty text', [{ role: 'assistant', content: '', tool_calls: [CALL] }]],
	['a result', [RESULT]],
	['a result with parts', [{ ...RESULT, content: PARTS }]],
	['a result that is empty', [{ ...RESULT, content: '' }]],
	['a result of blanks', [{ ...RESULT, content: ' \n' }]],
	['fields that nobody names', [{ ...HI, name: 'x', cache_control: { a: 1 } }]],
	['several', [HI, { role: 'assistant', content: 'a' }, HI]],
])('%s may be sent, as it is', (_name, messages) => {
	expect(checkMessages(messages, 'Messages')).toEqual(messages);
});

const oneOf = 'role must be one of: system, developer, user, assistant, tool';

it.each<[string, unknown[], string, string?]>([
	['nothing', [], 'Messages is empty', 'Add at least one message.'],
	['a text', ['Hi'], 'Messages 1 must be an object with "role" and "content"'],
	['null', [null], 'Messages 1 must be an object with "role" and "content"'],
	['a list', [[HI]], 'Messages 1 must be an object with "role" and "content"'],
	['no role', [HI, { content: 'a' }], `Messages 2: ${oneOf}`, 'It is missing.'],
	['another role', [{ role: 'bot', content: 'a' }], `Messages 1: ${oneOf}`, 'It is "bot".'],
	['a role of another type', [{ role: null, content: 'a' }], `Messages 1: ${oneOf}`, 'It is null.'],
	['a role of JavaScript', [{ role: 'toString', content: 'a' }], `Messages 1: ${oneOf}`],
	['no content', [{ role: 'user' }], 'Messages 1: Content is empty'],
	['an empty text', [HI, { role: 'user', content: '' }], 'Messages 2: Content is empty'],
	[
		'an empty text in an item that has a type',
		[{ type: 'message', role: 'user', content: '' }],
		'Messages 1: Content is empty',
	],
	['blanks', [{ role: 'user', content: ' \n' }], 'Messages 1: Content is empty'],
	['no parts', [{ role: 'user', content: [] }], 'Messages 1: Content is empty'],
	[
		'a text among parts',
		[{ role: 'user', content: [PARTS[0], 'a'] }],
		'Messages 1: Content is empty',
	],
	['content of another type', [{ role: 'user', content: 5 }], 'Messages 1: Content is empty'],
	[
		'no calls',
		[{ role: 'assistant', content: null, tool_calls: [] }],
		'Messages 1: Content is empty',
	],
	['a result without content', [{ ...RESULT, content: null }], 'Messages 1: Content is empty'],
	['a result of nothing', [{ role: 'tool', content: 'a' }], 'Messages 1: Tool Call ID is empty'],
	['a result of no id', [{ ...RESULT, tool_call_id: '' }], 'Messages 1: Tool Call ID is empty'],
])('%s is refused, by its place', (_name, messages, message, ...[advice]) => {
	const details = advice === undefined ? {} : { advice };
	const refused = expect.objectContaining({
		kind: 'invalid',
		message,
		details: expect.objectContaining(details),
	});
	expect(() => checkMessages(messages, 'Messages')).toThrow(refused);
	expect(() => toResponseInput(messages, 'Messages')).toThrow(refused);
});

it.each<[string, unknown[], unknown[]]>([
	['a text', [HI], [HI]],
	['parts', [{ role: 'user', content: PARTS }], [{ role: 'user', content: PARTS }]],
	[
		'fields that nobody names',
		[{ ...HI, id: 'm', type: 'message' }],
		[{ ...HI, id: 'm', type: 'message' }],
	],
	['a call', [{ role: 'assistant', content: null, tool_calls: [CALL] }], [CALLED]],
	['a call with an empty text', [{ role: 'assistant', content: '', tool_calls: [CALL] }], [CALLED]],
	[
		'calls behind a text',
		[{ role: 'assistant', content: 'a', tool_calls: [CALL, { ...CALL, id: 'd' }], name: 'x' }],
		[{ role: 'assistant', content: 'a', name: 'x' }, CALLED, { ...CALLED, call_id: 'd' }],
	],
	[
		'odd calls',
		[{ role: 'assistant', content: 'a', tool_calls: [null, 'x'] }],
		[{ role: 'assistant', content: 'a' }],
	],
	['a result', [RESULT], [{ type: 'function_call_output', call_id: 'c', output: 'sunny' }]],
	[
		'an empty result',
		[{ ...RESULT, content: '' }],
		[{ type: 'function_call_output', call_id: 'c', output: '' }],
	],
	[
		'a result with parts',
		[{ ...RESULT, content: PARTS }],
		[{ type: 'function_call_output', call_id: 'c', output: JSON.stringify(PARTS) }],
	],
	[
		'items of the protocol itself',
		[{ type: 'reasoning', summary: [] }, CALLED, HI, { type: 'item_reference', id: 'i' }],
		[{ type: 'reasoning', summary: [] }, CALLED, HI, { type: 'item_reference', id: 'i' }],
	],
])('as input: %s', (_name, messages, items) => {
	expect(toResponseInput(messages, 'Messages')).toEqual(items);
});

const aMessage = fc.oneof(
	fc.record({
		role: fc.constantFrom('system', 'user', 'assistant'),
		content: fc.constantFrom('a', PARTS),
	}),
	fc.record({
		role: fc.constant('assistant'),
		content: fc.constantFrom('a', '', null),
		tool_calls: fc.array(fc.constant(CALL), { minLength: 1, maxLength: 3 }),
	}),
	fc.record({
		role: fc.constant('tool'),
		content: fc.constantFrom('a', ''),
		tool_call_id: fc.constant('c'),
	}),
);

it('as input every text, call and result is there once, in its order', () => {
	fc.assert(
		fc.property(fc.array(aMessage, { minLength: 1, maxLength: 6 }), (messages) => {
			const wanted = messages.flatMap((message) => {
				if (message.role === 'tool') return ['result'];
				const calls = 'tool_calls' in message ? message.tool_calls.map(() => 'call') : [];
				return message.content ? [message.role, ...calls] : calls;
			});
			const kinds: Record<string, string> = {
				function_call: 'call',
				function_call_output: 'result',
			};
			const items = toResponseInput(messages, 'Messages') as Array<{
				role?: string;
				type?: string;
			}>;
			expect(items.map(({ role, type = '' }) => role ?? kinds[type])).toEqual(wanted);
		}),
	);
});

it('refuses with words, whatever an expression may give', () => {
	fc.assert(
		fc.property(
			fc.array(
				fc.oneof(
					fc.jsonValue(),
					fc.record({
						role: fc.constantFrom(...roles),
						content: fc.jsonValue(),
						tool_calls: fc.jsonValue(),
					}),
				),
			),
			(messages) => {
				for (const check of [checkMessages, toResponseInput]) {
					try {
						check(messages, 'Messages');
					} catch (error) {
						expect(error).toMatchObject({
							kind: 'invalid',
							message: expect.stringMatching(/^Messages/),
						});
					}
				}
			},
		),
	);
});
