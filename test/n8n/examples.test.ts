import { NAMESPACE_URL, uuidV5 } from '../../src/n8n/uuid.ts';
import { itemsOf } from './execution.ts';
import { galleryOfFile, given, rowsOf } from './gallery.ts';

// the workflows of the gallery that run from the editor by themselves
const { bridge, load, run, sentTo, modelCalls } = galleryOfFile({});

const runExample = async (file: string) => await run(load(file));

it('messages an agent twice in one session', async () => {
	const execution = await runExample('message-an-agent.json');
	const [first] = given(execution, 'Greet the Agent');
	expect(first).toMatchObject({
		output:
			'You said: "Hello! My project is called Lighthouse.". This is message 1 of this session.',
		complete: true,
		format: 'sse',
	});
	expect(given(execution, 'Ask Again')).toMatchObject([
		{
			output: expect.stringContaining('This is message 2 of this session'),
			sessionId: first?.['sessionId'],
			complete: true,
		},
	]);
});

it('asks the market assistant, whole and streamed, in one chat', async () => {
	const execution = await runExample('ask-the-market-assistant.json');
	const [first] = given(execution, 'Ask');
	expect(first).toMatchObject({
		output: expect.stringContaining('message 1 of this chat'),
		complete: true,
	});
	const title = { en: 'Reading market data', de: 'Marktdaten werden gelesen' };
	expect(given(execution, 'Ask Again')).toMatchObject([
		{
			output: expect.stringContaining('message 2 of this chat'),
			chatId: first?.['chatId'],
			complete: true,
			toolCalls: [{ finished: true, title }],
		},
	]);
});

it('chats with a model', async () => {
	expect(given(await runExample('chat-with-a-model.json'), 'Chat')).toMatchObject([
		{
			output: 'You said: "What is a model router?".',
			finishReason: 'stop',
			complete: true,
			requestId: expect.any(String),
			usage: { completion_tokens: expect.any(Number) },
		},
	]);
});

