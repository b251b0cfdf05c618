import fc from '../../support/fastCheck';
import { ownRegex, slowRegex } from '../../support/regex';

import {
	askSpeaker,
	type Conversation,
	type PendingTurn,
	receiveReply,
	type Rules,
} from '../../../src/conversation/conversation';
import { composeMessage } from '../../../src/conversation/nextTurn';
import type { Reply } from '../../../src/conversation/reply';
import { readTranscript, toRows } from '../../../src/conversation/transcript';
import { begun, said, talk } from './talk';

const broken = (isCertainlyNotReceived: boolean, text = '') => ({
	text,
	failure: { error: 'It broke', details: { kind: 'x' }, isCertainlyNotReceived },
});

const ASK_AGAIN = { onFailure: 'askAgain' } as const;
const NOTHING_NEW = '(Nobody has said anything since your last message.)';

it('each is told what the other said', () => {
	const { told, result } = talk({ turnLimit: 3 }, ['a', 'b', 'c', 'd']);
	expect(told).toEqual(['Ada: Hello', 'Bob: a', 'Ada: b']);
	expect(result).toEqual({
		output: 'c',
		ended: 'turnLimit',
		reason: 'Turn Limit of 3 was reached',
		turns: 3,
		conversationId: 'conversation',
		speakersWithoutCost: ['Ada', 'Bob'],
		speakers: [
			{ name: 'Ada', sessionId: 'session of Ada' },
			{ name: 'Bob', sessionId: 'session of Bob' },
		],
		durationMs: 3000,
		transcriptText: 'Ada: a\n\nBob: b\n\nAda: c',
		transcript: ['a', 'b', 'c'].map((text, index) => ({
			conversationId: 'conversation',
			turn: index + 1,
			speaker: index % 2 ? 'Bob' : 'Ada',
			text,
			sessionId: `session of ${index % 2 ? 'Bob' : 'Ada'}`,
			model: null,
			costUsd: null,
			inputTokens: null,
			outputTokens: null,
			requestId: null,
			durationMs: null,
			approvedBy: null,
			note: null,
			at: `1970-01-01T00:00:0${index + 1}.000Z`,
		})),
	});
});

const costs = (text: string, costUsd: number) => ({ text, facts: { costUsd } });
const RESERVED = { text: 'b', facts: { reservedUsd: 0.2 } };
const DEAL = { stopPattern: '/DEAL/gi', removeStop: true };
const denied = (words: string) => ({ denial: { words } });
const OVER = { failure: { ...broken(true).failure, isOverBudget: true as const } };
const NOT_APPROVED: Partial<Reply> = { text: 'Not approved', isRefusal: true };
const CAP = 'Spending Cap per Conversation of 0.3 USD was reached: 0.3 USD are spent or reserved';
const NOT_AGAIN = 'Bob failed, and was not asked again: it may have received the message';
const limit = (turns: number) => `Turn Limit of ${turns} was reached`;

/** The end, its reason and its output, the rules and what the speakers say. */
type EndRow = [string, string, string, Partial<Rules>, ...Array<string | Partial<Reply>>];

