import type { Rules, Turn } from '../../../src/conversation/conversation';
import { toHistory, composeMessage } from '../../../src/conversation/nextTurn';
import { begun, said } from './talk';

const three = ['Ada', 'Bob', 'Eve'];
const turns = [said('Ada', 'a'), said('Bob', 'b'), said('Eve', 'e'), said('Ada', 'a2')];

it.each([
	['auto', ['Ada', 'Bob'], 'Bob', 'a2'],
	['auto', three, 'Bob', 'Eve: e\n\nAda: a2'],
	['sinceOwnTurn', ['Ada', 'Bob'], 'Bob', 'e\n\na2'],
	['lastMessage', three, 'Bob', 'Ada: a2'],
	['all', ['Ada', 'Bob'], 'Bob', 'Hello\n\nAda: a\n\nBob: b\n\nEve: e\n\nAda: a2'],
] as const)('%s, with %j', (hearing, speakers, speaker, message) => {
	const conversation = { ...begun({ hearing }, [...speakers]), turns };
	expect(composeMessage(conversation, speaker)).toEqual({ message });
});

it('who has not spoken yet gets its instruction and the opening', () => {
	const conversation = begun({ instructions: { Eve: 'Decide.' } }, three);
	expect(composeMessage({ ...conversation, turns: turns.slice(0, 2) }, 'Eve').message).toBe(
		'Decide.\n\nHello\n\nAda: a\n\nBob: b',
	);
	expect(composeMessage({ ...conversation, turns }, 'Eve').message).toBe('Ada: a2');
});

/** The longest text that is passed on. */
const MOST = 100_000;

it('a message that is too long loses its beginning, and says so', () => {
	const end = 'x'.repeat(MOST);
	const conversation = { ...begun(), turns: [said('Ada', `01234${end}`)] };
	expect(composeMessage(conversation, 'Bob')).toEqual({
		message: `[The first 5 characters are left out.]\n\n${end}`,
		note: 'Only the last 100000 characters were passed on.',
	});
});

it('no half of a character is passed on', () => {
	const conversation = { ...begun(), turns: [said('Ada', `😀${'x'.repeat(MOST - 1)}`)] };
	expect(composeMessage(conversation, 'Bob').message.isWellFormed()).toBe(true);
});

it('the history is what a speaker was told and said, without the message that it gets now', () => {
	const rules = { instructions: { Ada: 'Be short.' } };
	expect(toHistory({ ...begun(rules, three), turns }, 'Ada')).toEqual([
		{ role: 'user', content: 'Be short.\n\nHello' },
		{ role: 'assistant', content: 'a' },
		{ role: 'user', content: 'Bob: b\n\nEve: e' },
		{ role: 'assistant', content: 'a2' },
	]);
	expect(toHistory(begun(), 'Ada')).toEqual([]);
});

it('with "Everything" there is no history: the message has it', () => {
	expect(toHistory({ ...begun({ hearing: 'all' }), turns }, 'Ada')).toEqual([]);
});

it('a history that is too long loses its oldest questions with their answers', () => {
	const history = (first: string, second: string) => {
		const turns = [said('Ada', first), said('Bob', second), said('Ada', 'c'), said('Bob', 'd')];
		return toHistory({ ...begun(), turns }, 'Ada');
	};
	expect(history('a'.repeat(MOST + 1), 'b')).toEqual([
		{ role: 'user', content: 'b' },
		{ role: 'assistant', content: 'c' },
	]);
	expect(history('a', 'b'.repeat(MOST - 1))).toHaveLength(2);
});

it('a text of any length leaves the instruction in place, and a history keeps it', () => {
	const instructions = { Bob: 'Never pay more than 500.' };
	const long = said('Ada', 'x'.repeat(2 * MOST));
	const first = { ...begun({ instructions }), turns: [long] };
	expect(composeMessage(first, 'Bob')).toEqual({
		message: `${instructions.Bob}\n\n[The first 100000 characters are left out.]\n\n${'x'.repeat(MOST)}`,
		note: 'Only the last 100000 characters were passed on.',
	});
	const answered = [long, said('Bob', 'y'.repeat(2 * MOST))];
	const later = { ...first, turns: [...answered, long, said('Bob', 'no')] };
	expect(toHistory(later, 'Bob')[0]?.content).toMatch(/^Never pay more than 500\.\n\n/);
	expect(toHistory({ ...first, turns: answered }, 'Bob')).toHaveLength(2);
});

it.each<[string, Partial<Rules>, Turn[]]>([
	['nothing but a failure', {}, [said('Bob', '', { failed: true }), said('Ada', 'a')]],
	['nothing but blanks', {}, [said('Bob', ' '), said('Ada', 'a')]],
	[
		'something, and hears everything anew',
		{ hearing: 'all' },
		[said('Bob', 'b'), said('Ada', 'a')],
	],
])('is told its instruction if it has said %s', (_what, rules, turns) => {
	const talk = { ...begun({ ...rules, instructions: { Bob: 'Decide.' } }), turns };
	expect(composeMessage(talk, 'Bob').message).toMatch(/^Decide\.\n\n/);
});
