import { readAnswer, type AnswerChunk } from '../../../src/agent/answerStream';
import { failureOf, response } from '../inMemoryHttp';

async function piecesOf(type: string, ...chunks: string[]): Promise<AnswerChunk[]> {
	const pieces: AnswerChunk[] = [];
	const answer = response({ headers: { 'content-type': type }, chunks });
	for await (const piece of readAnswer(answer)) pieces.push(piece);
	return pieces;
}

it('gives a piece as soon as it is there', async () => {
	expect(await piecesOf('text/plain', 'Hello, ', 'you')).toEqual([
		{ form: 'text', raw: 'Hello, ', text: 'Hello, ' },
		{ form: 'text', raw: 'you', text: 'you' },
	]);
});

it('keeps what came beside its meaning', async () => {
	expect(
		await piecesOf(
			'text/event-stream',
			'event: tool\ndata: {"name":"x"}\n\ndata: [DONE]\n\ndata: late\n\n',
		),
	).toEqual([
		{ form: 'sse', raw: { event: 'tool', data: { name: 'x' } } },
		{ form: 'sse', raw: '[DONE]', end: 'stream' },
	]);
	expect(await piecesOf('application/x-ndjson', '{"t":"a"}\nnull\n7\n')).toEqual([
		{ form: 'ndjson', raw: { t: 'a' }, text: 'a' },
		{ form: 'ndjson', raw: null },
		{ form: 'ndjson', raw: 7 },
	]);
});

it('JSON may be one body or lines: the first line that is whole decides', async () => {
	const forms = async (text: string) =>
		(await piecesOf('application/json', text)).map(({ form }) => form);
	expect(await forms('{"t":"a"}')).toEqual(['json']);
	expect(await forms('{"t":"a"}\n')).toEqual(['ndjson']);
	expect(await forms('{\n"t":"a"}\n')).toEqual(['json']);
});

it('grows past 64 MiB never', async () => {
	const chunks = Array<string>(70).fill('x'.repeat(1024 * 1024));
	expect(await failureOf(piecesOf('text/plain', ...chunks))).toMatchObject({
		kind: 'truncated',
		details: { reason: 'the answer grew past 64 MiB' },
	});
});

it.each([
	['text/plain', 'Hello'],
	['text/event-stream', 'data: a\n\n'],
	['application/x-ndjson', '{"t":"a"}\n'],
])('closes the connection of %s when its reader leaves', async (type, chunk) => {
	let closed = false;
	const answer = response(
		{ headers: { 'content-type': type }, chunks: Array(9).fill(chunk) },
		() => (closed = true),
	);
	const pieces = readAnswer(answer);
	await pieces.next();
	expect(closed).toBe(false);
	await pieces.return(undefined);
	expect(closed).toBe(true);
});

it.each([
	['a web page', '<!doctype html><p>'],
	['nothing but white space', ' '.repeat(100_000)],
	['an empty body', ''],
])('closes the connection of %s', async (_what, chunk) => {
	let closed = false;
	const answer = response({ chunks: [chunk, 'more'] }, () => (closed = true));
	const pieces = readAnswer(answer);
	await pieces.next().catch(() => undefined);
	await pieces.return(undefined);
	expect(closed).toBe(true);
});

it('reads ten thousand lines that come in small pieces in linear time', async () => {
	const line = `${JSON.stringify({ text: 'x'.repeat(200) })}\n`;
	expect(
		await piecesOf('application/x-ndjson', ...line.repeat(10_000).match(/[^]{1,64}/g)!),
	).toHaveLength(10_000);
});

it.each([
	['a text', 'data: Hello\n\ndata: and so o'],
	['a text in place of an end mark', 'data: Hello\n\ndata: [DO'],
	['JSON, in its very first event', 'data: {"t":"Hel'],
])('a stream that ends inside a line is cut: %s', async (_what, text) => {
	expect(await failureOf(piecesOf('text/event-stream', text))).toMatchObject({
		kind: 'truncated',
		details: { reason: 'The stream ended in the middle of an event.' },
	});
});

it('a ping with JSON before a stream of text does not make it JSON', async () => {
	const text = 'event: ping\ndata: {}\n\ndata: Hello \n\ndata: you\n\n';
	const pieces = await piecesOf('text/event-stream', text);
	expect(pieces.map((piece) => piece.text)).toEqual([undefined, 'Hello ', 'you']);
});
