import { toResponseBody } from '../../../src/router/protocols';

it('converts messages, calls, results, files, tools and settings', () => {
	expect(
		toResponseBody({
			model: 'vendor/model',
			messages: [
				{ role: 'system', content: 'Be brief.' },
				{
					role: 'user',
					content: [
						{ type: 'text', text: 'What is this?' },
						{ type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' } },
						{ type: 'file', file: { filename: 'a.pdf', file_data: 'data:,x' } },
						{ type: 'input_audio', input_audio: { data: 'AA', format: 'wav' } },
					],
				},
				{
					role: 'assistant',
					content: [{ type: 'text', text: 'I look.' }],
					tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }],
				},
				{ role: 'tool', content: 'a cat', tool_call_id: 'c1' },
			],
			max_tokens: 10,
			reasoning_effort: 'low',
			temperature: 0,
			response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: {} } },
			tools: [{ type: 'function', function: { name: 'look', parameters: {} } }],
			tool_choice: { type: 'function', function: { name: 'look' } },
			user: 'u',
		}),
	).toEqual({
		model: 'vendor/model',
		input: [
			{ role: 'system', content: 'Be brief.' },
			{
				role: 'user',
				content: [
					{ type: 'input_text', text: 'What is this?' },
					{ type: 'input_image', image_url: 'https://example.com/a.png', detail: 'low' },
					{ type: 'input_file', filename: 'a.pdf', file_data: 'data:,x' },
					{ type: 'input_audio', input_audio: { data: 'AA', format: 'wav' } },
				],
			},
			{ role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
			{ type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' },
			{ type: 'function_call_output', call_id: 'c1', output: 'a cat' },
		],
		max_output_tokens: 10,
		reasoning: { effort: 'low' },
		temperature: 0,
		text: { format: { type: 'json_schema', name: 'answer', schema: {} } },
		tools: [{ type: 'function', name: 'look', parameters: {} }],
		tool_choice: { type: 'function', name: 'look' },
		user: 'u',
	});
});

it('leaves out what was not set', () => {
	expect(toResponseBody({ model: 'm', messages: [{ role: 'user', content: 'x' }] })).toEqual({
		model: 'm',
		input: [{ role: 'user', content: 'x' }],
	});
});

it('keeps a choice of tools in words, and the format of a plain object', () => {
	expect(
		toResponseBody({
			model: 'm',
			messages: [{ role: 'user', content: 'x' }],
			tool_choice: 'required',
			response_format: { type: 'json_object' },
		}),
	).toMatchObject({ tool_choice: 'required', text: { format: { type: 'json_object' } } });
});

it('leaves out an empty answer, which an AI agent may have kept in its memory', () => {
	const { input } = toResponseBody({
		model: 'm',
		messages: [
			{ role: 'user', content: 'x' },
			{ role: 'assistant', content: '' },
			{ role: 'user', content: 'y' },
		],
	});
	expect(input).toEqual([
		{ role: 'user', content: 'x' },
		{ role: 'user', content: 'y' },
	]);
});
