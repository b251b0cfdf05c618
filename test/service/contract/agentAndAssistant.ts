import { uuidOf } from '../ids.ts';
import { AGENT_KEYS, ASSISTANT_KEYS } from '../keys.ts';
import type { Forms } from '../forms.ts';
import type { Request, Row } from './ask.ts';

const SESSION = '3f0a8f9e-6f5d-4a53-9c39-5a1f0f2b7d11';
const OTHER = 'b9a4c3c2-0d5e-4f7b-8a77-0c6f3f9e2a10';

const send = (content: unknown, more: Partial<Request> = {}, session = SESSION): Request => ({
	path: `/api/v1/workspaces/ws-1/session/${session}/messages`,
	body: { content },
	...more,
});
const inWorkspace = (workspace: string, authorization?: string): Partial<Request> => ({
	path: `/api/v1/workspaces/${workspace}/session/${SESSION}/messages`,
	...(authorization !== undefined && { headers: { authorization } }),
});
const TEXT = 'You said: "hé". This is message 1 of this session.';
const inForm = (agent: Forms['agent'], type: string): Row => [
	send('hé', { forms: { agent } }),
	{ type, text: TEXT },
];
const error = { code: expect.any(String), message: expect.any(String) };

/** Section A: agent messaging. */
export const AGENT: Row[] = [
	// an unused UUID starts a session (2A)
	[send('one'), { text: 'You said: "one". This is message 1 of this session.' }],
	[
		send('two', { before: [send('one')] }),
		{ text: 'You said: "two". This is message 2 of this session; before it you said: "one".' },
	],
	[send('two', { before: [send('one')] }, OTHER), { text: expect.stringMatching(/message 1 /) }],
	[
		send('two', { before: [send('one')], ...inWorkspace('ws-2') }),
		{ text: expect.stringMatching(/message 1 /) },
	],
	// no key, a wrong one, that of another workspace (5), for an unknown workspace, in the other header (5)
	...[
		inWorkspace('ws-1', ''),
		inWorkspace('ws-1', 'Bearer nonsense'),
		inWorkspace('ws-2', `Bearer ${AGENT_KEYS['ws-1']}`),
		inWorkspace('ws-9', `Bearer ${AGENT_KEYS['ws-1']}`),
		{ headers: { 'x-api-key': AGENT_KEYS['ws-1'] ?? '' } },
	].map((more): Row => [send('hi', more), { status: 401, body: { error } }]),
	[send('hi', {}, 'abc'), { status: 400 }],
	...[undefined, '', 5].map((content): Row => [send(content), { status: 400, body: { error } }]),
	[{ path: send('').path, method: 'GET' }, { status: 405 }],
	[{ path: '/api/v1/workspaces/ws-1/messages' }, { status: 404 }],
	inForm('sse-json', 'text/event-stream'),
	inForm('text', 'text/plain; charset=utf-8'),
	inForm('ag-ui', 'text/event-stream'),
	// [[words:N]]: as many
	[send('[[words:3]]'), { text: 'word1 word2 word3' }],
];

const CHAT = uuidOf('chat', 1);
const question = (body: unknown, more: Partial<Request> = {}): Request => ({
	path: '/api/ai-assistant/v1/invoke_assistant',
	body,
	...more,
});
const live = (body: unknown, more: Partial<Request> = {}): Request => ({
	...question(body, more),
	path: '/api/ai-assistant/v1/invoke_assistant_stream',
});
const ANSWER = 'You said: "hi". This is message 1 of this chat.';
const keyed = (key: string) => ({ headers: { 'x-api-key': key } });

/** Section B: the market assistant. */
export const ASSISTANT: Row[] = [
	// a stream has all six events, chat first, finish last (6B)
	[
		live({ message: '[[say:hi]]' }),
		{
			type: 'text/event-stream',
			events: [
				{ event: 'chat', data: { chat_id: CHAT, chat_title: '[[say:hi]]' } },
				{
					event: 'pending_tool_call',
					data: { call_id: expect.any(String), title: { en: expect.any(String) } },
				},
				{ event: 'finished_tool_call', data: { call_id: expect.any(String) } },
				{ event: 'message_start', data: { t: 'hi' } },
				{ event: 'message_end', data: { message_id: expect.any(String) } },
				{ event: 'finish', data: null },
			],
		},
	],
	[live({ message: 'hi' }), { text: ANSWER }],
	[
		live({ message: '[[say:a]] [[tools:2]]' }),
		{
			names:
				'chat pending_tool_call finished_tool_call pending_tool_call finished_tool_call message_start message_end finish',
		},
	],
	// a chat goes on (2B)
	[
		question({ message: 'two', chat_id: CHAT }, { before: [live({ message: 'one' })] }),
		{
			text: 'You said: "two". This is message 2 of this chat; before it you said: "one".',
			body: { chat_id: CHAT },
		},
	],
	[question({ message: 'hi' }), { body: { answer: ANSWER, model: 'svc_v1.2' } }],
	[question({ message: 'hi', model: 'svc_v9' }), { body: { model: 'svc_v9' } }],
	// refused with detail (7B); the key is looked at before the body
	...[question, live].flatMap((call) =>
		[
			...[
				{},
				{ message: '' },
				{ message: 1 },
				['x'],
				{ message: 'hi', model: 1 },
				{ message: 'hi', chat_id: 'abc' },
				{ message: 'hi', chat_id: SESSION },
			].map((body) => [400, call(body)] as const),
			[401, call({}, keyed('nonsense'))] as const,
			[401, call({}, { headers: { authorization: `Bearer ${ASSISTANT_KEYS.pro}` } })] as const,
			[403, call({ message: 'hi' }, keyed(ASSISTANT_KEYS.forbidden))] as const,
		].map(([status, request]): Row => [request, { status, body: { detail: expect.any(String) } }]),
	),
	[
		question({ message: 'hi', chat_id: SESSION }, { forms: { unknownChat: 'accepted' } }),
		{ status: 200 },
	],
	[{ path: question('').path, method: 'GET' }, { status: 405 }],
	[{ path: '/api/ai-assistant/v2/invoke_assistant', body: {} }, { status: 404 }],
];
