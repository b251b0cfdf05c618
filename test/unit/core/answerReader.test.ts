import { foldAnswer, type AnswerFold } from '../../../src/core/answerReader';
import { bytes, failureOf, response, typed, type Answer } from '../inMemoryHttp';

/** Takes every piece as text, and ends at a piece if that is asked for. */
function collect(endsAt = Infinity) {
	let text = '';
	let count = 0;
	return {
		add({ data }) {
			count++;
			text += data;
			return data;
		},
		isOver: () => count >= endsAt,
		end: () => '',
		partial: () => ({ text }),
	} satisfies AnswerFold;
}

async function read(answer: Answer, fold: AnswerFold) {
	let closed = 0;
	const reading = foldAnswer(
		response(answer, () => closed++),
		fold,
		() => undefined,
	);
	return { failure: await failureOf(reading).catch(() => undefined), closed };
}

it.each([
	['text/plain', '', ''],
	['text/event-stream', 'data: ', '\n\n'],
	['text/event-stream', ': ', ''],
	['application/x-ndjson', '"', '"\n'],
])('of %s with %j more than 64 MiB is given up, and its connection closed', async (...row) => {
	const [type, before, after] = row;
	// not of a few bytes each: millions of them take half a minute
	const unit = before + 'x'.repeat(1000) + after;
	const chunks = Array<Uint8Array>(70).fill(bytes(unit.repeat((1024 * 1024) / unit.length)));
	const { failure, closed } = await read(typed(type, ...chunks), collect());
	expect(failure).toMatchObject({
		kind: 'truncated',
		details: { reason: 'the answer grew past 64 MiB' },
	});
	expect(closed).toBe(1);
});

it('a text that ends within a character says so', async () => {
	const fold = collect();
	await read(typed('text/plain', new Uint8Array([0x61, 0xe2, 0x82])), fold);
	expect(fold.partial()).toEqual({ text: 'a\ufffd' });
});

it('nothing behind the end is read, and the connection is closed', async () => {
	const fold = collect(2);
	const answer = typed('text/event-stream', 'data: a\n\n', 'data: b\n\ndata: c\n\n');
	expect(await read({ ...answer, breaks: true }, fold)).toEqual({ closed: 1 });
	expect(fold.partial()).toEqual({ text: 'ab' });
});
