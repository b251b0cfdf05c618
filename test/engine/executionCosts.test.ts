import type { IDataObject, INode } from 'n8n-workflow';

import { agent, chat, failPosts, job, PICTURE, RETRIED, secretsOf } from './rig/calls';
import { converse, type Speaker } from './rig/converse';
import { ours, runFlow, type Flow, type Wire } from './rig/flow';
import { serviceForTests } from './rig/service';

// what an execution has paid, in its custom data: every node of ours adds what it has paid itself
const service = serviceForTests({ jobSteps: 0 });

const answer = (name: string, words = 'x', settings: Partial<INode> = {}) =>
	ours(name, 'modelRouter', { ...chat(words), settings });
const ask = (name: string) => ours(name, 'workspaceAgent', agent({ message: 'x' }));
const picture = (name: string, operation: string) =>
	ours(name, 'modelRouter', job(operation, PICTURE));
const read = (name: string, operation: string) =>
	ours(name, 'modelRouter', job(operation, { mediaType: 'images', jobId: '={{ $json.jobId }}' }));

/** Runs nodes one after another, and returns what n8n keeps of their execution. */
async function runAll(nodes: INode[], flow: Partial<Flow> = {}) {
	const run = await runFlow({
		secrets: secretsOf(service),
		nodes,
		wires: nodes.slice(1).map(({ name }, at): Wire => [nodes[at]!.name, name]),
		...flow,
	});
	const { metadata: { costUsd, unknownCosts } = {}, runData } = run.data.resultData;
	const json = (name: string) => runData[name]?.at(-1)?.data?.['main']?.[0]?.[0]?.json ?? {};
	return { data: run.data, json, costs: { costUsd, unknownCosts } };
}

/** Of a text of one word. */
const textCost = async () => Number((await runAll([answer('One')])).json('One')['costUsd']);
const usd = (amount: number) => String(Number(amount.toFixed(6)));

/** The service says 0.09 when it starts a picture, and 0.04 once it is done. */
const estimate = () =>
	failPosts(service, {
		type: 'replace',
		find: '"estimated_cost":40000',
		with: '"estimated_cost":90000',
	});

it.each([
	['an answer of an agent has no cost', [ask('One'), ask('Two')], { unknownCosts: '2' }],
	['a started job counts with its estimate', [picture('One', 'start')], { costUsd: '0.09' }],
	['Generate has its cost', [picture('One', 'generate')], { costUsd: '0.04' }],
	[
		'a job whose cost is read in the execution has it, once',
		[picture('One', 'start'), read('Two', 'wait'), read('Three', 'getJob')],
		{ costUsd: '0.04' },
	],
	[
		'two jobs are two',
		[picture('One', 'start'), picture('Two', 'start'), read('Three', 'getJob')],
		{ costUsd: '0.13' },
	],
])('%s', async (_what, nodes, costs) => {
	estimate();
	expect((await runAll(nodes)).costs).toEqual({ costUsd: undefined, ...costs });
});

it('texts of several nodes are one sum', async () => {
	const cost = await textCost();
	expect(cost).toBeGreaterThan(0);
	const { costs } = await runAll([answer('One'), ask('Two'), answer('Three')]);
	expect(costs).toEqual({ costUsd: usd(2 * cost), unknownCosts: '1' });
});

it('a job that another execution has started costs this one nothing', async () => {
	const { json } = await runAll([picture('One', 'start')]);
	const { jobId } = json('One');
	const { costs } = await runAll([read('Two', 'getJob')], { input: [{ json: { jobId } }] });
	expect(costs).toEqual({});
});

/** The service refuses it once. */
const refuse = (bodyIncludes: string) =>
	service.fault({
		match: { method: 'POST', bodyIncludes },
		times: 1,
		do: { type: 'status', status: 400 },
	});

it('what Retry On Fail repeats counts once', async () => {
	refuse('two.');
	const input = ['one.', 'two.'].map((words) => ({ json: { words } }));
	const { costs, data } = await runAll([answer('One', '={{ $json.words }}', RETRIED)], { input });
	const items = data.resultData.runData['One']?.at(-1)?.data?.['main']?.[0] ?? [];
	const sum = items.reduce((before, { json }) => before + Number(json['costUsd']), 0);
	expect([items.length, costs]).toEqual([2, { costUsd: usd(sum) }]);
});

it('an execution that goes on where another has failed counts what it pays itself', async () => {
	const cost = await textCost();
	refuse('two.');
	refuse('two.');
	const nodes = [answer('One'), answer('Two', 'two.')];
	const first = await runAll(nodes);
	expect(first.costs).toEqual({ costUsd: usd(cost) });
	const refused = await runAll(nodes, { retry: first.data });
	expect(refused.costs).toEqual({ costUsd: '0' });
	const again = await runAll(nodes, { retry: first.data });
	expect(again.costs).toEqual({ costUsd: usd(Number(again.json('Two')['costUsd'])) });
});

describe('a conversation', () => {
	const paid: Speaker = () => ({ output: 'hello', costUsd: 0.5 });
	const talk = async (speakers: Record<string, Speaker | INode>, more: object = {}) =>
		await converse({
			secrets: secretsOf(service),
			speakers,
			parameters: { turnLimit: 4, spendingCapPerConversation: 9 },
			...more,
		});

	it('adds what speakers report that are not ours, and ours add what they have paid', async () => {
		const tool = ours('Router', 'modelRouterTool', chat('x'));
		const { json, customData } = await talk({ Ada: paid, Router: tool });
		const turns = json['transcript'] as IDataObject[];
		const sum = turns.reduce((before, { costUsd }) => before + Number(costUsd), 0);
		expect(sum).toBeGreaterThan(1);
		expect(customData).toMatchObject({ costUsd: usd(sum), turns: '4' });
	});

	it('adds what its moderator reports, once, whatever n8n runs again', async () => {
		let calls = 0;
		const said = (content: string) => ({ content, costUsd: 0.25 });
		const { customData, error } = await talk(
			{ Ada: paid, Bob: paid },
			{
				parameters: {
					turnLimit: 2,
					spendingCapPerConversation: 9,
					options: { resultSchema: '{"type": "object"}' },
				},
				moderator: [said('{"a": 1}')],
				settings: RETRIED,
				onCalled() {
					if (++calls === 3) throw new Error('It broke');
				},
			},
		);
		expect(error).toBeUndefined();
		expect(customData).toMatchObject({ costUsd: '1.25' });
	});
});
