import { readdirSync, readFileSync } from 'node:fs';

import { mediaFile } from './media/file.ts';
import { client, eventsIn } from './probe.ts';
import { startService, type Service } from './service.ts';

let service: Service;
beforeAll(async () => (service = await startService({ personas: true })));
beforeEach(() => {
	service.reset();
	service.forms.agent = 'json';
});
afterAll(() => service.stop());

const session = (last: number) => `3f0a8f9e-6f5d-4a53-9c39-5a1f0f2b7d${last + 10}`;

async function tell(content: string, workspace = 'ws-1', number = 1): Promise<string> {
	const { data } = await client(service.agent.baseUrl(workspace)).post<{ content: string }>(
		`/session/${session(number)}/messages`,
		{ content },
		{ headers: { authorization: `Bearer ${service.agent.key(workspace)}` } },
	);
	return data.content;
}

async function ask(message: string, chat?: string) {
	const http = client(service.assistant.baseUrl, { 'x-api-key': service.assistant.keys.pro });
	const { data } = await http.post<{ chat_id: string; answer: string }>('/invoke_assistant', {
		message,
		...(chat && { chat_id: chat }),
	});
	return data;
}

interface Reply {
	content: string | null;
	tool_calls?: Array<{ id: string; function: { name: string; arguments: string } }>;
}

async function complete(messages: object[], more: object = {}): Promise<Reply> {
	const http = client(service.router.baseUrl, { 'x-api-key': service.router.keys.main });
	const model = 'aurora-labs/omni-2';
	const body = { model, messages, ...more };
	const { data } = await http.post<{ choices: [{ message: Reply }] }>('/v1/chat/completions', body);
	return data.choices[0].message;
}

const user = (content: unknown) => ({ role: 'user', content });
const system = (content: string) => ({ role: 'system', content });

describe('two agents', () => {
	/** Passes on what one says to the other, until one says the stop phrase. */
	async function talk(opening: string, [first, second]: [string, string]): Promise<string[]> {
		const spoken: string[] = [];
		for (let turn = 0; turn < 8 && !spoken.at(-1)?.includes('[AGREED]'); turn++) {
			const instruction = [first, second][turn] ?? '';
			const message = `${instruction}\n\n${spoken.at(-1) ?? opening}`;
			spoken.push(await tell(message, turn % 2 ? 'ws-2' : 'ws-1'));
		}
		return spoken;
	}
	const opening = 'Please agree with your colleague on a day for the release of Lighthouse.';
	const say = 'Say [AGREED] once you both agree on a day.';

	it.each([
		['one day', 'Tuesday', 'Wednesday at 10:00'],
		['three days', 'Tuesday, Wednesday and Thursday', 'Friday at 10:00'],
		['four days', 'Tuesday, Wednesday, Thursday and Friday', 'Monday of next week at 10:00'],
	])('whose tests need %s agree on a day that leaves them', async (days, tests, agreed) => {
		const spoken = await talk(opening, [
			`You plan the release. ${say}`,
			`You run the tests, and need ${days} for them. ${say}`,
		]);
		expect(spoken).toEqual([
			expect.stringContaining('release Lighthouse on Tuesday'),
			expect.stringContaining(
				`: ${tests}. The first day I can agree to is ${agreed.replace(' at 10:00', '')}.`,
			),
			expect.stringContaining(`Do we agree on ${agreed}?`),
			expect.stringMatching(new RegExp(`^Yes, ${agreed}\\. .*\\[AGREED\\]$`)),
		]);
	});

	it('say the same again in another conversation', async () => {
		const first = await talk(opening, [
			`You plan the release. ${say}`,
			`You run the tests. ${say}`,
		]);
		service.world.sessions.clear();
		const again = await talk(opening, [
			`You plan the release. ${say}`,
			`You run the tests. ${say}`,
		]);
		expect(again).toEqual(first);
	});

	it('give different advice, and a model picks the better one', async () => {
		const schema = {
			type: 'object',
			properties: { better: { enum: ['first', 'second', 'neither'] }, reason: { type: 'string' } },
		};
		const format = { type: 'json_schema', json_schema: { name: 'verdict', schema } };
		const verdicts: unknown[] = [];
		for (const question of ['How do we announce a delay?', 'Which figures begin our report?']) {
			const [first, second] = [await tell(question), await tell(question, 'ws-2')];
			const prompt = `Which is better?\n\nFirst answer:\n${first}\n\nSecond answer:\n${second}`;
			const { content } = await complete([user(prompt)], { response_format: format });
			verdicts.push(JSON.parse(content ?? ''));
		}
		expect(verdicts).toEqual([
			{ better: 'first', reason: expect.stringContaining('The first answer names 5 steps') },
			{ better: 'second', reason: expect.stringContaining('The second answer names 3 steps') },
		]);
	});
});

