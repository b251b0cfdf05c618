import { startService, type Service } from '../service/service.ts';
import { createAccounts, secretsOf, type Accounts } from '../n8n/bridge.ts';
import { fourTurns, namesIn, resultsOf, speakersWith } from '../n8n/conversationTurns.ts';
import { until, type SavedCredential } from '../n8n/editor.ts';
import { startInstance, withoutPages, type Instance } from '../n8n/instance.ts';
import { MailServer, type Mail } from '../n8n/mailServer.ts';
import { node, type WorkflowNode } from '../n8n/workflow.ts';

// n8n ends while a conversation waits for a person, or in the middle of a turn
let service: Service;
let instance: Instance;
let mails: MailServer;
let accounts: Accounts;
let smtp: SavedCredential;
beforeAll(async () => {
	service = await startService();
	mails = await MailServer.start();
	instance = await startInstance({
		tarball: process.env['AGENT_BRIDGE_TARBALL'],
		env: withoutPages,
	});
	accounts = await createAccounts(instance.editor, secretsOf(service));
	smtp = await instance.editor.createCredential(mails.secret);
});
beforeEach(() => {
	service.reset();
	mails.mails.length = 0;
});
afterAll(async () => {
	await instance?.remove();
	await mails?.stop();
	await service?.stop();
});

const sessions = () =>
	service.requests.map(({ path }) => /\/session\/([^/]+)\//.exec(path)?.[1] ?? '');
const ways = [
	['a clean restart', 'stop'],
	['kill -9', 'kill'],
] as const;

const mailNode = (name: string, type: string, parameters: Record<string, unknown>): WorkflowNode =>
	node(
		name,
		type,
		{ fromEmail: 'n8n@example.org', toEmail: 'ada@example.org', ...parameters },
		{ typeVersion: 2.1, credentials: { smtp: { id: smtp.id, name: smtp.name } } },
	);

/** The next mail, once the execution waits for its reader. */
async function mailOf(id: string, count: number): Promise<Mail> {
	await until(`there are ${count} mails`, () => mails.mails.length === count);
	await until('it waits', async () => (await instance.editor.execution(id)).status === 'waiting');
	return mails.mails.at(-1)!;
}

// n8n ignores who looks like a program
const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux) Firefox/150.0' };

/** Writes an answer into the page behind the link of a mail. */
async function answer({ links }: Mail, text: string): Promise<void> {
	const body = new FormData();
	body.append('field-0', text);
	const { status } = await fetch(links[0] ?? '', { method: 'POST', headers, body });
	expect(status).toBe(200);
}

/** Presses a button of a mail. */
async function decide({ links }: Mail, isApproved: boolean): Promise<void> {
	const link = links.find((each) => each.includes(`approved=${isApproved}`)) ?? '';
	expect((await fetch(link, { headers })).status).toBe(200);
}

describe('trap 3: after a restart, a conversation that waits for a person could not be answered', () => {
	it.each(ways)('a person who takes a turn, over %s', async (_what, how) => {
		const { editor } = instance;
		const { agent } = speakersWith(accounts);
		const person = mailNode('Person', 'n8n-nodes-base.emailSendTool', {
			operation: 'sendAndWait',
			subject: 'Your turn',
			message: '={{ $json.message }}',
			responseType: 'freeText',
			options: {},
		});
		const file = fourTurns({ speakers: [agent('Ada'), person] });
		const id = await editor.start(await editor.importWorkflow(file));
		for (const turn of [1, 2]) {
			const mail = await mailOf(id, turn);
			await instance.restart(how);
			expect((await editor.execution(id)).status).toBe('waiting');
			await answer(mail, `Words ${turn}`);
		}
		const execution = await editor.finished(id);
		expect(execution.error?.message).toBeUndefined();
		expect(execution.status).toBe('success');
		const [result] = resultsOf(execution);
		expect(result).toMatchObject({ ended: 'turnLimit', turns: 4, output: 'Words 2' });
		expect(namesIn(result!)).toEqual(['Ada', 'Person', 'Ada', 'Person']);
		expect(service.requests).toHaveLength(2);
		expect(service.received('Words 1')).toBe(1);
		expect(new Set(sessions()).size).toBe(1);
	});

	it.each(ways)('a person who approves each turn, over %s', async (_what, how) => {
		const { editor } = instance;
		const { agent, secondAgent } = speakersWith(accounts);
		const review = mailNode('Review', 'n8n-nodes-base.emailSendHitlTool', {
			subject: 'May it?',
			approvalOptions: { values: { approvalType: 'double' } },
			options: {},
		});
		const below = (to: string) => ({ ai_tool: [[{ node: to, type: 'ai_tool', index: 0 }]] });
		const file = fourTurns({ speakers: [review] });
		const id = await editor.start(
			await editor.importWorkflow({
				...file,
				nodes: [...file.nodes, agent('Ada'), secondAgent('Bob')],
				connections: {
					...file.connections,
					...({ Ada: below('Review'), Bob: below('Review') } as object),
				},
			}),
		);
		for (const turn of [1, 2, 3]) {
			const mail = await mailOf(id, turn);
			// the first and the last time that it waits
			if (turn !== 2) await instance.restart(how);
			expect(service.requests).toHaveLength(turn - 1);
			await decide(mail, turn < 3);
		}
		const execution = await editor.finished(id);
		expect(execution.error?.message).toBeUndefined();
		const [result] = resultsOf(execution);
		expect(result).toMatchObject({ ended: 'denied', turns: 3 });
		expect(namesIn(result!)).toEqual(['Ada', 'Bob', '(Ada)']);
		expect(result!.transcript[0]).toMatchObject({ approvedBy: 'Review' });
		expect(service.requests).toHaveLength(2);
	});
});

it('kill -9 in the third turn: the log has conversation and sessions, and a new execution goes on in them', async () => {
	const { editor } = instance;
	const { agent, secondAgent } = speakersWith(accounts);
	const speakers = [agent('Ada'), secondAgent('Bob')];
	service.fault({ match: { method: 'POST' }, skip: 2, times: 1, do: { type: 'timeout' } });
	const saved = await editor.importWorkflow(fourTurns({ speakers }));
	const id = await editor.start(saved);
	await until('the third turn is under way', () => service.requests.length === 3);
	await instance.kill();
	const log = instance.log();
	await instance.boot();

	const { status, runData } = await editor.finished(id);
	expect(status).toBe('crashed');
	expect(runData['Conversation']?.some(({ data }) => data)).not.toBe(true);
	const [ada, bob] = sessions();
	const progress = /conversation (\S{36}), turns: 2, asked: Ada, sessions: (.*)\n/.exec(log);
	const [, conversationId = '', known] = progress ?? [];
	expect(known).toBe(`Ada ${ada}, Bob ${bob}`);
	// nothing is sent by itself, and n8n refuses to retry it
	await expect(editor.retryExecution(id)).rejects.toThrow(/aborted/);
	expect(service.requests).toHaveLength(3);

	const parameters = { sessionMode: 'id', conversationId };
	await editor.updateWorkflow(saved.id, fourTurns({ speakers, parameters }));
	const next = await editor.run(saved);
	expect(resultsOf(next)).toMatchObject([{ conversationId, ended: 'turnLimit', turns: 4 }]);
	expect(sessions()).toEqual([ada, bob, ada, ada, bob, ada, bob]);
});
