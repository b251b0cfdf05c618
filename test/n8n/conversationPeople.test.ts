import { randomUUID } from 'node:crypto';

import { bridgeOfFile } from './bridge.ts';
import { ChatVisitor } from './chatVisitor.ts';
import {
	asked,
	CONVERSATION,
	conversationFile,
	gateByMail,
	outcomeOf,
	personByMail,
	saidIn,
	sessionsAt,
	speakersOf,
	type Talk,
} from './conversationWorkflow.ts';
import { chatMessage } from './editor.ts';
import { bubblesOf, readLive } from './liveCaller.ts';
import { answerForm, linkOf, mailOfFile, openLink, type Mail } from './mailServer.ts';
import { mcpClientTool, publishMcpTools } from './mcp.ts';
import { chatTrigger, codeTool, node } from './workflow.ts';

// people in a conversation: one takes a turn, or decides on the turns of others. The execution waits for them.
const bridge = bridgeOfFile();
const post = mailOfFile(() => bridge.editor);

const speakers = () => speakersOf(bridge.accounts);
const begin = async (talk: Talk) =>
	await bridge.editor.start(await bridge.editor.importWorkflow(conversationFile(talk)));
const mailOf = async (execution: string) => await post.server.next(bridge.editor, execution);
const ended = async (execution: string) => outcomeOf(await bridge.editor.finished(execution));

const FIRST = 'You said: "Hello". This is message 1 of this session.';

/** What is written in a mail. */
const textOf = ({ body }: Mail) =>
	body
		.replace(/<style[^]*?<\/style>|<[^>]*>/g, ' ')
		.replaceAll('&quot;', '"')
		.replace(/\s+/g, ' ');

it('a person decides on each turn by mail: what is allowed is spoken once, and what is not is skipped', async () => {
	const url = await publishMcpTools(bridge.editor, [
		codeTool('Shout', 'return query.toUpperCase();'),
	]);
	const execution = await begin({
		parameters: { turnLimit: 4, options: { onDenial: 'skip' } },
		speakers: [gateByMail(post.account, 'Gate')],
		attached: [
			{ node: speakers().agent('Ann'), to: 'Gate', as: 'ai_tool' },
			{ node: mcpClientTool('Client', url), to: 'Gate', as: 'ai_tool' },
		],
	});
	const mails: Mail[] = [];
	for (const [before, isAllowed] of [true, false, true, true].entries()) {
		const mail = await mailOf(execution);
		mails.push(mail);
		expect(sessionsAt(bridge)).toHaveLength([0, 1, 1, 2][before]!);
		await openLink(linkOf(mail, isAllowed));
	}
	const outcome = await ended(execution);
	expect(outcome).toMatchObject({ ended: 'turnLimit', turns: 4 });
	const ann = (number: number) => ({
		speaker: 'Ann',
		approvedBy: 'Gate',
		sessionId: sessionsAt(bridge)[0],
		text: expect.stringContaining(`message ${number} of this session`),
	});
	expect(outcome.transcript).toMatchObject([
		ann(1),
		{ speaker: 'Client', text: '', approvedBy: null, note: 'Not allowed by a person' },
		ann(2),
		{ speaker: 'Client', text: outcome.transcript[2]?.text.toUpperCase(), approvedBy: 'Gate' },
	]);
	expect(sessionsAt(bridge)).toHaveLength(2);
	// what the person is asked, and nothing by which a session could be continued
	expect(textOf(mails[0]!)).toMatch(/wants to run this tool: Ann Input: Hello /);
	expect(JSON.stringify(mails)).not.toMatch(new RegExp(sessionsAt(bridge).join('|')));
});

