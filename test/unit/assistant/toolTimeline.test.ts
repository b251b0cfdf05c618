import { createToolTimeline } from '../../../src/assistant/toolTimeline';
import fc from '../../support/fastCheck';

const TITLES = { en: 'E', de: 'D' };
const start = (at: number, title?: unknown) => ({ at, title });
const finish = (at: number) => ({ at });

function timelineOf(heard: Array<{ at: number; title?: unknown }>) {
	let now = 0;
	const timeline = createToolTimeline(() => now);
	const begun = heard.flatMap((one) => {
		now = one.at;
		if ('title' in one) return timeline.start('1', one.title) ? [now] : [];
		timeline.finish('1');
		return [];
	});
	return { begun, calls: timeline.calls() };
}

const ended = (finishedMs: number) => ({ finished: true, finishedMs });
const label = { title: TITLES, label: 'E' };

it.each<[string, Array<{ at: number }>, object]>([
	[
		'finished',
		[start(1, TITLES), finish(3)],
		{ ...label, startedMs: 1, ...ended(3), durationMs: 2 },
	],
	['at work', [start(1, TITLES)], { ...label, startedMs: 1, finished: false }],
	['never begun', [finish(5)], ended(5)],
	['begun late', [finish(5), start(9, TITLES)], { ...label, startedMs: 9, ...ended(5) }],
	[
		'twice',
		[start(1), start(2, TITLES), finish(3), finish(4)],
		{ startedMs: 1, ...ended(3), durationMs: 2 },
	],
	[
		'without words',
		[start(1, { en: 1, de: ' ' })],
		{ title: { de: ' ' }, startedMs: 1, finished: false },
	],
])('a call that is %s', (_name, heard, expected) => {
	expect(timelineOf(heard).calls).toEqual([{ callId: '1', ...expected }]);
});

it('every call is told of once, when it is first seen to start', () => {
	fc.assert(
		fc.property(fc.array(fc.boolean(), { maxLength: 8 }), (starts) => {
			const { begun, calls } = timelineOf(starts.map((one, at) => (one ? start(at) : finish(at))));
			expect(begun).toEqual(starts.includes(true) ? [starts.indexOf(true)] : []);
			expect(calls[0]?.finished).toBe(starts.length ? starts.includes(false) : undefined);
			expect(calls[0]?.durationMs ?? 0).toBeGreaterThanOrEqual(0);
		}),
	);
});

it.each<[Record<string, string>, string | undefined]>([
	[{ de: 'D', en: 'E' }, 'E'],
	[{ de: ' ', fr: 'F', es: 'S' }, 'F'],
	[{ de: 'D', en: ' ' }, 'D'],
	[{}, undefined],
])('of the titles %j, the label is %j', (titles, title) => {
	expect(timelineOf([start(1, titles)]).calls[0]?.label).toBe(title);
});
