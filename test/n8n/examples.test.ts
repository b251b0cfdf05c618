import { NAMESPACE_URL, uuidV5 } from '../../src/n8n/uuid.ts';
import { openBridge, type Bridge } from './bridge.ts';
import { exampleFor, withModels } from './example.ts';
import { itemsOf, type Execution } from './execution.ts';

let bridge: Bridge;
beforeAll(async () => {
	bridge = await openBridge();
});
afterAll(async () => await bridge.service.stop());

async function runExample(file: string): Promise<Execution> {
	const execution = await bridge.editor.runOnce(withModels(exampleFor(bridge.accounts, file)));
	expect(execution.error?.message).toBeUndefined();
	expect(execution.status).toBe('success');
	return execution;
}

/** The rows that a Data Table has got, without what n8n adds to each. Where a node ran for each of two branches: of both. */
const rowsOf = ({ runData }: Execution, node: string) =>
	(runData[node] ?? [])
		.flatMap(({ data }) => data?.main?.[0] ?? [])
		.map(({ json }) => {
			const { id, createdAt, updatedAt, ...row } = json;
			expect([id, createdAt, updatedAt]).not.toContain(undefined);
			return row;
		});

it('messages an agent twice in one session', async () => {
	const execution = await runExample('message-an-agent.json');
	const [first] = itemsOf(execution, 'Greet the Agent');
	const [second] = itemsOf(execution, 'Ask Again');
	expect(first?.json).toMatchObject({
		output:
			'You said: "Hello! My project is called Lighthouse.". This is message 1 of this session.',
		complete: true,
		format: 'sse',
	});
	expect(second?.json).toMatchObject({
		output: expect.stringContaining('This is message 2 of this session'),
		sessionId: first?.json['sessionId'],
		complete: true,
	});
});

it('asks the market assistant, whole and streamed, in one chat', async () => {
	const execution = await runExample('ask-the-market-assistant.json');
	const [first] = itemsOf(execution, 'Ask');
	const [second] = itemsOf(execution, 'Ask Again');
	expect(first?.json).toMatchObject({
		output: expect.stringContaining('message 1 of this chat'),
		complete: true,
	});
	expect(second?.json).toMatchObject({
		output: expect.stringContaining('message 2 of this chat'),
		chatId: first?.json['chatId'],
		complete: true,
		toolCalls: [
			{ finished: true, title: { en: 'Reading market data', de: 'Marktdaten werden gelesen' } },
		],
	});
});

it('chats with a model', async () => {
	const execution = await runExample('chat-with-a-model.json');
	const [answer] = itemsOf(execution, 'Chat');
	expect(answer?.json).toMatchObject({
		output: 'You said: "What is a model router?".',
		finishReason: 'stop',
		complete: true,
		usage: { completion_tokens: expect.any(Number) },
		requestId: expect.any(String),
	});
});

