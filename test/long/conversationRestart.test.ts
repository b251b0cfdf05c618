import {
	asked,
	fourTurns,
	mailNode,
	namesIn,
	resultsOf,
	speakersOf,
} from '../n8n/conversationWorkflow.ts';
import { until, type SavedCredential } from '../n8n/editor.ts';
import { answerForm, MailServer, openLink } from '../n8n/mailServer.ts';
import { openOwn, type Own } from './ownN8n.ts';

// n8n ends while a conversation waits for a person, or in the middle of a turn
let own: Own;
let post: MailServer;
let smtp: SavedCredential;
let speakers: ReturnType<typeof speakersOf>;
beforeAll(async () => {
	post = await MailServer.start();
	own = await openOwn();
	speakers = speakersOf(own.accounts);
	smtp = await own.editor.createCredential(post.secret);
});
beforeEach(() => {
	own.service.reset();
	post.mails.length = 0;
});
afterAll(async () => {
	await own?.stop();
	await post?.stop();
});

const sessions = () =>
	own.service.requests.map(({ path }) => /\/session\/([^/]+)\//.exec(path)?.[1] ?? '');
const ways = [
	['a clean restart', 'stop'],
	['kill -9', 'kill'],
] as const;

/** A link of the next mail, once the execution waits for its reader. */
async function linkOf(id: string, count: number, part: string): Promise<string> {
	await until(`there are ${count} mails`, () => post.mails.length === count);
	await until('it waits', async () => (await own.editor.execution(id)).status === 'waiting');
	return post.mails.at(-1)!.links.find((each) => each.includes(part)) ?? '';
}

describe('trap 3: after a restart, a conversation that waits for a person could not be answered', () => {
	it.each(ways)('a person who takes a turn, over %s', async (_what, how) => {
		const { editor, instance, service } = own;
		const turn = { message: asked('Message'), responseType: 'freeText' };
		const person = mailNode(smtp, 'emailSendTool', 'Person', turn);
		const file = fourTurns({ speakers: [speakers.agent('Ada'), person] });
		const id = await editor.start(await editor.importWorkflow(file));
		for (const turn of [1, 2]) {
			const link = await linkOf(id, turn, '/webhook-waiting/');
			await instance.restart(how);
			expect((await editor.execution(id)).status).toBe('waiting');
			await answerForm(link, `Words ${turn}`);
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
		const { editor, instance, service } = own;
		const review = mailNode(smtp, 'emailSendHitlTool', 'Review', {
			responseType: 'approval',
			approvalOptions: { values: { approvalType: 'double' } },
		});
		const reviewed = [speakers.agent('Ada'), speakers.secondAgent('Bob')];
		const attached = reviewed.map((node) => ({ node, to: 'Review', as: 'ai_tool' as const }));
		const file = fourTurns({ speakers: [review], attached });
		const id = await editor.start(await editor.importWorkflow(file));
		for (const turn of [1, 2, 3]) {
			const link = await linkOf(id, turn, `approved=${turn < 3}`);
			// the first and the last time that it waits
			if (turn !== 2) await instance.restart(how);
			expect(service.requests).toHaveLength(turn - 1);
			await openLink(link);
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
	const { editor, instance, service } = own;
	const both = [speakers.agent('Ada'), speakers.secondAgent('Bob')];
	service.fault({ match: { method: 'POST' }, skip: 2, times: 1, do: { type: 'timeout' } });
	const saved = await editor.importWorkflow(fourTurns({ speakers: both }));
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
	await editor.updateWorkflow(saved.id, fourTurns({ speakers: both, parameters }));
	const next = await editor.run(saved);
	expect(resultsOf(next)).toMatchObject([{ conversationId, ended: 'turnLimit', turns: 4 }]);
	expect(sessions()).toEqual([ada, bob, ada, ada, bob, ada, bob]);
});