it.each<EndRow>([
	['stopPhrase', 'Bob said "DONE"', 'ok DONE', { stopPhrase: 'DONE' }, 'a', 'ok DONE', 'c'],
	// in other letters it is none
	['turnLimit', limit(2), 'b', { stopPhrase: 'DONE', turnLimit: 2 }, 'done', 'b'],
	['stopPhrase', 'Ada said "[x]"', 'Yes.', { stopPhrase: '[x]', removeStop: true }, 'Yes. [x]'],
	// of the phrase alone nothing is left
	['stopPhrase', 'Bob said "[x]"', 'a', { stopPhrase: '[x]', removeStop: true }, 'a', '[x]'],
	['stopPhrase', 'Ada said "[x]"', '', { stopPhrase: '[x]', removeStop: true }, '[x]'],
	[
		'stopPattern',
		'Ada said something that matches ^$',
		'b',
		{ stopPattern: '^$', removeStop: true },
		'a',
		'b',
		'',
	],
	[
		'stopPattern',
		'Bob said something that matches \\d{3}',
		'123',
		{ stopPattern: '\\d{3}' },
		'12',
		'123',
	],
	['stopPattern', 'Ada said something that matches /DEAL/gi', ', a !', DEAL, 'deal, a Deal!'],
	// a limit removes nothing
	['turnLimit', limit(1), 'a', { turnLimit: 1, removeStop: true, stopPhrase: 'x' }, 'a'],
	['timeLimit', 'Time Limit of 2 s was reached', 'b', { timeLimit: 2000 }, 'a', 'b', 'c'],
	['emptyRound', 'Nobody said anything in 2 turns', 'a', {}, 'a', ' \n', '', 'd'],
	['emptyRound', 'Nobody said', '', { onFailure: 'skip' }, broken(true), broken(true), 'c'],
	['spendingCap', CAP, 'c', { spendingCap: 0.3 }, costs('a', 0.1), 'b', costs('c', 0.2), 'd'],
	// a turn of unknown cost counts with what was reserved for it
	['spendingCap', CAP, 'b', { spendingCap: 0.3 }, costs('a', 0.1), RESERVED, 'c'],
	['spendingCap', 'The turn of Bob could exceed', 'a', {}, 'a', OVER],
	['speakerFailed', 'Bob failed twice', 'a', ASK_AGAIN, 'a', broken(true), broken(true)],
	['speakerFailed', NOT_AGAIN, 'a', ASK_AGAIN, 'a', broken(false), 'never asked'],
	['denied', 'A person did not allow the turn of Bob: No', 'a', {}, 'a', denied('No')],
	['denied', 'Bob did not approve', 'Not approved', {}, 'a', NOT_APPROVED],
	['turnLimit', limit(3), 'c', { onDenial: 'skip', turnLimit: 3 }, 'a', NOT_APPROVED, 'c'],
])('ends by %s: %s', (ended, reason, output, rules, ...replies) => {
	const { result } = talk(rules, replies);
	expect(result).toMatchObject({ ended, output });
	expect(result.reason).toContain(reason);
	expect(result).not.toHaveProperty('error');
});

it('a cap of 0 starts nothing', () => {
	expect(talk({ spendingCap: 0 }, ['a']).told).toEqual([]);
});

it('a stop pattern that takes too long does not end it, and the transcript says so', () => {
	const rules = { stopPattern: '(a+)+$', turnLimit: 2 };
	const { result } = talk(rules, ['aaa', broken(true)], undefined, undefined, slowRegex);
	expect(result).toMatchObject({ ended: 'speakerFailed', output: 'aaa' });
	expect(result.transcript.map(({ note }) => note)).toEqual([
		'Stop Pattern was not checked: Regular expression execution timed out.',
		expect.stringMatching(/^Failed: /),
	]);
});

it('what a speaker repeats word for word does not end it', () => {
	const rules = {
		opening: 'Say [x].',
		stopPhrase: '[x]',
		stopPattern: '\\[x.',
		instructions: { Ada: 'Or $& [x]!', Bob: 'Say [x]. Or [x].' },
	};
	const { result, told } = talk(rules, [
		'You said "Or $& [x]!\n\nSay [x].".',
		'Say [x]. Or [x].\n\nok',
		'b, and before it Or $& [x]!',
		'd',
		'I say [x].',
	]);
	expect(told).toHaveLength(5);
	expect(result).toMatchObject({ ended: 'stopPhrase', turns: 5 });
});

it.each([
	['phrase', { stopPhrase: '[x]' }],
	['pattern', { stopPattern: '/\\[x\\]/' }],
])('a stop %s ends a conversation that goes on after it was said', (_what, rules) => {
	const opening = { opening: 'Say [x] when you agree.', ...rules };
	const heardIn = (answers: Array<string | Partial<Reply>>, ...earlier: string[]) =>
		talk(
			{ ...opening, onFailure: 'skip' },
			answers,
			undefined,
			earlier.map((text, index) => said(index % 2 ? 'Bob' : 'Ada', text)),
		).told.length;
	expect(heardIn(['a', 'We agree. [x]', 'c'], 'a', '[x]')).toBe(2);
	// the very words that ended the earlier one
	expect(heardIn(['a', 'We agree. [x]', 'c'], 'a', 'We agree. [x]')).toBe(2);
	expect(heardIn(['We agree. [x]', 'c'], 'a', 'We agree. [x]')).toBe(1);
	expect(heardIn([broken(false, '[x]'), 'b', 'So [x]', 'd'])).toBe(3);
	// who only quotes what it was told goes on
	expect(heardIn(['You want: "Say [x] when you agree."', 'b', '[x]', 'd'])).toBe(3);
});

