import { selectTitle, createToolTimeline } from '../../../src/assistant/answerAccumulator';
import fc from '../../support/fastCheck';

type Heard = ['start' | 'finish', at: number, title?: unknown];

function timelineOf(heard: Heard[], language = 'en') {
	let now = 0;
	const timeline = createToolTimeline(() => now, language);
	const begun = heard.flatMap(([what, at, title]) => {
		now = at;
		if (what === 'start') return timeline.start('1', title) ? [at] : [];
		timeline.finish('1');
		return [];
	});
	return { begun, calls: timeline.calls() };
}

const TITLES = { en: 'E', de: 'D' };

it.each<[string, Heard[], object]>([
	[
		'begun and finished',
		[
			['start', 100, TITLES],
			['finish', 350],
		],
		{
			title: TITLES,
			label: 'E',
			startedMs: 100,
			finished: true,
			finishedMs: 350,
			durationMs: 250,
		},
	],
	[
		'at work',
		[['start', 100, 'E']],
		{ title: { en: 'E' }, label: 'E', startedMs: 100, finished: false },
	],
	['never begun', [['finish', 5]], { finished: true, finishedMs: 5 }],
	[
		'begun after its end',
		[
			['finish', 5],
			['start', 9, TITLES],
		],
		{ title: TITLES, label: 'E', startedMs: 9, finished: true, finishedMs: 5 },
	],
	[
		'begun and finished twice',
		[
			['start', 1],
			['start', 2, TITLES],
			['finish', 3],
			['finish', 4],
		],
		{ startedMs: 1, finished: true, finishedMs: 3, durationMs: 2 },
	],
	[
		'without words',
		[['start', 1, { en: 1, de: ' ' }]],
		{ title: { de: ' ' }, startedMs: 1, finished: false },
	],
])('a call that is %s', (_name, heard, expected) => {
	const { calls } = timelineOf(heard);
	expect(calls).toEqual([{ callId: '1', ...expected }]);
});

it('every call is told of once, when it is first seen to start', () => {
	const events = fc.array(fc.constantFrom<Heard[0]>('start', 'finish'), { maxLength: 8 });
	fc.assert(
		fc.property(events, (whats) => {
			const { begun, calls } = timelineOf(whats.map((what, at) => [what, at, TITLES]));
			expect(begun).toEqual(whats.includes('start') ? [whats.indexOf('start')] : []);
			expect(calls[0]?.finished).toBe(whats.length ? whats.includes('finish') : undefined);
			expect(calls[0]?.durationMs ?? 0).toBeGreaterThanOrEqual(0);
		}),
	);
});

it.each<[Record<string, string>, string, string | undefined]>([
	[TITLES, 'de', 'D'],
	[TITLES, ' DE ', 'D'],
	[TITLES, 'de-AT', 'D'],
	[TITLES, 'de_AT', 'D'],
	[{ en: 'E', 'de-CH': 'S', de: 'D' }, 'de-CH', 'S'],
	[{ en: 'E', 'de-CH': 'S' }, 'de', 'S'],
	[{ de: 'D', 'en-US': 'U' }, 'fr', 'U'],
	[{ de: 'D' }, 'fr', 'D'],
	[{ fr: ' ', en: 'E' }, 'fr', 'E'],
	[{ en: '' }, 'en', undefined],
	[{}, 'en', undefined],
])('of %j in "%s" is %j', (titles, language, title) => {
	expect(selectTitle(titles, language)).toBe(title);
});