describe('an agent', () => {
	it('remembers what it was told, in its session only', async () => {
		expect(await tell('Hello! My project is called Lighthouse.')).toMatch(
			/^Hello! I will remember/,
		);
		expect(await tell('What is my project called?')).toBe('Your project is called Lighthouse.');
		expect(await tell('What is my project called?', 'ws-1', 2)).toMatch(
			/^I do not know your project/,
		);
		expect(await tell('What is a model router?')).toMatch(/^A model router is one address/);
		expect(await tell('Who are you?')).toContain('I know that your project is called Lighthouse');
	});

	it('helps customers, and knows what a thread is about', async () => {
		await tell('My order 4711 has not arrived.');
		expect(await tell('It was ordered on Monday.')).toMatch(
			/Order 4711 of Monday .* two days later/,
		);
		expect(await tell('My order 4711 has not arrived.')).toMatch(/^As I wrote before: /);
		expect(await tell('How do I change my address?', 'ws-1', 2)).toContain('Addresses');
		expect(await tell('And the one for invoices?', 'ws-1', 2)).toContain('on the same page');
	});

	it('writes three sentences, and takes up what a model says about them', async () => {
		const draft = await tell(
			'Write an announcement of the release of Lighthouse, in three sentences.',
		);
		expect(draft.match(/[.!?](\s|$)/g)).toHaveLength(3);
		const instruction = 'You review announcements. Name one thing to improve, or say [APPROVED].';
		const history: object[] = [user(`${instruction}\n\nWriter says:\n\n${draft}`)];
		const { content: remark } = await complete(history);
		expect(remark).toContain('does not say when');
		const better = await tell(`Reviewer says:\n\n${remark}`);
		expect(better).toContain('Friday at 10:00');
		history.push({ role: 'assistant', content: remark }, user(`Writer says:\n\n${better}`));
		expect((await complete(history)).content).toMatch(/\[APPROVED\]$/);
	});

	it('questions the assistant, then sums up its figures', async () => {
		const instruction = 'You can question a market assistant. Once you know enough, say [ENOUGH].';
		const question = await tell(`${instruction}\n\nFind out which wallets bought the most ETH.`);
		expect(question).toBe('Which wallets bought the most ETH? Please name each with its amount.');
		const { answer } = await ask(question);
		const summary = await tell(answer);
		expect(summary).toMatch(/^In sum: 0x\S+ and 0x\S+ lead with 2,300 ETH and 1,449 ETH/);
		expect(summary).toMatch(/invented.*\[ENOUGH\]$/);
	});
});

describe('a moderator', () => {
	const prompt = (...said: string[]) =>
		[
			'You moderate a conversation. Decide who speaks next.',
			'The speakers:\n- Ada: Writes\n- Bob',
			`The conversation so far:\n\n${['Write a note.', ...said].join('\n\n')}`,
			'Answer with the name of exactly one speaker. Write nothing else.',
		].join('\n\n');

	it.each([
		['who has not spoken', 'Ada', []],
		['the other one', 'Bob', ['Ada: A note.']],
		['who has to change it', 'Ada', ['Ada: A note.', 'Bob: When?']],
		['nobody once it is approved', 'DONE', ['Ada: A note.', 'Bob: Good. [APPROVED]']],
	])('names %s', async (_who, named, said) => {
		expect((await complete([user(prompt(...said))])).content).toBe(named);
	});
});

