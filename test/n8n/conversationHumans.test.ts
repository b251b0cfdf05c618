import { randomUUID } from 'node:crypto';

import { openBridge, type Bridge } from './bridge.ts';
import { ChatVisitor } from './chatVisitor.ts';
import {
	asked,
	codeTool,
	conversationFile,
	mailNode,
	outcomeOf,
	saidIn,
	speakersOf,
	type Talk,
} from './conversationWorkflow.ts';
import { until } from './editor.ts';
import { MailServer, type Mail } from './mailServer.ts';
import { mcpClientTool, publishMcpTools } from './mcpTools.ts';
import { answerForm, openLink } from './personAtLinks.ts';
import { node } from './workflow.ts';

// people in a conversation: one takes a turn, or decides on the turns of others. The execution waits for them.
let bridge: Bridge;
let post: MailServer;
/** How many mails somebody has looked at. */
let seen = 0;
let account: { id: string; name: string };
beforeAll(async () => {
	bridge = await openBridge();
	post = await MailServer.start();
	const { id, name } = await bridge.editor.createCredential(post.secret);
	account = { id, name };
});
beforeEach(() => bridge.service.reset());
afterAll(async () => {
	await bridge.service.stop();
	await post.stop();
});

const byMail = (
	type: 'emailSendTool' | 'emailSendHitlTool',
	name: string,
	parameters: Record<string, unknown>,
) => mailNode(account, type, name, parameters);

const sessions = () =>
	bridge.service.requests.flatMap(({ path }) => /\/session\/([^/]+)/.exec(path)?.[1] ?? []);

/** A mail that somebody has to answer, as soon as the execution waits for it. */
async function waitingMail(execution: string): Promise<Mail> {
	await until('a mail has come', () => post.mails.length > seen);
	const mail = post.mails[seen++]!;
	await until(
		`execution ${execution} waits`,
		async () => (await bridge.editor.execution(execution)).status === 'waiting',
	);
	return mail;
}

const linkOf = ({ links }: Mail, isApproval: boolean): string => {
	const link = links.find((url) => url.includes(`approved=${isApproval}`));
	if (!link) throw new Error(`the mail has no such link: ${links.join(' ')}`);
	return link;
};

/** What is written in a mail. */
const textOf = ({ body }: Mail) =>
	body
		.replace(/<style[^]*?<\/style>|<[^>]*>/g, ' ')
		.replaceAll('&quot;', '"')
		.replace(/\s+/g, ' ');

it('a person takes a turn by mail: the execution waits, and what the person writes is told to the others', async () => {
	const { agent } = speakersOf(bridge.accounts);
	const saved = await bridge.editor.importWorkflow(
		conversationFile({
			parameters: { turnLimit: 3 },
			speakers: [
				agent('Ann'),
				byMail('emailSendTool', 'Person', { message: asked('Message'), responseType: 'freeText' }),
			],
		}),
	);
	const execution = await bridge.editor.start(saved);
	const mail = await waitingMail(execution);
	expect(mail).toMatchObject({ to: 'ada@example.org', subject: 'The conversation' });
	expect(textOf(mail)).toContain('You said: "Hello". This is message 1 of this session.');
	expect(sessions()).toHaveLength(1);
	await answerForm(linkOf(mail, true), 'I would say on Monday.');
	const outcome = outcomeOf(await bridge.editor.finished(execution));
	expect(saidIn(outcome)).toEqual([
		['Ann', 'You said: "Hello". This is message 1 of this session.'],
		['Person', 'I would say on Monday.'],
		['Ann', expect.stringContaining('You said: "I would say on Monday.". This is message 2')],
	]);
	expect(new Set(sessions()).size).toBe(1);
});

