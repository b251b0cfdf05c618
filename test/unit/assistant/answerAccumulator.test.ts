import {
	createAnswerAccumulator,
	createToolTimeline,
	selectTitle,
} from '../../../src/assistant/answerAccumulator';
import { failureOf } from '../inMemoryHttp';
import fc from '../../support/fastCheck';

type Heard = Array<[event: string, data: unknown]>;

function answerTo(heard: Heard, includeRawEvents = false) {
	const listener = createAnswerAccumulator({ includeRawEvents });
	const readAlong = heard.map(([event, data]) => listener.add(event, data)).join('');
	return { ...listener.answer(), readAlong };
}

const say = (t: unknown): Heard[number] => ['message_start', { t }];
const end = (message_id?: unknown): Heard[number] => ['message_end', { message_id }];
const names = (...events: string[]) => events.map((name): Heard[number] => [name, { t: 'x' }]);

it.each<[string, Heard, object]>([
	['chat', [['chat', { chat_id: 'c', chat_title: 'T' }]], { chatId: 'c', chatTitle: 'T' }],
	['chat with a number', [['chat', { chat_id: 17 }]], { chatId: '17' }],
	['pieces of one message', [say('a'), say('b'), end('m')], { text: 'ab', messageIds: ['m'] }],
	['two', [say('a'), end('1'), say('b'), end(2)], { text: 'a\n\nb', messageIds: ['1', '2'] }],
	['a text that is no object', [['message_start', 'a']], { text: 'a' }],
	['another name', [say('a'), ['message_delta', { t: 'b' }]], { text: 'ab' }],
	['end before a message', [end('m'), say('a')], { text: 'a', messageIds: ['m'] }],
	[
		'empty messages',
		[say(''), end(), say('a'), end(), say(''), end(), say('b')],
		{ text: 'a\n\nb' },
	],
	['text of another type', [say(17), say(null), say({})], { text: '' }],
	['unknown events', names('price', 'toString', '__proto__', ''), { text: '', toolCalls: [] }],
	[
		'odd data',
		[
			['chat', 'x'],
			['message_start', [1]],
			['message_end', null],
		],
		{ messageIds: [] },
	],
])('%s', (_name, heard, expected) => {
	const answer = answerTo(heard);
	expect(answer).toMatchObject(expected);
	expect(answer.readAlong).toBe(answer.text);
	// without a text what came is kept, for people to look at
	expect(answer.events).toHaveLength(answer.text ? 0 : heard.length);
});

it('keeps every event as it came when asked', () => {
	expect(answerTo([['price', 1], say('a'), ['finish', undefined]], true).events).toEqual([
		{ event: 'price', data: 1 },
		{ event: 'message_start', data: { t: 'a' } },
		{ event: 'finish', data: undefined },
	]);
});

it('what is read along is the text, whatever comes', () => {
	const event = fc.oneof(
		fc.constantFrom('', 'a', 'b\n').map(say),
		fc.constant(end('m')),
		fc.tuple(fc.constantFrom('chat', 'message_start', 'x'), fc.jsonValue()),
	);
	fc.assert(
		fc.property(fc.array(event), (heard) => {
			const { text, readAlong } = answerTo(heard);
			expect(readAlong).toBe(text);
		}),
	);
});

it.each(['pending_tool_call', 'finished_tool_call', 'message_end'])(
	'more than five thousand of %s are given up',
	async (name) => {
		const listener = createAnswerAccumulator();
		const add = async (at: number) => listener.add(name, { call_id: at, message_id: at });
		for (let at = 0; at < 5000; at++) await add(at);
		expect(await failureOf(add(5000))).toMatchObject({ kind: 'truncated' });
	},
);

const TITLES = { en: 'E', de: 'D' };
const start = (at: number, title?: unknown) => ({ at, title });
const finish = (at: number) => ({ at });

function timelineOf(heard: Array<{ at: number; title?: unknown }>) {
	let now = 0;
	const timeline = createToolTimeline(() => now, 'en');
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
	['at work', [start(1, 'E')], { title: { en: 'E' }, label: 'E', startedMs: 1, finished: false }],
	['never begun', [finish(5)], ended(5)],
	['begun late', [finish(5), start(9, TITLES)], { ...label, startedMs: 9, ...ended(5) }],
	[
		'twice',
		[start(1), start(2, 'E'), finish(3), finish(4)],
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

it.each<[Record<string, string>, string, string | undefined]>([
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
