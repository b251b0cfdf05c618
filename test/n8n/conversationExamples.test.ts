import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';

import { openBridge, type Bridge } from './bridge.ts';
import { chatMessage, until, type SavedCredential, type SavedWorkflow } from './editor.ts';
import { exampleFor, readExample, withModels } from './example.ts';
import { itemsOf, type Execution } from './execution.ts';
import { MailServer } from './mailServer.ts';
import { PublicApi } from './publicApi.ts';
import { dataTableScopes } from './instanceOn.ts';
import { withoutOutsideApps } from './outsideApps.ts';

// the service answers as in the demo: these examples end when the speakers agree
let bridge: Bridge;
let mails: MailServer;
let accounts: Record<string, SavedCredential>;
beforeAll(async () => {
	bridge = await openBridge({ personas: true });
	mails = await MailServer.start();
	const { editor } = bridge;
	accounts = {
		...bridge.accounts,
		smtp: await editor.createCredential(mails.secret),
	};
});
beforeEach(() => bridge.service.reset());
afterAll(async () => {
	await bridge.service.stop();
	await mails?.stop();
});

interface Row {
	speaker: string;
	text: string;
	sessionId: string;
	approvedBy: string | null;
}

const load = (file: string) => withModels(exampleFor(accounts, file));

/** Writes into the chat of an example, as the editor does. */
async function chatWith(
	workflow: SavedWorkflow,
	text: string,
	sessionId?: string,
): Promise<Execution> {
	const execution = await bridge.editor.run(workflow, chatMessage(text, sessionId));
	expect(execution.error?.message).toBeUndefined();
	expect(execution.status).toBe('success');
	return execution;
}

async function chatOnce(file: string, text: string): Promise<Execution> {
	return await chatWith(await bridge.editor.importWorkflow(load(file)), text);
}

const resultOf = (execution: Execution) =>
	itemsOf(execution, 'Conversation')[0]?.json as {
		output: string;
		ended: string;
		conversationId: string;
		costUsd?: number;
		transcript: Row[];
	};

const sentTo = (path: RegExp) =>
	bridge.service.requests.filter((request) => request.method === 'POST' && path.test(request.path));

const spoke = ({ transcript }: { transcript: Row[] }) => transcript.map(({ speaker }) => speaker);

const conversationType = 'n8n-nodes-agent-bridge.agentConversation';
const examples = readdirSync('gallery').filter((file) =>
	readExample(file).nodes.some(({ type }) => type === conversationType),
);

it.each(examples)('%s is laid out as n8n lays out an agent, and chooses no model', (file) => {
	const { nodes, connections, pinData } = readExample(file);
	expect(pinData).toEqual({});
	const place = (name: string) => nodes.find((node) => node.name === name)!.position;
	/** What hangs below a node, in the order in which it was connected. */
	const below = (root: string) =>
		Object.entries(connections).flatMap(([name, byType]) =>
			Object.entries(byType).flatMap(([type, outputs]) =>
				type !== 'main' && outputs[0]?.some((to) => to.node === root) ? [name] : [],
			),
		);
	for (const { name } of nodes) {
		const [x, y] = place(name);
		const attached = below(name).map(place);
		// no wire crosses another, or goes up
		expect(attached.map(([at]) => at)).toEqual(attached.map(([at]) => at).sort((a, b) => a - b));
		for (const [at, depth] of attached) {
			expect(depth).toBeGreaterThan(y + 150);
			expect(Math.abs(at - x)).toBeLessThan(420);
		}
	}
	const notes = nodes.filter(({ type }) => type === 'n8n-nodes-base.stickyNote');
	expect(notes.map(({ parameters }) => parameters['color'])).toEqual([undefined, 4, 5]);
	for (const { parameters } of nodes)
		if (parameters['model'] !== undefined) expect(parameters['model']).toMatchObject({ value: '' });
});

it('two agents agree on a date, and remember it in the same chat', async () => {
	const workflow = await bridge.editor.importWorkflow(load('two-agents-agree-on-a-date.json'));
	const chat = randomUUID();
	const asked = 'Please agree with your colleague on a day for the release of Lighthouse.';
	const first = resultOf(await chatWith(workflow, asked, chat));
	expect(spoke(first)).toEqual(['Planner', 'Tester', 'Planner', 'Tester']);
	expect(first.output).toMatch(/^Yes, Friday at 10:00\./);
	expect(first.ended).toBe('stopPhrase');
	// no visitor can name the conversation of somebody else
	expect(first.conversationId).not.toBe(chat);
	const [opening] = sentTo(/ws-1/);
	expect(opening?.body).toEqual({
		content: `You plan the release. Say [AGREED] once you both agree on a day.\n\n${asked}`,
	});
	// one session for each, which the second message continues
	const second = resultOf(
		await chatWith(workflow, 'And on which day do we tell our customers of the release?', chat),
	);
	expect(second.conversationId).toBe(first.conversationId);
	for (const workspace of ['ws-1', 'ws-2']) {
		const paths = sentTo(new RegExp(`/${workspace}/`)).map(({ path }) => path);
		expect(paths.length).toBeGreaterThan(2);
		expect(new Set(paths).size).toBe(1);
	}
	const other = resultOf(await chatWith(workflow, asked));
	expect(other.transcript.map(({ sessionId }) => sessionId)).not.toContain(
		first.transcript[0]?.sessionId,
	);
});

