import type { Fault } from '../service/service';
import { agent, CARRY_ON, failPosts, response, secretsOf, type Paying } from './rig/calls';
import { collect, useModel, type LanguageModel, type ModelMessage } from './rig/chatModel';
import { run } from './rig/run';
import { serviceForTests } from './rig/service';

// a stream of every event that OpenAI's SDK names for responses: what tools do that the service runs itself is no text
const service = serviceForTests();

type Event = { type: string; [field: string]: unknown };
const stream = (...events: Event[]): Fault => ({
	type: 'body',
	contentType: 'text/event-stream',
	body: events
		.map((event, at) => {
			const data = JSON.stringify({ ...event, sequence_number: at });
			return `event: ${event.type}\ndata: ${data}\n\n`;
		})
		.join(''),
});

/** Nothing with this word is text. */
const NO = 'NOT-TEXT';
const names = (base: string, ...ends: string[]) => ends.map((end) => `response.${base}.${end}`);
let place = 0;

/** A tool that the service has called, from its first to its last event. */
function tool(item: Event, ...events: Array<string | Event>): Event[] {
	const [output_index, item_id] = [place++, `i${place}`];
	const done = { id: item_id, status: 'completed', ...item };
	return [
		{ type: 'response.output_item.added', output_index, item: { id: item_id, type: item.type } },
		...events.map((event) => ({
			...(typeof event === 'string' ? { type: event } : event),
			...{ output_index, item_id },
		})),
		{ type: 'response.output_item.done', output_index, item: done },
	];
}
const piece = (type: string, delta: string = NO): Event => ({ type: `response.${type}`, delta });

const tools = () => [
	...tool(
		{ type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] },
		{ type: 'response.reasoning_summary_part.added', part: { type: 'summary_text', text: '' } },
		piece('reasoning_summary_text.delta', 'hm'),
		{ type: 'response.reasoning_summary_text.done', text: 'hm' },
		{ type: 'response.reasoning_summary_part.done', part: { type: 'summary_text', text: 'hm' } },
	),
	...tool(
		{ type: 'mcp_list_tools', server_label: 'dice', tools: [{ name: NO, description: NO }] },
		...names('mcp_list_tools', 'in_progress', 'failed', 'completed'),
	),
	...tool(
		{ type: 'mcp_call', name: NO, arguments: NO, output: NO, error: { message: NO } },
		...names('mcp_call', 'in_progress'),
		piece('mcp_call_arguments.delta'),
		{ type: 'response.mcp_call_arguments.done', arguments: NO },
		...names('mcp_call', 'failed', 'completed'),
	),
	...tool({ type: 'mcp_approval_request', name: NO, arguments: NO }),
	...tool(
		{ type: 'code_interpreter_call', code: NO, outputs: [{ type: 'logs', logs: NO }] },
		...names('code_interpreter_call', 'in_progress', 'interpreting'),
		piece('code_interpreter_call_code.delta'),
		{ type: 'response.code_interpreter_call_code.done', code: NO },
		...names('code_interpreter_call', 'completed'),
	),
	...tool(
		{ type: 'image_generation_call', result: btoa(NO), revised_prompt: NO },
		...names('image_generation_call', 'in_progress', 'generating'),
		{ type: 'response.image_generation_call.partial_image', partial_image_b64: btoa(NO) },
		...names('image_generation_call', 'completed'),
	),
	...tool(
		{ type: 'web_search_call', action: { type: 'search', query: NO } },
		...names('web_search_call', 'in_progress', 'searching', 'completed'),
	),
	...tool(
		{ type: 'file_search_call', queries: [NO], results: [{ text: NO }] },
		...names('file_search_call', 'in_progress', 'searching', 'completed'),
	),
	...tool(
		{ type: 'custom_tool_call', name: NO, input: NO },
		piece('custom_tool_call_input.delta'),
		{ type: 'response.custom_tool_call_input.done', input: NO },
	),
	...tool({ type: 'shell_call', action: { commands: [NO] } }),
	...tool({ type: 'shell_call_output', output: [{ stdout: NO, stderr: NO }] }),
	...tool({ type: 'local_shell_call', action: { command: [NO] } }),
	...tool({ type: 'apply_patch_call', operation: { type: 'create_file', diff: NO } }),
	...tool({ type: 'computer_call', action: { type: 'type', text: NO } }),
	...tool({ type: 'compaction', encrypted_content: NO }),
	piece('audio.delta'),
	piece('audio.transcript.delta'),
	...names('audio', 'transcript.done', 'done').map((type) => ({ type })),
];
const TEXT = { type: 'output_text', text: 'Hello world', annotations: [{ title: NO }] };
const MESSAGE = { type: 'message', role: 'assistant', content: [TEXT] };
const text = () =>
	tool(
		MESSAGE,
		{ type: 'response.content_part.added', part: { type: 'output_text', text: '' } },
		piece('output_text.delta', 'Hello '),
		piece('output_text.delta', 'world'),
		{ type: 'response.output_text.annotation.added', annotation: { title: NO, url: NO } },
		{ type: 'response.output_text.done', text: 'Hello world' },
		{ type: 'response.content_part.done', part: TEXT },
	);
