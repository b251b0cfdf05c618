import { randomUUID } from 'node:crypto';

import { agentServers } from '../service/agentServers.ts';
import {
	bridgeOfFile,
	createWithLedger,
	model,
	nodesFor,
	packageName,
	secretsOf,
} from '../n8n/bridge.ts';
import {
	conversationFile,
	gateByMail,
	messagesTo,
	outcomeOf,
	personByMail,
	sessionsAt,
	speakersOf,
	type Outcome,
	type Talk,
} from '../n8n/conversationWorkflow.ts';
import { chatMessage } from '../n8n/editor.ts';
import { itemsOf } from '../n8n/execution.ts';
import { bubblesOf, gatedAnswer, gatedQuestion, readAlong } from '../n8n/liveCaller.ts';
import { answerForm, linkOf, mailOfFile, openLink } from '../n8n/mailServer.ts';
import { beginAt, chatTrigger, node, using, workflow, type WorkflowNode } from '../n8n/workflow.ts';
import { noticeKilledWorkersSoon, startQueue, type Queue } from './queue.ts';

// conversations that workers hold, and what becomes of them when a worker or main is killed
let queue: Queue;
beforeAll(async () => void (queue = await startQueue({ env: noticeKilledWorkersSoon })));
afterAll(async () => await queue?.stop());
const bridge = bridgeOfFile({}, () => queue.editor);
const mail = mailOfFile(() => queue.editor);

/** Two agents of two workspaces. */
const agents = (): WorkflowNode[] => {
	const { agent, secondAgent } = speakersOf(bridge.accounts);
	return [agent('Ann'), secondAgent('Bob')];
};

/** Begins a conversation. @returns the ID of its execution */
const begin = async (talk: Talk) =>
	await queue.editor.start(await queue.editor.importWorkflow(conversationFile(talk)));

/** The link with which a person answers the next mail, as soon as the execution waits for it in n8n's database. */
const linkToAnswer = async (execution: string) =>
	linkOf(await mail.server.next(queue.editor, execution));

it('runs on a worker, and its words come through main, speaker by speaker', async () => {
	const path = randomUUID();
	const saved = await queue.editor.publish(
		conversationFile(
			{ parameters: { turnLimit: 3, options: { hearing: 'all' } }, speakers: agents() },
			chatTrigger(path, 'streaming'),
		),
	);
	const url = `${queue.main.url}/webhook/${path}/chat`;
	const chunks = await readAlong(bridge.service, url, chatMessage(gatedQuestion), [0, 0, 0]);
	expect(bubblesOf(chunks).filter(([, text]) => text)).toEqual([
		['Ann', `**Ann:**\n\n${gatedAnswer}`],
		['Bob', `**Bob:**\n\n${gatedAnswer}`],
		['Ann', `**Ann:**\n\n${gatedAnswer}`],
	]);
	const execution = await queue.editor.finishedOf(saved.id);
	expect(outcomeOf(execution)).toMatchObject({ ended: 'turnLimit', turns: 3 });
	expect(queue.workersOf(execution.id)).toHaveLength(1);
});

describe('twenty chats at once with Crypto Q&A and a job ledger, on two workers', () => {
	const CHATS = Array.from({ length: 20 }, (_, index) => `Chat ${index}`);
	const ROUNDS = 2;

	/** The assistant with a ledger of its own, which the first question creates. */
	const withLedger = async () =>
		await createWithLedger(queue.editor, secretsOf(bridge.service).assistant);

	it('each continues its own', async () => {
		const { assistant } = nodesFor({ ...bridge.accounts, assistant: await withLedger() });
		const question = { question: '={{ $json.chatInput }}' };
		const file = workflow('chats', [{}], assistant('Market', ['question', 'ask'], question));
		const trigger = chatTrigger(randomUUID(), 'lastNode');
		const saved = await queue.editor.importWorkflow(beginAt(file, trigger));
		const chatIds = new Map<string, Set<string>>(CHATS.map((chat) => [chat, new Set()]));
		const workers = new Set();
		for (let round = 1; round <= ROUNDS; round++) {
			// not in the order of before
			const chats = round === 1 ? CHATS : CHATS.toReversed();
			const started = chats.map(async (chat) => {
				const said = chatMessage(`${chat}, question ${round}`, chat);
				return [chat, await queue.editor.start(saved, said)] as const;
			});
			for (const [chat, id] of await Promise.all(started)) {
				const execution = await queue.editor.finished(id);
				expect(execution.error?.message).toBeUndefined();
				const { output: text, chatId } = itemsOf(execution, 'Market')[0]?.json ?? {};
				expect(text).toContain(`message ${round} of this chat`);
				if (round > 1) expect(text).toContain(`${chat}, question ${round - 1}`);
				chatIds.get(chat)?.add(String(chatId));
				for (const worker of queue.workersOf(id)) workers.add(worker);
			}
		}
		const own = [...chatIds.values()].map((ids) => [...ids]);
		expect(own.map(({ length }) => length)).toEqual(CHATS.map(() => 1));
		expect(new Set(own.flat()).size).toBe(CHATS.length);
		expect(workers).toEqual(new Set(queue.workers));
	});
});