describe('the market assistant', () => {
	it('covers what is asked for, marks its figures as invented, and goes on with the chat', async () => {
		const first = await ask('What moved the price of SOL in the last 24 hours?');
		expect(first.answer).toMatch(
			/^Figures for SOL:\n- Price: 187.30 USD\n- Change: .*\n- What moved it: /,
		);
		expect(first.answer).toContain('All figures are invented');
		const second = await ask('Which wallets sold the most of it?', first.chat_id);
		expect(second.answer).toMatch(/^Still on SOL, as before in this chat:\n- Largest sellers:\n/);
		expect((await ask('What moved the price of SOL in the last 24 hours?')).answer).toBe(
			first.answer,
		);
	});

	it('answers a guided question point by point', async () => {
		const { answer } = await ask(
			'What does a token analysis show about BTC on Solana? Please cover balances of whales and top transfers.\n\nLists have at most 2 entries. Answer in German.',
		);
		expect(answer.match(/^- .*$/gm)).toEqual(['- Whales:', '- Largest transfers:']);
		expect(answer.match(/^ {2}\d\. /gm)).toHaveLength(4);
		expect(answer).toContain('in English and not in German');
	});

	it('tells which tools it has used', async () => {
		const http = client(service.assistant.baseUrl, { 'x-api-key': service.assistant.keys.pro });
		const { data } = await http.post<string>('/invoke_assistant_stream', {
			message: 'What moved the price of ETH, and who sold it?',
		});
		const titles = eventsIn(data).flatMap(({ event, data: text = '' }) =>
			event === 'pending_tool_call'
				? [(JSON.parse(text) as { title: { en: string } }).title.en]
				: [],
		);
		expect(titles).toEqual(['Reading market data', 'Searching the web']);
	});
});

describe('a model', () => {
	it.each([
		['Answer in one sentence.', /^[^.]+\.$/],
		['Answer in two sentences.', /^[^.]+\. [^.]+\.$/],
		['Answer as a list.', /^- A model router .*\n- /],
		['Answer in capitals.', /^A MODEL ROUTER IS/],
		['Begin every answer with "Dear reader,".', /^Dear reader, A model router/],
		['End each answer with "Over and out".', /Over and out$/],
	])('follows its system message: %s', async (told, expected) => {
		const { content } = await complete([system(told), user('What is a model router?')]);
		expect(content).toMatch(expected);
	});

	it('remembers, calculates and says what it is', async () => {
		const told = user('Hello! My team is called Lighthouse.');
		expect((await complete([told])).content).toMatch(/^Hello! I will remember/);
		const history = [told, { role: 'assistant', content: 'Noted.' }];
		const { content } = await complete([...history, user('What is my team called?')]);
		expect(content).toBe('Your team is called Lighthouse.');
		expect((await complete([user('What is 17 * 23?')])).content).toBe('17 * 23 is 391.');
		expect((await complete([user('Tell me a story.')])).content).toContain(
			'my answers are scripted',
		);
	});

	it('reads a text into the fields of a schema', async () => {
		const properties = {
			customer: { type: 'string' },
			items: {
				type: 'array',
				items: {
					type: 'object',
					properties: { name: { type: 'string' }, quantity: { type: 'integer', minimum: 1 } },
				},
			},
			urgent: { type: 'boolean' },
		};
		const schema = { type: 'object', properties };
		const read = async (text: string) => {
			const format = { type: 'json_schema', json_schema: { name: 'order', schema } };
			const { content } = await complete([user(text)], { response_format: format });
			return JSON.parse(content ?? '') as unknown;
		};
		expect(
			await read('Hello, this is Ada. Please send me two lamps and one rug, quickly!'),
		).toEqual({
			customer: 'Ada',
			items: [
				{ name: 'lamp', quantity: 2 },
				{ name: 'rug', quantity: 1 },
			],
			urgent: true,
		});
		expect(await read('My name is Bob. I need 12 chairs; there is no haste.')).toEqual({
			customer: 'Bob',
			items: [{ name: 'chair', quantity: 12 }],
			urgent: false,
		});
	});

	it('calls a tool where it helps, and uses its result', async () => {
		const properties = { city: { type: 'string' } };
		const tools = [
			{
				type: 'function',
				function: { name: 'get_weather', parameters: { type: 'object', properties } },
			},
		];
		const question = user('Do I need an umbrella in Cologne?');
		const asked = await complete([question], { tools });
		const [call] = asked.tool_calls ?? [];
		expect(call?.function).toEqual({ name: 'get_weather', arguments: '{"city":"Cologne"}' });
		const answerTo = async (result: string) => {
			const told = { role: 'tool', tool_call_id: call?.id, content: result };
			return (await complete([question, { role: 'assistant', ...asked }, told], { tools })).content;
		};
		expect(await answerTo('12 °C and rain')).toBe(
			'Yes, take an umbrella: it is 12 °C and rain in Cologne.',
		);
		expect(await answerTo('25 °C and sun')).toMatch(/^No, leave the umbrella at home/);
		expect((await complete([user('What is n8n?')], { tools })).tool_calls).toBeUndefined();
	});

	it('reads the answer in what an AI Agent of n8n hands over as the result of a tool', async () => {
		const properties = { question: { type: 'string' } };
		const tools = [
			{
				type: 'function',
				function: { name: 'Market_Assistant', parameters: { type: 'object', properties } },
			},
		];
		const question = user('How is the market for ETH today?');
		const asked = await complete([question], { tools });
		const content = JSON.stringify([{ output: 'Figures for "ETH":\n- up.', complete: true }]);
		const told = { role: 'tool', tool_call_id: asked.tool_calls?.[0]?.id, content };
		const answer = await complete([question, { role: 'assistant', ...asked }, told], { tools });
		expect(answer.content).toBe('I have looked it up: Figures for "ETH":\n- up.');
	});

	it('describes a picture of the demo', async () => {
		const { bytes } = mediaFile({ kind: 'image', id: 'x', prompt: 'A lighthouse in the fog' });
		const url = `data:image/png;base64,${bytes.toString('base64')}`;
		const parts = [
			{ type: 'text', text: 'What is this?' },
			{ type: 'image_url', image_url: { url } },
		];
		const { content } = await complete([user(parts)]);
		expect(content).toMatch(/^A lighthouse .* under thick fog/);
		const other = [{ type: 'image_url', image_url: { url: 'data:image/jpeg;base64,AAAA' } }];
		expect((await complete([user(other)])).content).toContain('only the pictures of the demo');
	});
});

