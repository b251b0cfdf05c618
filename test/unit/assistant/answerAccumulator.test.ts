import { createAnswerAccumulator } from '../../../src/assistant/answerAccumulator';
import fc from '../../support/fastCheck';

type Heard = Array<[event: string, data: unknown]>;

function answerTo(heard: Heard, includeRawEvents = false) {
	const listener = createAnswerAccumulator({ includeRawEvents });
	const readAlong = heard.map(([event, data]) => listener.add(event, data)).join('');
	return { ...listener.answer(), readAlong };
}

const say = (t: unknown): Heard[number] => ['message_start', { t }];
const end = (message_id?: unknown): Heard[number] => ['message_end', { message_id }];

it.each<[string, Heard, object]>([
	['chat', [['chat', { chat_id: 'c', chat_title: 'T' }]], { chatId: 'c', chatTitle: 'T' }],
	['chat with a number', [['chat', { chat_id: 17 }]], { chatId: '17' }],
	['pieces of one message', [say('a'), say('b'), end('m')], { text: 'ab', messageIds: ['m'] }],
	[
		'two messages',
		[say('a'), end('1'), say('b'), end(2)],
		{ text: 'a\n\nb', messageIds: ['1', '2'] },
	],
	['a text that is no object', [['message_start', 'a']], { text: 'a' }],
	['content under another name', [say('a'), ['message_delta', { t: 'b' }]], { text: 'ab' }],
	['message without an end', [say('a')], { text: 'a', messageIds: [] }],
	['end without a message', [end('m'), say('a')], { text: 'a', messageIds: ['m'] }],
	[
		'messages that are empty',
		[say(''), end(), say('a'), end(), say(''), end(), say(''), say('b')],
		{ text: 'a\n\nb' },
	],
	['text of another type', [say(17), say(null), say({})], { text: '' }],
	[
		'unknown events',
		[
			['price', { t: 'x' }],
			['toString', {}],
			['__proto__', {}],
			['', null],
		],
		{ text: '', toolCalls: [] },
	],
	[
		'known events with odd data',
		[
			['chat', null],
			['chat', 'x'],
			['message_start', [1]],
			['message_end', undefined],
		],
		{ text: '', messageIds: [] },
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