it('a person decides what an agent of LangGraph waits for, in another execution on another worker', async () => {
	const { editor } = queue;
	const servers = await agentServers();
	const data = servers.credential('langGraph');
	const account = await editor.createCredential({
		type: 'agentServerApi',
		name: 'LangGraph',
		data,
	});
	const ask = (name: string, message: string, answerToApproval: string) =>
		node(
			name,
			`${packageName}.workspaceAgent`,
			{
				agentOf: 'server',
				agent: model('3f0b0000-0000-4000-8000-000000000000'),
				...(message && { messageSource: 'define', message }),
				options: { answerToApproval },
			},
			using(account),
		);
	const runOn = async (given: object, agent: WorkflowNode) => {
		const item = node(
			'Item',
			'n8n-nodes-base.code',
			{
				jsCode: `return [{ json: ${JSON.stringify(given)} }];`,
			},
			{ typeVersion: 2 },
		);
		const file = workflow(agent.name, [{}], item, agent);
		const id = await editor.start(await editor.importWorkflow(file));
		const execution = await editor.finished(id);
		expect(execution.error?.message).toBeUndefined();
		const [{ json = {} } = {}] = itemsOf(execution, agent.name);
		return { json, worker: queue.workersOf(id)[0] };
	};
	const asked = await runOn({}, ask('Ask', 'Pay it [may]', 'none'));
	expect(asked.json).toMatchObject({ waitsFor: { kind: 'approval', text: 'May I?' } });
	await asked.worker!.kill();
	const decided = await runOn(asked.json, ask('Decide', '', 'approve'));
	await asked.worker!.boot();
	await servers.stop();
	expect(decided.worker).not.toBe(asked.worker);
	expect(decided.json).toMatchObject({ output: expect.stringContaining('decided: [true]') });
});

it('trap 3: a person takes turns: the worker that held it is killed meanwhile, another goes on in the same sessions', async () => {
	const { editor, workers } = queue;
	const id = await begin({
		parameters: { turnLimit: 5 },
		speakers: [agents()[0]!, personByMail(mail.account, 'Eve')],
	});
	const first = await linkToAnswer(id);
	const [holder] = queue.workersOf(id);
	const other = workers.find((each) => each !== holder);
	await holder!.kill();
	await answerForm(first, 'On Monday.');

	const second = await linkToAnswer(id);
	expect(other!.executions()).toContain(id);
	await other!.kill();
	// trap 3 is here in queue mode: a worker's own log has an execution that began there and did not end, as it seems when it starts
	await holder!.boot();
	await answerForm(second, 'On Tuesday.');

	const execution = await editor.finished(id);
	const { transcript, ...outcome } = outcomeOf(execution);
	expect(outcome).toMatchObject({ ended: 'turnLimit', turns: 5 });
	const [session] = sessionsAt(bridge);
	expect(transcript).toMatchObject([
		{ speaker: 'Ann', sessionId: session, text: expect.stringContaining('"Hello"') },
		{ speaker: 'Eve', text: 'On Monday.' },
		{ speaker: 'Ann', sessionId: session, text: expect.stringContaining('message 2 of this') },
		{ speaker: 'Eve', text: 'On Tuesday.' },
		{ speaker: 'Ann', sessionId: session, text: expect.stringContaining('message 3 of this') },
	]);
	expect(sessionsAt(bridge)).toEqual([session, session, session]);
	expect(mail.server.mails).toHaveLength(2);
	await other!.boot();
	const { status, runData } = await editor.execution(id);
	expect({ status, runData }).toEqual({ status: 'success', runData: execution.runData });
});

