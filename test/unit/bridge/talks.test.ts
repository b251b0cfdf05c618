import fc from '../../support/fastCheck';

import { answer, open, type Opening, type Talks } from '../../../src/bridge/talks';
import { toTask } from '../../../src/bridge/task';
import { counted, rulesWith } from './rules';

type Test = Talks<number, string>;

const around = () => ({ now: 0, newId: counted() });
const empty: Test = { ended: [], waiting: [] };
const opening = (origin: number, turnLimit = 1): Opening<number, string> => ({
	origin,
	rules: rulesWith({ opening: `from ${origin}`, turnLimit }),
	earlier: [],
});
const refused = (origin: number): Opening<number, string> => ({ origin, refusal: 'no' });

/** Answers until nothing is under way. @returns what was sent, and the end. */
function held(talks: Test) {
	const sent: string[] = [];
	for (let rest = 1000; talks.current && rest > 0; rest--) {
		const { task } = toTask(talks.current.conversation, talks.ended.length + 1) ?? {};
		sent.push(`${task?.conversation}.${task?.turn}`);
		talks = answer(talks, [{ output: `reply ${sent.length}` }], around())?.talks ?? talks;
	}
	return { talks, sent };
}

it('one conversation after the other', () => {
	const talks = open(empty, [opening(0, 2), refused(1), opening(2), refused(3)], around());
	expect(talks.current?.origin).toBe(0);
	const { sent, talks: end } = held(talks);
	expect(sent).toEqual(['1.1', '1.2', '3.1']);
	expect(end.ended.map(({ origin }) => origin)).toEqual([0, 1, 2, 3]);
});

it('what comes meanwhile waits', () => {
	const first = open(empty, [opening(0, 2)], around());
	const both = open(first, [opening(1)], around());
	expect(both.current).toEqual(first.current);
	expect(held(both).talks.ended.map(({ origin }) => origin)).toEqual([0, 1]);
});

it('an answer that nobody waits for', () => {
	expect(answer(empty, [{ output: 'x' }], around())).toBeUndefined();
	const { talks } = held(open(empty, [opening(0)], around()));
	expect(answer(talks, [{ output: 'x' }], around())).toBeUndefined();
});

it('every item ends once, in its order, and no turn is handed out twice', () => {
	fc.assert(
		fc.property(fc.array(fc.option(fc.integer({ min: 1, max: 4 }))), (limits) => {
			const openings = limits.map((limit, at) => (limit ? opening(at, limit) : refused(at)));
			const { sent, talks } = held(open(empty, openings, around()));
			expect(talks).toMatchObject({ waiting: [] });
			expect(talks.current).toBeUndefined();
			expect(talks.ended.map(({ origin }) => origin)).toEqual(limits.map((_, at) => at));
			expect(new Set(sent).size).toBe(sent.length);
			expect(sent).toHaveLength(limits.reduce<number>((sum, limit) => sum + (limit ?? 0), 0));
		}),
	);
});

it('each conversation has sessions of its own', () => {
	const newId = counted();
	let talks = open(empty, [opening(0), opening(1)], { now: 0, newId });
	const first = talks.current?.conversation.ids;
	talks = answer(talks, [{ output: 'a' }], { now: 1, newId })?.talks ?? talks;
	expect(first).toEqual({ first: { sessionId: 'id-1' }, second: { sessionId: 'id-2' } });
	expect(talks.current?.conversation.ids).toEqual({
		first: { sessionId: 'id-3' },
		second: { sessionId: 'id-4' },
	});
});
