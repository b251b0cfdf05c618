import { createAnswerMemory, type KeptAnswers } from '../../../../src/n8n/memory/answerMemory';
import { createRedactor } from '../../../../src/n8n/redact';
import { virtualClock } from '../../virtualClock';

interface Answer {
	calls: Array<{ id: string }>;
	text: string;
}

const MB = 1024 * 1024;
const KEY = 'secret-key-of-the-service';
const answer = (id: string, text = '', ...others: string[]): Answer => ({
	calls: [id, ...others].map((each) => ({ id: each })),
	text,
});

/** An execution. What this process remembers is shared by all tests: each has a credential of its own. */
function execution(credentialId: string, clock = virtualClock()) {
	const kept: KeptAnswers<Answer> = { list: [] };
	const redact = createRedactor(KEY);
	return { kept, ...createAnswerMemory(kept, credentialId, { clock, redact }) };
}
const ids = ({ list }: KeptAnswers<Answer>) => list.map((one) => one.answer.calls[0]?.id);

it('an answer is found by any of its calls, and stored without the key', () => {
	const { kept, add, find } = execution('one');
	add(answer('a', `The key is ${KEY}.`, 'b'));
	expect(find('b')).toEqual(answer('a', 'The key is ***.', 'b'));
	expect(find('c')).toBeUndefined();
	expect(JSON.parse(JSON.stringify(kept))).toEqual(kept);
});

it('of those of an execution, the latest 4 MB stay', () => {
	const { kept, add } = execution('two');
	for (let at = 0; at < 100; at++) add(answer(`a${at}`, 'x'.repeat(100_000)));
	expect(Buffer.byteLength(JSON.stringify(kept))).toBeLessThan(4 * MB + 5000);
	expect(ids(kept)).toHaveLength(41);
	expect(ids(kept).at(-1)).toBe('a99');
	add(answer('large', 'x'.repeat(5 * MB)));
	expect(ids(kept)).toEqual([]);
});

it('a conversation that has ended leaves the execution, and is known to the next one for an hour', async () => {
	const clock = virtualClock();
	const first = execution('three', clock);
	first.add(answer('a'));
	first.add(answer('b'));
	first.end(['a', 'other'], answer('end'));
	expect(ids(first.kept)).toEqual(['b']);
	const next = execution('three', clock);
	expect(next.find('a')).toEqual(answer('a'));
	expect(next.find('end')).toEqual(answer('end'));
	expect(execution('another credential', clock).find('a')).toBeUndefined();
	await clock.sleep(3_600_000);
	expect(next.find('a')).toBeUndefined();
});

it('of those of this process, the latest 20 MB stay', () => {
	const { add } = execution('four');
	const text = 'x'.repeat(MB);
	for (let at = 0; at < 30; at++) add(answer(`a${at}`, text, `b${at}`));
	const next = execution('four');
	const known = Array.from({ length: 30 }, (_, at) => [`a${at}`, `b${at}`]).filter((both) =>
		both.some((id) => next.find(id)),
	);
	expect(known.length).toBeGreaterThan(17);
	expect(known.length).toBeLessThan(22);
	expect(known.at(-1)).toEqual(['a29', 'b29']);
});

it('an ID that comes again and again takes its place once', () => {
	const { add, end, find } = execution('again');
	for (let time = 0; time < 300; time++) end([], answer('same', 'x'.repeat(100_000)));
	for (let at = 0; at < 20; at++) add(answer(`later${at}`, 'x'.repeat(100_000)));
	const other = execution('again');
	expect(other.find('later0')).toBeDefined();
	expect(other.find('same')).toBeDefined();
	expect(find('later19')).toBeDefined();
});
