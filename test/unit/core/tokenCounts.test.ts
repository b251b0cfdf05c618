import { readTokenCounts } from '../../../src/core/tokenCounts';

const BOTH = { input: 3, output: 2 };

it.each<[unknown, object]>([
	[undefined, {}],
	['many', {}],
	[{}, {}],
	[{ prompt_tokens: 3, completion_tokens: 2 }, BOTH],
	[{ input_tokens: '3', output_tokens: 2 }, BOTH],
	[{ prompt_tokens: -1, completion_tokens: 1.5 }, {}],
	[{ prompt_tokens_details: { cached_tokens: 1 } }, { cached: 1 }],
	[{ input_token_details: { cache_read: 1 } }, { cached: 1 }],
	[{ cache_read_input_tokens: 4 }, { cached: 4 }],
	[{ completion_tokens_details: { reasoning_tokens: 5 } }, { reasoning: 5 }],
	[{ output_tokens_details: { reasoning_tokens: 0 } }, { reasoning: 0 }],
])('reads %j', (usage, counts) => {
	expect(readTokenCounts(usage)).toEqual(counts);
});
