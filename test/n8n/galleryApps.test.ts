import { openBridge, type Bridge } from './bridge.ts';
import { exampleFor, readExample, withModels } from './example.ts';
import { itemsOf, type Execution } from './execution.ts';
import { withoutOutsideApps } from './outsideApps.ts';

// workflows of the gallery that write into other apps: the test reads what would have been sent
let bridge: Bridge;
beforeAll(async () => {
	bridge = await openBridge({ personas: true });
});
beforeEach(() => bridge.service.reset());
afterAll(async () => await bridge.service.stop());

const load = (file: string) => withModels(exampleFor(bridge.accounts, file));

/** Executes a workflow once, as its first trigger would. */
async function runOnce(
	file: ReturnType<typeof load>,
	events?: Array<Record<string, unknown>>,
): Promise<Execution> {
	const execution = await bridge.editor.runOnce(withoutOutsideApps(file, events));
	expect(execution.error?.message).toBeUndefined();
	expect(execution.status).toBe('success');
	return execution;
}

/** What a node of another app would have sent. */
const sentBy = (execution: Execution, node: string) =>
	itemsOf(execution, node).map(({ json }) => json);

const sentTo = (path: RegExp) =>
	bridge.service.requests.filter((request) => request.method === 'POST' && path.test(request.path));

describe('Telegram', () => {
	const file = 'answer-telegram-messages-with-an-agent-that-remembers.json';
	const message = (chat: number, more: Record<string, unknown>) => ({
		update_id: chat,
		message: { message_id: 1, chat: { id: chat, type: 'private' }, ...more },
	});
	const say = async (...events: Array<Record<string, unknown>>) =>
		await runOnce(load(file), events);

	it('every chat is a session, in every later execution', async () => {
		const first = await say(
			message(11, { text: 'Hello! My project is called Lighthouse.' }),
			message(22, { text: 'What is a model router?' }),
		);
		expect(sentBy(first, 'Send the Answer')).toMatchObject([
			{ chatId: '11', text: expect.stringMatching(/^Hello! I will remember/) },
			{ chatId: '22', text: expect.stringMatching(/^A model router is one address/) },
		]);
		const later = await say(
			message(11, { text: 'What is my project called?' }),
			message(22, { text: 'What is my project called?' }),
		);
		expect(sentBy(later, 'Send the Answer')).toMatchObject([
			{ chatId: '11', text: 'Your project is called Lighthouse.' },
			{ chatId: '22', text: expect.stringMatching(/^I do not know your project/) },
		]);
		expect(sentTo(/session/)).toHaveLength(4);
		expect(new Set(sentTo(/session/).map(({ path }) => path)).size).toBe(2);
	});

	it('a long answer comes in parts, as text and not as HTML', async () => {
		const sent = sentBy(
			await say(
				message(33, { text: '[[words:1200]]' }),
				message(44, { text: '[[say:1 < 2 & 3]]' }),
			),
			'Send the Answer',
		);
		expect(sent.map(({ chatId }) => chatId)).toEqual(['33', '33', '33', '44']);
		const texts = sent.map(({ text }) => String(text));
		expect(Math.max(...texts.map(({ length }) => length))).toBeLessThanOrEqual(4000);
		expect(texts.slice(0, 3).join('')).toMatch(/^word1 word2 .* word1200$/);
		expect(texts[3]).toBe('1 &lt; 2 &amp; 3');
	});

	it('a picture is answered without the agent', async () => {
		const execution = await say(message(55, { photo: [{ file_id: 'photo-1' }] }));
		expect(sentBy(execution, 'Say What It Can Read')).toMatchObject([
			{ chatId: '55', text: expect.stringMatching(/^I can read texts only/) },
		]);
		expect(sentTo(/session/)).toEqual([]);
	});
});

it('the daily briefing has the figures of every token, in Slack and by Gmail', async () => {
	const file = 'send-a-daily-crypto-briefing-to-slack-and-email.json';
	expect(readExample(file).settings).toMatchObject({ timezone: 'America/New_York' });
	const execution = await runOnce(load(file));
	const questions = sentTo(/ai-assist/).map(({ body }) => (body as { message: string }).message);
	expect(questions).toHaveLength(3);
	for (const [index, token] of ['BTC', 'ETH', 'SOL'].entries())
		expect(questions[index]).toContain(`market data show about ${token} for `);
	const [posted] = sentBy(execution, 'Post in Slack');
	const [mail] = sentBy(execution, 'Send by Gmail');
	expect(sentBy(execution, 'Send by Gmail')).toHaveLength(1);
	const text = String(mail?.['message']);
	expect([...text.matchAll(/^Figures for (\w+):/gm)].map(([, token]) => token)).toEqual([
		...['BTC', 'ETH', 'SOL'],
	]);
	expect(text).toMatch(/- Trading volume: .*\n- Support and resistance: /);
	expect(mail?.['subject']).toMatch(/^Crypto briefing of \w+day, \w+ \d+$/);
	expect(posted?.['text']).toBe(`*${String(mail?.['subject'])}*\n\n${text}`);
});

describe('the mood of the market', () => {
	const file = 'alert-in-slack-when-the-crypto-mood-turns.json';
	/** Under a name that no other test has: the table remembers the mood. */
	const TABLE = `Market Mood ${Date.now()}`;

	/** One hour: what the assistant says of the mood, if it is not to be asked about ETH. */
	const hour = async (token = 'ETH') => {
		const text = JSON.stringify(load(file))
			.replaceAll('Market Mood', TABLE)
			.replace('"token":"ETH"', JSON.stringify({ token }).slice(1, -1));
		const execution = await runOnce(JSON.parse(text) as ReturnType<typeof load>);
		return {
			alerts: sentBy(execution, 'Alert in Slack').map((sent) => String(sent['text'])),
			rows: sentBy(execution, 'Save the Mood'),
		};
	};

	it('is told when it turns, and only then; every hour is a row', async () => {
		const first = await hour();
		expect(first.alerts).toEqual([
			expect.stringMatching(
				/^The mood for ETH is now \*positive\* \(\d+ % sure\)\. Before: not known\.\n/,
			),
		]);
		expect(first.rows).toMatchObject([{ direction: 'positive', reason: expect.any(String) }]);

		const same = await hour();
		expect(same.alerts).toEqual([]);
		expect(same.rows).toMatchObject([{ direction: 'positive' }]);

		const turned = await hour('[[say:80 % of the messages are negative.]]');
		expect(turned.alerts).toEqual([
			expect.stringMatching(
				/^The mood for ETH is now \*negative\* \(80 % sure\)\. Before: positive\.\n/,
			),
		]);
		const unsure = await hour('[[say:20 % of the messages are neutral.]]');
		expect(unsure.alerts).toEqual([]);
		expect(unsure.rows).toMatchObject([{ direction: 'neutral', confidence: 20 }]);
		// one question and one paid text an hour
		expect(sentTo(/ai-assist/)).toHaveLength(4);
		expect(sentTo(/chat\/completions/)).toHaveLength(4);
	});

	it('is read by a model under a spending cap', () => {
		const cap = readExample(file).nodes.flatMap(
			({ parameters }) => parameters['spendingCapPerItem'] ?? [],
		);
		expect(cap).toEqual([0.05]);
	});
});