describe('a speaker that failed', () => {
	it('has a turn without a text, and what went wrong is there', () => {
		const { result } = talk({}, ['a', { ...broken(false), facts: { chatId: 'c' } }]);
		const failure = { turn: 2, speaker: 'Bob', message: 'a', error: 'It broke' };
		expect(result.failure).toEqual({ ...failure, details: { kind: 'x' } });
		const turn = { speaker: 'Bob', text: '', sessionId: 'c', note: 'Failed: It broke' };
		expect(result.transcript[1]).toMatchObject(turn);
		expect(result.speakers[1]).toMatchObject({ sessionId: 'session of Bob', chatId: 'c' });
	});

	it('keeps the part that arrived, which is no output', () => {
		const { result } = talk({}, ['a', broken(false, 'half an ans')]);
		expect(result.output).toBe('a');
		const note = 'Failed after a part of the answer: It broke';
		expect(result.transcript[1]).toMatchObject({ text: 'half an ans', note });
	});

	it('is skipped, and hears later what it missed', () => {
		const replies = ['a', broken(true), 'c', 'd'];
		const { told, result } = talk({ onFailure: 'skip', turnLimit: 4 }, replies);
		expect(told).toEqual(['Ada: Hello', 'Bob: a', `Ada: ${NOTHING_NEW}`, 'Bob: c']);
		expect(result).toMatchObject({ ended: 'turnLimit', turns: 4 });
	});

	it('is asked once more, in the same turn, if it certainly received nothing', () => {
		const { told, result } = talk({ ...ASK_AGAIN, turnLimit: 2 }, ['a', broken(true), 'b']);
		expect(told).toEqual(['Ada: Hello', 'Bob: a', 'Bob: a']);
		const note = 'Asked once more after a failure: It broke';
		expect(result.transcript[1]).toMatchObject({ turn: 2, text: 'b', note });
	});
});

it('a turn that a person refuses is skipped, if so set', () => {
	const rules = { onDenial: 'skip', hearing: 'sinceOwnTurn', turnLimit: 3 } as const;
	const { told, result } = talk(rules, [{ denial: {} }, 'b', 'c']);
	expect(told).toEqual(['Ada: Hello', 'Bob: Hello', 'Ada: Hello\n\nb']);
	expect(result.transcript[0]).toMatchObject({ text: '', note: 'Not allowed by a person' });
});