it('reads an order into fields that fit a schema', async () => {
	const execution = await runExample('read-an-order.json');
	const [answer] = itemsOf(execution, 'Read the Order');
	expect(answer?.json).toMatchObject({
		parsed: {
			customer: expect.any(String),
			items: [{ name: expect.any(String), quantity: expect.any(Number) }],
			urgent: expect.any(Boolean),
		},
		output: expect.stringMatching(/^\{/),
		costUsd: expect.any(Number),
		costComputed: true,
		complete: true,
	});
	const { customer, urgent } = answer?.json['parsed'] as Record<string, unknown>;
	expect(rowsOf(execution, 'Save the Order')).toEqual([
		{ customer, urgent, items: expect.stringMatching(/\d+ x /), costUsd: answer?.json['costUsd'] },
	]);
});

it('looks at a picture', async () => {
	const execution = await runExample('look-at-a-picture.json');
	const [answer] = itemsOf(execution, 'Describe It');
	expect(answer?.json['output']).toContain('I was shown 1 image(s)');
	expect(JSON.stringify(bridge.service.requests.at(-1)?.body)).toContain(
		'"image_url":{"url":"data:image/png;base64,iVBORw0KGgo',
	);
});

it('lets a model use a tool', async () => {
	const execution = await runExample('let-a-model-use-a-tool.json');
	const [asked] = itemsOf(execution, 'Ask');
	expect(asked?.json).toMatchObject({
		finishReason: 'tool_calls',
		toolCalls: [{ name: 'get_weather', arguments: { city: expect.any(String) } }],
	});
	const [answer] = itemsOf(execution, 'Answer');
	expect(answer?.json).toMatchObject({
		output: 'The tool said: 12 °C and rain',
		complete: true,
	});
});

it('makes a picture and downloads it', async () => {
	const execution = await runExample('make-a-picture.json');
	const [picture] = itemsOf(execution, 'Make a Picture');
	expect(picture?.json).toMatchObject({
		state: 'completed',
		mediaType: 'images',
		jobId: expect.any(String),
		file: { mimeType: 'image/png', bytes: expect.any(Number) },
	});
	expect(picture?.binary?.['data']).toMatchObject({ mimeType: 'image/png' });
	expect(bridge.service.starts('A lighthouse at dawn')).toBe(1);
});

it('reads a text aloud', async () => {
	const execution = await runExample('read-a-text-aloud.json');
	const [speech] = itemsOf(execution, 'Read Aloud');
	expect(speech?.json).toMatchObject({ state: 'completed', mediaType: 'audio' });
	expect(speech?.binary?.['data']?.mimeType).toMatch(/^audio\//);
	expect(bridge.service.starts('Good morning')).toBe(1);
});

describe('threads', () => {
	it('answers every thread in its own session, and goes on with it in a later execution', async () => {
		bridge.service.reset();
		const answersOf = async () => {
			const execution = await runExample('answer-threads.json');
			const [answers, replies] = [itemsOf(execution, 'Answer'), itemsOf(execution, 'Reply')].map(
				(items) => items.map(({ json }) => json),
			);
			expect(rowsOf(execution, 'Save the Replies')).toEqual(replies);
			return [answers, replies];
		};
		const [answers = [], replies] = await answersOf();
		const sessions = answers.map(({ sessionId }) => String(sessionId));
		expect(sessions).toEqual([0, 1, 0, 1].map((thread) => sessions[thread]));
		expect(new Set(sessions).size).toBe(2);
		// as anybody can work it out from the channel and the thread
		const space = uuidV5(NAMESPACE_URL, bridge.service.agent.baseUrl('ws-1'));
		expect(sessions[0]).toBe(uuidV5(space, 'key C-support 1764000000.000100'));
		const reply = (thread: string, text: string) => ({
			channel: 'C-support',
			thread_ts: thread,
			text,
		});
		const [ada, bob] = ['1764000000.000100', '1764000050.000200'];
		expect(replies).toEqual([
			reply(ada, 'You said: "My order 4711 has not arrived.". This is message 1 of this session.'),
			reply(bob, 'You said: "How do I change my address?". This is message 1 of this session.'),
			reply(
				ada,
				'You said: "It was ordered on Monday.". This is message 2 of this session; before it you said: "My order 4711 has not arrived.".',
			),
			reply(
				bob,
				'You said: "And the one for invoices?". This is message 2 of this session; before it you said: "How do I change my address?".',
			),
		]);
		const [later = []] = await answersOf();
		expect(later.map(({ sessionId }) => sessionId)).toEqual(sessions);
		expect(later.at(-1)?.['output']).toContain('This is message 4 of this session');
	});
});

describe('several services in one workflow', () => {
	beforeEach(() => bridge.service.reset());

	it('has a message written from what the assistant found', async () => {
		const execution = await runExample('research-for-a-message.json');
		const [research] = itemsOf(execution, 'Research');
		const [message] = itemsOf(execution, 'Write the Message');
		const { question, output } = research?.json as { question: string; output: string };
		for (const word of ['ETH', 'price', '24-hour performance', 'support and resistance'])
			expect(question.toLowerCase()).toContain(word.toLowerCase());
		expect(output).toContain(question);
		const [told] = bridge.service.requests.filter(({ path }) => path.includes('/session/'));
		const { content } = told?.body as { content: string };
		expect(content).toMatch(/^Write a message of three sentences at most/);
		expect(content).toContain(output);
		expect(message?.json).toMatchObject({ complete: true, sessionSource: 'new' });
		expect(message?.json['output']).toContain(output);
	});

	it('asks many questions, none of which the service refuses', async () => {
		const execution = await runExample('questions-under-the-rate-limit.json');
		const answers = itemsOf(execution, 'Answers').map(({ json }) => json);
		const asked = bridge.service.requests.filter(({ path }) => /invoke_assistant$/.test(path));
		expect(asked).toHaveLength(6);
		expect(answers).toHaveLength(6);
		for (const { question, answer } of answers) expect(answer).toContain(question);
		const sample = itemsOf(execution, 'Sample Data').map(({ json }) => json['question']);
		expect(answers.map(({ question }) => question)).toEqual(sample);
		expect(rowsOf(execution, 'Save the Answers')).toEqual(
			answers.map((row) => ({ ...row, why: null })),
		);
		expect(execution.runData['Not Answered']).toBeUndefined();
	});

	it('and a question that fails is with those that were not answered', async () => {
		bridge.service.fault({
			match: { method: 'POST', bodyIncludes: 'Arbitrum' },
			do: { type: 'status', status: 400 },
		});
		const execution = await runExample('questions-under-the-rate-limit.json');
		expect(itemsOf(execution, 'Answers')).toHaveLength(5);
		expect(rowsOf(execution, 'Save the Answers')).toHaveLength(6);
		expect(itemsOf(execution, 'Not Answered')).toMatchObject([
			{
				json: {
					question: 'What do communities say about Arbitrum?',
					why: expect.stringContaining('refused the request (400)'),
				},
			},
		]);
	});

	it('lets a model judge the answers of two agents', async () => {
		const execution = await runExample('judge-two-agents.json');
		const [firsts, seconds, verdicts] = ['First Agent', 'Second Agent', 'Verdict'].map((name) =>
			itemsOf(execution, name).map(({ json }) => json),
		);
		const judged = bridge.service.requests.filter(({ path }) => /chat\/completions/.test(path));
		expect([judged, verdicts].map((list) => list?.length)).toEqual([2, 2]);
		for (const [index, verdict] of verdicts?.entries() ?? []) {
			const prompt = JSON.stringify(judged[index]?.body);
			const answers = [firsts, seconds].map((list) => String(list?.[index]?.['output']));
			for (const text of [String(verdict['question']), ...answers])
				expect(prompt).toContain(JSON.stringify(text).slice(1, -1));
			// the service's model takes the first of what the schema allows
			expect(verdict).toMatchObject({ better: 'first', answer: answers[0] });
			expect(verdict['reason']).toEqual(expect.any(String));
		}
		expect(rowsOf(execution, 'Save the Verdicts')).toEqual(verdicts);
		for (const workspace of ['ws-1', 'ws-2'])
			expect(
				bridge.service.requests.filter(({ path }) => path.includes(`/${workspace}/`)),
			).toHaveLength(2);
	});
});
