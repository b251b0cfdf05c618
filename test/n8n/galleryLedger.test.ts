import { randomUUID } from 'node:crypto';

import { askingByMail } from './askingByMail.ts';
import { until, type SavedCredential } from './editor.ts';
import { exampleFor } from './example.ts';
import { itemsOf, type Execution } from './execution.ts';
import { LedgerHost } from './ledgerHost.ts';
import { MailServer, type Mail } from './mailServer.ts';
import { answerFields } from './personAtLinks.ts';
import { sharedEditor } from './shared.ts';
import { workflow } from './workflow.ts';

// the error workflow of the gallery, with a ledger in which outcomes are unknown: the test is asked by mail what the user is asked in Slack
let ledger: LedgerHost;
let post: MailServer;
let smtp: SavedCredential;
/** How many mails somebody has looked at. */
let seen = 0;
beforeAll(async () => {
	ledger = await LedgerHost.start(await sharedEditor());
	post = await MailServer.start();
	smtp = await ledger.editor.createCredential(post.secret);
});
beforeEach(() => ledger.reset());
afterAll(async () => {
	await ledger?.stop();
	await post?.stop();
});

/** The next mail, once the execution waits for its answer. */
async function waitingMail(id: string): Promise<Mail> {
	await until('a mail has come', async () => {
		if (post.mails.length > seen) return true;
		const { status, error } = await ledger.editor.execution(id);
		if (status === 'error') throw new Error(error?.message);
		return false;
	});
	await until('it waits', async () => (await ledger.editor.execution(id)).status === 'waiting');
	return post.mails[seen++]!;
}

/** The link to the form. */
const linkOf = ({ links }: Mail) => links.find((link) => link.includes('approved=true')) ?? '';

const sentBy = (execution: Execution, node: string) =>
	itemsOf(execution, node).map(({ json }) => json);

async function finished(id: string): Promise<Execution> {
	const execution = await ledger.editor.finished(id);
	expect(execution.error?.message).toBeUndefined();
	expect(execution.status).toBe('success');
	return execution;
}