describe('a person who replaces a turn', () => {
	const rules = { editors: ['Bob'], turnLimit: 6 };
	const replaced = (text: string, respondedBy?: string) => ({
		text,
		replacesTurn: true as const,
		facts: { ...(respondedBy && { respondedBy }) },
	});
	const three = ['Ada', 'Bob', 'Eve'];

	it('is heard in its place by everybody, and the transcript keeps both, and who it was', () => {
		const { told, result } = talk(
			{ ...rules, turnLimit: 4 },
			['a', replaced('b', 'Ann'), 'e', 'a2'],
			three,
		);
		expect(told.slice(2)).toEqual([
			'Eve: Hello\n\nAda: b',
			'Ada: Ann has replaced your last message for everyone with:\n\nb\n\nEve: e',
		]);
		expect(result.transcript.slice(0, 2)).toMatchObject([
			{ speaker: 'Ada', text: 'b', replacedText: 'a', replacedBy: 'Ann' },
			{
				speaker: 'Bob',
				text: '',
				replacedText: null,
				note: 'Replaced what Ada said in turn 1.',
				respondedBy: 'Ann',
			},
		]);
		expect(result.speakers).toHaveLength(3);
	});

	it('gives every row the columns of people, also if nobody has replaced anything', () => {
		const answer = { text: 'b', facts: { respondedAt: '2026-11-24' } };
		const { transcript } = talk({ ...rules, turnLimit: 2 }, ['a', answer]).result;
		const none = { replacedText: null, replacedBy: null, respondedBy: null, respondedAt: null };
		expect(transcript).toMatchObject([none, { ...none, ...answer.facts }]);
	});

	it('addresses who is next, as what it replaces would have', () => {
		const byName = { ...rules, turnOrder: 'addressed' as const, turnLimit: 3 };
		const { told } = talk(byName, ['a @Bob', replaced('b @Max'), 'c'], [...three, 'Max']);
		expect(told[2]).toBe('Max: Hello\n\nAda: b @Max');
	});

	it('of two, with only one other, tells that one', () => {
		const { told, result } = talk({ ...rules, turnLimit: 3 }, ['a', replaced('b'), 'c']);
		expect(told[2]).toBe('Ada: Bob has replaced your last message for everyone with:\n\nb');
		expect(result.output).toBe('c');
	});

	it('loses nothing if it is replaced again, by another one', () => {
		const editors = { ...rules, editors: ['Bob', 'Eve'], turnLimit: 3 };
		const { result } = talk(editors, ['a', replaced('b'), replaced('e')], three);
		expect(result.transcript[0]).toMatchObject({
			text: 'e',
			replacedText: 'a\n\nb',
			replacedBy: 'Eve',
		});
		expect(result.output).toBe('e');
	});

	it('with nothing to replace, it is a turn of its own', () => {
		const { result } = talk({ ...rules, editors: ['Ada'], turnLimit: 2 }, [replaced('a'), 'b']);
		expect(result.transcript[0]).toMatchObject({ speaker: 'Ada', text: 'a', note: null });
		expect(result.ended).toBe('turnLimit');
	});

	it('does not replace what failed, and can end the conversation', () => {
		const skip = { ...rules, onFailure: 'skip' as const, stopPhrase: '[x]' };
		const { result } = talk(
			skip,
			['a', 'Approved', broken(true), replaced('b [x]')],
			['Ada', 'Eve', 'Max', 'Bob'],
		);
		expect(result).toMatchObject({ ended: 'stopPhrase', output: 'b [x]', turns: 4 });
		expect(result.transcript.map(({ text }) => text)).toEqual(['a', 'b [x]', '', '']);
	});

	it('is continued as it was rewritten', () => {
		const { result } = talk({ ...rules, turnLimit: 2 }, ['a', replaced('b', 'Ann')], three);
		const { turns } = readTranscript(result.transcript, three, () => false);
		const { told } = talk({ ...rules, opening: '', turnLimit: 2 }, ['e', 'a2'], three, turns);
		expect(told).toEqual([
			'Eve: Ada: b',
			'Ada: Ann has replaced your last message for everyone with:\n\nb\n\nEve: e',
		]);
		expect(toRows({ id: 'conversation', turns })).toEqual(result.transcript);
	});
});

it('costs are added exactly, and those who report none are named', () => {
	const { result } = talk({ turnLimit: 3 }, [costs('a', 0.1), 'b', costs('c', 0.2)]);
	expect(result).toMatchObject({ costUsd: 0.3, speakersWithoutCost: ['Bob'] });
});

it('a session that a speaker names is in the transcript; it is given the same one as before', () => {
	const { result } = talk({ turnLimit: 1 }, [{ text: 'a', facts: { sessionId: 'own' } }]);
	expect(result.transcript).toMatchObject([{ sessionId: 'own' }]);
	expect(result.speakers).toMatchObject([{ sessionId: 'session of Ada' }, {}]);
});

it('an answer that comes twice, or after the end, changes nothing', () => {
	const { conversation } = talk({ turnLimit: 1 }, ['a']);
	expect(receiveReply(conversation, { text: 'b', facts: {} }, 9, ownRegex)).toBe(conversation);
});

