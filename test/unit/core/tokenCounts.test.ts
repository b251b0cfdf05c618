import { describeContradiction, readTokenCounts } from '../../../src/core/tokenCounts';

const BOTH = { input: 3, output: 2 };

it.each([
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

const chat = (prompt_tokens: number, completion_tokens: number) => ({
	prompt_tokens,
	completion_tokens,
});

/** Contradictory figures, the prompt and the answer as they are read, and who passes them on. */
it.each<[string, object, number, number]>([
	[
		'cached tokens beside the prompt',
		{ ...chat(3, 10), prompt_tokens_details: { cached_tokens: 38_000 } },
		38_003,
		10,
	],
	[
		'written tokens beside the prompt (Portkey-AI/gateway#1458)',
		{ ...chat(3, 10), cache_creation_input_tokens: 500, cache_read_input_tokens: 100 },
		603,
		10,
	],
	[
		'cached and written tokens that do not both fit',
		{ ...chat(1000, 10), cache_creation_input_tokens: 600, cache_read_input_tokens: 600 },
		2200,
		10,
	],
	[
		'reasoning beside the answer',
		{ ...chat(8, 1), total_tokens: 9, completion_tokens_details: { reasoning_tokens: 98 } },
		8,
		99,
	],
	[
		'a little more reasoning than the answer that the total counts (OpenRouter)',
		{ ...chat(21, 16), total_tokens: 37, completion_tokens_details: { reasoning_tokens: 22 } },
		21,
		22,
	],
	[
		'a total beyond both (CLIProxyAPI#5743)',
		{ ...chat(7477, 2060), total_tokens: 11_476 },
		7477,
		3999,
	],
	[
		'reasoning that is more than the answer, although the total has it beside it',
		{ ...chat(8, 1), total_tokens: 107, completion_tokens_details: { reasoning_tokens: 98 } },
		8,
		99,
	],
	[
		'two prompts and two answers',
		{ ...chat(3, 5), input_tokens: 38_003, output_tokens: 4 },
		38_003,
		5,
	],
])('reads the dearer of %s, and says so', (_what, usage, input, output) => {
	expect(readTokenCounts(usage)).toMatchObject({ input, output, isContradictory: true });
	expect(describeContradiction(readTokenCounts(usage))).toMatch(
		`contradict each other. The dearest that they can mean is counted: ${input} tokens in and ${output} out.`,
	);
});

const MESSAGES = { input_tokens: 1000, output_tokens: 10, cache_read_input_tokens: 600 };

it.each<[string, object, object]>([
	['beside each other in the messages of Anthropic', MESSAGES, { input: 1600, cached: 600 }],
	[
		'also where they are more than the prompt',
		{ ...MESSAGES, input_tokens: 3, cache_creation_input_tokens: 500 },
		{ input: 1103, cached: 600, written: 500 },
	],
	[
		'in those of Bedrock',
		{ inputTokens: 1000, outputTokens: 10, cacheReadInputTokens: 600, cacheWriteInputTokens: 50 },
		{ input: 1650, cached: 600, written: 50, output: 10 },
	],
	['within the prompt where a total says so', { ...MESSAGES, total_tokens: 1010 }, { input: 1000 }],
	[
		'within the prompt of chat completions',
		{ ...chat(1000, 10), cache_read_input_tokens: 600, cache_creation_input_tokens: 300 },
		{ input: 1000, cached: 600, written: 300 },
	],
	[
		'where places that are not used have 0',
		{ ...chat(1000, 10), input_tokens: 0, output_tokens: 0, total_tokens: 0 },
		{ input: 1000, output: 10 },
	],
	[
		'where the total is less',
		{ ...chat(1000, 10), total_tokens: 500 },
		{ input: 1000, output: 10 },
	],
	[
		'reasoning that the total has beside the answer (vercel/ai#12425)',
		{ ...chat(32, 200), total_tokens: 382, completion_tokens_details: { reasoning_tokens: 150 } },
		{ input: 32, output: 350 },
	],
	[
		'reasoning beside the answer, also where the cache has as many tokens',
		{
			...chat(1000, 400),
			total_tokens: 1600,
			prompt_tokens_details: { cached_tokens: 200 },
			completion_tokens_details: { reasoning_tokens: 200 },
		},
		{ input: 1000, output: 600, cached: 200 },
	],
	[
		'cached and written tokens that the total has beside the prompt (Portkey-AI/gateway#1754)',
		{
			...chat(1000, 10),
			total_tokens: 1910,
			cache_read_input_tokens: 600,
			cache_creation_input_tokens: 300,
		},
		{ input: 1900, output: 10, cached: 600, written: 300 },
	],
	[
		'sound that the total has beside the prompt (Mistral)',
		{
			...chat(11, 15),
			total_tokens: 401,
			prompt_tokens_details: { audio_tokens: 375, cached_tokens: 9 },
		},
		{ input: 386, output: 15, cached: 9, sound: 375 },
	],
	...(
		[
			['prompt_tokens_details', 'cache_creation_tokens'],
			['prompt_tokens_details', 'cache_creation_input_tokens'],
			['prompt_tokens_details', 'cached_creation_tokens'],
			['input_tokens_details', 'cached_creation_tokens'],
			['input_tokens_details', 'cache_write_tokens'],
		] as const
	).map(([within, name]): [string, object, object] => [
		`${name} in ${within}`,
		{ ...chat(1000, 10), [within]: { [name]: 300 }, claude_cache_creation_1_h_tokens: 100 },
		{ input: 1000, output: 10, written: 300, writtenForHour: 100 },
	]),
	[
		'for an hour',
		{
			...MESSAGES,
			cache_creation_input_tokens: 9,
			cache_creation: { ephemeral_1h_input_tokens: 4 },
		},
		{ written: 9, writtenForHour: 4 },
	],
])('reads counts that do not contradict each other: %s', (_what, usage, counts) => {
	expect(readTokenCounts(usage)).toMatchObject(counts);
	expect(describeContradiction(readTokenCounts(usage))).toBeUndefined();
});