describe('a paid start whose outcome is unknown', () => {
	/** Starts a job whose answer is lost. @returns the job that there is nevertheless */
	async function lostStart(key: string): Promise<string> {
		ledger.service.fault({
			match: { method: 'POST' },
			times: 1,
			do: { type: 'reset_peer', effect: true },
		});
		const execution = await ledger.run(workflow(key, [{}], ledger.startNode(key)));
		expect(execution.error?.context?.['metadata']).toMatchObject({ outcome: 'unknown' });
		expect(await ledger.ofKey(key)).toMatchObject([{ state: 'unknown', jobId: '' }]);
		return ledger.service.world.starts.at(-1)!.jobId;
	}

	const errorWorkflow = async () => {
		const accounts = { router: ledger.account };
		const file = exampleFor(accounts, 'ask-in-slack-what-became-of-an-unknown-paid-start.json');
		return await ledger.saved(askingByMail(file, smtp));
	};
	/** Executes it by hand: it then gets n8n's own example of an error. */
	const begin = async () => await ledger.editor.start(await errorWorkflow());

	it('a person says that there is a job, and that there is none', async () => {
		const keys = [`first-${randomUUID()}`, `second-${randomUUID()}`];
		const jobs = [await lostStart(keys[0]!), await lostStart(keys[1]!)];
		const id = await begin();
		// the latest first
		const asked = await waitingMail(id);
		expect(asked.body).toContain('Workflow that failed: Example Workflow');
		expect(asked.body).toContain(`Unique key: ${keys[1]}`);
		await answerFields(linkOf(asked), ['Yes', ` ${jobs[1]} `]);
		const second = await waitingMail(id);
		expect(second.body).toContain(`Unique key: ${keys[0]}`);
		await answerFields(linkOf(second), ['No', '']);
		const execution = await finished(id);

		expect(await ledger.ofKey(keys[1]!)).toMatchObject([{ state: 'pending', jobId: jobs[1] }]);
		expect(await ledger.ofKey(keys[0]!)).toMatchObject([{ state: 'notStarted' }]);
		expect(sentBy(execution, 'Say That It Was Started')).toMatchObject([
			{ text: `The start with the key "${keys[1]}" is marked as started: job ${jobs[1]}.` },
		]);
		expect(sentBy(execution, 'Say That It Was Not')).toMatchObject([
			{ text: expect.stringContaining(`The start with the key "${keys[0]}" is marked as not`) },
		]);
		// the workflow itself has started nothing
		expect(ledger.service.world.starts).toHaveLength(2);
	});

	it('"Yes" without a job ID changes nothing, and the next error asks again', async () => {
		const key = `third-${randomUUID()}`;
		await lostStart(key);
		const id = await begin();
		await answerFields(linkOf(await waitingMail(id)), ['Yes', '']);
		expect(sentBy(await finished(id), 'Say That Nothing Changed')).toMatchObject([
			{ text: expect.stringContaining(`Nothing is marked for the key "${key}"`) },
		]);
		expect(await ledger.ofKey(key)).toMatchObject([{ state: 'unknown' }]);

		const again = await begin();
		await answerFields(linkOf(await waitingMail(again)), ['No', '']);
		await finished(again);
		expect(await ledger.ofKey(key)).toMatchObject([{ state: 'notStarted' }]);
	});

	it('a start that n8n never ended is asked about, too, once its lease is over', async () => {
		const key = `fourth-${randomUUID()}`;
		await lostStart(key);
		const [row] = await ledger.ofKey(key);
		const table = await ledger.table();
		const change = async (fields: object) =>
			await table.change({ all: [['id', 'eq', row!.id]] }, { state: 'sending', ...fields });
		await change({ leaseUntil: Date.now() + 600_000 });
		expect(sentBy(await finished(await begin()), 'Tell of the Error')).toHaveLength(1);
		await change({ leaseUntil: 1 });
		const id = await begin();
		await answerFields(linkOf(await waitingMail(id)), ['No', '']);
		await finished(id);
		expect(await ledger.ofKey(key)).toMatchObject([{ state: 'notStarted' }]);
	});

	it('n8n executes it when a published workflow fails', async () => {
		const { editor, service } = ledger;
		const errors = await errorWorkflow();
		await editor.activate(errors);
		const [key, path] = [`fifth-${randomUUID()}`, randomUUID()];
		const file = workflow('orders', [], ledger.startNode(key));
		Object.assign(file.nodes[0]!, {
			...{ type: 'n8n-nodes-base.webhook', typeVersion: 2.1, webhookId: path },
			parameters: { path, httpMethod: 'POST', responseMode: 'lastNode', options: {} },
		});
		const settings = { ...file.settings, errorWorkflow: errors.id };
		const failing = await ledger.saved({ ...file, settings, pinData: {} });
		await editor.activate(failing);
		service.fault({
			match: { method: 'POST' },
			times: 1,
			do: { type: 'reset_peer', effect: true },
		});
		expect(await editor.webhook(path)).toMatchObject({ status: 500 });
		const { id: failed } = await editor.finishedOf(failing.id);

		let id = '';
		await until('the error workflow is executed', async () => {
			id = (await editor.executions(errors.id))[0]?.id ?? '';
			return id !== '';
		});
		const asked = await waitingMail(id);
		expect(asked.body).toContain('Workflow that failed: orders');
		expect(asked.body).toContain(`/executions/${failed}`);
		expect(asked.body).toContain(`Unique key: ${key}`);
		const { jobId } = service.world.starts[0]!;
		await answerFields(linkOf(asked), ['Yes', jobId]);
		await finished(id);
		expect(await ledger.ofKey(key)).toMatchObject([{ state: 'pending', jobId }]);
		await editor.deactivate(failing.id);
		await editor.deactivate(errors.id);
	});

	it('any other error is told', async () => {
		const execution = await finished(await begin());
		expect(sentBy(execution, 'Ask a Person')).toEqual([]);
		expect(sentBy(execution, 'Tell of the Error')).toMatchObject([
			{ text: expect.stringMatching(/^The workflow "Example Workflow" has failed: Example Error/) },
		]);
	});
});
