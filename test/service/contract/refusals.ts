import { ROUTER_KEYS } from '../keys.ts';
import { user, type Body, chat, respond, streamed, like, code, parts } from './calls.ts';
import type { Request, Row } from './ask.ts';

const { poor } = ROUTER_KEYS;
const refused = (call: (said: unknown, body: Body) => Request, bodies: Body[]): Row[] =>
	bodies.map((body) => [call('hi', body), code('invalid_request')]);

/** Section 7C. */
export const REFUSALS: Row[] = [
	...refused(chat, [
		{ temperature: 3 },
		{ temperature: -1 },
		{ temperature: '0.7' },
		{ max_tokens: 0 },
		{ max_tokens: 1.5 },
		{ reasoning_effort: 'extreme' },
		{ messages: [] },
		{ messages: 'hi' },
		{ messages: [{ role: 'king', content: 'x' }] },
		{ messages: [{ role: 'user' }] },
		{ model: '' },
		{ n: 0 },
		{ n: 9 },
		{ tools: {} },
		{ stream: 'yes' },
		{ messages: [...user(parts('video_url')), ...user('hi')] },
	]),
	...refused(respond, [
		{ previous_response_id: 'resp_1' },
		{ input: '' },
		{ input: undefined },
		{ temperature: 3 },
		{ max_output_tokens: 0 },
		{ instructions: 1 },
		{ input: user(parts('file')) },
	]),
	[chat('hi', { temperature: 2 }), { status: 200 }],
	...Object.entries({
		'canvas/sketch-1': 'images',
		'reel/clip-3': 'videos',
		'tune/melody-1': 'music',
		'voice/speaker-1': 'audio',
	}).flatMap(([model, segment]) =>
		[chat, respond].map(
			(call): Row => [
				call('hi', { model }),
				{
					status: 400,
					body: {
						error: { code: 'wrong_endpoint', message: like(new RegExp(`/v1/${segment}/jobs`)) },
					},
				},
			],
		),
	),
	[chat('hi', { model: 'no/such' }), code('model_not_found', 404)],
	[chat('[[words:8001]]'), code('streaming_required')],
	[streamed(chat('[[words:8001]]', { max_tokens: 9000 })), { text: like(/word8001$/) }],
	// 402: the three amounts; 4096 tokens when no cap is set (8)
	[
		{ ...chat('hi'), headers: { 'x-api-key': poor } },
		{
			status: 402,
			body: {
				error: {
					code: 'insufficient_balance',
					meta: { required_micro_usd: 6145, balance_micro_usd: 2000, held_micro_usd: 0 },
				},
			},
		},
	],
	// the cap for each choice
	[
		{ ...chat('hi', { max_tokens: 1000, n: 2 }), headers: { 'x-api-key': poor } },
		{ body: { error: { meta: { required_micro_usd: 3001 } } } },
	],
	// a lower cap fits
	[{ ...chat('hi', { max_tokens: 100 }), headers: { 'x-api-key': poor } }, { status: 200 }],
	...[{}, { 'x-api-key': 'nonsense' }, { authorization: `Bearer ${ROUTER_KEYS.main}` }].map(
		(headers): Row => [
			{ ...chat('hi'), headers },
			{ ...code('unauthorized', 401), headers: { 'x-request-id': like(/^req-/) } },
		],
	),
];
