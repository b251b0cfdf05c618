import { GALLERY, LESSONS, readExample } from '../test/n8n/example.ts';
import { ask } from '../test/service/contract/ask.ts';
import { mediaFile } from '../test/service/media/file.ts';
import { startService, type Service } from '../test/service/service.ts';

// the answers of the demo that no workflow of the gallery gets in a real n8n (test/n8n/gallery*.test.ts)
let service: Service;
beforeAll(async () => (service = await startService({ personas: true })));
beforeEach(() => service.reset());
afterAll(() => service.stop());

/** Tells an agent one message after the other, in one session. @returns its last answer */
async function tell(said: string[], workspace = 'ws-1', session = 0) {
	const id = `3f0a8f9e-6f5d-4a53-9c39-5a1f0f2b7d1${session}`;
	const path = `/api/v1/workspaces/${workspace}/session/${id}/messages`;
	let answer = '';
	for (const content of said) answer = (await ask(service, { path, body: { content } })).text;
	return answer;
}

/** Asks the market assistant, in one chat. */
async function inquire(...questions: string[]) {
	let chat: object = {};
	let answer = '';
	for (const message of questions) {
		const body = { message, ...chat };
		const seen = await ask(service, { path: '/api/ai-assistant/v1/invoke_assistant', body });
		chat = { chat_id: (seen.body as { chat_id: string }).chat_id };
		answer = seen.text;
	}
	return answer;
}

const user = (content: unknown) => ({ role: 'user', content });
const system = (content: string) => ({ role: 'system', content });
const complete = async (messages: object[], more: object = {}) =>
	await ask(service, {
		path: '/v1/chat/completions',
		body: { model: 'aurora-labs/omni-2', messages, ...more },
	});
const fieldsOf = async (text: string, properties: object): Promise<unknown> => {
	const schema = { type: 'object', properties };
	const format = { type: 'json_schema', json_schema: { name: 'x', schema } };
	return JSON.parse((await complete([user(text)], { response_format: format })).text);
};
const toolNamed = (name: string, property: string) => ({
	tools: [
		{
			type: 'function',
			function: {
				name,
				parameters: { type: 'object', properties: { [property]: { type: 'string' } } },
			},
		},
	],
});

const HELLO = 'Hello! My project is called Lighthouse.';
const ORDER = 'My order 4711 has not arrived.';
const WRITE = 'Write an announcement of the release of Lighthouse, in three sentences.';
const RESEARCH =
	'Write a message from this research.\n\nFigures for ETH:\n- Price: 3,412.50 USD\n- Change: up 2.4%\n';
const ANALYST = 'You can question a market assistant. Once you know enough, say [ENOUGH].';
const BOUGHT = `${ANALYST}\n\nFind out which wallets bought the most ETH.`;

it.each([
	[[HELLO], /^Hello! I will remember that your project is called Lighthouse\./],
	[[HELLO, 'What is my project called?'], /^Your project is called Lighthouse\.$/],
	[['What is my project called?'], /^I do not know your project yet/],
	[[HELLO, 'Who are you?'], /scripted\. .* I know that your project is called Lighthouse\.$/],
	[['What is a model router?'], /^A model router is one address/],
	[[ORDER], /^I am sorry that order 4711 is not there yet/],
	[[ORDER, 'It was ordered on Monday.'], /^Thank you\. Order 4711 of Monday left/],
	[[ORDER, ORDER], /^As I wrote before: I am sorry/],
	[['How do I change my address?'], /^Open Account, then Addresses/],
	[['How do I change my address?', 'And the one for invoices?'], /on the same page/],
	[[WRITE], /^Lighthouse is here\. [^.]+\. [^.]+\.$/],
	[[WRITE, 'It does not say when.'], /^Lighthouse is here from Friday at 10:00 on/],
	[[RESEARCH], /^ETH stands at 3,412\.50 USD, up 2\.4%\. .* not advice to buy or sell\.$/],
	[[`${RESEARCH}- Support and resistance: 3,200`], /The levels that traders watch are 3,200\./],
	[['You edit answers.\n\nOpen Account.'], /^Hello! Open Account\. Kind regards/],
	[[BOUGHT], /^Which wallets bought the most ETH\? Please name each with its amount\.$/],
	[[BOUGHT, 'Nobody knows.'], /^This is what there is to know: Nobody knows\. \[ENOUGH\]$/],
	[['[[words:3]]'], /^word1 word2 word3$/],
])('an agent that is told %j', async (said, answer) => {
	expect(await tell(said)).toMatch(answer);
});

it.each([
	['How do we announce a delay?', 'first', 5],
	['Which figures begin our report?', 'second', 3],
])('%s: two agents advise, and a model finds the %s better', async (question, better, steps) => {
	const [first, second] = [await tell([question]), await tell([question], 'ws-2')];
	const prompt = `Which is better?\n\nFirst answer:\n${first}\n\nSecond answer:\n${second}`;
	const fields = {
		better: { enum: ['first', 'second', 'neither'] },
		reason: { type: 'string' },
	};
	const reason = expect.stringContaining(`The ${better} answer names ${steps} steps`) as string;
	expect(await fieldsOf(prompt, fields)).toEqual({ better, reason });
});