it('reads an order into fields that fit a schema', async () => {
	const execution = await runExample('read-an-order.json');
	const [answer] = given(execution, 'Read the Order');
	expect(answer).toMatchObject({
		output: {
			customer: expect.any(String),
			urgent: expect.any(Boolean),
			items: [{ name: expect.any(String), quantity: expect.any(Number) }],
		},
		text: expect.stringMatching(/^\{/),
		costUsd: expect.any(Number),
		costComputed: true,
		complete: true,
	});
	const { customer, urgent } = answer?.['output'] as Record<string, unknown>;
	expect(rowsOf(execution, 'Save the Order')).toEqual([
		{ customer, urgent, items: expect.stringMatching(/\d+ x /), costUsd: answer?.['costUsd'] },
	]);
});

it('looks at a picture', async () => {
	const execution = await runExample('look-at-a-picture.json');
	const [answer] = given(execution, 'Describe It');
	expect(answer?.['output']).toContain('I was shown 1 image(s)');
	expect(bridge.service.requests.at(-1)?.bodyText).toContain(
		'"image_url":{"url":"data:image/png;base64,iVBORw0KGgo',
	);
});

it('lets a model use a tool', async () => {
	const execution = await runExample('let-a-model-use-a-tool.json');
	const call = { name: 'get_weather', arguments: { city: expect.any(String) } };
	expect(given(execution, 'Ask')).toMatchObject([
		{ finishReason: 'tool_calls', toolCalls: [call] },
	]);
	expect(given(execution, 'Answer')).toMatchObject([
		{ output: 'The tool said: 54 °F and rain', complete: true },
	]);
});

it('makes a picture: starts one job and downloads its file', async () => {
	const [item] = itemsOf(await runExample('make-a-picture.json'), 'Make a Picture');
	const mimeType = 'image/png';
	expect(item).toMatchObject({
		json: {
			state: 'completed',
			mediaType: 'images',
			jobId: expect.any(String),
			file: { mimeType, bytes: expect.any(Number) },
		},
		binary: { data: { mimeType } },
	});
	expect(bridge.service.starts('A lighthouse at dawn')).toBe(1);
});

it('answers every thread in its own session, and goes on with it in a later execution', async () => {
	const answersOf = async () => {
		const execution = await runExample('answer-many-threads.json');
		const replies = given(execution, 'Reply');
		expect(rowsOf(execution, 'Save the Replies')).toEqual(replies);
		const answers = given(execution, 'Answer');
		return { answers, replies, sessions: answers.map(({ sessionId }) => String(sessionId)) };
	};
	const { replies, sessions } = await answersOf();
	expect(sessions).toEqual([0, 1, 0, 1].map((thread) => sessions[thread]));
	expect(new Set(sessions).size).toBe(2);
	// as anybody can work it out from the channel and the thread
	const space = uuidV5(NAMESPACE_URL, bridge.service.agent.baseUrl('ws-1'));
	expect(sessions[0]).toBe(uuidV5(space, 'key C-support 1764000000.000100'));
	const [ada, bob] = ['1764000000.000100', '1764000050.000200'];
	const said = (text: string, number: number, before?: string) =>
		`You said: "${text}". This is message ${number} of this session${before ? `; before it you said: "${before}"` : ''}.`;
	const [order, address] = ['My order 4711 has not arrived.', 'How do I change my address?'];
	expect(replies).toEqual(
		[
			[ada, said(order, 1)],
			[bob, said(address, 1)],
			[ada, said('It was ordered on Monday.', 2, order)],
			[bob, said('And the one for invoices?', 2, address)],
		].map(([thread_ts, text]) => ({ channel: 'C-support', thread_ts, text })),
	);
	const later = await answersOf();
	expect(later.sessions).toEqual(sessions);
	expect(later.answers.at(-1)?.['output']).toContain('This is message 4 of this session');
});

it('has a message written from what the assistant found', async () => {
	const execution = await runExample('research-for-a-message.json');
	const [{ output }] = given(execution, 'Research') as [Record<string, string>];
	for (const word of ['ETH', 'price', '24-hour performance', 'support and resistance'])
		expect(output?.toLowerCase()).toContain(word.toLowerCase());
	const { content } = sentTo(/\/session\//)[0]?.body as { content: string };
	expect(content).toMatch(/^Write a message of three sentences at most/);
	expect(content).toContain(output);
	expect(given(execution, 'Write the Message')).toMatchObject([
		{ complete: true, sessionSource: 'new', output: expect.stringContaining(output!) },
	]);
});

it('asks many questions under the rate limit, and a question that fails is with those that were not answered', async () => {
	const file = 'questions-under-the-rate-limit.json';
	const execution = await runExample(file);
	const answers = given(execution, 'Answers');
	expect(sentTo(/invoke_assistant$/)).toHaveLength(6);
	const sample = given(execution, 'Sample Data').map(({ question }) => question);
	expect(sample).toHaveLength(6);
	expect(answers.map(({ question }) => question)).toEqual(sample);
	for (const { question, answer } of answers) expect(answer).toContain(question);
	expect(rowsOf(execution, 'Save the Answers')).toEqual(
		answers.map((row) => ({ ...row, why: null })),
	);
	expect(execution.runData['Not Answered']).toBeUndefined();

	bridge.service.fault({
		match: { method: 'POST', bodyIncludes: 'Arbitrum' },
		do: { type: 'status', status: 400 },
	});
	const failing = await runExample(file);
	expect(given(failing, 'Answers')).toHaveLength(5);
	expect(rowsOf(failing, 'Save the Answers')).toHaveLength(6);
	expect(given(failing, 'Not Answered')).toMatchObject([
		{
			question: 'What do communities say about Arbitrum?',
			why: expect.stringContaining('refused the request (400)'),
		},
	]);
});

it('lets a model judge the answers of two agents', async () => {
	const execution = await runExample('compare-two-agents-with-a-model-as-judge.json');
	const [firsts = [], seconds = [], verdicts = []] = ['First Agent', 'Second Agent', 'Verdict'].map(
		(name) => given(execution, name),
	);
	expect([modelCalls().length, verdicts.length]).toEqual([2, 2]);
	for (const [index, verdict] of verdicts.entries()) {
		const answers = [firsts, seconds].map((list) => String(list[index]?.['output']));
		for (const text of [String(verdict['question']), ...answers])
			expect(modelCalls()[index]?.bodyText).toContain(JSON.stringify(text).slice(1, -1));
		// the service's model takes the first of what the schema allows
		expect(verdict).toMatchObject({
			better: 'first',
			answer: answers[0],
			reason: expect.any(String),
		});
	}
	expect(rowsOf(execution, 'Save the Verdicts')).toEqual(verdicts);
	expect([sentTo(/\/ws-1\//).length, sentTo(/\/ws-2\//).length]).toEqual([2, 2]);
});
