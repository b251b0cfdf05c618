import type { INode, Workflow } from 'n8n-workflow';

import { startService, type Service } from '../service/service';
import { secretsOf } from './rig/calls';
import { converse, type Speaker } from './rig/converse';
import { made } from './rig/run';

// What n8n runs again, and what no node should return. Each in a real n8n, too, where it can happen there: test/n8n/conversation*.
const says =
	(text: string): Speaker =>
	() => ({ output: text });

it('trap 2: answers come once more with every try of the conversation, and none is counted twice', async () => {
	let calls = 0;
	const { json, error, told } = await converse({
		parameters: { turnLimit: 4 },
		speakers: { Ada: says('a'), Bob: says('b') },
		settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
		// each call fails twice, after the node has taken the answers
		onCalled() {
			if (++calls % 3) throw new Error('It broke');
		},
	});
	expect(error).toBeUndefined();
	expect(calls).toBe(15);
	expect(told.map(({ speaker }) => speaker)).toEqual(['Ada', 'Bob', 'Ada', 'Bob']);
	expect(json).toMatchObject({ ended: 'turnLimit', turns: 4 });
});

it('an answer that cannot be read is a failed turn, and the turns before are in the output', async () => {
	const own: Record<string, unknown> = {};
	own['own'] = own;
	const { json, error, told } = await converse({
		speakers: { Ada: says('a'), Bob: () => ({ output: own as never }) },
		settings: { retryOnFail: true, waitBetweenTries: 1 },
	});
	expect(error).toBeUndefined();
	expect(told).toHaveLength(2);
	expect(json).toMatchObject({
		ended: 'speakerFailed',
		output: 'a',
		turns: 2,
		failure: { speaker: 'Bob', error: expect.stringMatching(/^The answer cannot be read: /) },
	});
});

it('a defect of n8n in the middle loses no turn that was paid for', async () => {
	const { json, error, told } = await converse({
		speakers: {
			Ada: says('a'),
			Bob(_json, n8n) {
				const { workflow } = n8n as unknown as { workflow: Workflow };
				const whole = workflow.getParentNodes.bind(workflow);
				workflow.getParentNodes = (name, type, depth) => {
					if (type === 'ai_tool' && depth === 1) throw new Error('It broke');
					return whole(name, type, depth);
				};
				return { output: 'b', costUsd: 0.5 };
			},
		},
		settings: { retryOnFail: true, waitBetweenTries: 1 },
	});
	expect(error).toBeUndefined();
	expect(told).toHaveLength(2);
	expect(json).toMatchObject({
		ended: 'speakerFailed',
		reason: 'The conversation could not go on: It broke',
		output: 'b',
		turns: 2,
		costUsd: 0.5,
	});
});

it('costs of any size are added up, and what is no amount does not count', async () => {
	const most = Number.MAX_VALUE;
	const row = { speaker: 'Ada', text: 'a', turn: 1 };
	const transcript = [
		{ ...row, costUsd: -1000 },
		{ ...row, turn: 2, costUsd: Infinity },
		{ ...row, turn: 3, costUsd: 'free' },
	];
	const costs = (costUsd: number) => [{ json: { output: 'b', costUsd } }];
	const spend = async (cap: number, ...answers: number[]) =>
		await converse({
			parameters: { turnLimit: 4, spendingCapPerConversation: cap, options: { transcript } },
			speakers: { Ada: says('a'), Stranger: () => answers.flatMap(costs) },
		});
	const { json, error } = await spend(1, most, most);
	expect(error).toBeUndefined();
	expect(json).toMatchObject({ ended: 'turnLimit', turns: 7 });
	expect(await spend(1, 0.6)).toMatchObject({
		json: { ended: 'spendingCap', turns: 6, costUsd: 1.2 },
	});
	expect(await spend(1, most)).toMatchObject({ json: { ended: 'spendingCap', costUsd: most } });
});

it('a speaker whose answers n8n would discard is refused before anything is sent', async () => {
	const { error, told } = await converse({
		speakers: { Ada: says('a'), Bob: says('b') },
		speakerSettings: { Bob: { onError: 'continueErrorOutput' } },
	});
	expect(error).toMatchObject({
		message: 'Bob: "Continue (using error output)" is not possible for a speaker',
		description: expect.stringContaining('choose Continue in On Error'),
	});
	expect(told).toEqual([]);
});

describe('"Retry" of an execution that a speaker has stopped', () => {
	let service: Service;
	beforeAll(async () => {
		service = await startService();
	});
	beforeEach(() => service.reset());
	afterAll(async () => await service.stop());

	const agent = (): INode => ({
		...made('Agent', 'n8n-nodes-agent-bridge.workspaceAgentTool'),
		credentials: { workspaceAgentApi: { id: 'workspaceAgentApi', name: 'workspaceAgentApi' } },
		onError: 'stopWorkflow',
	});
	const talk = (more: Partial<Parameters<typeof converse>[0]> = {}) =>
		converse({
			parameters: { turnLimit: 4 },
			speakers: { Ada: agent(), Bob: agent() },
			secrets: secretsOf(service),
			...more,
		});
	/** The third turn: the second one of Ada. */
	const stopped = async (status: number) => {
		service.fault({
			match: { method: 'POST' },
			skip: 2,
			times: 1,
			do: { type: 'status', status },
		});
		const { run, error } = await talk();
		expect(error).toBeDefined();
		expect(service.requests).toHaveLength(3);
		return run.data;
	};

	it('gives a speaker its message once more, although n8n has removed the record of it', async () => {
		const { json, error } = await talk({ retry: await stopped(400) });
		expect(error).toBeUndefined();
		expect(json).toMatchObject({ ended: 'turnLimit', turns: 4 });
		expect(service.requests).toHaveLength(5);
		expect(service.requests[3]).toMatchObject({
			path: service.requests[2]!.path,
			body: service.requests[2]!.body,
		});
	});

	it('sends nothing again that may have been received', async () => {
		const { error } = await talk({ retry: await stopped(500) });
		expect(error?.description).toContain('It was not sent again');
		expect(service.requests).toHaveLength(3);
	});

	it('ends the conversation if the next speaker is gone', async () => {
		const { json, error } = await talk({
			retry: await stopped(400),
			speakers: { Ada: agent(), Bob: { ...agent(), disabled: true } },
		});
		expect(error).toBeUndefined();
		expect(json).toMatchObject({
			ended: 'speakerFailed',
			reason: 'Bob is no longer connected',
			turns: 3,
			failure: {
				turn: 4,
				speaker: 'Bob',
				error: expect.stringContaining('Nothing was sent to it'),
			},
		});
		expect(service.requests).toHaveLength(4);
	});
});
