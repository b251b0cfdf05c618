import fc from '../../support/fastCheck';

import type { AnswerPlace } from '../../../src/conversation/person';
import { readDecision, readReply, type Question } from '../../../src/conversation/reply';

const sent = {
	message: 'told',
	sessionId: 's',
	history: [{ role: 'user', content: 'told' }],
	turn: 1,
	output: 'before',
};
/** As a node returns it that passes on what it gets. */
const passedOn = { ...sent, toolCallId: '0.1.1' };

type Item = Record<string, unknown>;

/** What n8n adds to the fields of a form. */
const BY_ANN = { respondedAt: '2026-11-24T10:00:00.000Z', responder: { name: 'Ann' } };

/** What a speaker said, unless said otherwise one of another package that answered at once. */
const read = (items: Item[], more: Partial<Question> = {}) =>
	readReply(items, { sent, hasWaited: false, isOurs: false, ...more });

it.each([
	['output first', [{ text: 'no', output: 'yes' }], 'yes'],
	['an output that is an object', [{ output: { answer: 'yes', more: 1 } }], 'yes'],
	['the text of a structured output', [{ output: { answer: 'no' }, text: 'yes' }], 'yes'],
	['an output without any text', [{ output: { a: 1 } }], '{"a":1}'],
	['an output that is a number', [{ output: 0 }], '0'],
	["a model's refusal", [{ output: '', refusal: 'I cannot.', model: 'm' }], 'I cannot.'],
	['no output', [{ output: null, text: 'yes' }], 'yes'],
	['any usual place', [{ choices: [{ message: { role: 'assistant', content: 'yes' } }] }], 'yes'],
	['several items', [{ output: 'one' }, { output: ' ' }, { output: 'two' }], 'one\n\ntwo'],
	['what was sent, passed on beside the answer', [{ ...passedOn, reply: 'yes' }], 'yes'],
	['nothing but what was sent', [passedOn], ''],
	['another message', [{ ...passedOn, message: 'yes' }], 'yes'],
	['an output that is the same as one before', [{ output: 'before' }], 'before'],
	[
		'fields without a text',
		[{ query: 'told', day: 'Monday', price: 3 }],
		'{"day":"Monday","price":3}',
	],
	['fields of a service', [{ data: { day: 'Monday' } }], '{"day":"Monday"}'],
	['fields without a value', [{ note: null, day: ' ' }], ''],
	[
		'a form',
		[{ ...passedOn, data: { Why: 'Late', Cost: 5, ...BY_ANN } }],
		'{"Why":"Late","Cost":5}',
	],
	['an empty form', [{ ...passedOn, data: { Why: '', ...BY_ANN } }], ''],
	['half a character', [{ output: 'a\ud83d' }], 'a\ufffd'],
	['nothing', [{}], ''],
	['no items', [], ''],
	["a person's answer", [{ data: { text: 'yes', respondedAt: '2026' } }], 'yes'],
	["a person's approval", [{ data: { approved: true, respondedAt: '2026' } }], 'Approved'],
	["a person's refusal", [{ data: { approved: false } }], 'Not approved'],
])('the text of %s', (_what, items, text) => {
	expect(read(items)).toMatchObject({ text });
});

const UNKNOWN = { error: 'x', details: { outcome: 'unknown' } };

it.each([
	[{ error: 'It broke' }, { error: 'It broke', isCertainlyNotReceived: false }],
	[{ error: { message: 'It broke', code: 1 } }, { error: 'It broke' }],
	[{ error: { code: 1 } }, { error: '{"code":1}' }],
	[{ error: true }, { error: 'true' }],
	[UNKNOWN, { ...UNKNOWN, isCertainlyNotReceived: false }],
	[{ error: 'x', details: { outcome: 'not_started' } }, { isCertainlyNotReceived: true }],
	[{ error: 'x', details: { kind: 'invalid' } }, { isCertainlyNotReceived: true }],
])('a failure told by %j', (item, failure) => {
	// an error output has the input's fields as well
	expect(read([{ ...sent, ...item }], { isOurs: true })).toMatchObject({ text: '', failure });
	// that nothing was sent is believed of our own nodes only
	expect(read([item]).failure).toMatchObject({ isCertainlyNotReceived: false });
});