it('a person takes a turn by mail: the chat says so and shows nothing of what follows, and what the person writes is told to the others', async () => {
	const path = randomUUID();
	const talk = {
		parameters: { turnLimit: 3 },
		speakers: [speakers().agent('Ann'), personByMail(post.account, 'Person')],
	};
	const file = conversationFile(talk, chatTrigger(path, 'streaming'));
	const { id } = await bridge.editor.publish(file);
	const chat = `${bridge.editor.url}/webhook/${path}/chat`;
	const shown = bubblesOf(await readLive(chat, chatMessage('Hello'))).map(([, text]) => text);
	expect(shown).toEqual([
		expect.stringContaining(FIRST),
		'Waiting for an answer from "Person". The conversation goes on without this chat.',
	]);
	const [waiting] = await bridge.editor.executions(id);
	const mail = await mailOf(waiting!.id);
	expect(mail).toMatchObject({ to: 'ada@example.org', subject: 'The conversation' });
	expect(textOf(mail)).toContain(FIRST);
	expect(sessionsAt(bridge)).toHaveLength(1);
	await answerForm(linkOf(mail), 'I would say on Monday.');
	const execution = await bridge.editor.finished(waiting!.id);
	expect(saidIn(outcomeOf(execution))).toEqual([
		['Ann', FIRST],
		['Person', 'I would say on Monday.'],
		['Ann', expect.stringContaining('You said: "I would say on Monday.". This is message 2')],
	]);
	expect(new Set(sessionsAt(bridge)).size).toBe(1);
	const hints = execution.runData[CONVERSATION]?.flatMap((run) => run.hints ?? []);
	expect(hints).toMatchObject([{ message: expect.stringMatching(/from a form or a schedule/) }]);
});

describe('a person in the chat', () => {
	/** A hosted chat, which the conversation answers by n8n's Chat nodes. */
	const opened = async (talk: Talk) => {
		const webhookId = randomUUID();
		const file = conversationFile(talk, chatTrigger(webhookId, 'responseNodes'));
		await bridge.editor.publish(file);
		return await ChatVisitor.open(bridge.editor, webhookId, randomUUID(), 'Hello');
	};
	const inChat = (type: string, name: string, parameters: Record<string, unknown>) =>
		node(
			name,
			`@n8n/n8n-nodes-langchain.${type}`,
			{ operation: 'sendAndWait', options: {}, ...parameters },
			{ typeVersion: 1.3, webhookId: randomUUID() },
		);

	it('takes a turn, in whatever words: here those with which the chat began', async () => {
		const person = { message: asked('Message'), responseType: 'freeTextChat' };
		const visitor = await opened({
			parameters: { turnLimit: 3 },
			speakers: [speakers().agent('Ann'), inChat('chatTool', 'Person', person)],
		});
		expect(await visitor.next()).toBe(FIRST);
		visitor.say('Hello');
		const execution = await bridge.editor.finished(visitor.execution);
		const outcome = outcomeOf(execution);
		expect(execution.runData[CONVERSATION]?.flatMap(({ hints = [] }) => hints)).toEqual([]);
		await visitor.leave();
		expect(saidIn(outcome).slice(1)).toEqual([
			['Person', 'Hello'],
			['Ann', expect.stringContaining('You said: "Hello". This is message 2')],
		]);
	});

	it('does not allow a turn, and says why: nothing is sent, and the words are in the transcript', async () => {
		const gate = inChat('chatHitlTool', 'Gate', {
			message: '={{ $tool.name }}: {{ $tool.parameters }}',
			responseType: 'approval',
		});
		const visitor = await opened({
			parameters: { turnLimit: 2 },
			speakers: [gate, speakers().secondAgent('Bob')],
			attached: [{ node: speakers().agent('Ann'), to: 'Gate', as: 'ai_tool' }],
		});
		expect(JSON.parse(await visitor.next())).toMatchObject({ text: 'Ann: Hello' });
		visitor.say('Not before I have read it.');
		const outcome = await ended(visitor.execution);
		await visitor.leave();
		expect(outcome).toMatchObject({
			ended: 'denied',
			reason: 'A person did not allow the turn of Ann: Not before I have read it.',
			transcript: [{ speaker: 'Ann', note: 'Not allowed by a person: Not before I have read it.' }],
		});
		expect(bridge.service.requests).toEqual([]);
	});
});
