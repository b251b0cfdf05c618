import {
	MODEL,
	REASONER,
	OMNI,
	user,
	chat,
	respond,
	streamed,
	like,
	FAILED,
	DONE,
	chunks,
	tools,
	marked,
	SCHEMA,
	everywhere,
	errorLine,
	PARTS,
} from './calls.ts';
import type { Row } from './ask.ts';

/** Section C: what both protocols answer to a text. */
export const ANSWERS: Row[] = [
	// a completion (4C, 2C)
	[
		chat('hello there'),
		{
			body: { object: 'chat.completion', model: MODEL },
			headers: { 'x-request-id': like(/^req-/) },
			text: 'You said: "hello there".',
			choice: { finish_reason: 'stop' },
			tokens: [2, 4],
			paid: 7,
		},
	],
	// usage stands in the end, whatever is asked for (6C)
	[
		streamed(chat('hi [[say:a b]]', { stream_options: { include_usage: false } })),
		{
			events: [
				...chunks(
					{ delta: { role: 'assistant', content: '' } },
					{ delta: { content: 'a ' } },
					{ delta: { content: 'b' } },
					{ finish_reason: 'stop' },
				),
				{ data: { choices: [], usage: { completion_tokens: 2 } } },
				DONE,
			],
			paid: 5,
		},
	],
	[
		chat(`${'a '.repeat(998)}[[cached:800]] [[say:ok]]`),
		{ body: { usage: { prompt_tokens_details: { cached_tokens: 800 } } }, paid: 142 },
	],
	// a part that is marked for the cache, the second time: 3 * 0.05 + 1 * 0.5 + 1 * 1.5 after 4 * 0.5 + 1 * 1.5
	...[tools, undefined].map((given): Row => {
		const first = marked(chat, { tools: given });
		const cached_tokens = given ? 0 : 3;
		return [
			{ ...marked(chat), before: [first] },
			{ body: { usage: { prompt_tokens_details: { cached_tokens } } }, paid: given ? 8 : 7 },
		];
	}),
	[
		{ ...marked(respond), before: [marked(respond)] },
		{ body: { usage: { input_tokens_details: { cached_tokens: 3 } } }, paid: 7 },
	],
	// a cap cuts (7C)
	[
		chat('[[words:20]]', { max_tokens: 2 }),
		{ choice: { finish_reason: 'length' }, text: 'word1 word2 ', paid: 4 },
	],
	...Object.entries({ minimal: 16, low: 64, medium: 256, high: 1024 }).map(
		([reasoning_effort, hidden]): Row => [
			chat('hi there', { model: REASONER, reasoning_effort }),
			{ tokens: [2, hidden + 4], paid: 2 * 2 + 8 * (hidden + 4) },
		],
	),
	// a small cap may leave no word (8)
	[
		chat('hi', { model: REASONER, max_tokens: 100 }),
		{ text: '', choice: { finish_reason: 'length' }, tokens: [1, 100] },
	],
	[
		streamed(chat('[[thinks:1]] [[say:ok]]')),
		{
			events: [
				{},
				...chunks({ delta: { reasoning_content: 'thought1' } }, { delta: { content: 'ok' } }),
				{},
				{},
				DONE,
			],
		},
	],
	[
		chat('[[thinks:2]] [[say:ok]]'),
		{ choice: { message: { reasoning_content: 'thought1 thought2', content: 'ok' } } },
	],
	[
		chat('hi', { n: 2 }),
		{ body: { choices: [{ index: 0 }, { index: 1, message: { content: like(/^\(2\) /) } }] } },
	],
	...everywhere('hi', 'You said: "hi".'),
	...everywhere('[[words:3]]', 'word1 word2 word3'),
	...everywhere('hi', '{"name":"hi","age":1}', SCHEMA),
	...everywhere('[[break_schema]] hi', '{"name":1,"age":1}', { ...SCHEMA, required: undefined }),
	...everywhere('hi', '{"age":18,"tags":["a","a"],"who":"me","ok":true}', {
		type: 'object',
		properties: {
			age: { type: 'integer', minimum: 18 },
			tags: { type: 'array', items: { enum: ['a', 'b'] }, minItems: 2 },
			who: { $ref: '#/$defs/who' },
			ok: { type: ['boolean', 'null'] },
		},
		$defs: { who: { anyOf: [{ const: 'me' }] } },
	}),
	[chat('hi', { response_format: { type: 'json_object' } }), { text: '{"you_said":"hi"}' }],
	[
		chat('[[refusal]]'),
		{
			choice: {
				message: { content: null, refusal: 'I cannot help with that.' },
				finish_reason: 'stop',
			},
		},
	],
	[
		streamed(respond('[[refusal:No.]]')),
		{ names: like(/ refusal.delta refusal.done /), text: 'No.' },
	],
	[
		chat('[[tool:time]]', { tools }),
		{ calls: 'time', choice: { finish_reason: 'tool_calls', message: { content: null } } },
	],
	[chat('hi', { tools, tool_choice: 'required' }), { calls: 'weather' }],
	[chat('hi', { tools, tool_choice: tools[1] }), { calls: 'time' }],
	[chat('[[tools:3]]', { tools }), { calls: 'weather time weather' }],
	[chat('hi', { tools, tool_choice: 'auto' }), { calls: '', choice: { finish_reason: 'stop' } }],
	[chat('[[tool:time]]', { tools, tool_choice: 'none' }), { calls: '' }],
	// calls that do not fit the cap are left out
	[
		chat('[[tools:2]]', { tools, max_tokens: 9 }),
		{ calls: '', text: '', choice: { finish_reason: 'length' } },
	],
	[
		streamed(chat('[[tools:2]] [[break:2]]', { tools })),
		{
			events: [
				{},
				...[0, 1].flatMap((index) =>
					chunks({
						delta: {
							tool_calls: [{ index, id: `call_${index + 1}`, function: { arguments: '' } }],
						},
					}),
				),
				{ data: { error: { code: 'backend_error' } } },
				DONE,
			],
		},
	],
	[
		chat('', {
			tools,
			messages: [
				...user('[[tool:time]]'),
				{ role: 'assistant', content: null, tool_calls: [] },
				{ role: 'tool', tool_call_id: 'call_1', content: 'noon' },
			],
		}),
		{ text: 'The tool said: noon' },
	],
	...['system', 'developer', 'assistant', 'tool'].map(
		(role): Row => [
			chat('', { messages: [...user('hi'), { role, content: 'x' }] }),
			{ status: 200 },
		],
	),
	...[chat(PARTS, { model: OMNI }), respond(user(PARTS), { model: OMNI })].map(
		(call): Row => [
			call,
			{ text: 'You said: "look". I was shown 1 image(s), 1 audio, 1 video, 2 file(s).' },
		],
	),
	...errorLine('object', { error: { code: 'backend_error', message: FAILED } }),
	...errorLine('string', { error: FAILED }),
	...errorLine('named', { error: { code: 'backend_error', message: FAILED } }),
	[
		streamed(chat('[[words:50]] [[break:4]]')),
		{ text: 'word1 word2 word3 word4 ', paid: 7, held: 0 },
	],
];