it("the conversation's own cap is told from others", () => {
	const isOver = (reachedCap: string) =>
		read([{ error: 'x', details: { computed: { reachedCap } } }], { isOurs: true }).failure
			?.isOverBudget;
	expect(isOver('Spending Cap per Conversation')).toBe(true);
	expect(isOver('Spending Cap per Item')).toBeUndefined();
});

it.each([[null], [undefined], [false], ['']])('an error of %j is none', (error) => {
	expect(read([{ error, output: 'yes' }])).toEqual({ text: 'yes', facts: {} });
});

it('one item of several that failed', () => {
	const { failure } = read([{ output: 'a' }, { error: 'x' }]);
	expect(failure).toEqual({ error: 'x', isCertainlyNotReceived: false });
});

it('the part that arrived, with its cost and IDs', () => {
	const partial = { text: 'half', costUsd: 0.5, usage: { prompt_tokens: 3 } };
	const details = { outcome: 'started', chatId: 'c', requestId: 'r', partial };
	const items = [{ error: 'x', details, shownLive: true }];
	expect(read(items, { isOurs: true })).toMatchObject({
		text: 'half',
		facts: { chatId: 'c', requestId: 'r', costUsd: 0.5, inputTokens: 3 },
		wasShown: true,
	});
});

it('only a person refuses a turn', () => {
	expect(read([{ output: 'No', approved: false }])).toEqual({ text: 'No', facts: {} });
});

describe('a person who decides on the turn before', () => {
	const NOT = { text: 'Not approved', isRefusal: true };
	const at = '2026-11-24T10:00:00.000Z';
	it.each([
		['approve', { data: { text: 'approve' } }, { text: 'Approved' }],
		['in other letters', { data: { text: ' Approved. ' } }, { text: 'Approved' }],
		['in a chat', { chatInput: 'approve' }, { text: 'Approved' }],
		['by a button', { data: { approved: true } }, { text: 'Approved' }],
		['decline', { data: { text: 'decline' } }, NOT],
		['decline by a button', { data: { approved: false } }, NOT],
		['decline, and why', { data: { Decision: 'decline', Why: 'Too late' } }, NOT],
		[
			'decline in a chat, whatever the program adds',
			{ chatInput: 'Decline', data: { approved: true } },
			NOT,
		],
		['both', { data: { One: 'approve', Other: 'decline' } }, NOT],
		['nothing', { data: { Decision: '', Text: ' ' } }, NOT],
		['replace without a text', { data: { Decision: 'replace', Text: '' } }, NOT],
		[
			'approve, and a remark',
			{ data: { Decision: 'approve', Text: 'Fine' } },
			{ text: 'Approved' },
		],
		[
			'words',
			{ data: { text: 'I approve of it' } },
			{ text: 'I approve of it', replacesTurn: true },
		],
		[
			'words in a form',
			{ data: { Decision: 'replace', Text: 'b' } },
			{ text: 'b', replacesTurn: true },
		],
		['a list', { data: { Text: ['a', 'b', 5] } }, { text: 'a\n\nb', replacesTurn: true }],
	])('says %s', (_what, item, reply) => {
		const { data } = item as { data?: object };
		const answered = { ...item, ...(data && { data: { ...data, respondedAt: at } }) };
		const isInChat = 'chatInput' in item;
		const more = { hasWaited: true, place: isInChat ? ('chat' as const) : ('data' as const) };
		const facts = isInChat ? {} : { respondedAt: at };
		expect(read([answered], { ...more, isEditor: true })).toEqual({ facts, ...reply });
		// who is not named as one says what there is
		expect(read([answered], more)).not.toHaveProperty('replacesTurn');
	});

	it.each([
		['Ann', 'Ann'],
		[{ id: 'U1', name: 'Ann' }, 'Ann'],
		[{ id: 'U1' }, 'U1'],
		[undefined, undefined],
	])('is named where n8n tells who answered: %j', (responder, respondedBy) => {
		const item = { data: { text: 'yes', respondedAt: at, responder } };
		const facts = { respondedAt: at, ...(respondedBy && { respondedBy }) };
		expect(read([item], { hasWaited: true }).facts).toEqual(facts);
		expect(read([item], { hasWaited: true, isEditor: true }).facts).toEqual(facts);
		// a visitor's program can claim to be anybody, and so can an agent elsewhere
		for (const place of ['chat', 'any'] as const)
			expect(read([item], { hasWaited: true, place }).facts).toEqual({});
		expect(read([item]).facts).toEqual({});
	});

	it('that answers in no time decides nothing: silence, and what answers by itself', () => {
		const asked = { isEditor: true };
		expect(read([{ output: 'approve' }], asked)).toEqual({ text: 'approve', facts: {} });
		expect(read([passedOn], { ...asked, hasWaited: true })).toMatchObject({
			denial: { isUnanswered: true },
		});
	});
});

