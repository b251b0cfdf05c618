import { unifyOutputLimits } from '../../../src/router/outputLimits';

it.each<[string, Record<string, unknown>, object]>([
	['none', { n: 2 }, { n: 2 }],
	['none that is set', { max_tokens: null }, { max_tokens: null }],
	['its own', { max_tokens: 5 }, { max_tokens: 5 }],
	['that of the other protocol', { max_output_tokens: 5 }, { max_output_tokens: 5, max_tokens: 5 }],
	['a later name', { max_completion_tokens: 5 }, { max_completion_tokens: 5, max_tokens: 5 }],
	['digits', { max_completion_tokens: ' 5 ' }, { max_completion_tokens: 5, max_tokens: 5 }],
	[
		'another one beside an own one that is not set',
		{ max_tokens: null, max_completion_tokens: 5 },
		{ max_tokens: 5, max_completion_tokens: 5 },
	],
	[
		'a larger one by another name',
		{ max_tokens: 5, max_completion_tokens: 900 },
		{ max_tokens: 5, max_completion_tokens: 5 },
	],
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