/** Ann, Eve, who is a person, and Bob: the worker that holds it is killed while Eve is asked, and another goes on. */
async function heldByTwo(parameters: Record<string, unknown>): Promise<Outcome> {
	const [ann, bob] = agents();
	const speakers = [ann!, personByMail(mail.account, 'Eve'), bob!];
	const id = await begin({ parameters, speakers });
	const link = await linkToAnswer(id);
	const [holder] = queue.workersOf(id);
	await holder!.kill();
	await answerForm(link, 'On Monday.');
	const outcome = outcomeOf(await queue.editor.finished(id));
	expect(queue.workers.find((each) => each !== holder)!.executions()).toContain(id);
	await holder!.boot();
	expect(mail.server.mails).toHaveLength(1);
	return outcome;
}

it('a worker is killed in the middle of a round: another goes on with the same message, and nobody is asked twice', async () => {
	const outcome = await heldByTwo({ turnOrder: 'sameMessage', turnLimit: 4 });
	expect(outcome).toMatchObject({ ended: 'turnLimit', turns: 4 });
	const { transcript } = outcome;
	expect(transcript.map(({ speaker }) => speaker)).toEqual(['Ann', 'Eve', 'Bob', 'Ann']);
	expect(messagesTo(bridge)).toEqual([
		'Hello',
		'Hello',
		`Eve: On Monday.\n\nBob: ${transcript[2]?.text}`,
	]);
	const [ofAnn, ofBob] = sessionsAt(bridge);
	expect(sessionsAt(bridge)).toEqual([ofAnn, ofBob, ofAnn]);
});

it('a person replaces a turn after its worker was killed: the other one hears that, and nobody is asked twice', async () => {
	const { transcript } = await heldByTwo({ turnLimit: 3, options: { editors: 'Eve' } });
	expect(transcript).toMatchObject([
		{ speaker: 'Ann', text: 'On Monday.', replacedBy: 'Eve', replacedText: expect.any(String) },
		{ speaker: 'Eve', text: '', respondedAt: expect.any(String) },
		{ speaker: 'Bob' },
	]);
	expect(messagesTo(bridge)).toEqual(['Hello', 'Hello\n\nAnn: On Monday.']);
});

it('trap 3: a person approves turns, and can do so after main, and then everything, was killed and started anew', async () => {
	const { editor, main, workers } = queue;
	const attached = agents().map((node) => ({ node, to: 'Gate', as: 'ai_tool' as const }));
	const speakers = [gateByMail(mail.account, 'Gate')];
	const id = await begin({ parameters: { turnLimit: 3 }, speakers, attached });
	await openLink(await linkToAnswer(id));

	const second = await linkToAnswer(id);
	await main.restart('kill');
	expect(await editor.execution(id)).toMatchObject({ status: 'waiting' });
	await openLink(second);

	const third = await linkToAnswer(id);
	await Promise.all([main, ...workers].map((each) => each.kill()));
	await main.boot();
	await Promise.all(workers.map((each) => each.boot()));
	expect(await editor.execution(id)).toMatchObject({ status: 'waiting' });
	await openLink(third);

	const { transcript, ...outcome } = outcomeOf(await editor.finished(id));
	expect(outcome).toMatchObject({ ended: 'turnLimit', turns: 3 });
	const [ofAnn, ofBob] = sessionsAt(bridge);
	expect(transcript).toMatchObject([
		{ speaker: 'Ann', sessionId: ofAnn, approvedBy: 'Gate' },
		{ speaker: 'Bob', sessionId: ofBob, approvedBy: 'Gate' },
		{ speaker: 'Ann', text: expect.stringContaining('message 2 of this'), approvedBy: 'Gate' },
	]);
	expect(sessionsAt(bridge)).toEqual([ofAnn, ofBob, ofAnn]);
	expect(mail.server.mails).toHaveLength(3);
});
