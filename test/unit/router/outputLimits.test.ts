import { readOutputLimits, unifyOutputLimits } from '../../../src/router/outputLimits';
import fc from '../../support/fastCheck';

it.each([
	['none', { n: 2 }, { n: 2 }],
	['none that is set', { max_tokens: null }, { max_tokens: null }],
	['its own', { max_tokens: 5 }, { max_tokens: 5 }],
	['that of the other protocol', { max_output_tokens: 5 }, { max_output_tokens: 5, max_tokens: 5 }],
	['a later name', { max_completion_tokens: 5 }, { max_completion_tokens: 5, max_tokens: 5 }],
	[
		'a smaller one by another name',
		{ max_tokens: 900, max_completion_tokens: 50, max_output_tokens: 5 },
		{ max_tokens: 5, max_completion_tokens: 5, max_output_tokens: 5 },
	],
	['one that cannot be read', { max_completion_tokens: -1 }, { max_completion_tokens: -1 }],
	['one that may mean none', { max_output_tokens: 0 }, { max_output_tokens: 0 }],
	[
		'one of several that cannot be read',
		{ max_tokens: 5, max_output_tokens: true },
		{ max_tokens: 5, max_output_tokens: true },
	],
])('of a request with %s, one value is sent', (_what, body, sent) => {
	expect(unifyOutputLimits(body, 'max_tokens')).toEqual(sent);
});

it('the other protocol sends its own', () => {
	const sent = { max_tokens: 5, max_output_tokens: 5 };
	expect(unifyOutputLimits({ max_tokens: 5 }, 'max_output_tokens')).toEqual(sent);
});

it('whatever a request sets: it has no bound, or one maximum is sent under each name, and is the bound', () => {
	const names = ['max_tokens', 'max_output_tokens', 'max_completion_tokens'];
	const value = fc.oneof(
		fc.integer({ min: -2, max: 9 }),
		fc.constantFrom('7', '', null),
		fc.jsonValue(),
	);
	const fields = fc.dictionary(fc.constantFrom(...names, 'n'), value);
	fc.assert(
		fc.property(fields, fc.constantFrom('max_tokens', 'max_output_tokens'), (body, own) => {
			const sent = unifyOutputLimits(body, own);
			const limits = readOutputLimits(sent, own);
			if (!limits) return;
			const { allowance, choices } = limits;
			const given = names.filter((name) => (body[name] ?? undefined) !== undefined);
			expect(choices).toBe(Number(body['n'] ?? 1));
			expect(allowance === undefined).toBe(given.length === 0);
			for (const name of given) {
				expect(sent[name]).toBe(allowance);
				expect(allowance).toBeLessThanOrEqual(Number(body[name]));
			}
			if (given.length) expect(sent[own]).toBe(allowance);
		}),
	);
});
