import fc from '../../support/fastCheck';

import { readDecision, readReply } from '../../../src/conversation/reply';

const sent = {
	message: 'told',
	sessionId: 's',
	history: [{ role: 'user', content: 'told' }],
	turn: 1,
	output: 'before',
};
/** As a node returns it that passes on what it gets. */
const passedOn = { ...sent, toolCallId: '0.1.1' };

it.each<[string, Record<string, unknown>[], string]>([
	['output first', [{ text: 'no', output: 'yes' }], 'yes'],
	['an output that is an object', [{ output: { answer: 'yes', more: 1 } }], 'yes'],
	['an output without any text', [{ output: { a: 1 } }], '{"a":1}'],
	['an output that is a number', [{ output: 0 }], '0'],
	['no output', [{ output: null, text: 'yes' }], 'yes'],
	['any usual place', [{ choices: [{ message: { role: 'assistant', content: 'yes' } }] }], 'yes'],
	['several items', [{ output: 'one' }, { output: ' ' }, { output: 'two' }], 'one\n\ntwo'],
	['what was sent, passed on beside the answer', [{ ...passedOn, reply: 'yes' }], 'yes'],
	['nothing but what was sent', [passedOn], ''],
	['another message', [{ ...passedOn, message: 'yes' }], 'yes'],
	['an output that was there before', [{ ...passedOn, reply: 'yes' }], 'yes'],
	['an output that is the same as one before', [{ output: 'before' }], 'before'],
	['half a character', [{ output: 'a\ud83d' }], 'a\ufffd'],
	['nothing', [{}], ''],
	['no items', [], ''],
	["a person's answer", [{ data: { text: 'yes', respondedAt: '2026' } }], 'yes'],
	["a person's answer in a chat", [{ chatInput: 'yes' }], 'yes'],
	["a person's approval", [{ data: { approved: true, respondedAt: '2026' } }], 'Approved'],
	["a person's refusal", [{ data: { approved: false } }], 'Not approved'],
])('the text of %s', (_what, items, text) => {
	expect(readReply(items, sent, '')).toMatchObject({ text });
});

it.each<[string, Record<string, unknown>, object]>([
	['a.b', { a: { b: 'yes' }, output: 'no' }, { text: 'yes' }],
	['a.b', { 'a.b': 'yes', a: { b: 'no' } }, { text: 'yes' }],
	['list.1', { list: ['no', 'yes'] }, { text: 'yes' }],
	['n', { n: 5 }, { text: '5' }],
	['o', { o: { z: 1 } }, { text: '{"z":1}' }],
	['x', { output: 'no' }, { text: '', missing: 'x' }],
	['a.b', { a: 'text' }, { text: '', missing: 'a.b' }],
	['constructor.name', {}, { text: '', missing: 'constructor.name' }],
	['x', { x: null }, { text: '' }],
])('the field %s', (path, item, reply) => {
	expect(readReply([item], sent, path)).toEqual({ facts: {}, ...reply });
});

it.each<[string, Record<string, unknown>, object]>([
	['a text', { error: 'It broke' }, { error: 'It broke', isCertainlyNotReceived: false }],
	['a message', { error: { message: 'It broke', code: 1 } }, { error: 'It broke' }],
	['anything else', { error: { code: 1 } }, { error: '{"code":1}' }],
	['true', { error: true }, { error: 'true' }],
	[
		'an unknown outcome',
		{ error: 'x', details: { outcome: 'unknown' } },
		{ error: 'x', details: { outcome: 'unknown' }, isCertainlyNotReceived: false },
	],
	[
		'a refusal',
		{ error: 'x', details: { outcome: 'not_started' } },
		{ isCertainlyNotReceived: true },
	],
	['a wrong input', { error: 'x', details: { kind: 'invalid' } }, { isCertainlyNotReceived: true }],
])('a failure told by %s', (_what, item, failure) => {
	// an error output has the input's fields as well
	expect(readReply([{ ...sent, ...item }], sent, '')).toMatchObject({ text: '', failure });
});

it.each([[null], [undefined], [false], ['']])('an error of %j is none', (error) => {
	expect(readReply([{ error, output: 'yes' }], sent, '')).toEqual({ text: 'yes', facts: {} });
});

it('one item of several that failed', () => {
	const { failure } = readReply([{ output: 'a' }, { error: 'x' }], sent, '');
	expect(failure).toEqual({ error: 'x', isCertainlyNotReceived: false });
});

it('the part that arrived, with its cost and IDs', () => {
	const details = {
		outcome: 'started',
		chatId: 'c',
		requestId: 'r',
		partial: { text: 'half', costUsd: 0.5, usage: { prompt_tokens: 3 } },
	};
	expect(readReply([{ error: 'x', details, shownLive: true }], sent, '')).toMatchObject({
		text: 'half',
		facts: { chatId: 'c', requestId: 'r', costUsd: 0.5, inputTokens: 3 },
		wasShown: true,
	});
});

it.each([
	[{ data: { approved: false } }, true],
	[{ data: { approved: true } }, undefined],
	[{ output: 'No', approved: false }, undefined],
])('whether a person refuses: %j', (item, isRefusal) => {
	expect(readReply([item], sent, '').isRefusal).toBe(isRefusal);
});

it('an answer that is not complete says so', () => {
	const items = [{ output: 'half', complete: false, notice: 'It broke off.' }];
	expect(readReply(items, sent, '')).toMatchObject({ text: 'half', notice: 'It broke off.' });
});

it('facts are taken as they are, and only if they are of the right type', () => {
	const items = [
		{ chatId: 5, sessionId: '', costUsd: '1', usage: { input_tokens: -1 } },
		{
			output: 'a',
			chatId: 'c',
			sessionId: 'i',
			model: 'm',
			costUsd: 0.25,
			usage: { input_tokens: 3, output_tokens: 4 },
		},
		{ output: 'b', costUsd: 0.5, tokenUsage: { promptTokens: 1, completionTokens: 2 } },
	];
	expect(readReply(items, sent, '').facts).toEqual({
		chatId: 'c',
		sessionId: 'i',
		model: 'm',
		costUsd: 0.75,
		inputTokens: 4,
		outputTokens: 6,
	});
});

it.each<[object[], object]>([
	[[{ approved: true }], { isApproved: true }],
	[[{ data: { approved: true } }], { isApproved: true }],
	[
		[{ data: { approved: true, responder: { id: 'U1', name: 'Ann' } } }],
		{ isApproved: true, by: 'Ann' },
	],
	[[{ data: { approved: false } }], { isApproved: false }],
	[[{ data: { approved: 'true' } }], { isApproved: false }],
	[[{ data: { chatInput: 'Rather not' } }], { isApproved: false, words: 'Rather not' }],
	[[{}], { isApproved: false }],
	[[], { isApproved: false }],
])('the decision in %j', (items, decision) => {
	expect(readDecision(items as Array<Record<string, unknown>>)).toEqual(decision);
});

it('anything is read', () => {
	fc.assert(
		fc.property(
			fc.array(fc.dictionary(fc.string(), fc.jsonValue())),
			fc.string(),
			(items, path) => {
				expect(typeof readReply(items, sent, path).text).toBe('string');
				expect(typeof readDecision(items).isApproved).toBe('boolean');
			},
		),
	);
});
