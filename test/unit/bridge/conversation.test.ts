import fc from '../../support/fastCheck';

import { begin, hear, type Conversation, type Rules } from '../../../src/bridge/conversation';
import { historyOf } from '../../../src/bridge/history';
import type { Reply } from '../../../src/bridge/reply';
import { toResult } from '../../../src/bridge/result';
import { counted, rulesWith, said } from './rules';

/** Answers one after the other, a second apart, until the conversation has ended. */
function talk(
	rules: Partial<Rules>,
	replies: Array<string | Reply>,
	earlier = [] as Parameters<typeof begin>[1],
) {
	let at = 0;
	let conversation = begin(rulesWith(rules), earlier, at, counted());
	const told: string[] = [];
	for (const reply of replies) {
		if (!conversation.pending) break;
		told.push(`${conversation.pending.side}: ${conversation.pending.message}`);
		conversation = hear(
			conversation,
			typeof reply === 'string' ? { text: reply } : reply,
			(at += 1000),
		);
	}
	return { conversation, told, result: toResult(conversation) };
}

it('each is told what the other said', () => {
	const { told, result } = talk({ turnLimit: 3 }, ['a', 'b', 'c', 'd']);
	expect(told).toEqual(['first: Hello', 'second: a', 'first: b']);
	expect(result).toEqual({
		output: 'c',
		ended: 'turnLimit',
		reason: 'Turn Limit of 3 was reached',
		turns: 3,
		opening: 'Hello',
		transcript: [
			{
				turn: 1,
				side: 'first',
				speaker: 'Ada',
				message: 'Hello',
				text: 'a',
				sessionId: 'id-1',
				durationMs: 1000,
			},
			{
				turn: 2,
				side: 'second',
				speaker: 'Bob',
				message: 'a',
				text: 'b',
				sessionId: 'id-2',
				durationMs: 1000,
			},
			{
				turn: 3,
				side: 'first',
				speaker: 'Ada',
				message: 'b',
				text: 'c',
				sessionId: 'id-1',
				durationMs: 1000,
			},
		],
		speakers: [
			{ side: 'first', name: 'Ada', sessionId: 'id-1' },
			{ side: 'second', name: 'Bob', sessionId: 'id-2' },
		],
		durationMs: 3000,
	});
});

it('an instruction is given once, and the template each time', () => {
	const rules = {
		startsWith: 'second' as const,
		instructions: { first: 'Buy.', second: 'Sell.' },
		relayTemplate: '{turn}. {speaker}: {message}{message}',
	};
	expect(talk(rules, ['{speaker} $& a', 'b', 'c', 'd']).told).toEqual([
		'second: Sell.\n\nHello',
		'first: Buy.\n\n1. Bob: {speaker} $& a{speaker} $& a',
		'second: 2. Ada: bb',
		'first: 3. Bob: cc',
	]);
});

it.each<[string, Partial<Rules>, Array<string | Reply>, string, string, string]>([
	[
		'a stop phrase',
		{ stopPhrase: 'DONE' },
		['a', 'ok DONE', 'c'],
		'stopPhrase',
		'Bob said "DONE"',
		'ok DONE',
	],
	[
		'in other letters it is none',
		{ stopPhrase: 'DONE', turnLimit: 2 },
		['done', 'b'],
		'turnLimit',
		'Turn Limit of 2 was reached',
		'b',
	],
	[
		'a phrase that is taken out',
		{ stopPhrase: '[x]', removeStop: true },
		['So be it. [x]'],
		'stopPhrase',
		'Ada said "[x]"',
		'So be it.',
	],
	[
		'a phrase alone',
		{ stopPhrase: '[x]', removeStop: true },
		['[x]'],
		'stopPhrase',
		'Ada said "[x]"',
		'',
	],
	[
		'a bare pattern',
		{ stopPattern: '\\d{3}' },
		['12', '123'],
		'stopPattern',
		'Bob said what fits \\d{3}',
		'123',
	],
	[
		'a pattern with flags',
		{ stopPattern: '/DEAL/gi', removeStop: true },
		['deal, a Deal!'],
		'stopPattern',
		'Ada said what fits /DEAL/gi',
		', a !',
	],
	[
		'a limit takes nothing out',
		{ turnLimit: 1, removeStop: true, stopPhrase: 'x' },
		['a'],
		'turnLimit',
		'Turn Limit of 1 was reached',
		'a',
	],
	[
		'a time limit',
		{ timeLimit: 2000 },
		['a', 'b', 'c'],
		'timeLimit',
		'Time Limit of 2 s was reached',
		'b',
	],
	['an empty answer', {}, ['a', ' \n', 'c'], 'emptyAnswer', 'Bob gave an empty answer', 'a'],
	[
		'a field that is missing',
		{},
		[{ text: '', missing: 'x.y' }],
		'emptyAnswer',
		'Ada gave an empty answer: its output has no field "x.y"',
		'',
	],
	[
		'an error',
		{},
		['a', { text: '', failure: { error: 'It broke' } }],
		'error',
		'Bob failed: It broke',
		'a',
	],
])('ends by %s', (_what, rules, replies, ended, reason, output) => {
	expect(talk(rules, replies).result).toMatchObject({ ended, reason, output });
});