/** The messages, prompts and questions of sample data: in the code of a Code node, or in the fields of Edit Fields. */
const textsIn = (parameters: Record<string, unknown>): string[] =>
	[
		...JSON.stringify(parameters).matchAll(
			/(?:text|question|prompt)(?:\\?": |: )\\"(.*?)\\"|"name":"(?:text|question|prompt)","value":"(.*?)"/g,
		),
	].map(([, inCode, inField]) => inCode ?? inField ?? '');

it.each(readdirSync('gallery'))('%s gets no echo for an answer', async (file) => {
	const example = JSON.parse(readFileSync(`gallery/${file}`, 'utf8')) as {
		nodes: Array<{ name: string; type: string; parameters: Record<string, unknown> }>;
	};
	const samples = example.nodes.filter(({ name }) => name === 'Sample Data');
	const ours = example.nodes.filter(({ type }) => type.startsWith('n8n-nodes-agent-bridge.'));
	const texts = ours
		.flatMap(({ parameters: { message, prompt, question } }) => [message, prompt, question])
		.concat(samples.flatMap(({ parameters }) => textsIn(parameters)))
		.filter((text) => typeof text === 'string' && text !== '' && !text.startsWith('='));
	for (const text of texts.map(String)) {
		const answers = [
			await tell(text),
			await tell(text, 'ws-2'),
			(await ask(text)).answer,
			(await complete([user(text)])).content,
		];
		for (const answer of answers) {
			expect(answer).toMatch(/\w/);
			expect(answer).not.toMatch(/you said|undefined|NaN|\[object/i);
		}
	}
});

it('does what a directive says, as without personas', async () => {
	expect(await tell('[[words:3]]')).toBe('word1 word2 word3');
	expect((await complete([user('[[say:as told]]')])).content).toBe('as told');
	expect((await ask('[[words:2]]')).answer).toBe('word1 word2');
});
