import { ownRegex } from '../../support/regex';
import { toPattern } from '../../../src/conversation/ending';
import { readTranscript, toRows } from '../../../src/conversation/transcript';
import { talk } from './talk';

const speakers = ['Ada', 'Bob'];
const isChat = (speaker: string) => speaker === 'Bob';

it('reads what the node returned', () => {
	const { conversation } = talk({ turnLimit: 3 }, [
		{
			text: 'a',
			facts: { model: 'm', costUsd: 0.1, inputTokens: 1, outputTokens: 2 },
			durationMs: 3,
		},
		{ text: 'b', facts: { chatId: 'c', requestId: 'r' } },
		'a2',
	]);
	const rows = toRows(conversation);
	const { turns, conversationId } = readTranscript(rows, speakers, isChat);
	expect(conversationId).toBe('conversation');
	expect(toRows({ id: 'conversation', turns })).toEqual(rows);
	expect(turns[1]).toMatchObject({ chatId: 'c' });
});

it('reads what a table returned, in any order, and what others wrote', () => {
	const rows = [
		{ id: 7, turn: 2, speaker: 'Bob', text: 'b', createdAt: 'x', note: null, costUsd: -1000 },
		{
			id: 8,
			turn: 1,
			speaker: 'Ada',
			text: 'a',
			sessionId: 5,
			costUsd: '1',
			durationMs: Infinity,
			inputTokens: '',
			outputTokens: '1,5',
		},
	];
	expect(readTranscript(rows, speakers, isChat)).toEqual({
		turns: [
			{ turn: 1, speaker: 'Ada', text: 'a', costUsd: 1, at: '' },
			{ turn: 2, speaker: 'Bob', text: 'b', at: '' },
		],
	});
	expect(readTranscript([], speakers, isChat)).toEqual({ turns: [] });
});

it.each([
	['text', 'Transcript to Continue 2 must be an object with "text" and "speaker"'],
	[{ speaker: 'Ada' }, 'Transcript to Continue 2 must be an object with "text" and "speaker"'],
	[
		{ text: 'a', speaker: 'Eve' },
		'Transcript to Continue 2: "speaker" is not one of the connected speakers',
	],
	[
		{ text: 'a', speaker: 'Ada', conversationId: 'other' },
		'Transcript to Continue has turns of several conversations',
	],
])('refuses %j', (turn, message) => {
	const first = { speaker: 'Ada', text: 'a', conversationId: 'one' };
	expect(() => readTranscript([first, turn], speakers, isChat)).toThrow(
		expect.objectContaining({ kind: 'invalid', message }),
	);
});

const tenTurns = ['a', 'b', 'c', 'd'].map((text, index) => ({
	turn: index + 10,
	speaker: index % 2 ? 'Bob' : 'Ada',
	text,
}));
const withoutNumbers = tenTurns.map(({ speaker, text }) => ({ speaker, text }));

it.each([
	['its number', tenTurns, 11],
	['its place', withoutNumbers, 2],
	['its number, in any order', tenTurns.toReversed(), 11],
	[
		'its number as a text',
		tenTurns.toReversed().map((row) => ({ ...row, turn: `${row.turn}` })),
		11,
	],
])('continues after a turn, by %s', (_how, rows, after) => {
	const { turns } = readTranscript(rows, speakers, isChat, after);
	expect(turns.map(({ text }) => text)).toEqual(['a', 'b']);
	expect(readTranscript(rows, speakers, isChat).turns).toHaveLength(4);
});

it.each([
	[tenTurns, 4, 'Its turns are: 10, 11, 12, 13.'],
	[withoutNumbers, 5, 'Its turns are: 1, 2, 3, 4.'],
	[[], 1, 'It is empty.'],
])('refuses to continue after a turn that is not there', (rows, after, advice) => {
	const message = `Continue After Turn: Transcript to Continue has no turn ${after}`;
	expect(() => readTranscript(rows, speakers, isChat, after)).toThrow(
		expect.objectContaining({ kind: 'invalid', message, details: { advice } }),
	);
});

it.each([
	['(', 'Invalid regular expression: /(/: Unterminated group.'],
	['/a/x', "Invalid flags supplied to RegExp constructor 'x'."],
])('refuses %s and says why', (written, advice) => {
	expect(() => toPattern(written, ownRegex)).toThrow(
		expect.objectContaining({ message: 'Stop Pattern cannot be used', details: { advice } }),
	);
});

it.each([
	['/a', 'x/a'],
	['a/b', 'a/b'],
])('the pattern %s is no pattern with flags', (written, text) => {
	expect(toPattern(written, ownRegex).test(text)).toBe(true);
});