const MOVED = 'What moved the price of SOL in the last 24 hours?';
it.each([
	[[MOVED], /^Figures for SOL:\n- Price: 187\.30 USD\n- Change: .*\n- What moved it: [^{}]*$/],
	[[MOVED, 'Which wallets sold the most of it?'], /^Still on SOL, .*:\n- Largest sellers:\n/],
	[['Tell me of XYZ'], /^Figures for XYZ:\n- Price: .*\n- Change: /],
	[[MOVED], /\n\nAll figures are invented/],
	[
		[
			'What are the balances of whales and the largest transfers of BTC?\n\nLists have at most 2 entries. Answer in German.',
		],
		/^Figures for BTC:\n- Whales:(\n {2}\d\. .*){2}\n- Largest transfers:(\n {2}\d\. .*){2}\n\n.*in English and not in German/,
	],
])('the market assistant, asked %j', async (questions, answer) => {
	expect(await inquire(...questions)).toMatch(answer);
});

it('the market assistant tells which tools it has used', async () => {
	const { events } = await ask(service, {
		path: '/api/ai-assistant/v1/invoke_assistant_stream',
		body: { message: 'What moved the price of ETH, and who sold it?' },
	});
	const told = JSON.stringify(events.filter(({ event }) => event === 'pending_tool_call'));
	expect(told).toMatch(/^((?!Tracking).)*Reading market data.*Searching the web((?!Tracking).)*$/);
});

const ROUTER = user('What is a model router?');
const REVIEW = 'You review announcements. Name one thing, or say [APPROVED].\n\nWriter says:\n\n';
it.each([
	[[system('Answer in one sentence.'), ROUTER], /^[^.]+\.$/],
	[[system('Answer in two sentences.'), ROUTER], /^[^.]+\. [^.]+\.$/],
	[[user(HELLO), user('What is my project called?')], /^Your project is called Lighthouse\.$/],
	[[user('What is 17 * 23?')], /^17 \* 23 is 391\.$/],
	[[user('Tell me a story.')], /my answers are scripted/],
	[[user(`${REVIEW}Lighthouse is here.`)], /does not say when/],
	[[user(`${REVIEW}Lighthouse is here from Friday on.`)], /\[APPROVED\]$/],
	[[user('[[say:as told]]')], /^as told$/],
])('a model that is told %j', async (messages, answer) => {
	expect((await complete(messages)).text).toMatch(answer);
});

const MARKET = JSON.stringify([{ output: 'Figures for "ETH":\n- up.', complete: true }]);
const UMBRELLA = 'Do I need an umbrella in Seattle?';
it.each([
	['get_weather', 'city', UMBRELLA, '54 °F and rain', /^Yes, .* 54 °F and rain in Seattle\.$/],
	['get_weather', 'city', UMBRELLA, '77 °F and sun', /^No, leave the umbrella at home/],
	['Market_Assistant', 'question', 'How is the market for ETH?', MARKET, /: Figures for "ETH":\n/],
])('a model calls %s where it helps', async (name, property, question, result, answer) => {
	const tools = toolNamed(name, property);
	const { calls, choice } = await complete([user(question)], tools);
	expect(calls).toBe(name);
	const told = { role: 'tool', tool_call_id: 'call_1', content: result };
	const messages = [user(question), { role: 'assistant', ...choice?.message }, told];
	expect((await complete(messages, tools)).text).toMatch(answer);
	expect((await complete([user('What is n8n?')], tools)).calls).toBe('');
});

it.each([
	[mediaFile({ kind: 'image', id: 'x', prompt: 'A lighthouse in the fog' }).bytes, /thick fog/],
	[mediaFile({ kind: 'image', id: 'x', prompt: 'Something' }).bytes, /^A lighthouse .* rising sun/],
	[Buffer.from('nothing'), /only the pictures of the demo/],
])('a model describes a picture', async (bytes, answer) => {
	const url = `data:image/png;base64,${bytes.toString('base64')}`;
	const parts = [
		{ type: 'text', text: 'What is this?' },
		{ type: 'image_url', image_url: { url } },
	];
	expect((await complete([user(parts)])).text).toMatch(answer);
});

/** The messages, prompts and questions of sample data: in the code of a Code node, or in the fields of Edit Fields. */
const textsIn = (parameters: Record<string, unknown>) =>
	[
		...JSON.stringify(parameters).matchAll(
			/(?:text|question|prompt)(?:\\?": |: )\\"(.*?)\\"|"name":"(?:text|question|prompt)","value":"(.*?)"/g,
		),
	].map(([, inCode, inField]) => inCode ?? inField ?? '');

it.each([...GALLERY, ...LESSONS])('%s gets no echo for an answer', async (file) => {
	const example = readExample(file);
	const samples = example.nodes.filter(({ name }) => name === 'Sample Data');
	const ours = example.nodes.filter(({ type }) => type.startsWith('n8n-nodes-agent-bridge.'));
	const texts = ours
		.flatMap(({ parameters: { message, prompt, question } }) => [message, prompt, question])
		.concat(samples.flatMap(({ parameters }) => textsIn(parameters)))
		.filter((text) => typeof text === 'string' && text !== '' && !text.startsWith('='));
	for (const text of texts.map(String)) {
		for (const answer of [
			await tell([text]),
			await tell([text], 'ws-2'),
			await inquire(text),
			(await complete([user(text)])).text,
		]) {
			expect(answer).toMatch(/\w/);
			expect(answer).not.toMatch(/you said|undefined|NaN|\[object|\{\^?\w+\}/i);
		}
	}
});

it('lists only models that a real catalog could have, and knows the others too', async () => {
	const { body } = await ask(service, { method: 'GET', path: '/v1/models' });
	const ids = (body as { data: Array<{ id: string }> }).data.map(({ id }) => id);
	expect(ids).toHaveLength(11);
	expect(ids.filter((id) => /^(tiny|verbose)/.test(id))).toEqual([]);
	const one = await ask(service, { method: 'GET', path: '/v1/models/tiny/no-price-1' });
	expect(one.body).toMatchObject({ id: 'tiny/no-price-1' });
});