it('an agent questions the market assistant, and sums up', async () => {
	const result = resultOf(
		await chatOnce(
			'agent-questions-the-market-assistant.json',
			'Find out which wallets bought the most ETH in the last 24 hours.',
		),
	);
	expect(spoke(result)).toEqual(['Analyst', 'Market Assistant', 'Analyst']);
	expect(result.output).toMatch(/^In sum: 0x.* lead with /);
	expect(result.output).not.toContain('[ENOUGH]');
	const [question] = sentTo(/ai-assistant/).map(({ body }) => body as { message: string });
	expect(question?.message).toBe(result.transcript[0]?.text);
	// the assistant's own words reach the analyst unchanged
	expect(sentTo(/ws-1/).at(-1)?.body).toEqual({ content: result.transcript[1]?.text });
});

it('a model reviews what an agent writes, and knows what it has said before', async () => {
	const result = resultOf(
		await chatOnce(
			'model-reviews-what-an-agent-writes.json',
			'Write an announcement of the release of Lighthouse, in three sentences.',
		),
	);
	expect(spoke(result)).toEqual(['Writer', 'Reviewer', 'Writer', 'Reviewer']);
	const [draft, remark, better] = result.transcript.map(({ text }) => text);
	expect(better).toContain('Friday at 10:00');
	const instruction = 'You review announcements. Name one thing to improve, or say [APPROVED].';
	const bodies = sentTo(/chat\/completions/).map(({ body }) => body as { messages: unknown });
	const told = { role: 'user', content: `${instruction}\n\n${draft}` };
	expect(bodies.map(({ messages }) => messages)).toEqual([
		[told],
		[told, { role: 'assistant', content: remark }, { role: 'user', content: better }],
	]);
	expect(result.costUsd).toBeGreaterThan(0);
});

it('a moderator decides who of three speaks, and the turns are rows of a table', async () => {
	const execution = await chatOnce(
		'three-specialists-with-a-moderator.json',
		'Write a note to our customers on how ETH is doing.',
	);
	const rows = itemsOf(execution, 'Conversation').map(({ json }) => json);
	expect(rows.map(({ speaker }) => speaker)).toEqual([
		...['Market Analyst', 'Writer', 'Reviewer'],
		// in turn it would have been the analyst
		...['Writer', 'Reviewer'],
	]);
	expect(rows.at(-1)?.['text']).toContain('[APPROVED]');
	expect(rows.map(({ note }) => note)).toEqual([null, null, null, null, null]);
	const prompts = sentTo(/chat\/completions/)
		.map(({ body }) => JSON.stringify(body))
		.filter((body) => body.includes('You moderate a conversation'));
	// before each turn, and once more to say that it is done
	expect(prompts).toHaveLength(6);
	expect(prompts[0]).toContain('- Reviewer: Reviews notes: says what is missing');
	// who speaks again hears what came since, with names
	expect(sentTo(/ws-1/).at(-1)?.body).toEqual({
		content: `Reviewer: ${String(rows[2]?.['text'])}`,
	});

	const saved = itemsOf(execution, 'Save the Turns').map(({ json }) => json);
	expect(saved).toMatchObject(rows.map(({ speaker, turn, text }) => ({ speaker, turn, text })));
	const { editor } = bridge;
	const api = new PublicApi(editor.url, await editor.createApiKey(dataTableScopes));
	const tableId = String(saved.length && itemsOf(execution, 'Create the Table')[0]?.json['id']);
	const stored = await api.call<{ data: Array<{ speaker: string }> }>(
		'GET',
		`/data-tables/${tableId}/rows?limit=100`,
	);
	expect(stored.data.filter(({ speaker }) => speaker === 'Writer')).toHaveLength(2);
});