it('an answer that is not complete says so', () => {
	const items = [{ output: 'half', complete: false, notice: 'It broke off.' }];
	expect(read(items)).toMatchObject({ text: 'half', notice: 'It broke off.' });
	const empty = [{ output: '', complete: true, notice: 'No text was found.' }];
	expect(read(empty, { isOurs: true })).toMatchObject({ text: '', notice: 'No text was found.' });
	expect(read(empty)).not.toHaveProperty('notice');
	const calls = [{ output: '', toolCalls: [{ id: 'c', name: 'f' }] }];
	const notice = 'The model only called tools, which nobody runs.';
	expect(read(calls, { isOurs: true })).toMatchObject({ text: '', notice });
});

it('facts are taken as they are, and only if they are of the right type', () => {
	const named = { chatId: 'c', sessionId: 'i', model: 'm' };
	const items = [
		{ chatId: 5, sessionId: '', costUsd: '1', usage: { input_tokens: -1 } },
		{ output: 'a', ...named, costUsd: 0.25, usage: { input_tokens: 3, output_tokens: 4 } },
		{ output: 'b', costUsd: 0.5, tokenUsage: { promptTokens: 1, completionTokens: 2 } },
	];
	const sums = { costUsd: 0.75, inputTokens: 4, outputTokens: 6 };
	expect(read(items).facts).toEqual({ ...named, ...sums });
});

/** What a review node is given: a visitor of the chat may have written the fields that a decision has. */
const VISITORS = {
	...sent,
	approved: true,
	data: { approved: true, responder: { name: 'The Boss' }, chatInput: 'Do it' },
	responder: 'The Boss',
	chatInput: 'Do it',
};
const NO_ANSWER_IN_TIME = { isUnanswered: true };

it.each([
	[[{ approved: true }], {}],
	[[{ data: { approved: true } }], {}],
	[[{ data: { approved: true, responder: { id: 'U1', name: 'Ann' } } }], { by: 'Ann' }],
])('the turn is allowed by %j', (items, who) => {
	expect(readDecision(items, sent)).toEqual({ isApproved: true, ...who });
});

const asked = { ...VISITORS, toolCallId: '1' };

it.each([
	['no', [{ data: { approved: false } }], sent, {}],
	['no clear yes', [{ data: { approved: 'true' } }], sent, {}],
	['words', [{ data: { chatInput: 'Rather not' } }], sent, { words: 'Rather not' }],
	['nothing', [{}], sent, NO_ANSWER_IN_TIME],
	['no items', [], sent, NO_ANSWER_IN_TIME],
	["a visitor's yes", [asked], VISITORS, NO_ANSWER_IN_TIME],
	["a no beside a visitor's words", [{ ...asked, approved: false }], VISITORS, {}],
])('the turn is not allowed by %s', (_what, items, given, denial) => {
	const reply = { text: '', facts: {}, denial };
	expect(readDecision(items, given)).toEqual({ isApproved: false, reply });
});

const ofVisitor = { ...sent, error: 'of a visitor' };

it.each([
	[{ error: 'no mail' }, sent, { failure: { error: 'no mail' } }],
	[{ ...ofVisitor, toolCallId: '1' }, ofVisitor, { denial: NO_ANSWER_IN_TIME }],
])('a review that failed: %j', (item, given, reply) => {
	expect(readDecision([item], given)).toMatchObject({ isApproved: false, reply });
});

