import type { Forms } from '../forms.ts';
import { uuidOf } from '../ids.ts';
import { ROUTER_KEYS } from '../keys.ts';
import type { Request, Row } from './ask.ts';
import { get, like, not } from './calls.ts';

const KINDS = {
	images: {
		model: 'canvas/sketch-1',
		type: 'image/png',
		extension: 'png',
		cost: 40_000,
		hold: 50_000,
	},
	videos: {
		model: 'reel/clip-3',
		type: 'video/mp4',
		extension: 'mp4',
		cost: 500_000,
		hold: 625_000,
	},
	music: {
		model: 'tune/melody-1',
		type: 'audio/mpeg',
		extension: 'mp3',
		cost: 60_000,
		hold: 75_000,
	},
	audio: { model: 'voice/speaker-1', type: 'audio/wav', extension: 'wav', cost: 75, hold: 94 },
};
type Segment = keyof typeof KINDS;
const ID = `job-${uuidOf('job', 1)}`;

const start = (prompt: string, more: object = {}, segment: Segment = 'images'): Request => ({
	path: `/v1/${segment}/jobs`,
	body: { model: KINDS[segment].model, prompt, ...more },
});
/** A request for a job that was started just before, with so many reads of its state between. */
const after = (
	reads: number,
	path: string,
	prompt = 'a cat',
	forms: Partial<Forms> = {},
): Request => {
	const segment = path.split('/')[0] as Segment;
	const started = start(prompt, {}, segment in KINDS ? segment : 'images');
	const state = get(`${path.split('/').slice(0, 3).join('/')}`, forms);
	return {
		...get(path, forms),
		before: [{ ...started, forms }, ...Array<Request>(reads).fill(state)],
	};
};
const path = (segment: string, end = '') => `${segment}/jobs/${ID}${end}`;
const file = (forms: Partial<Forms>, prompt = 'a cat') =>
	after(0, path('images', '/content'), prompt, { jobSteps: 0, ...forms });
const lasting = (
	reads: number,
	prompt: string,
	status: string,
	forms: Partial<Forms> = {},
): Row => [after(reads - 1, path('images'), prompt, forms), { body: { status } }];

/** Section C: media jobs. */
export const JOBS: Row[] = [
	...Object.entries(KINDS).flatMap(([segment, { model, type, extension, cost, hold }]): Row[] => [
		[
			start('a cat', {}, segment as Segment),
			{
				body: { id: ID, model, status: 'processing', estimated_cost: cost },
				paid: 0,
				held: hold,
				starts: 1,
			},
		],
		[after(1, path(segment, '/content')), { status: 409, code: 'job_not_completed' }],
		[after(4, path(segment)), { body: { status: 'completed', cost }, paid: cost, held: 0 }],
		[
			after(2, path(segment, '/content')),
			{
				type,
				headers: {
					'content-disposition': like(new RegExp(`\\.${extension}"$`)),
					'x-request-id': like(/^req-/),
				},
			},
		],
	]),
	[
		after(1, path('images'), '[[fail]]'),
		{ body: { status: 'failed', error: { message: expect.any(String) } }, paid: 0, held: 0 },
	],
	[after(2, path('images', '/content'), '[[fail]]'), { status: 409 }],
	lasting(1, 'hi', 'processing'),
	lasting(2, 'hi', 'completed'),
	lasting(4, '[[steps:5]]', 'processing'),
	lasting(5, '[[steps:5]]', 'completed'),
	lasting(9, '[[never]]', 'processing'),
	lasting(9, 'hi', 'processing', { jobSeconds: 10 }),
	[{ ...start('hi'), forms: { jobSteps: 0 } }, { body: { status: 'completed', cost: 40_000 } }],
	[after(0, path('image'), 'a cat'), { status: 200 }],
	[{ ...start('a cat'), forms: { jobCost: 'absent' } }, { body: not('estimated_cost') }],
	[file({ contentType: 'text/html' }), { type: 'text/html' }],
	[
		file({ contentDisposition: 'attachment; filename="../../x"' }),
		{ headers: { 'content-disposition': 'attachment; filename="../../x"' } },
	],
	[file({ contentDisposition: 'missing' }), { headers: not('content-disposition') }],
	[file({ contentLength: 'absent' }), { headers: not('content-length') }],
	...['0', '10', '100000'].map(
		(size): Row => [file({}, `[[size:${size}]]`), { headers: { 'content-length': size } }],
	),
	...[{ duration: 2 }, { seconds: '2' }].map(
		(body): Row => [start('x', body, 'videos'), { body: { estimated_cost: 200_000 } }],
	),
	[{ ...start('b'), before: [start('a')] }, { held: 90_000 }],
	[
		{ ...start('x'), headers: { 'x-api-key': ROUTER_KEYS.poor } },
		{ status: 402, body: { error: { meta: { required_micro_usd: 50_000 } } }, starts: 0 },
	],
	[{ ...after(0, path('images')), headers: { 'x-api-key': ROUTER_KEYS.poor } }, { status: 404 }],
	// no key for a file (5)
	[{ ...file({}), headers: {} }, { status: 401 }],
	[{ ...get(path('videos')), before: [start('a cat')] }, { status: 404 }],
	[get('images/jobs/job-none'), { status: 404, code: 'job_not_found' }],
	...['northwind/quill-2.5', 'reel/clip-3'].map(
		(model): Row => [start('x', { model }), { status: 400, code: 'wrong_endpoint', starts: 0 }],
	),
	...[{ prompt: '' }, { model: undefined }].map(
		(body): Row => [start('x', body), { status: 400, code: 'invalid_request', starts: 0 }],
	),
	// GET for a start: 405
	[get('images/jobs'), { status: 405 }],
];
