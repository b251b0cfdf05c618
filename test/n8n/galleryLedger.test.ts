import { randomUUID } from 'node:crypto';

import { chatMessage, until } from './editor.ts';
import { exampleFor } from './example.ts';
import { askingByMail, ended, given, textsOf, withoutOutsideApps } from './gallery.ts';
import { LedgerHost } from './ledgerHost.ts';
import { answerForm, linkOf, mailOfFile } from './mailServer.ts';
import { sharedEditor } from './shared.ts';
import { beginAt, webhook, workflow } from './workflow.ts';

// the error workflow of the gallery, with a ledger in which outcomes are unknown: the test is asked by mail what the user is asked in Slack
let ledger: LedgerHost;
beforeAll(async () => void (ledger = await LedgerHost.start(await sharedEditor())));
beforeEach(() => ledger.reset());
afterAll(async () => await ledger?.stop());
const mail = mailOfFile(() => ledger.editor);

const loseAnswer = () =>
	ledger.service.fault({
		match: { method: 'POST' },
		times: 1,
		do: { type: 'reset_peer', effect: true },
	});
/** Starts a job whose answer is lost. @returns the job that there is nevertheless, and its key */
async function lostStart() {
	const key = randomUUID();
	loseAnswer();
	const execution = await ledger.run(workflow(key, [{}], ledger.startNode(key)));
	expect(execution.error?.context?.['metadata']).toMatchObject({ outcome: 'unknown' });
	expect(await ledger.ofKey(key)).toMatchObject([{ state: 'unknown', jobId: '' }]);
	return { key, jobId: ledger.service.world.starts.at(-1)!.jobId };
}

const errorWorkflow = async () => {
	const file = 'recover-unknown-paid-jobs-in-slack.json';
	const example = exampleFor({ router: ledger.account }, file);
	return await ledger.saved(withoutOutsideApps(askingByMail(example, mail.account)));
};
/** Executes it by hand: it then gets n8n's own example of an error. */
const begin = async () => await ledger.editor.start(await errorWorkflow());
/** Fills in the form behind the next mail. @returns what the mail said */
const answer = async (id: string, ...fields: string[]) => {
	const asking = await mail.server.next(ledger.editor, id);
	await answerForm(linkOf(asking), ...fields);
	return asking.body;
};
const finished = async (id: string) => ended(await ledger.editor.finished(id));

it('a person says that there is a job, and that there is none', async () => {
	const [first, second] = [await lostStart(), await lostStart()];
	const id = await begin();
	// the latest first
	const asked = await answer(id, 'Yes', ` ${second.jobId} `);
	expect(asked).toContain('Workflow that failed: Example Workflow');
	expect(asked).toContain(`Unique key: ${second.key}`);
	expect(await answer(id, 'No', '')).toContain(`Unique key: ${first.key}`);
	const execution = await finished(id);
	expect(await ledger.ofKey(second.key)).toMatchObject([{ state: 'pending', jobId: second.jobId }]);
	expect(await ledger.ofKey(first.key)).toMatchObject([{ state: 'notStarted' }]);
	expect(textsOf(execution, 'Say That It Was Started')).toEqual([
		`The start with the key "${second.key}" is marked as started: job ${second.jobId}.`,
	]);
	expect(textsOf(execution, 'Say That It Was Not')).toEqual([
		expect.stringContaining(`The start with the key "${first.key}" is marked as not`),
	]);
	// the workflow itself has started nothing
	expect(ledger.service.world.starts).toHaveLength(2);
});

it('"Yes" without a job ID changes nothing, and the next error asks again', async () => {
	const { key } = await lostStart();
	const id = await begin();
	await answer(id, 'Yes', '');
	expect(textsOf(await finished(id), 'Say That Nothing Changed')).toEqual([
		expect.stringContaining(`Nothing was recorded for the key "${key}"`),
	]);
	expect(await ledger.ofKey(key)).toMatchObject([{ state: 'unknown' }]);
	const again = await begin();
	await answer(again, 'No', '');
	await finished(again);
	expect(await ledger.ofKey(key)).toMatchObject([{ state: 'notStarted' }]);
});

it('a start that n8n never ended is asked about, too, once its lease is over; any other error is told', async () => {
	const { key } = await lostStart();
	const [row] = await ledger.ofKey(key);
	const table = await ledger.table();
	const change = async (leaseUntil: number) =>
		await table.change({ all: [['id', 'eq', row!.id]] }, { state: 'sending', leaseUntil });
	await change(Date.now() + 600_000);
	const execution = await finished(await begin());
	expect(given(execution, 'Ask a Person')).toEqual([]);
	expect(textsOf(execution, 'Report the Error')).toEqual([
		expect.stringMatching(/^The workflow "Example Workflow" has failed: Example Error/),
	]);
	await change(1);
	const id = await begin();
	await answer(id, 'No', '');
	await finished(id);
	expect(await ledger.ofKey(key)).toMatchObject([{ state: 'notStarted' }]);
});

it('a chat shows the jobs under way', async () => {
	const own = await LedgerHost.start(await sharedEditor());
	const ask = async () => {
		const file = exampleFor({ router: own.account }, 'what-is-being-made-right-now.json');
		const id = await own.editor.start(await own.saved(file), chatMessage('And now?'));
		return given(await finished(id), 'Write the Table')[0]?.['output'];
	};
	expect(await ask()).toBe('Nothing is being made right now.');
	const key = randomUUID();
	const prompt = 'a lighthouse [[never]]';
	await own.run(workflow(key, [{}], own.startNode(key, { prompt })));
	expect(String(await ask()).split('\n')).toEqual([
		'| Model | Status | Age | Key or label | Execution |',
		'| --- | --- | --- | --- | --- |',
		expect.stringMatching(
			`^\\| canvas/sketch-1 \\| processing \\| \\d+ s \\| ${key} \\| \\d+ \\|$`,
		),
	]);
	await own.stop();
});

it('n8n executes it when a published workflow fails', async () => {
	const { editor, service } = ledger;
	const errors = await errorWorkflow();
	await editor.activate(errors);
	const [key, path] = [randomUUID(), randomUUID()];
	const file = beginAt(workflow('orders', [], ledger.startNode(key)), webhook(path, 'lastNode'));
	const settings = { ...file.settings, errorWorkflow: errors.id };
	const failing = await ledger.saved({ ...file, settings });
	await editor.activate(failing);
	loseAnswer();
	expect(await editor.webhook(path)).toMatchObject({ status: 500 });
	const { id: failed } = await editor.finishedOf(failing.id);

	let id = '';
	await until('the error workflow is executed', async () => {
		id = (await editor.executions(errors.id))[0]?.id ?? '';
		return id !== '';
	});
	const { jobId } = service.world.starts[0]!;
	const asked = await answer(id, 'Yes', jobId);
	for (const part of ['Workflow that failed: orders', `/executions/${failed}`, `key: ${key}`])
		expect(asked).toContain(part);
	await finished(id);
	expect(await ledger.ofKey(key)).toMatchObject([{ state: 'pending', jobId }]);
	await editor.deactivate(failing.id);
	await editor.deactivate(errors.id);
});
