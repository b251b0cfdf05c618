import { documentedOperations } from '../../scripts/docs/nodePages';
import { agent, assistant, chat, failPosts, posts, secretsOf } from './rig/calls';
import { documentedOutputs } from './rig/documented';
import { startLedgerRig } from './rig/ledger';
import { callInN8nAgent } from './rig/n8nAgent';
import { run } from './rig/run';

// our nodes as tools of n8n Agents, which run each call in an empty execution of its own
const rig = startLedgerRig();

it('every operation works but those that are for people', async () => {
	const refusals: string[] = [];
	const outputs = await documentedOutputs(async (options) => {
		const outcome = await callInN8nAgent(options);
		if (!['ledger', 'budget', 'spending'].includes(String(options.parameters['resource'])))
			return outcome;
		refusals.push(outcome.error?.message ?? JSON.stringify(outcome.items));
		return await run(options);
	});
	const operations = documentedOperations().filter((title) =>
		/^(Remote Agent|Crypto Q&A|Model Router): (?!Job Ledger|Budget|Spending)/.test(title),
	);
	expect(operations.length).toBeGreaterThan(10);
	const failed = operations.filter((title) => !outputs[title] || 'error' in outputs[title]);
	expect(failed).toEqual([]);
	expect(refusals).toHaveLength(13);
	for (const refusal of refusals)
		expect(refusal).toMatch(
			/^An AI agent cannot use the resource (Job Ledger|Budget|Spending)\. Nothing was done/,
		);
});

describe('money', () => {
	const start = async (parameters: object) => {
		const call = rig.starting('a cat');
		const given = { ...call.parameters, useLedger: false, ...parameters };
		const { items, error } = await callInN8nAgent({ ...call, parameters: given });
		expect(error).toBeUndefined();
		return items[0]!.json;
	};

	it.each([['without leave', {}, /This tool is not set up to start media jobs/]])(
		'no job is started %s',
		async (_what, parameters, refusal) => {
			expect(await start(parameters)).toMatchObject({ error: expect.stringMatching(refusal) });
			expect(posts(rig.service)).toEqual([]);
		},
	);

	it('with a Unique Key a job is not started again after an unknown outcome', async () => {
		const keyed = { allowAgents: true, uniqueKey: 'order 7' };
		failPosts(rig.service, { type: 'status', status: 500 });
		await start(keyed);
		// n8n gives such a call no execution ID
		const reason = expect.stringMatching(/^An execution sent it on /) as unknown;
		expect(await start(keyed)).toMatchObject({ details: { outcome: 'unknown', reason } });
		expect(posts(rig.service)).toHaveLength(1);
	});

	it.each([
		['agent', agent({ message: 'hello' })],
		['assistant', assistant('ask', { question: 'hello' })],
		['model', chat('hello')],
	])(
		'nothing remembers a call whose outcome is unknown: the %s says that it must not be made again',
		async (_what, call) => {
			failPosts(rig.service, { type: 'status', status: 500 });
			const options = { ...call, secrets: secretsOf(rig.service) };
			const { items } = await callInN8nAgent(options);
			expect(items[0]?.json).toMatchObject({
				error: expect.stringMatching(/Do not call this tool again now: tell the user/),
				details: { outcome: 'unknown' },
			});
			// as the documentation says
			await callInN8nAgent(options);
			expect(posts(rig.service)).toHaveLength(2);
		},
	);
});