it('what a speaker repeats word for word does not end it', () => {
	const rules = {
		opening: 'Say [x].',
		stopPhrase: '[x]',
		stopPattern: '\\[x.',
		instructions: { first: 'Or $& [x]!', second: '' },
	};
	const first = 'Or $& [x]!\n\nSay [x].';
	const { result, told } = talk(rules, [
		`You said "${first}".`,
		'b',
		`b, and before it ${first}`,
		'd',
		'I say [x].',
	]);
	expect(told).toHaveLength(5);
	expect(result).toMatchObject({ ended: 'stopPhrase', turns: 5 });
});

it('nor does what it repeats of several messages', () => {
	const rules = {
		opening: 'Say [x].',
		stopPhrase: '[x]',
		instructions: { first: '', second: 'Say [x]. Or [x].' },
		turnLimit: 3,
	};
	const repeated = 'Say [x]. Or [x].\n\nok';
	expect(talk(rules, ['ok', repeated, `> ${repeated}`]).result.ended).toBe('turnLimit');
});

it('a session that a speaker names is in the transcript; it is told the same one as before', () => {
	const { result } = talk({ turnLimit: 1 }, [{ text: 'a', sessionId: 'own' }]);
	expect(result.transcript).toMatchObject([{ sessionId: 'own' }]);
	expect(result.speakers).toMatchObject([{ sessionId: 'id-1' }, { sessionId: 'id-2' }]);
});

it('what is done to a result does nothing to the conversation', () => {
	const { result, conversation } = talk({ turnLimit: 1 }, ['a']);
	result.transcript[0]!.text = 'changed';
	expect(toResult(conversation).transcript).toMatchObject([{ text: 'a' }]);
});

it('of a failure all is kept, and it is no turn', () => {
	const failure = { error: 'It broke', details: { outcome: 'unknown' } };
	const { result } = talk({}, ['a', { text: '', failure, chatId: 'c' }]);
	expect(result.failure).toEqual({ turn: 2, speaker: 'Bob', message: 'a', ...failure });
	expect(result.transcript).toHaveLength(1);
	expect(result).not.toHaveProperty('error');
	expect(result.speakers[1]).toMatchObject({ chatId: 'c' });
});

it("a chat is known by its own side's first answer, and stays the same", () => {
	const replies = [{ text: 'a', chatId: 'one' }, 'b', { text: 'c', chatId: 'two' }, 'd', 'e'];
	const { conversation, result } = talk({ turnLimit: 5 }, replies);
	expect(conversation.ids).toEqual({
		first: { sessionId: 'id-1', chatId: 'one' },
		second: { sessionId: 'id-2' },
	});
	expect(result.transcript.map(({ chatId }) => chatId)).toEqual([
		'one',
		undefined,
		'one',
		undefined,
		'one',
	]);
});

it('an answer that comes twice, or after the end, changes nothing', () => {
	const { conversation } = talk({ turnLimit: 1 }, ['a']);
	expect(hear(conversation, { text: 'b' }, 9)).toBe(conversation);
});