describe('a person decides on each turn by mail', () => {
	/** Two speakers below one human-review node: agents, or others. */
	const begun = async (
		options: Record<string, unknown> = {},
		turnLimit = 3,
		second = speakersOf(bridge.accounts).secondAgent('Bob'),
	) => {
		const { agent } = speakersOf(bridge.accounts);
		const gate = byMail('emailSendHitlTool', 'Gate', {
			responseType: 'approval',
			approvalOptions: { values: { approvalType: 'double' } },
		});
		const saved = await bridge.editor.importWorkflow(
			conversationFile({
				parameters: { turnLimit, options },
				speakers: [gate],
				attached: [
					{ node: agent('Ann'), to: 'Gate', as: 'ai_tool' },
					{ node: second, to: 'Gate', as: 'ai_tool' },
				],
			}),
		);
		return await bridge.editor.start(saved);
	};
	const decide = async (execution: string, isApproval: boolean) => {
		const mail = await waitingMail(execution);
		await openLink(linkOf(mail, isApproval));
		return mail;
	};

	it('allowed: each turn is spoken once, in the session of its speaker', async () => {
		const execution = await begun();
		const first = await decide(execution, true);
		await decide(execution, true);
		await decide(execution, true);
		const outcome = outcomeOf(await bridge.editor.finished(execution));
		expect(outcome).toMatchObject({ ended: 'turnLimit', turns: 3 });
		expect(outcome.transcript).toMatchObject([
			{ speaker: 'Ann', approvedBy: 'Gate', text: expect.stringContaining('message 1 of this') },
			{ speaker: 'Bob', approvedBy: 'Gate', text: expect.stringContaining('message 1 of this') },
			{ speaker: 'Ann', approvedBy: 'Gate', text: expect.stringContaining('message 2 of this') },
		]);
		expect(sessions()).toEqual(outcome.transcript.map(({ sessionId }) => sessionId));
		// what the person is asked, and nothing by which a session could be continued
		expect(textOf(first)).toMatch(/wants to run this tool: Ann Input: Hello /);
		expect(JSON.stringify(post.mails)).not.toMatch(new RegExp(sessions().join('|')));
	});

	it('not allowed: nothing is sent, the conversation ends, and the turns before are in the output', async () => {
		const execution = await begun();
		await decide(execution, true);
		await decide(execution, false);
		const outcome = outcomeOf(await bridge.editor.finished(execution));
		expect(outcome).toMatchObject({
			ended: 'denied',
			reason: 'A person did not allow the turn of Bob',
			output: expect.stringContaining('message 1 of this session'),
		});
		expect(outcome.transcript).toMatchObject([
			{ speaker: 'Ann', approvedBy: 'Gate' },
			{ speaker: 'Bob', text: '', approvedBy: null, note: 'Not allowed by a person' },
		]);
		expect(sessions()).toHaveLength(1);
	});

	it('not allowed, On Refused Approval: Skip: the next speaker is asked', async () => {
		const execution = await begun({ onDenial: 'skip' });
		await decide(execution, false);
		await decide(execution, true);
		await decide(execution, true);
		const outcome = outcomeOf(await bridge.editor.finished(execution));
		expect(outcome).toMatchObject({ ended: 'turnLimit' });
		expect(outcome.transcript).toMatchObject([
			{ speaker: 'Ann', text: '', note: 'Not allowed by a person' },
			{ speaker: 'Bob', text: expect.stringContaining('You said: "Hello"') },
			{ speaker: 'Ann', text: expect.stringContaining('message 1 of this session') },
		]);
		expect(sessions()).toHaveLength(2);
	});

	it('allowed: the tool of an MCP server, too', async () => {
		const url = await publishMcpTools(bridge.editor, [
			codeTool('Shout', 'return query.toUpperCase();'),
		]);
		const execution = await begun({}, 2, mcpClientTool('Client', url));
		await decide(execution, true);
		await decide(execution, true);
		const outcome = outcomeOf(await bridge.editor.finished(execution));
		expect(saidIn(outcome)[1]).toEqual(['Client', String(saidIn(outcome)[0]?.[1]).toUpperCase()]);
	});

	it('a node with several tools is refused: which one speaks has to be chosen', async () => {
		const tools = ['One', 'Two'].map((name) => codeTool(name, 'return query;'));
		const url = await publishMcpTools(bridge.editor, tools);
		const execution = await begun({}, 2, mcpClientTool('Client', url));
		expect((await bridge.editor.finished(execution)).error).toMatchObject({
			message: 'Client offers 2 tools, and a speaker has to be one',
		});
	});
});

describe('a person in the chat', () => {
	/** A hosted chat, which the conversation answers by n8n's Chat nodes. */
	const opened = async (talk: Talk, chatInput: string) => {
		const webhookId = randomUUID();
		const saved = await bridge.editor.importWorkflow(
			conversationFile(talk, {
				...{ type: '@n8n/n8n-nodes-langchain.chatTrigger', typeVersion: 1.4, webhookId },
				parameters: {
					...{ public: true, mode: 'hostedChat' },
					options: { responseMode: 'responseNodes' },
				},
			}),
		);
		await bridge.editor.activate(saved);
		return await ChatVisitor.open(bridge.editor, webhookId, randomUUID(), chatInput);
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
		const visitor = await opened(
			{
				parameters: { turnLimit: 3 },
				speakers: [speakersOf(bridge.accounts).agent('Ann'), inChat('chatTool', 'Person', person)],
			},
			'Hello',
		);
		expect(await visitor.next()).toBe('You said: "Hello". This is message 1 of this session.');
		visitor.say('Hello');
		const outcome = outcomeOf(await bridge.editor.finished(visitor.execution));
		await visitor.leave();
		expect(saidIn(outcome).slice(1)).toEqual([
			['Person', 'Hello'],
			['Ann', expect.stringContaining('You said: "Hello". This is message 2')],
		]);
	});

	it('says why a turn is not allowed: the words are in the transcript', async () => {
		const { agent, secondAgent } = speakersOf(bridge.accounts);
		const gate = inChat('chatHitlTool', 'Gate', {
			message: '={{ $tool.name }}: {{ $tool.parameters }}',
			responseType: 'approval',
		});
		const visitor = await opened(
			{
				parameters: { turnLimit: 2 },
				speakers: [gate, secondAgent('Bob')],
				attached: [{ node: agent('Ann'), to: 'Gate', as: 'ai_tool' }],
			},
			'Hello',
		);
		expect(JSON.parse(await visitor.next())).toMatchObject({ text: 'Ann: Hello' });
		visitor.say('Not before I have read it.');
		const outcome = outcomeOf(await bridge.editor.finished(visitor.execution));
		await visitor.leave();
		expect(outcome).toMatchObject({
			ended: 'denied',
			reason: 'A person did not allow the turn of Ann: Not before I have read it.',
		});
		expect(outcome.transcript).toMatchObject([
			{ speaker: 'Ann', note: 'Not allowed by a person: Not before I have read it.' },
		]);
		expect(bridge.service.requests).toEqual([]);
	});
});
