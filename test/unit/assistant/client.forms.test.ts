import { ask, askStreaming } from '../../../src/assistant/client';
import { events, failureOf, inMemory, json, type Answer } from '../inMemoryHttp';

const QUESTION = { message: 'q' };
const CHAT = 'event: chat\ndata: {"chat_id":"c-1"}\n\n';
const STREAM = `${CHAT}event: message_start\ndata: {"t":"He"}\n\nevent: message_start\ndata: {"t":"llo"}\n\nevent: message_end\ndata: {"message_id":"m"}\n\nevent: finish\ndata: null\n\n`;
const EVENTS = [
	{ event: 'chat', data: { chat_id: 'c-1' } },
	{ event: 'message_start', data: { t: 'Hello' } },
	{ event: 'finish' },
];
const typed = (type: string, ...chunks: string[]): Answer => ({
	headers: { 'content-type': type },
	chunks,
});
const both = [
	['ask', async (answer: Answer) => await ask(inMemory(answer), QUESTION)],
	['askStreaming', async (answer: Answer) => await askStreaming(inMemory(answer), QUESTION)],
] as const;

describe.each(both)('%s', (_name, asked) => {
	it.each<[string, Answer]>([
		['a stream', events(STREAM)],
		['a list of events', json(EVENTS)],
		['events in an object', json({ events: EVENTS })],
		[
			'events in lines',
			typed('application/x-ndjson', `${EVENTS.map((one) => JSON.stringify(one)).join('\n')}\n`),
		],
		['one JSON body', json({ answer: 'Hello', chat_id: 'c-1' })],
	])('reads %s', async (_form, answer) => {
		expect(await asked(answer)).toMatchObject({ text: 'Hello', chatId: 'c-1' });
	});

	it.each([['text/html'], ['text/plain'], ['application/json'], ['text/markdown']])(
		'takes a text of the type %s for a text',
		async (type) => {
			expect(await asked(typed(type, 'Hello, BTC is up'))).toMatchObject({
				text: 'Hello, BTC is up',
			});
		},
	);

	it('reads Latin letters where they are declared', async () => {
		const chunks = [
			new Uint8Array([0x7b, 0x22, 0x74, 0x22, 0x3a, 0x22, 0x63, 0x61, 0x66]),
			new Uint8Array([0xe9, 0x22, 0x7d]),
		];
		const headers = { 'content-type': 'application/json; charset=ISO-8859-1' };
		expect(await asked({ headers, chunks })).toMatchObject({ text: 'café' });
	});

	it.each<[string, Answer, string]>([
		['half a JSON body', typed('application/json', '{"answer":"Hel'), 'truncated'],
		['half a JSON body as text', typed('text/plain', '{"answer":"Hel'), 'truncated'],
		['an error beside a chat', json({ chat_id: 'c-1', error: 'Hel' }), 'malformed'],
		['a web page', typed('text/html', '<!doctype html><title>x</title><p>Hel'), 'malformed'],
		[
			'a stream that cannot be read',
			events(`${CHAT}event: message_start\ndata: {"t":"Hel\n\n`),
			'truncated',
		],
		[
			'a stream that only began',
			events('event: message_start\ndata: {"t":"Hel"}\n\n'),
			'truncated',
		],
		['a stream of plain words', events('data: Hel\n\ndata: lo\n\n'), 'truncated'],
		['words as a stream', events('Hel and more'), 'malformed'],
		[
			'events in lines that end early',
			typed(
				'application/x-ndjson',
				'{"event":"chat","data":{"chat_id":"c"}}\n{"event":"message_start","data":{"t":"Hel"}}\n',
			),
			'truncated',
		],
	])('keeps what came of %s', async (_form, answer, kind) => {
		const failure = await failureOf(asked(answer));
		expect(failure.kind).toBe(kind);
		expect(JSON.stringify(failure.details.partial)).toContain('Hel');
	});

	it.each<[string, Answer]>([
		['an end alone', events('event: finish\ndata: null\n\n')],
		['an end after a chat', events(`${CHAT}event: finish\n\n`)],
		[
			'an end after an empty message',
			events(
				'event: message_start\ndata: {"t":""}\n\nevent: message_end\ndata: {}\n\nevent: finish\n\n',
			),
		],
		[
			'an end after tools',
			events('event: pending_tool_call\ndata: {"call_id":"1"}\n\nevent: finish\n\n'),
		],
		['an empty list', json([])],
		['an empty object', json({})],
		['a list of nothing', json([null, {}])],
		['another end alone', events('data: [DONE]\n\n')],
	])('nothing said is no answer: %s', async (_form, answer) => {
		const failure = await failureOf(asked(answer));
		expect(['truncated', 'malformed']).toContain(failure.kind);
		expect(['started', 'unknown']).toContain(failure.details.outcome);
	});

	it('an answer under other names is found', async () => {
		const chunk = (content: string) => `data: {"choices":[{"delta":{"content":"${content}"}}]}\n\n`;
		expect(await asked(events(`${chunk('He')}${chunk('llo')}data: [DONE]\n\n`))).toMatchObject({
			text: 'Hello',
		});
		const named =
			'event: token\ndata: {"text":"He"}\n\nevent: token\ndata: {"text":"llo"}\n\nevent: done\n\n';
		expect(await asked(events(named))).toMatchObject({ text: 'Hello' });
	});

	it('the whole so far in each event is read once', async () => {
		const event = (t: string) => `event: message_start\ndata: ${JSON.stringify({ t })}\n\n`;
		const text = `${event('Who ')}${event('Who bought')}${event('Who bought it?')}event: finish\n\n`;
		expect(await asked(events(text))).toMatchObject({ text: 'Who bought it?' });
	});

	it('gives up a body of nothing but white space after 64 KiB', async () => {
		let given = 0;
		const chunk = ' '.repeat(16 * 1024);
		const chunks = Array.from({ length: 100 }, () => chunk);
		Object.defineProperty(chunks, Symbol.iterator, {
			value: function* () {
				for (;;) {
					given++;
					yield chunk;
				}
			},
		});
		expect(await failureOf(asked(events('', { chunks: [] })))).toMatchObject({ kind: 'malformed' });
		expect(await failureOf(asked({ chunks }))).toMatchObject({
			kind: 'malformed',
			details: { reason: 'It begins with more than 64 KiB of white space.', outcome: 'unknown' },
		});
		expect(given).toBeLessThan(10);
	});
});

it('reads along what a text of another form says', async () => {
	const heard: string[] = [];
	const onText = (text: string) => void heard.push(text);
	await askStreaming(inMemory(typed('text/plain', 'Hello you')), QUESTION, { onText });
	expect(heard.join('')).toBe('Hello you');
});

it.each([
	['done', 'Who bought it?'],
	['final', 'Who bought it?'],
	['completed', ' it?'],
])('a message_%s may say the whole, or the last piece', async (end, t) => {
	const event = (name: string, data: object) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
	const pieces = ['Who ', 'bought'].concat(t.startsWith(' ') ? [] : [' it?']);
	const text = pieces.map((piece) => event('message_start', { t: piece })).join('');
	const stream = `${text}${event(`message_${end}`, { t })}${event('message_end', { message_id: 'm' })}event: finish\n\n`;
	expect(await askStreaming(inMemory(events(stream)), QUESTION)).toMatchObject({
		text: 'Who bought it?',
		messageIds: ['m'],
	});
});
