import {
	fourTurns,
	gateByMail,
	namesIn,
	personByMail,
	resultsOf,
	sessionsAt,
	speakersOf,
} from '../n8n/conversationWorkflow.ts';
import { answerForm, linkOf, mailOfFile, openLink } from '../n8n/mailServer.ts';
import { ownOfFile } from './ownN8n.ts';

// n8n ends while a conversation waits for a person, or in the middle of a turn
const own = ownOfFile();
let speakers: ReturnType<typeof speakersOf>;
beforeAll(() => void (speakers = speakersOf(own.accounts)));
const mail = mailOfFile(() => own.editor);

const ways = [
	['a clean restart', 'stop'],
	['kill -9', 'kill'],
] as const;

/** A link of the next mail, once the execution waits for its reader. */
const linkToAnswer = async (id: string, isApproval?: boolean) =>
	linkOf(await mail.server.next(own.editor, id), isApproval);

describe('trap 3: after a restart, a conversation that waits for a person could not be answered', () => {
	it.each(ways)('a person who takes a turn, over %s', async (_what, how) => {
		const { editor, instance, service } = own;
		const person = personByMail(mail.account, 'Person');
		const file = fourTurns({ speakers: [speakers.agent('Ada'), person] });
		const id = await editor.start(await editor.importWorkflow(file));
		for (const turn of [1, 2]) {
			const link = await linkToAnswer(id);
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
		expect(new Set(sessionsAt(own)).size).toBe(1);
	});

	it.each(ways)('a person who approves each turn, over %s', async (_what, how) => {
		const { editor, instance, service } = own;
		const review = gateByMail(mail.account, 'Review');
		const reviewed = [speakers.agent('Ada'), speakers.secondAgent('Bob')];
		const attached = reviewed.map((node) => ({ node, to: 'Review', as: 'ai_tool' as const }));
		const file = fourTurns({ speakers: [review], attached });
		const id = await editor.start(await editor.importWorkflow(file));
		for (const turn of [1, 2, 3]) {
			const link = await linkToAnswer(id, turn < 3);
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
