import { randomUUID } from 'node:crypto';

import { askingByMail } from './askingByMail.ts';
import { openBridge, type Bridge } from './bridge.ts';
import { outcomeOf, saidIn } from './conversationWorkflow.ts';
import { dataTableScopes } from './instanceOn.ts';
import { until, type SavedCredential } from './editor.ts';
import { exampleFor } from './example.ts';
import { itemsOf, type Execution } from './execution.ts';
import { MailServer, type Mail } from './mailServer.ts';
import { openLink } from './personAtLinks.ts';
import { PublicApi } from './publicApi.ts';
import type { WorkflowFile } from './workflow.ts';

// workflows of the gallery in which a person decides: the test is asked by mail what the user is asked in Slack
let bridge: Bridge;
let post: MailServer;
let smtp: SavedCredential;
/** How many mails somebody has looked at. */
let seen = 0;
beforeAll(async () => {
	bridge = await openBridge({ personas: true });
	post = await MailServer.start();
	smtp = await bridge.editor.createCredential(post.secret);
});
beforeEach(() => bridge.service.reset());
afterAll(async () => {
	await bridge.service.stop();
	await post?.stop();
});

/** The next mail, once the execution waits for its answer. */
async function waitingMail(id: string): Promise<Mail> {
	await until('a mail has come', async () => {
		if (post.mails.length > seen) return true;
		const { status, error } = await bridge.editor.execution(id);
		if (status === 'error') throw new Error(error?.message);
		return false;
	});
	await until('it waits', async () => (await bridge.editor.execution(id)).status === 'waiting');
	return post.mails[seen++]!;
}

const linkOf = ({ links }: Mail, isApproval: boolean) =>
	links.find((link) => link.includes(`approved=${isApproval}`)) ?? '';

const sentBy = (execution: Execution, node: string) =>
	itemsOf(execution, node).map(({ json }) => json);

async function finished(id: string): Promise<Execution> {
	const execution = await bridge.editor.finished(id);
	expect(execution.error?.message).toBeUndefined();
	expect(execution.status).toBe('success');
	return execution;
}

const sessions = () => bridge.service.requests.filter(({ path }) => /\/session\//.test(path));

describe('two agents under the eyes of a person', () => {
	const start = async () => {
		const file = exampleFor(bridge.accounts, 'approve-in-slack-what-two-agents-say.json');
		const saved = await bridge.editor.importWorkflow(askingByMail(file, smtp));
		return await bridge.editor.start(saved, {
			Topic: 'Please agree with your colleague on a day for the release of Lighthouse.',
		});
	};

	it('each turn is approved, and the whole conversation is posted', async () => {
		const id = await start();
		for (const [index, who] of ['Planner', 'Tester', 'Planner'].entries()) {
			const mail = await waitingMail(id);
			const other = who === 'Planner' ? 'Tester' : 'Planner';
			expect(mail.subject).toBe(`Approve ${who}`);
			expect(mail.body).toContain(`May ${other} hear what ${who} says?`);
			// the other one has heard nothing yet
			expect(sessions()).toHaveLength(index + 1);
			await openLink(linkOf(mail, true));
		}
		const execution = await finished(id);
		const outcome = outcomeOf(execution);
		expect(outcome.ended).toBe('stopPhrase');
		expect(saidIn(outcome).map(([who]) => who)).toEqual([
			...['Planner', 'Approve Planner', 'Tester', 'Approve Tester'],
			...['Planner', 'Approve Planner', 'Tester'],
		]);
		const [posted] = sentBy(execution, 'Post the Result');
		expect(posted?.['text']).toMatch(/^\*The conversation has ended: Tester said "\[AGREED\]"\*/);
		for (const { speaker, text } of outcome.transcript)
			expect(posted?.['text']).toContain(`*${speaker}:* ${text}`);
	});

	it('a turn that is declined ends it', async () => {
		const id = await start();
		await openLink(linkOf(await waitingMail(id), false));
		const execution = await finished(id);
		expect(outcomeOf(execution).ended).toBe('denied');
		expect(sessions()).toHaveLength(1);
		expect(sentBy(execution, 'Post the Result')).toMatchObject([
			{ text: expect.stringContaining('Approve Planner did not approve') },
		]);
	});
});

it('two agents negotiate until they agree, and every turn is a row of a table', async () => {
	const name = `Negotiations ${randomUUID()}`;
	const file = exampleFor(
		bridge.accounts,
		'two-agents-negotiate-with-the-transcript-in-a-data-table.json',
	);
	const { editor } = bridge;
	const own = JSON.parse(
		JSON.stringify(file).replaceAll('"Negotiations"', JSON.stringify(name)),
	) as WorkflowFile;
	const execution = await finished(await editor.start(await editor.importWorkflow(own)));
	const turns = sentBy(execution, 'Negotiation');
	expect(turns.map(({ speaker }) => speaker)).toEqual(['Planner', 'Tester', 'Planner', 'Tester']);
	expect(turns.at(-1)?.['text']).toMatch(/^Yes, Monday of next week at 10:00\..*\[AGREED\]$/);
	expect(sessions()).toHaveLength(4);

	const api = new PublicApi(editor.url, await editor.createApiKey(dataTableScopes));
	const tableId = String(sentBy(execution, 'Create the Table')[0]?.['id']);
	const stored = await api.call<{ data: Array<Record<string, unknown>> }>(
		'GET',
		`/data-tables/${tableId}/rows?limit=100`,
	);
	const rows = stored.data.sort((one, other) => Number(one['turn']) - Number(other['turn']));
	expect(rows).toMatchObject(turns.map(({ speaker, turn, text }) => ({ speaker, turn, text })));
});