describe('with earlier turns', () => {
	const earlier = [
		said('Ada', 'a', { sessionId: 'earlier session' }),
		said('Bob', 'b', { chatId: 'chat', costUsd: 0.5 }),
	];

	it('goes on with the next speaker in the same sessions, and the turn limit counts anew', () => {
		const rules = { opening: '', instructions: { Ada: 'Buy.' }, turnLimit: 2 };
		const { told, result, conversation } = talk(rules, ['c', 'd', 'e'], undefined, earlier);
		expect(told).toEqual(['Ada: b', 'Bob: c']);
		expect(result.transcript.map(({ text }) => text)).toEqual(['a', 'b', 'c', 'd']);
		expect(conversation.ids).toEqual({
			Ada: { sessionId: 'earlier session' },
			Bob: { sessionId: 'session of Bob', chatId: 'chat' },
		});
	});

	const HERE = { sessionId: 'a', chatId: 'of a', sessionAt: 'a' };

	it('a chat goes on only where it was', () => {
		const [a, b] = ['a', 'b'].map((at) => ({ sessionId: at, sessionAt: at }));
		const rows = [said('Ada', 'a', { ...a, chatId: 'of a' }), said('Ada', 'b', b)];
		expect(begun({}, undefined, rows).ids['Ada']).toEqual(b);
	});

	it.each<[string, Partial<Reply>, object]>([
		[
			'refuses elsewhere has no chat of there',
			{
				facts: { sessionId: 'b', sessionAt: 'b' },
				failure: { error: 'x', isCertainlyNotReceived: true },
			},
			{ sessionId: 'b', sessionAt: 'b' },
		],
		['is refused by a person stays where it was', { denial: {} }, HERE],
	])('a turn that %s', (_what, reply, session) => {
		const rows = [said('Ada', 'a', HERE)];
		const asking = { speaker: 'Ada', message: 'x', messageId: 'x', askedAt: 0 };
		const asked = askSpeaker(begun({ onFailure: 'skip' }, undefined, rows), asking);
		const { turns } = receiveReply(asked, { text: '', facts: {}, ...reply }, 1, ownRegex);
		const { sessionId, chatId, sessionAt } = turns.at(-1)!;
		expect({ sessionId, chatId, sessionAt }).toEqual({ chatId: undefined, ...session });
	});

	it('their cost counts towards the cap', () => {
		expect(talk({ spendingCap: 0.5 }, ['c'], undefined, earlier).told).toEqual([]);
	});
});

it('a conversation that goes on without an opening is answered by who was addressed last', () => {
	const earlier = [said('Ada', 'a'), said('Bob', 'Well, @Ada?')];
	const names = ['Ada', 'Bob', 'Eve'];
	const speakerAfter = (opening: string) =>
		talk({ turnOrder: 'addressed', opening }, ['c'], names, earlier).told[0]?.split(':')[0];
	expect(speakerAfter('')).toBe('Ada');
	expect(speakerAfter('Go on, @Bob.')).toBe('Bob');
	expect(speakerAfter('Go on.')).toBe('Eve');
});

it('a person who was only asked for approval hears in its turn all that it was not told', () => {
	const rules = { instructions: { Eve: 'You decide.' } };
	let conversation = begun(rules, ['Ada', 'Bob', 'Eve']);
	const turns: Array<[string, string, Partial<PendingTurn>]> = [
		['Ada', 'a', {}],
		['Bob', 'May I?', {}],
		['Eve', 'Approved', { isForApproval: true }],
		['Bob', 'b', { decision: 'approve' }],
	];
	for (const [speaker, text, more] of turns) {
		const asking = { speaker, message: 'x', messageId: 'x', askedAt: 0, ...more };
		const asked = askSpeaker(conversation, asking);
		conversation = receiveReply(asked, { text, facts: {} }, 1, ownRegex);
	}
	expect(composeMessage(conversation, 'Eve').message).toMatch(
		/^You decide\.\n\nHello\n\nAda: a\n\nBob: May I\?.*\n\nBob: b$/s,
	);
});