describe('a person approves each turn', () => {
	/** Opens a link of the mail in a browser, as its reader does. */
	const open = async (link: string) =>
		await fetch(link, { headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux) Firefox/150.0' } });

	const started = async () => {
		const { editor } = bridge;
		mails.mails.length = 0;
		return await editor.start(await editor.importWorkflow(load('approve-each-turn-by-email.json')));
	};

	/** The mail of this number, once the execution waits for its answer. */
	const mailOf = async (id: string, number: number) => {
		await until(`there are ${number} mails`, () => mails.mails.length === number);
		await until('it waits', async () => (await bridge.editor.execution(id)).status === 'waiting');
		return mails.mails[number - 1]!;
	};
	const linkOf = ({ links }: { links: string[] }, approved: boolean) =>
		links.find((link) => link.includes(`approved=${approved}`)) ?? '';

	it('all of them, and gets the whole conversation', async () => {
		const id = await started();
		for (const [index, [who, other, workspace]] of [
			['Planner', 'Tester', 'ws-2'],
			['Tester', 'Planner', 'ws-1'],
			['Planner', 'Tester', 'ws-2'],
		].entries()) {
			const mail = await mailOf(id, index + 1);
			expect(mail).toMatchObject({
				subject: `May ${other} hear what ${who} says?`,
				to: 'you@example.com',
			});
			expect(sentTo(/session/)).toHaveLength(index + 1);
			expect((await open(linkOf(mail, true))).status).toBe(200);
			await until('the other one was asked', () => sentTo(/session/).length === index + 2);
			expect(sentTo(/session/).at(-1)?.path).toContain(workspace);
		}
		const execution = await bridge.editor.finished(id);
		expect(execution.status).toBe('success');
		const result = resultOf(execution);
		expect(result.ended).toBe('stopPhrase');
		expect(spoke(result)).toEqual([
			...['Planner', 'Approve Planner', 'Tester', 'Approve Tester'],
			...['Planner', 'Approve Planner', 'Tester'],
		]);
		const last = mails.mails.at(-1);
		expect(last?.subject).toBe('The conversation has ended: Tester said "[AGREED]"');
		for (const { text } of result.transcript) expect(last?.body).toContain(text.slice(0, 40));
	});

	it('and not the second', async () => {
		const id = await started();
		await open(linkOf(await mailOf(id, 1), true));
		await open(linkOf(await mailOf(id, 2), false));
		const execution = await bridge.editor.finished(id);
		expect(resultOf(execution)).toMatchObject({ ended: 'denied', output: 'Not approved' });
		expect(sentTo(/session/)).toHaveLength(2);
		expect(mails.mails.at(-1)?.subject).toContain('Approve Tester did not approve');
	});
});

it('n8n’s AI Agent and a workspace agent settle a question', async () => {
	const execution = await chatOnce(
		'ai-agent-and-workspace-agent-settle-a-question.json',
		'Please agree with your colleague on a day for the release of Lighthouse.',
	);
	const result = resultOf(execution);
	expect(spoke(result)).toEqual(['AI Agent', 'Workspace Agent', 'AI Agent', 'Workspace Agent']);
	expect(result).toMatchObject({ ended: 'stopPhrase' });
	expect(result.output).toMatch(/^Yes, Thursday at 10:00/);
	// the memory of n8n gives the model what was said before, with nothing set in it
	const [, second] = sentTo(/chat\/completions/).map(
		({ body }) => body as { messages: Array<{ role: string; content: string }> },
	);
	expect(second?.messages.map(({ role }) => role)).toEqual([
		...['system', 'user', 'assistant', 'user'],
	]);
	expect(second?.messages[2]?.content).toBe(result.transcript[0]?.text);
	expect(second?.messages[3]?.content).toBe(result.transcript[1]?.text);
});

/** What the node "Reply in the Thread" would send to Slack. */
interface Reply {
	channelId: { value: string };
	text: string;
	otherOptions: { thread_ts: { replyValues: { thread_ts: string } } };
}

describe('threads of Slack', () => {
	const threadOf = ({ otherOptions }: Reply) => otherOptions.thread_ts.replyValues.thread_ts;

	it('are one conversation each, in every later execution', async () => {
		const mention = (ts: string, text: string, thread_ts?: string) => ({
			...{ type: 'app_mention', channel: 'C1', user: 'U1', ts, text: `<@UBOT> ${text}` },
			...(thread_ts && { thread_ts }),
		});
		const say = async (...events: Array<Record<string, unknown>>) => {
			const file = withoutOutsideApps(load('answer-slack-threads-with-two-agents.json'), events);
			const execution = await bridge.editor.runOnce(file);
			expect(execution.error?.message).toBeUndefined();
			return {
				ids: itemsOf(execution, 'Conversation').map(({ json }) => json['conversationId']),
				replies: itemsOf(execution, 'Reply in the Thread').map(
					({ json }) => json as unknown as Reply,
				),
			};
		};
		const first = await say(
			mention('100.1', 'My order 4711 has not arrived.'),
			mention('200.1', 'How do I change my address?'),
		);
		expect(new Set(first.ids).size).toBe(2);
		expect(first.replies.map(({ channelId }) => channelId.value)).toEqual(['C1', 'C1']);
		expect(first.replies.map(threadOf)).toEqual(['100.1', '200.1']);
		expect(first.replies.map(({ text }) => text)).toEqual([
			'Hello! I am sorry that order 4711 is not there yet. On which day did you place it? Then I can find the parcel. Kind regards, your support team',
			expect.stringMatching(/^Hello! Open Account, then Addresses/),
		]);
		const [question] = sentTo(/ws-1/);
		expect(question?.body).toEqual({
			content: expect.stringMatching(/final form\.\n\nMy order 4711 has not arrived\.$/),
		});
		const second = await say(mention('100.9', 'It was ordered on Monday.', '100.1'));
		expect(second.ids).toEqual([first.ids[0]]);
		expect(second.replies.map(threadOf)).toEqual(['100.1']);
		expect(second.replies[0]?.text).toContain('Order 4711 of Monday left our');
		// two agents in two threads
		expect(new Set(sentTo(/session/).map(({ path }) => path)).size).toBe(4);
		expect(sentTo(/session/)).toHaveLength(6);
	});
});
