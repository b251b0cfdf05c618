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
	['text/plain', 'x'],
	['text/event-stream', 'data: x\n\n'],
	['text/event-stream', ': x'],
	['application/x-ndjson', '"x"\n'],
])('of %s with %j more than 64 MiB is given up, and its connection closed', async (type, unit) => {
	const chunks = Array<Uint8Array>(70).fill(bytes(unit.repeat((1024 * 1024) / unit.length)));
	const { failure, closed } = await read(typed(type, ...chunks), collect());
	expect(failure).toMatchObject({
		...{ kind: 'truncated', details: { reason: 'the answer grew past 64 MiB' } },
	});
	expect(closed).toBe(1);
});

it('nothing behind the end is read, and the connection is closed', async () => {
	const fold = collect(2);
	const answer = typed('text/event-stream', 'data: a\n\n', 'data: b\n\ndata: c\n\n');
	expect(await read({ ...answer, breaks: true }, fold)).toEqual({ closed: 1 });
	expect(fold.partial()).toEqual({ text: 'ab' });
});
