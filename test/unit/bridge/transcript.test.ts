import { toPattern } from '../../../src/bridge/ending';
import { toTurns } from '../../../src/bridge/transcript';

const names = { first: 'Ada', second: 'Bob' };

it('reads what the bridge gave, and what others wrote', () => {
	const transcript = [
		{ speaker: 'Ada', text: 'a' },
		{
			side: 'second',
			speaker: 'a former name',
			text: 'b',
			message: 'm',
			sessionId: 's',
			chatId: 'c',
			durationMs: 5,
		},
		{
			side: 'other',
			speaker: 'Bob',
			text: '',
			message: 1,
			sessionId: 2,
			chatId: '',
			durationMs: '3',
		},
	];
	expect(toTurns(transcript, names)).toEqual([
		{ turn: 1, side: 'first', speaker: 'Ada', text: 'a' },
		{
			turn: 2,
			side: 'second',
			speaker: 'Bob',
			text: 'b',
			message: 'm',
			sessionId: 's',
			chatId: 'c',
			durationMs: 5,
		},
		{ turn: 3, side: 'second', speaker: 'Bob', text: '' },
	]);
	expect(toTurns([], names)).toEqual([]);
});

it.each<[unknown, string]>([
	['text', 'Transcript to Continue 2 must be an object with "text" and "speaker"'],
	[{ speaker: 'Ada' }, 'Transcript to Continue 2 must be an object with "text" and "speaker"'],
	[{ text: 'a', speaker: 'Eve' }, 'Transcript to Continue 2: who spoke must be "Ada" or "Bob"'],
])('refuses %j', (turn, message) => {
	expect(() => toTurns([{ speaker: 'Ada', text: 'a' }, turn], names)).toThrow(
		expect.objectContaining({ kind: 'invalid', message }),
	);
});

it.each([
	['a+b', 'aab', true],
	['/A+B/i', 'aab', true],
	['/A+B/', 'aab', false],
	['/a', 'x/a', true],
	['a/b', 'a/b', true],
	['/^b$/gmy', 'a\nb', true],
])('the pattern %s in %j: %j', (written, text, found) => {
	expect(toPattern(written).test(text)).toBe(found);
	expect(toPattern(written).test(text)).toBe(found);
});

it.each([['('], ['/a/k'], ['/a/ii']])('refuses the pattern %s', (written) => {
	expect(() => toPattern(written)).toThrow(
		expect.objectContaining({ kind: 'invalid', message: 'Stop Pattern cannot be used' }),
	);
});