describe('with earlier turns', () => {
	const earlier = [
		said('first', 'a', { sessionId: 's1' }),
		said('second', 'b', { chatId: 'chat', message: 'told' }),
	];

	it('it goes on with who did not speak last, and the limit counts anew', () => {
		const rules = { opening: '', instructions: { first: 'Buy.', second: 'Sell.' }, turnLimit: 2 };
		const { told, result, conversation } = talk(rules, ['c', 'd', 'e'], earlier);
		expect(told).toEqual(['first: b', 'second: c']);
		expect(result.transcript.map(({ turn, text }) => [turn, text])).toEqual([
			[1, 'a'],
			[1, 'b'],
			[3, 'c'],
			[4, 'd'],
		]);
		expect(conversation.ids).toEqual({
			first: { sessionId: 's1' },
			second: { sessionId: 'id-1', chatId: 'chat' },
		});
	});

	it('a message is put before what is passed on', () => {
		expect(talk({ opening: 'Hurry.' }, ['c'], earlier).told).toEqual(['first: Hurry.\n\nb']);
	});

	it('who was silent is asked again, with the instruction only if there was none', () => {
		const silent = [...earlier, said('first', '')];
		expect(talk({ opening: '' }, ['c'], silent).told).toEqual(['first: b']);
		const rules = { opening: '', instructions: { first: '', second: 'Sell.' } };
		expect(talk(rules, ['c'], [said('first', 'a')]).told).toEqual(['second: Sell.\n\na']);
	});

	it('of several sessions of a side the last counts', () => {
		const turns = [
			said('first', 'a', { sessionId: 'old' }),
			said('first', 'b', { sessionId: 'new' }),
		];
		expect(talk({}, [], turns).conversation.ids.first).toEqual({ sessionId: 'new' });
	});

	it('what a side said twice running is not what it was told', () => {
		const turns = [said('second', 'a'), said('second', 'b'), said('first', 'c')];
		expect(historyOf(talk({ opening: '' }, [], turns).conversation)).toEqual([
			{ role: 'assistant', content: 'a' },
			{ role: 'assistant', content: 'b' },
			{ role: 'user', content: 'c' },
		]);
	});

	it('the history of a side is what it was told and said', () => {
		const history = (turns: typeof earlier, startsWith: 'first' | 'second' = 'first') =>
			historyOf(begin(rulesWith({ opening: 'x', startsWith }), turns, 0, counted()));
		expect(history(earlier)).toEqual([
			{ role: 'assistant', content: 'a' },
			{ role: 'user', content: 'x\n\nb' },
		]);
		expect(
			history([...earlier, said('first', 'c'), said('second', ''), said('first', 'd')]),
		).toEqual([
			{ role: 'user', content: 'told' },
			{ role: 'assistant', content: 'b' },
			{ role: 'user', content: 'c' },
			{ role: 'user', content: 'x\n\nd' },
		]);
	});
});

describe('whatever is said', () => {
	const texts = fc.array(fc.oneof(fc.string(), fc.constantFrom('', 'stop', '{message}', '$1')));
	const someRules = fc.record({
		startsWith: fc.constantFrom('first' as const, 'second' as const),
		turnLimit: fc.integer({ min: 1, max: 20 }),
		timeLimit: fc.integer({ min: 1, max: 30_000 }),
		stopPhrase: fc.constantFrom('', 'stop'),
		stopPattern: fc.constantFrom('', '^x'),
		relayTemplate: fc.constantFrom('{message}', '{speaker}: {message}'),
	});

	it('it ends, within the limit, and both take turns', () => {
		fc.assert(
			fc.property(someRules, fc.infiniteStream(fc.string()), (rules, answers) => {
				let now = 0;
				let conversation = begin(rulesWith(rules), [], now, counted());
				const asked: string[] = [];
				while (conversation.pending) {
					asked.push(conversation.pending.side);
					expect(conversation.pending.turn).toBe(asked.length);
					conversation = hear(
						conversation,
						{ text: answers.next().value as string },
						(now += 1000),
					);
				}
				expect(conversation.ending).toBeDefined();
				expect(asked.length).toBeLessThanOrEqual(rules.turnLimit);
				expect(asked[0]).toBe(rules.startsWith);
				for (const [index, side] of asked.entries()) expect(side === asked[index + 1]).toBe(false);
			}),
		);
	});

	it('the transcript holds every turn with what was told and said, in order, under one session a side', () => {
		fc.assert(
			fc.property(someRules, texts, (rules, answers) => {
				let conversation: Conversation = begin(rulesWith(rules), [], 0, counted());
				const held: Array<[string, string, string]> = [];
				for (const text of answers) {
					if (!conversation.pending) break;
					held.push([conversation.pending.side, conversation.pending.message, text]);
					conversation = hear(conversation, { text }, 0);
				}
				const { transcript } = toResult(conversation);
				expect(transcript.map(({ side, message, text }) => [side, message, text])).toEqual(held);
				expect(transcript.map(({ turn }) => turn)).toEqual(held.map((_, index) => index + 1));
				expect(new Set(transcript.map(({ side, sessionId }) => `${side} ${sessionId}`)).size).toBe(
					new Set(held.map(([side]) => side)).size,
				);
			}),
		);
	});

	it('stored and read again it goes on as if nothing had happened', () => {
		fc.assert(
			fc.property(someRules, texts, (rules, answers) => {
				let one = begin(rulesWith(rules), [], 0, counted());
				let other = one;
				for (const [index, text] of answers.entries()) {
					one = hear(one, { text }, index);
					other = hear(JSON.parse(JSON.stringify(other)) as Conversation, { text }, index);
				}
				expect(toResult(other)).toEqual(toResult(one));
			}),
		);
	});
});
