import { user, respond, streamed, functions } from './calls.ts';
import type { Row } from './ask.ts';

const BEGIN = 'created in_progress output_item.added';
const TEXT =
	'content_part.added output_text.delta output_text.done content_part.done output_item.done';
const THOUGHTS = ['part.added', 'text.delta', 'text.done', 'part.done'].map(
	(name) => `reasoning_summary_${name}`,
);

/** Section C: what only the responses protocol has. */
export const RESPONSES: Row[] = [
	[
		respond('hi', { instructions: 'be short' }),
		{ body: { object: 'response', status: 'completed' }, text: 'You said: "hi".', tokens: [3, 3] },
	],
	// its events (6C)
	[streamed(respond('[[say:ok]]')), { names: `${BEGIN} ${TEXT} completed`, text: 'ok' }],
	[
		streamed(respond('[[thinks:1]] [[say:ok]]')),
		{
			names: `${BEGIN} ${THOUGHTS.join(' ')} output_item.done output_item.added ${TEXT} completed`,
		},
	],
	[
		respond('[[tools:2]]', { tools: functions }),
		{
			body: {
				output: [
					{ type: 'function_call', call_id: 'call_1', name: 'weather' },
					{ call_id: 'call_2', name: 'time' },
				],
			},
		},
	],
	[
		respond(
			[
				...user('[[tool:time]]'),
				{ type: 'function_call', call_id: 'call_1' },
				{ type: 'function_call_output', call_id: 'call_1', output: 'noon' },
			],
			{ tools: functions },
		),
		{ text: 'The tool said: noon' },
	],
	// a cap leaves it incomplete
	[
		respond('[[words:9]]', { max_output_tokens: 2 }),
		{
			body: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
			tokens: [1, 2],
		},
	],
	// nothing is stored (4C)
	[{ path: '/v1/responses/resp_1' }, { status: 404 }],
];