describe('what waits for approval', () => {
	const asked = (more: Partial<PendingTurn>) => {
		const rows = [said('Ada', 'May I?', { waiting: 'approval' })];
		const asking = { speaker: 'Ada', message: 'x', messageId: 'x', askedAt: 0, ...more };
		return askSpeaker(begun({ onFailure: 'skip', onDenial: 'skip' }, undefined, rows), asking);
	};
	const receive = (conversation: Conversation, reply: Partial<Reply>) =>
		receiveReply(conversation, { text: '', facts: {}, ...reply }, 1, ownRegex).approval;
	const gone = { error: 'x', isCertainlyNotReceived: true, isGone: true as const };

	it.each<[string, Partial<PendingTurn>, Partial<Reply>, string | undefined]>([
		['stays if a person refuses the check', { isCheck: true }, { denial: {} }, 'May I?'],
		['stays if the check finds nobody who can say it', { isCheck: true }, {}, 'May I?'],
		[
			'is over if the server says so',
			{ isCheck: true },
			{ facts: { server: 'LangGraph' } },
			undefined,
		],
		[
			'is over if it is gone when it is decided',
			{ decision: 'approve' },
			{ failure: gone },
			undefined,
		],
	])('%s', (_what, more, reply, text) => {
		expect(receive(asked(more), reply)?.text).toBe(text);
	});

	it('of what a transcript says people are shown the end, where the question stands, and it is then only declined', () => {
		const approvalOf = (text: string) =>
			begun({}, undefined, [said('Ada', text, { waiting: 'approval' })]).approval;
		const most = 'x'.repeat(2_400);
		expect(approvalOf(most)).toEqual({ speaker: 'Ada', text: most, isRecorded: true });
		expect(approvalOf(`!${most}`)).toMatchObject({ text: `…${most}`, onlyDecline: true });
	});

	it('a decision is kept where a refusal says nothing about what waits, and is not sent again', () => {
		const refused = { error: 'x', isCertainlyNotReceived: true, isInvalid: true as const };
		const asking = asked({ decision: 'approve' });
		const decided = {
			...asking,
			approval: { speaker: 'Ada', text: 'May I?', decision: 'approve' as const },
		};
		expect(receive(decided, { failure: refused })).toEqual({ ...decided.approval, isAsked: true });
		expect(receive(decided, { failure: { ...refused, isGone: true } })).toBeUndefined();
	});

	it('nobody is asked again about what has refused a decision and still waits', () => {
		const refused = { error: 'x', isCertainlyNotReceived: true, isInvalid: true as const };
		const decided = asked({ decision: 'approve' });
		const again = (approval: string) => receive(decided, { failure: refused, approval });
		expect(again('May I?')).toMatchObject({ isAsked: true });
		expect(again('And now?')).toEqual({ speaker: 'Ada', text: 'And now?' });
	});
});

it('state is plain data, and nothing that is given is changed', () => {
	const text = fc.constantFrom('', 'a', '[x]', '@Bob', 'long '.repeat(300));
	const reply = fc.oneof(
		text,
		fc.record({ text, failure: fc.constant({ error: 'e', isCertainlyNotReceived: true }) }),
		fc.record({ denial: fc.constant({}) }),
	);
	const rules = fc.record({
		turnOrder: fc.constantFrom('inTurn', 'addressed', 'sameMessage'),
		hearing: fc.constantFrom('auto', 'sinceOwnTurn', 'lastMessage', 'all'),
		onFailure: fc.constantFrom('end', 'skip', 'askAgain'),
		onDenial: fc.constantFrom('end', 'skip'),
		stopPhrase: fc.constantFrom('', '[x]'),
		turnLimit: fc.integer({ min: 1, max: 8 }),
	}) as fc.Arbitrary<Partial<Rules>>;
	fc.assert(
		fc.property(rules, fc.array(reply, { maxLength: 12 }), (given, replies) => {
			const first = begun(given, ['Ada', 'Bob', 'Eve']);
			const before = JSON.stringify(first);
			const { conversation, result } = talk(given, replies, ['Ada', 'Bob', 'Eve']);
			expect(JSON.stringify(first)).toBe(before);
			expect(JSON.parse(JSON.stringify(conversation))).toEqual(conversation);
			expect(result.turns).toBeLessThanOrEqual(given.turnLimit ?? 0);
			expect(result.transcript).toHaveLength(result.turns);
		}),
	);
});
