import { randomUUID } from 'node:crypto';

import { namesIn, outcomeOf, saidIn, type Outcome } from './conversationWorkflow.ts';
import { chatMessage } from './editor.ts';
import type { Execution } from './execution.ts';
import { galleryOfFile, given, textsOf, withTable } from './gallery.ts';
import { answerForm, linkOf } from './mailServer.ts';
import { DataTables } from './publicApi.ts';

// the conversations of the gallery, which end when the speakers agree
const gallery = galleryOfFile();
const { chat, load, sentTo, start, finished, mailOf, lastMail, run } = gallery;

const speakersIn = (outcome: Outcome) => saidIn(outcome).map(([who]) => who);
const sentence = 'Please agree with your colleague on a day for the release of Lighthouse.';

/** The rows of the table that the workflow has made, in the order of the turns. */
async function storedBy(execution: Execution) {
	const tables = await DataTables.of(gallery.bridge.editor);
	const rows = await tables.rowsById(String(given(execution, 'Create the Table')[0]?.['id']));
	return rows.sort((one, other) => Number(one['turn']) - Number(other['turn']));
}

it('two agents agree on a date, and remember it in the same chat', async () => {
	const saved = await gallery.bridge.editor.importWorkflow(load('two-agents-agree-on-a-date.json'));
	const talk = async (...said: Parameters<typeof chatMessage>) =>
		outcomeOf(await gallery.runSaved(saved, { given: chatMessage(...said) }));
	const chatId = randomUUID();
	const first = await talk(sentence, chatId);
	expect(speakersIn(first)).toEqual(['Planner', 'Tester', 'Planner', 'Tester']);
	expect(first).toMatchObject({
		output: expect.stringMatching(/^Yes, Friday at 10:00\./),
		ended: 'stopPhrase',
		// read by the model at Moderator, whose cost counts
		result: { agreed: true, day: 'Friday' },
		costUsd: expect.any(Number),
		speakersWithoutCost: ['Planner', 'Tester'],
		// no visitor can name the conversation of somebody else
		conversationId: expect.not.stringContaining(chatId),
	});
	expect(sentTo(/ws-1/)[0]?.body).toEqual({
		content: `You plan the release. Say [AGREED] once you both agree on a day.\n\n${sentence}`,
	});
	expect(gallery.modelCalls()).toHaveLength(1);
	// one session for each, which the second message continues
	const second = await talk('And on which day do we tell our customers of the release?', chatId);
	expect(second.conversationId).toBe(first.conversationId);
	for (const workspace of [/\/ws-1\//, /\/ws-2\//]) {
		const paths = sentTo(workspace).map(({ path }) => path);
		expect(paths.length).toBeGreaterThan(2);
		expect(new Set(paths).size).toBe(1);
	}
	const other = await talk(sentence);
	const [{ sessionId }] = first.transcript as [Outcome['transcript'][number]];
	expect(other.transcript.map((row) => row.sessionId)).not.toContain(sessionId);
});

it('an agent questions the market assistant, and sums up', async () => {
	const question = 'Find out which wallets bought the most ETH in the last 24 hours.';
	const outcome = outcomeOf(await chat('agent-questions-the-market-assistant.json', question));
	expect(speakersIn(outcome)).toEqual(['Analyst', 'Crypto Q&A', 'Analyst']);
	expect(outcome.output).toMatch(/^To sum up: 0x.* lead with /);
	expect(outcome.output).not.toContain('[ENOUGH]');
	const [asked, answered] = outcome.transcript.map(({ text }) => text);
	expect(sentTo(/ai-assistant/)[0]?.body).toMatchObject({ message: asked });
	// the assistant's own words reach the analyst unchanged
	expect(sentTo(/ws-1/).at(-1)?.body).toEqual({ content: answered });
});

it('a model reviews what an agent writes, and knows what it has said before', async () => {
	const order = 'Write an announcement of the release of Lighthouse, in three sentences.';
	const outcome = outcomeOf(await chat('model-reviews-what-an-agent-writes.json', order));
	expect(speakersIn(outcome)).toEqual(['Writer', 'Reviewer', 'Writer', 'Reviewer']);
	const [draft, remark, better] = outcome.transcript.map(({ text }) => text);
	expect(better).toContain('Friday at 10:00');
	const instruction = 'You review announcements. Name one thing to improve, or say [APPROVED].';
	const told = { role: 'user', content: `${instruction}\n\n${draft}` };
	expect(gallery.modelCalls().map(({ body }) => body)).toMatchObject([
		{ messages: [told] },
		{ messages: [told, { role: 'assistant', content: remark }, { role: 'user', content: better }] },
	]);
	expect(outcome['costUsd']).toBeGreaterThan(0);
});

it('three models answer the same question, none hears the others, and a fourth chooses', async () => {
	const question = 'How do we tell our customers about a delay of two days?';
	const file = load('ask-three-models-and-let-a-fourth-choose.json');
	const names = ['First Model', 'Second Model', 'Third Model'];
	const execution = await gallery.chat('ask-three-models-and-let-a-fourth-choose.json', question);
	const outcome = outcomeOf(execution);
	expect(outcome).toMatchObject({ ended: 'turnLimit', turns: 3 });
	expect(speakersIn(outcome)).toEqual(names);
	const [first, second, third, choice] = gallery
		.modelCalls()
		.map(({ body }) => (body as { messages: Array<{ role: string; content: string }> }).messages);
	const asked = [{ role: 'user', content: question }];
	expect([first, second, third]).toEqual([asked, asked, asked]);
	for (const { text } of outcome.transcript) expect(choice?.[0]?.content).toContain(text);
	const [answer] = given(execution, 'Answer');
	const chosen = outcome.transcript.find(({ speaker }) => speaker === answer?.['best']);
	expect(answer?.['output']).toContain(`${chosen?.speaker}: ${chosen?.text}\n\nWhy: `);
	expect(answer?.['costUsd']).toBeGreaterThan(Number(outcome['costUsd']));
	expect(gallery.modelCalls()).toHaveLength(4);

	// one that fails costs the others nothing
	gallery.bridge.service.reset();
	gallery.bridge.service.fault({
		match: { method: 'POST', path: 'chat/completions' },
		skip: 1,
		times: 1,
		do: { type: 'status', status: 400 },
	});
	const without = await gallery.run(file, { given: chatMessage(question) });
	expect(namesIn(outcomeOf(without))).toEqual(['First Model', '(Second Model)', 'Third Model']);
	expect(given(without, 'Answer')[0]?.['output']).toMatch(/^First Model: /);
});

it('a moderator decides who of three speaks, and the turns are rows of a table', async () => {
	const order = 'Write a note to our customers on how ETH is doing.';
	const execution = await chat('three-specialists-with-a-moderator.json', order);
	const rows = given(execution, 'Conversation');
	expect(rows.map(({ speaker }) => speaker)).toEqual([
		'Market Analyst',
		'Writer',
		'Reviewer',
		// in turn it would have been the analyst
		'Writer',
		'Reviewer',
	]);
	expect(rows.at(-1)?.['text']).toContain('[APPROVED]');
	expect(rows.map(({ note }) => note)).toEqual([null, null, null, null, null]);
	const prompts = gallery
		.modelCalls()
		.map(({ bodyText }) => bodyText)
		.filter((body) => body.includes('You moderate a conversation'));
	// before each turn, and once more to say that it is done
	expect(prompts).toHaveLength(6);
	expect(prompts[0]).toContain('- Reviewer: Reviews notes: says what is missing');
	// who speaks again hears what came since, with names
	expect(sentTo(/ws-1/).at(-1)?.body).toEqual({
		content: `Reviewer: ${String(rows[2]?.['text'])}`,
	});
	// n8n shows what the moderator was asked below the conversation
	expect(execution.runData['Moderator']).toHaveLength(6);
	const turns = rows.map(({ speaker, turn, text }) => ({ speaker, turn, text }));
	expect(given(execution, 'Save the Turns')).toMatchObject(turns);
	expect(await storedBy(execution)).toMatchObject(turns);
});

it('n8n’s AI Agent and a workspace agent settle a question', async () => {
	const file = 'ai-agent-and-workspace-agent-settle-a-question.json';
	const outcome = outcomeOf(await chat(file, sentence));
	expect(speakersIn(outcome)).toEqual(['AI Agent', 'Remote Agent', 'AI Agent', 'Remote Agent']);
	expect(outcome.ended).toBe('stopPhrase');
	expect(outcome.output).toMatch(/^Yes, Thursday at 10:00/);
	// the memory of n8n gives the model what was said before, with nothing set in it
	const [own, answer] = outcome.transcript.map(({ text }) => text);
	const [, second] = gallery.modelCalls();
	expect(second?.body).toMatchObject({
		messages: [{ role: 'system' }, { role: 'user' }, { content: own }, { content: answer }],
	});
});

describe.each([
	[
		...(['bridge-agents-of-two-teams.json', undefined] as const),
		() => `${lastMail()?.subject}\n${lastMail()?.body}`,
		['The agents have agreed: ', 'The agents did not agree: '],
	],
	[
		...(['approve-in-slack-what-two-agents-say.json', { Topic: sentence }] as const),
		(execution: Execution) => String(textsOf(execution, 'Post the Result')),
		['The conversation has ended: ', 'The conversation has ended: '],
	],
])('%s: a person approves each turn', (file, topic, resultOf, [agreed, notAgreed]) => {
	const begin = async () => await start(withTable(load(file), 'Talks of Two Teams'), topic);
	const answer = async (id: string, decision: string, text = '') =>
		await answerForm(linkOf(await mailOf(id)), decision, text);
	const end = async (id: string) => {
		const execution = await finished(id);
		const outcome = outcomeOf(execution);
		await expectRows(execution, outcome);
		return { outcome, result: resultOf(execution) };
	};

	it('all of them, and gets the whole conversation', async () => {
		const id = await begin();
		for (const [index, who] of ['Planner', 'Tester', 'Planner'].entries()) {
			const mail = await mailOf(id);
			const other = who === 'Planner' ? 'Tester' : 'Planner';
			expect(mail.subject + mail.body).toContain(`May ${other} see what ${who} says?`);
			// the other one has heard nothing yet
			expect(sentTo(/session/)).toHaveLength(index + 1);
			await answerForm(linkOf(mail), 'approve', '');
		}
		const { outcome, result } = await end(id);
		expect(outcome.ended).toBe('stopPhrase');
		expect(speakersIn(outcome)).toEqual([
			'Planner',
			'Approve Planner',
			'Tester',
			'Approve Tester',
			'Planner',
			'Approve Planner',
			'Tester',
		]);
		expect(result).toContain(`${agreed}Tester said "[AGREED]"`);
		for (const { text } of outcome.transcript) expect(result).toContain(text.slice(0, 40));
	});

	it('and a turn that is declined ends it', async () => {
		const id = await begin();
		await answer(id, 'approve');
		await answer(id, 'decline');
		const { outcome, result } = await end(id);
		expect(outcome).toMatchObject({ ended: 'denied', output: 'Not approved' });
		expect(sentTo(/session/)).toHaveLength(2);
		expect(result).toContain(`${notAgreed}Approve Tester did not approve`);
	});

	it('and a turn that is replaced is heard as it was rewritten', async () => {
		const id = await begin();
		await answer(id, 'replace', 'How about Thursday at 9:00?');
		await answer(id, 'decline');
		const { transcript } = outcomeOf(await finished(id));
		expect(transcript.slice(0, 2)).toMatchObject([
			{
				speaker: 'Planner',
				text: 'How about Thursday at 9:00?',
				replacedText: expect.stringMatching(/day/),
				replacedBy: 'Approve Planner',
			},
			{ text: '', note: 'Replaced what Planner said in turn 1.' },
		]);
		expect(sentTo(/ws-2/).map(({ body }) => body)).toEqual([
			{ content: expect.stringMatching(/\n\nPlanner: How about Thursday at 9:00\?$/) },
		]);
	});
});

/** Where the workflow saves the turns: each of them is a row, also of a talk that ended too early. */
async function expectRows(execution: Execution, { transcript }: Outcome) {
	if (!execution.runData['Save the Turns']) return;
	const rows = transcript.map(({ speaker, turn, text }) => ({ speaker, turn, text }));
	expect(await storedBy(execution)).toMatchObject(rows);
}

it('two agents that never agree: everybody is told why, and nobody that they agreed', async () => {
	const { nodes, ...file } = load('bridge-agents-of-two-teams.json');
	const talk = {
		...file,
		nodes: nodes
			.filter(({ name }) => !name.startsWith('Approve'))
			.map((each) =>
				each.name === 'Conversation'
					? { ...each, parameters: { ...each.parameters, turnLimit: 2, options: {} } }
					: each,
			),
	};
	for (const name of ['Approve Planner', 'Approve Tester']) delete talk.connections[name];
	const execution = await run(withTable(talk, 'Talks of Two Teams'));
	expect(given(execution, 'Email the Agreement')).toEqual([]);
	expect(lastMail()).toMatchObject({
		subject: 'The agents did not agree: Turn Limit of 2 was reached',
		body: expect.stringMatching(/^Ended: turnLimit\s+Turns: 2\s+Cost in USD: /),
	});
	await expectRows(execution, outcomeOf(execution));
});

/** What the node "Reply in the Thread" would send to Slack. */
interface Reply {
	channelId: { value: string };
	text: string;
	otherOptions: { thread_ts: { replyValues: { thread_ts: string } } };
}

it('threads of Slack are one conversation each, in every later execution', async () => {
	const mention = (ts: string, text: string, thread_ts?: string) => ({
		type: 'app_mention',
		channel: 'C1',
		user: 'U1',
		ts,
		text: `<@UBOT> ${text}`,
		...(thread_ts && { thread_ts }),
	});
	const say = async (...events: Array<Record<string, unknown>>) => {
		const execution = await run(load('answer-slack-threads-with-two-agents.json', events));
		const replies = given(execution, 'Reply in the Thread') as unknown as Reply[];
		return {
			ids: given(execution, 'Conversation').map(({ conversationId }) => conversationId),
			replies: replies.map(({ channelId, text, otherOptions }) => ({
				channel: channelId.value,
				text,
				thread: otherOptions.thread_ts.replyValues.thread_ts,
			})),
		};
	};
	const first = await say(
		mention('100.1', 'My order 4711 has not arrived.'),
		mention('200.1', 'How do I change my address?'),
	);
	expect(new Set(first.ids).size).toBe(2);
	expect(first.replies).toEqual([
		{
			channel: 'C1',
			thread: '100.1',
			text: 'Hello! I am sorry that order 4711 is not there yet. On which day did you place it? Then I can find the parcel. Kind regards, your support team',
		},
		{
			channel: 'C1',
			thread: '200.1',
			text: expect.stringMatching(/^Hello! Open Account, then Addresses/),
		},
	]);
	expect(sentTo(/ws-1/)[0]?.body).toEqual({
		content: expect.stringMatching(/revise your drafts\.\n\nMy order 4711 has not arrived\.$/),
	});
	const second = await say(mention('100.9', 'It was ordered on Monday.', '100.1'));
	expect(second.ids).toEqual([first.ids[0]]);
	expect(second.replies).toMatchObject([
		{ thread: '100.1', text: expect.stringContaining('Order 4711 of Monday left our') },
	]);
	// two agents in two threads
	expect(new Set(sentTo(/session/).map(({ path }) => path)).size).toBe(4);
	expect(sentTo(/session/)).toHaveLength(6);
});
