import { createChatAccumulator } from '../../../src/router/chatCompletions';
import fc, { character } from '../../support/fastCheck';

type Fields = Record<string, unknown>;

function answerTo(...chunks: Fields[]) {
	const joiner = createChatAccumulator('asked/for');
	const readAlong = chunks.map((one) => joiner.add(structuredClone(one))).join('');
	return { ...joiner.answer(), readAlong };
}

// A completion, cut into chunks in any way, is the same as taken whole.

const text = fc.string({ maxLength: 8, unit: character });
const value = fc.oneof(fc.integer(), fc.boolean(), fc.record({ a: fc.integer() }));
const tokens = fc.array(fc.record({ token: text, logprob: fc.integer() }), { maxLength: 4 });
const aCall = fc.record(
	{
		id: text,
		type: fc.constant('function'),
		extra: value,
		function: fc.record({ name: text, arguments: text }),
	},
	{ requiredKeys: ['id', 'function'] },
);
const aChoice = fc.record(
	{
		message: fc.record(
			{
				role: fc.constant('assistant'),
				content: text,
				refusal: text,
				reasoning_content: text,
				annotations: fc.array(value, { maxLength: 3 }),
				audio: fc.record({ transcript: text, more: fc.array(value, { maxLength: 3 }) }),
				number: fc.integer(),
				tool_calls: fc.array(aCall, { maxLength: 3 }),
			},
			{ requiredKeys: ['content'] },
		),
		logprobs: fc.record({ content: tokens, refusal: tokens }, { requiredKeys: ['content'] }),
		finish_reason: fc.constantFrom('stop', 'length', 'tool_calls', null),
		unknown: value,
	},
	{ requiredKeys: ['message'] },
);
const aCompletion = fc.record(
	{
		id: text,
		created: fc.integer(),
		model: text,
		usage: fc.record({ total_tokens: fc.nat() }),
		unknown: value,
		choices: fc.array(aChoice, { maxLength: 3 }),
	},
	{ requiredKeys: ['choices'] },
);

/** Cuts a value into pieces that make it again: texts and lists anywhere, objects field by field. */
function* cut(whole: unknown, dice: () => boolean): Generator<unknown> {
	if (typeof whole === 'string' || Array.isArray(whole)) {
		let start = 0;
		for (let end = 1; end < whole.length; end++) {
			if (!dice()) continue;
			yield whole.slice(start, end);
			start = end;
		}
		yield whole.slice(start);
	} else if (typeof whole === 'object' && whole !== null) {
		for (const [name, field] of Object.entries(whole))
			for (const piece of cut(field, dice)) yield { [name]: piece };
	} else yield whole;
}

function* chunksOf(choice: Fields, index: number, dice: () => boolean): Generator<Fields> {
	const { message, logprobs, ...fields } = choice;
	const {
		role,
		tool_calls: calls = [],
		...said
	} = message as { role?: string; tool_calls?: Fields[] };
	yield { index, delta: { role, content: '' }, finish_reason: null };
	for (const delta of cut(said, dice))
		yield { index, delta: { ...(delta as object), ...(dice() && { role }) } };
	for (const [place, { function: called, ...more }] of calls.entries()) {
		const { name, arguments: written } = called as Fields;
		const fragment = (one: object) => ({
			index,
			delta: { tool_calls: [{ index: place, ...one }] },
		});
		yield fragment({ ...more, function: { name, arguments: '' } });
		for (const piece of cut(written, dice)) yield fragment({ function: { arguments: piece } });
	}
	if (logprobs)
		for (const piece of cut(logprobs, dice)) yield { index, delta: {}, logprobs: piece };
	yield { index, delta: {}, ...fields };
}

it('a completion cut into any chunks is the same as taken whole', () => {
	fc.assert(
		fc.property(aCompletion, fc.infiniteStream(fc.boolean()), ({ choices, ...top }, coins) => {
			const dice = () => Boolean(coins.next().value);
			const whole = answerTo({ ...top, choices: choices.map((one, index) => ({ index, ...one })) });
			const streams = choices.map((one, index) => [...chunksOf(one, index, dice)]);
			const chunks: Fields[] = [{ ...top, choices: [] }];
			while (streams.some((stream) => stream.length)) {
				const heads = streams.filter((stream) => stream.length && dice()).map((s) => s.shift());
				chunks.push({ choices: heads, ...(dice() && top), usage: null });
			}
			expect(answerTo(...chunks)).toEqual(whole);
			expect(whole.readAlong).toBe(whole.text);
		}),
	);
});
