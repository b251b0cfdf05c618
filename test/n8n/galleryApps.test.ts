import { galleryOfFile, given, textsOf, withTable } from './gallery.ts';

// workflows of the gallery that write into other apps: the test reads what would have been sent
const { load, run, sentTo, modelCalls } = galleryOfFile();

describe('Telegram', () => {
	const message = (chat: number, more: Record<string, unknown>) => ({
		update_id: chat,
		message: { message_id: 1, chat: { id: chat, type: 'private' }, ...more },
	});
	const file = 'answer-telegram-messages-with-an-agent-that-remembers.json';
	const say = async (...events: Array<Record<string, unknown>>) => await run(load(file, events));

	it('every chat is a session, in every later execution', async () => {
		const first = await say(
			message(11, { text: 'Hello! My project is called Lighthouse.' }),
			message(22, { text: 'What is a model router?' }),
		);
		expect(given(first, 'Send the Answer')).toMatchObject([
			{ chatId: '11', text: expect.stringMatching(/^Hello! I will remember/) },
			{ chatId: '22', text: expect.stringMatching(/^A model router is one address/) },
		]);
		const later = await say(
			...[11, 22].map((chat) => message(chat, { text: 'What is my project called?' })),
		);
		expect(given(later, 'Send the Answer')).toMatchObject([
			{ chatId: '11', text: 'Your project is called Lighthouse.' },
			{ chatId: '22', text: expect.stringMatching(/^I do not know your project/) },
		]);
		expect(sentTo(/session/)).toHaveLength(4);
		expect(new Set(sentTo(/session/).map(({ path }) => path)).size).toBe(2);
	});

	it('a long answer comes in parts, as text and not as HTML; a picture is answered without the agent', async () => {
		const execution = await say(
			message(33, { text: '[[words:1200]]' }),
			message(44, { text: '[[say:1 < 2 & 3]]' }),
			message(55, { photo: [{ file_id: 'photo-1' }] }),
		);
		const sent = given(execution, 'Send the Answer');
		expect(sent.map(({ chatId }) => chatId)).toEqual(['33', '33', '33', '44']);
		const texts = sent.map(({ text }) => String(text));
		expect(Math.max(...texts.map(({ length }) => length))).toBeLessThanOrEqual(4000);
		expect(texts.slice(0, 3).join('')).toMatch(/^word1 word2 .* word1200$/);
		expect(texts[3]).toBe('1 &lt; 2 &amp; 3');
		expect(given(execution, 'Say What It Can Read')).toMatchObject([
			{ chatId: '55', text: expect.stringMatching(/^I can only read text\./) },
		]);
		expect(sentTo(/session/)).toHaveLength(2);
	});
});

it('the daily briefing has an answer to every question, in Slack and by Gmail', async () => {
	const execution = await run(load('send-a-daily-crypto-briefing-to-slack-and-email.json'));
	const questions = sentTo(/ai-assist/).map(({ body }) => (body as { message: string }).message);
	const tokens = ['BTC', 'ETH', 'SOL', 'ETH', 'ETH', 'ARB'];
	expect(questions).toEqual(
		tokens.map((token) => expect.stringMatching(new RegExp(`^Wh.* ${token}\\b.*\\?$`))),
	);
	const mails = given(execution, 'Send by Gmail') as Array<{ message: string; subject: string }>;
	expect(mails).toHaveLength(1);
	const [{ message: text, subject }] = mails as [(typeof mails)[number]];
	expect([...text.matchAll(/^Figures for (\w+):/gm)].map(([, token]) => token)).toEqual(tokens);
	expect(text).toMatch(/- Price: .*\n- Change: .*\n- Trading volume: /);
	expect(subject).toMatch(/^Crypto briefing of \w+day, \w+ \d+$/);
	expect(textsOf(execution, 'Post in Slack')).toEqual([`*${subject}*\n\n${text}`]);
});

it('the mood of the market is told when it turns, and only then; every hour is a row', async () => {
	const file = withTable(load('alert-in-slack-when-the-crypto-mood-turns.json'), 'Market Mood');
	/** One hour: what the assistant says of the mood, if it is not to be asked about ETH. */
	const hour = async (token = 'ETH') => {
		const text = JSON.stringify(file).replaceAll('say about ETH', `say about ${token}`);
		const execution = await run(JSON.parse(text) as typeof file);
		const rows = given(execution, 'Save the Mood');
		expect(rows).toHaveLength(1);
		return [...rows, ...textsOf(execution, 'Alert in Slack')];
	};
	const positive = expect.objectContaining({ direction: 'positive', reason: expect.any(String) });
	expect(await hour()).toEqual([
		positive,
		expect.stringMatching(
			/^The mood for ETH is now \*positive\* \(\d+ percent sure\)\. Before: not known\.\n/,
		),
	]);
	expect(await hour()).toEqual([positive]);
	expect(await hour('[[say:80 % of the messages are negative.]]')).toEqual([
		expect.objectContaining({ direction: 'negative' }),
		expect.stringMatching(
			/^The mood for ETH is now \*negative\* \(80 percent sure\)\. Before: positive\.\n/,
		),
	]);
	expect(await hour('[[say:20 % of the messages are neutral.]]')).toEqual([
		expect.objectContaining({ direction: 'neutral', confidence: 20 }),
	]);
	// one question and one paid text an hour
	expect([sentTo(/ai-assist/).length, modelCalls().length]).toEqual([4, 4]);
});
