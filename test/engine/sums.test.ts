import type { IDataObject } from 'n8n-workflow';

import type { Fault } from '../service/service';
import { budget, CARRY_ON, chat, failPosts, LOST, says, streamed } from './rig/calls';
import { startLedgerRig } from './rig/ledger';
import { run } from './rig/run';

// whatever comes back: what the items say that was paid, or may have been, is what everything counts that counts money
const rig = startLedgerRig();
const GUIDELINES = { error: 'Content violates usage guidelines. Failed check: x' };
const usage = { prompt_tokens: 100, completion_tokens: 50 };
const costing = (cost: number) => says({ content: 'Hello' }, 'stop', { ...usage, cost });
const micro = (usd: unknown) => Math.round(Number(usd ?? 0) * 1e6);

/** What comes back, and how many of three items may have cost more than is known. */
it.each<[string, Fault | Fault[], number]>([
	['an answer', [], 0],
	['a cost that the service reports', costing(0.00025), 0],
	['one beyond what was reserved', costing(0.9), 0],
	['no token counts', { type: 'drop', includes: 'usage' }, 2],
	['token counts of 0', says({ content: 'Hello' }, 'stop', { prompt_tokens: 0 }), 2],
	['an answer that broke off', streamed('data: {"choices":[{"delta":{"content":"Hel"}}]}\n\n'), 2],
	['an answer in which an error came', { type: 'stream_error', after: 1 }, 2],
	['an answer that cannot be read', { type: 'login_page' }, 2],
	['no answer', LOST, 2],
	['a refusal', { type: 'status', status: 400 }, 0],
	['a refusal for which a fee is charged', { type: 'status', status: 403, body: GUIDELINES }, 0],
])('%s', async (_what, fault, unknown) => {
	const secrets = rig.account({ recordSpending: true, budgetUsd: '1000' });
	failPosts(rig.service, fault, 2);
	const asked = chat('x', { options: { spendingCapPerExecution: 5 } });
	const given = await run({ ...asked, secrets, items: [{}, {}, {}], settings: CARRY_ON });
	const told = [...given.items, ...given.failed].map(({ json }) => {
		const { partial, computed } = Object(json['details']) as IDataObject;
		return { ...Object(computed), ...Object(partial), ...json } as IDataObject;
	});
	const sum = (amounts: IDataObject[], name: string) =>
		amounts.reduce((before, { [name]: amount }) => before + micro(amount), 0);
	const open = told.filter(({ reservedUsd }) => reservedUsd !== undefined);
	expect(open).toHaveLength(unknown);
	const [spent, reserved] = [sum(told, 'costUsd'), sum(open, 'reservedUsd')];
	const { executionData, resultData } = given.run.data;
	const { kept } = executionData!.contextData['node:Node'] as { kept: IDataObject };
	const { costUsd, unknownCosts } = resultData.metadata ?? {};
	const [row] = (await run({ ...budget('getBudget'), secrets })).items;
	const records = rig.n8n.spending as IDataObject[];
	expect({
		cap: kept['budget'],
		execution: [micro(costUsd), Number(unknownCosts ?? 0)],
		record: [sum(records, 'costUsd'), sum(records, 'unknownCosts') / 1e6],
		budget: [micro(row?.json['spentUsd']), row?.json['reservedUsd']],
	}).toEqual({
		cap: { spent: String(spent), reserved: String(reserved), open: open.length },
		execution: [spent, open.length],
		record: [spent, open.length],
		budget: [spent + reserved, 0],
	});
});