const USAGE = { input_tokens: 3, output_tokens: 2, total_tokens: 5 };
const about = (type: string, more: object = {}): Event => ({
	type: `response.${type}`,
	response: { id: 'r', object: 'response', output: [], ...more },
});
const begin = () => {
	place = 0;
	return ['queued', 'created', 'in_progress'].map((type) => about(type, { status: type }));
};
const itemsOf = (events: Event[]) =>
	events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item);
/** The events, and an end that has all items again. */
const ended = (events: Event[], status = 'completed', more: object = {}) => [
	...begin(),
	...events,
	about(status, { status, output: itemsOf(events), usage: USAGE, error: null, ...more }),
];

const ERROR = { code: 'server_error', message: 'boom' };
const REFUSAL = { type: 'refusal', refusal: 'I will not' };
const refusal = () =>
	tool(
		{ type: 'message', role: 'assistant', content: [REFUSAL] },
		{ type: 'response.content_part.added', part: { type: 'refusal', refusal: '' } },
		piece('refusal.delta', 'I will '),
		piece('refusal.delta', 'not'),
		{ type: 'response.refusal.done', refusal: 'I will not' },
	);

const SAID = 'Hello world';
const STOPPED = 'The answer stopped before its end';
const LIMIT =
	'The answer is cut off: it reached 16384 output tokens, its limit within the spending cap';
const FAILED = `${SAID} (The service reported an error: boom)`;
const CUT = `${SAID} (${STOPPED})`;
/** What Message a Model, Workspace Agent, and the chat model give: a text, and in parentheses the first sentence about it. */
const rows: Array<[string, () => Event[], [string, string, string]]> = [
	['tools, then text', () => ended([...tools(), ...text()]), [SAID, SAID, SAID]],
	['text, then tools', () => ended([...text(), ...tools()]), [SAID, SAID, SAID]],
	[
		'tools only',
		() => ended(tools()),
		[
			' (The answer has no text)',
			' (No text was found in the answer; "events" contains what arrived)',
			'',
		],
	],
	[
		'a refusal after tools',
		() => ended([...tools(), ...refusal()]),
		[' (The model refused to answer; its words are in "refusal")', 'I will not', 'I will not'],
	],
	[
		'text that reached the limit',
		() =>
			ended([...tools(), ...text()], 'incomplete', {
				incomplete_details: { reason: 'max_output_tokens' },
			}),
		[`${SAID} (${LIMIT})`, SAID, SAID],
	],
	[
		'a failure',
		() => [...begin(), ...tools(), ...text(), about('failed', { status: 'failed', error: ERROR })],
		[FAILED, FAILED, FAILED],
	],
	[
		'an error',
		() => [...begin(), ...tools(), ...text(), { type: 'error', ...ERROR, param: null }],
		[FAILED, FAILED, FAILED],
	],
	[
		'an error in an object',
		() => [...begin(), ...tools(), ...text(), { type: 'error', error: ERROR }],
		[FAILED, FAILED, FAILED],
	],
	['no end', () => [...begin(), ...text(), ...tools()], [CUT, CUT, CUT]],
];

const note = (sentence: string | undefined) =>
	sentence ? ` (${sentence.replace(/ \(sessionId: .*?\)/, '').split(/\.(?: |$)/, 1)[0]})` : '';

async function execute(call: Paying) {
	const { items, failed } = await run({ ...call, secrets: secretsOf(service), settings: CARRY_ON });
	const { output, notice } = (items[0]?.json ?? {}) as { output: string; notice?: string };
	if (!failed.length) return `${output}${note(notice)}`;
	const { error, details } = failed[0]!.json as unknown as Failure;
	return `${details.partial.text}${note(error)}`;
}
interface Failure {
	error: string;
	details: { partial: { text: string } };
}

async function chat(use: (model: LanguageModel) => Promise<ModelMessage[]>) {
	const { given, error } = await useModel({
		secrets: secretsOf(service),
		parameters: { options: { protocol: 'responses' } },
		use: async (model) => (await use(model)).map(({ content }) => content).join(''),
	});
	if (!error) return given.join();
	const [, came] = /^What arrived before .*?: (.*)\.$/m.exec(error.description ?? '') ?? [];
	return `${came}${note(error.message)}`;
}

describe.each(rows)('an answer with %s', (_name, events, [router, ofAgent, model]) => {
	beforeEach(() => {
		service.reset();
		failPosts(service, stream(...events()));
	});
	it.each([
		['Message a Model', router, async () => await execute(response('hi'))],
		['Workspace Agent', ofAgent, async () => await execute(agent({ message: 'hi' }))],
		['the chat model', model, async () => await chat(async (asked) => [await asked.invoke('hi')])],
		[
			'its stream',
			model,
			async () => await chat(async (asked) => await collect(asked.stream('hi'))),
		],
	])('gives its text only: %s', async (_node, expected, ask) => {
		expect(await ask()).toBe(expected);
	});
});