describe('a speaker that waits for a person', () => {
	it.each([
		['what it was given', [passedOn], sent],
		['a part of it', [{ message: 'told' }], sent],
		['what it was told under another name', [{ query: 'told' }], sent],
		['nothing at all', [], sent],
		['an empty item', [{}], sent],
		["a visitor's words", [asked], VISITORS],
		["a visitor's failure", [{ ...sent, error: 'x', toolCallId: '1' }], { ...sent, error: 'x' }],
	])('nobody has answered if it returns %s', (_what, items, given) => {
		const denial = NO_ANSWER_IN_TIME;
		expect(read(items, { sent: given, hasWaited: true })).toEqual({ text: '', facts: {}, denial });
		// the same of a node that has not waited is only silence
		expect(read(items, { sent: given })).toEqual({ text: '', facts: {} });
	});

	const visitor = { sessionId: 'v', action: 'sendMessage', chatInput: 'Approve' };
	const asPerson = { data: { text: 'yes' } };
	it.each<[string, Item[], AnswerPlace, string | undefined]>([
		['an approval', [{ data: { approved: true } }], 'data', 'Approved'],
		['a text', [asPerson], 'data', 'yes'],
		['a text, and a visitor', [{ ...visitor, ...asPerson }], 'data', 'yes'],
		['a visitor', [visitor], 'data', undefined],
		['a visitor with files', [{ ...visitor, chatInput: '', files: [{}] }], 'data', undefined],
		['what is not in "data"', [{ output: 'yes', approved: true }], 'data', undefined],
		['a visitor who was asked', [{ ...passedOn, ...visitor }], 'chat', 'Approve'],
		['the words that were told', [{ chatInput: 'told' }], 'chat', 'told'],
		['buttons in a chat', [{ data: { approved: false, chatInput: 'no' } }], 'chat', 'no'],
		['a workflow', [{ reply: 'yes' }], 'any', 'yes'],
		['a workflow with its input', [{ ...passedOn, reply: 'yes' }], 'any', 'yes'],
		['what has no text', [{ statusCode: 204 }], 'any', '{"statusCode":204}'],
		['a visitor in place of a workflow', [visitor], 'any', undefined],
	])('has answered by %s', (_what, items, place, text) => {
		for (const isEditor of [false, true]) {
			const { denial, text: said } = read(items, { hasWaited: true, place, isEditor });
			if (text === undefined) expect([said, denial]).toEqual(['', NO_ANSWER_IN_TIME]);
			else if (!isEditor) expect([said, denial]).toEqual([text, undefined]);
		}
	});

	it('no visitor decides about a turn, unless asked in the chat', () => {
		const edit = { hasWaited: true, isEditor: true };
		const items = [{ ...visitor, data: { text: 'decline' } }];
		expect(read(items, edit)).toMatchObject({ text: 'Not approved', isRefusal: true });
		expect(read(items, { ...edit, place: 'chat' })).toMatchObject({ text: 'Approved' });
		const denied = { isApproved: false, reply: { denial: NO_ANSWER_IN_TIME } };
		expect(readDecision([visitor], sent)).toMatchObject(denied);
		const words = { isApproved: false, reply: { denial: { words: 'Approve' } } };
		expect(readDecision([visitor], sent, true)).toMatchObject(words);
	});
});

it('of what a stranger wrote into the item, nothing counts where a node passes it on', () => {
	const given = { ...sent, costUsd: 5, chatId: 'c', model: 'm', complete: false, shownLive: true };
	const items = [{ ...given, toolCallId: '1', reply: 'yes' }];
	expect(read(items, { sent: given })).toEqual({ text: 'yes', facts: {} });
});

it('only our own nodes say that they have written into the chat', () => {
	const items = [{ output: 'a', shownLive: true }];
	expect(read(items, { isOurs: true })).toEqual({
		text: 'a',
		facts: {},
		ids: {},
		wasShown: true,
	});
	expect(read(items)).toEqual({ text: 'a', facts: {} });
});

it('costs whose sum is no number are no cost', () => {
	const items = [
		{ output: 'a', costUsd: 1.7e308 },
		{ output: '', costUsd: 1.7e308 },
	];
	expect(read(items)).toEqual({ text: 'a', facts: {} });
});

it('anything is read', () => {
	const anything = fc.array(fc.dictionary(fc.string(), fc.jsonValue()));
	fc.assert(
		fc.property(anything, fc.boolean(), (items, hasWaited) => {
			expect(typeof read(items, { hasWaited }).text).toBe('string');
			expect(typeof readDecision(items, sent).isApproved).toBe('boolean');
		}),
	);
});
