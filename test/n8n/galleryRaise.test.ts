import { randomUUID } from 'node:crypto';

import { createWithLedger, model, readWith, secretsOf } from './bridge.ts';
import type { Execution } from './execution.ts';
import { galleryOfFile, given } from './gallery.ts';
import { answerForm, linkOf } from './mailServer.ts';
import { DataTables } from './publicApi.ts';

// the workflow of the gallery that asks a person when the budget is reached: the test is asked by mail what the user is asked in Slack
const { bridge, load, start, finished, mailOf, modelCalls } = galleryOfFile({});

/** Makes what the example names "Model Router account". A day's budget is enough for one answer. @returns the name of its table */
async function useBudget() {
	const ledgerTable = `Ledger ${randomUUID()}`;
	const { editor, service, accounts } = bridge;
	accounts.router = await createWithLedger(editor, secretsOf(service).router, {
		ledgerTable,
		budgetUsd: '0.015',
		budgetPeriod: 'day',
		workflowsMayRaiseBy: '1',
	});
	return ledgerTable;
}

const begin = async () => {
	const example = load('when-the-budget-is-reached-ask-in-slack.json');
	const [answer] = example.nodes.filter(({ name }) => name === 'Answer');
	// each answer costs about what it may cost at most
	answer!.parameters['model'] = model('verbose/novelist-1');
	return await start(example);
};
/** Fills in the form behind the next mail. @returns what the mail said */
const answer = async (id: string, ...fields: string[]) => {
	const mail = await mailOf(id);
	await answerForm(linkOf(mail), ...fields);
	return mail.body;
};
/** What was asked for, in its order. */
const sent = () => modelCalls().map(({ body }) => /Why is [\w ]+/.exec(JSON.stringify(body))?.[0]);
const runsOf = ({ runData }: Execution, node: string) => runData[node]?.length ?? 0;
const figures = async () =>
	(await readWith(bridge.editor, bridge.accounts.router, ['budget', 'getBudget']))[0];

it('a person raises the budget twice, and what had answered is not paid again', async () => {
	await useBudget();
	const { paid } = await bridge.service.paidFor(async () => {
		const id = await begin();
		expect(await answer(id, '0.012', 'Ada')).toMatch(
			/0\.01\d+ of 0\.015 USD is spent.*Refused requests: 2\. The first of them needs another 0\.0\d+ USD/,
		);
		expect(await answer(id, '0.9', 'Grace')).toMatch(
			/0\.02\d+ of 0\.027 USD is spent.*Refused requests: 1\./,
		);
		const execution = await finished(id);
		expect(runsOf(execution, 'Post the Answer')).toBe(3);
		expect(runsOf(execution, 'Say Why It Stopped')).toBe(0);
	});
	expect(new Set(sent()).size).toBe(3);
	expect(sent()).toHaveLength(3);
	expect(await figures()).toMatchObject({
		budgetUsd: 0.927,
		raisedUsd: 0.912,
		spentUsd: paid / 1e6,
		raises: [
			{ amountUsd: 0.012, reason: 'Ada approved it in Slack' },
			{ amountUsd: 0.9, reason: 'Grace approved it in Slack' },
		],
	});
});

it('an answer after midnight is refused in words, and so is one that is too high', async () => {
	const ledgerTable = await useBudget();
	const tables = await DataTables.of(bridge.editor);
	const dear = await begin();
	await answer(dear, '2', 'Ada');
	expect(given(await finished(dear), 'Say Why It Stopped')).toMatchObject([
		{ text: expect.stringMatching(/^The credential lets workflows raise its budget by \$1\.00/) },
	]);
	const late = await begin();
	await mailOf(late).then(async (mail) => {
		// another worker has spent something after midnight
		const [row] = (await tables.rows(ledgerTable)).filter(({ state }) => state === 'budget');
		const day = new Date(Date.now() + 24 * 3_600_000).toISOString().slice(0, 10);
		const record = JSON.stringify({ ...JSON.parse(String(row!['record'])), day });
		await tables.update(ledgerTable, 'state', 'budget', { record, claim: randomUUID() });
		await answerForm(linkOf(mail), '0.5', 'Grace');
	});
	expect(given(await finished(late), 'Say Why It Stopped')).toMatchObject([
		{
			text: expect.stringMatching(
				/^This request was not refused in the current period of the budget\..*The current period began on 20.* at 00:00 UTC\. Send the request again/s,
			),
		},
	]);
	expect(await figures()).toMatchObject({ budgetUsd: 0.015, raises: [] });
	expect(sent()).toHaveLength(1);
});

it('a person says no, and nothing more is sent', async () => {
	await useBudget();
	const id = await begin();
	await answer(id, '0', 'Ada');
	expect(given(await finished(id), 'Say Why It Stopped')).toMatchObject([
		{ text: 'Ada did not raise the budget. What was refused was not sent.' },
	]);
	expect(sent()).toHaveLength(1);
});
