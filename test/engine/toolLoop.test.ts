import type { INodeParameters } from 'n8n-workflow';

import { CARRY_ON, chat, model, posts, response } from './rig/calls';
import { shownText } from './rig/run';
import { serviceForTests } from './rig/service';

// a loop of tools drawn by hand: the message of an answer goes back with the results of its calls, whole
const service = serviceForTests();

const QUESTION = '[[tool:get_weather]] [[tools:2]] Oslo';
const user = { role: 'user', content: QUESTION };
const parameters = '{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}';
const tools = { tool: ['get_weather', 'get_time'].map((name) => ({ name, parameters })) };
const bodies = () => posts(service).map(({ body }) => body as Record<string, unknown>);

type Call = typeof chat;
const ask = async (call: Call, id: string, more: INodeParameters = {}, item: object = {}) => {
	const { options, ...fields } = more;
	const all = { ...fields, options: { tools, ...(options as object | undefined) } };
	const made = call(QUESTION, { model: model(id), ...all } as INodeParameters);
	return await service.run(made, { settings: CARRY_ON, items: [item as never] });
};

/** How the message comes back: in a row of the list, or in the JSON. */
const WAYS: Array<[string, INodeParameters]> = [
	[
		'in the list',
		{
			inputType: 'list',
			messages: {
				message: [
					user,
					{ role: 'assistant', assistantMessage: '={{ $json.message }}' },
					{ role: 'tool', toolCallId: '={{ $json.toolCalls[0].id }}', content: 'sunny' },
					{ role: 'tool', toolCallId: '={{ $json.toolCalls[1].id }}', content: 'noon' },
				],
			},
		},
	],
	[
		'as JSON',
		{
			inputType: 'json',
			messagesJson: `={{ [
				{ role: 'user', content: ${JSON.stringify(QUESTION)} },
				$json.message,
				...['sunny', 'noon'].map((content, at) => ({ role: 'tool', content, tool_call_id: $json.toolCalls[at].id })),
			] }}`,
		},
	],
];

describe.each(WAYS)('a message that comes back %s', (_way, input) => {
	/** Asks, and goes on with the results. @returns the first answer */
	const goOn = async (call: Call, id: string) => {
		const { json } = (await ask(call, id)).items[0]!;
		const { items, error } = await ask(call, id, input, json);
		expect(error).toBeUndefined();
		expect(items[0]?.json['output']).toContain('noon');
		return json;
	};

	it.each(['content', 'details', 'signature', 'parts'])('thinker/%s-1', async (kind) => {
		const { message, ...answer } = await goOn(chat, `thinker/${kind}-1`);
		expect(answer).toMatchObject({ complete: true, toolCalls: [{ id: 'call_1' }, {}] });
		expect(bodies()[1]?.['messages']).toEqual([
			user,
			message,
			{ role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
			{ role: 'tool', tool_call_id: 'call_2', content: 'noon' },
		]);
	});

	it('thinker/items-1, in the responses protocol', async () => {
		const first = await goOn(response, 'thinker/items-1');
		const { message } = first;
		const item = { type: 'function_call', arguments: expect.any(String) };
		const output = [
			{ type: 'reasoning', encrypted_content: expect.stringMatching(/^encrypted \d+$/) },
			{ ...item, call_id: 'call_1', name: 'get_weather' },
			{ ...item, call_id: 'call_2', name: 'get_time' },
		];
		expect(message).toMatchObject({
			role: 'assistant',
			tool_calls: [{ id: 'call_1' }, {}],
			output,
		});
		expect(bodies()[1]?.['input']).toEqual([
			user,
			...(message as { output: object[] }).output,
			{ type: 'function_call_output', call_id: 'call_1', output: 'sunny' },
			{ type: 'function_call_output', call_id: 'call_2', output: 'noon' },
		]);
		// another protocol gets its text and calls
		await ask(chat, 'northwind/quill-2.5', input, first);
		const plain = Object(bodies()[2]?.['messages'])[1] as object;
		expect({ ...plain, output: (message as { output: object[] }).output }).toEqual(message);
		expect(plain).not.toHaveProperty('output');
	});
});

it.each([
	['thoughts', chat, '[[thinks:2]]', {}, { reasoning_content: 'thought1 thought2' }],
	['thoughts, not simplified', chat, '[[thinks:2]]', { simplify: false }, { content: /said/ }],
	['thoughts', response, '[[thinks:2]]', {}, { output: [{ type: 'reasoning' }, {}] }],
	['a text', chat, 'a', {}, undefined],
	['a text', response, 'a', {}, undefined],
])('an answer with %s and its message', async (_what, call, text, more, message) => {
	const { items } = await service.run(call(text, more));
	const given = items[0]?.json['message'];
	if (!message) expect(given).toBeUndefined();
	else expect(given).toMatchObject({ role: 'assistant', ...message });
});

it.each([
	['no JSON', '{"role":', /^Messages 2: Message \(JSON\) is not valid JSON/],
	['a list', '=[{{ 1 }}]', /^Messages 2: Message \(JSON\) must be a JSON object/],
	['another role', '{"role":"user","content":"x"}', /is not a message of the assistant.*"message"/],
	[
		'nothing',
		'={{ $json.none }}',
		/^Messages 2: Message \(JSON\) is empty: its expression found nothing/,
	],
	['a role alone', '{"role":"assistant"}', /^Messages 2: Content is empty/],
])('refuses %s as a message, of its item only', async (_what, assistantMessage, problem) => {
	const good = { role: 'assistant', content: '', reasoning_content: 'x' };
	const row = (json: unknown) => ({ role: 'assistant', assistantMessage: json as string });
	const saying = (json: unknown) => chat('', { messages: { message: [user, row(json), user] } });
	const alone = await service.run(saying(assistantMessage));
	expect(shownText(alone.error)).toMatch(problem);
	expect(posts(service)).toEqual([]);
	const items = [{ given: 'bad' }, { given: good }];
	const both = await service.run(saying('={{ $json.given }}'), { settings: CARRY_ON, items });
	expect([both.items.length, both.failed.length]).toEqual([1, 1]);
	expect(bodies()).toMatchObject([{ messages: [user, good, user] }]);
});
